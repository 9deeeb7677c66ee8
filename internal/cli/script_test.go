package cli

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/repgen/repgen/internal/sandbox/bwrap"
)

// TestMain makes this test binary serve as repgen itself (testscript runs it
// under that name) and as the sandbox's init.
func TestMain(m *testing.M) {
	bwrap.Trampoline()
	testscript.Main(m, map[string]func(){
		"repgen": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestOffline runs the command line as users see it, without network, sandbox
// or interpreter.
func TestOffline(t *testing.T) {
	tracker := httptest.NewServer(http.HandlerFunc(fakeTracker))
	t.Cleanup(tracker.Close)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/offline",
		RequireExplicitExec: true,
		Cmds:                commands(),
		Setup: func(e *testscript.Env) error {
			e.Setenv("REPGEN_CACHE_DIR", filepath.Join(e.WorkDir, "cache"))
			e.Setenv("REPGEN_GITHUB_API", tracker.URL)
			e.Setenv("GITHUB_TOKEN", "")
			e.Setenv("GH_TOKEN", "")
			e.Setenv("NO_COLOR", "1")
			return nil
		},
	})
}

// fakeTracker answers as the tracker does when it refuses.
func fakeTracker(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.Contains(r.URL.Path, "/limited/"):
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset", "1900000000")
		w.WriteHeader(http.StatusForbidden)
	case strings.Contains(r.URL.Path, "/denied/"):
		w.WriteHeader(http.StatusUnauthorized)
	case strings.Contains(r.URL.Path, "/garbage/"):
		_, _ = fmt.Fprint(w, "<html>not json</html>")
	case strings.Contains(r.URL.Path, "/good/") && strings.HasSuffix(r.URL.Path, "/7"):
		_, _ = fmt.Fprint(w, `{"title":"How do I set the learning rate?","body":"I cannot find it in the docs.","created_at":"2024-05-01T10:00:00Z","labels":[],"comments":0,"number":7}`)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// commands of the scripts: `rc CODE repgen ARGS` wants that exit code;
// `fill FILE SIZE TEXT` repeats TEXT up to SIZE bytes; `bytes FILE HEX` writes
// bytes; `flip FILE` changes one byte in the middle of a file, `cut FILE` leaves
// its first half; `inert FILE` wants no byte that steers a terminal.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"rc": cmdRC, "fill": cmdFill, "bytes": cmdBytes, "flip": cmdFlip,
		"cut": cmdCut, "inert": cmdInert,
	}
}

func cmdRC(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: rc CODE COMMAND ARGS")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
	if len(args) > 2 && (args[2] == "reproduce" || args[2] == "judge") && slices.Contains(args, "--json") {
		ts.Check(validResult([]byte(ts.ReadFile("stdout"))))
	}
}

func cmdFill(ts *testscript.TestScript, neg bool, args []string) {
	size, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := strings.Join(args[2:], " ") + "\n"
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat(text, size/len(text)+1)), 0o644))
}

func cmdBytes(ts *testscript.TestScript, neg bool, args []string) {
	var data []byte
	for _, h := range args[1:] {
		b, err := strconv.ParseUint(h, 16, 8)
		ts.Check(err)
		data = append(data, byte(b))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o644))
}

func cmdCut(ts *testscript.TestScript, neg bool, args []string) {
	name := ts.MkAbs(args[0])
	info, err := os.Stat(name)
	ts.Check(err)
	ts.Check(os.Truncate(name, info.Size()/2))
}

func cmdInert(ts *testscript.TestScript, neg bool, args []string) {
	for _, c := range ts.ReadFile(args[0]) {
		if steers(c) {
			ts.Fatalf("%s holds the control character %U", args[0], c)
		}
	}
}

// steers says whether a character could steer a terminal or turn its reading
// direction around.
func steers(c rune) bool {
	return c < 0x20 && c != '\n' && c != '\t' || c >= 0x7f && c < 0xa0 || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069
}

func cmdFlip(ts *testscript.TestScript, neg bool, args []string) {
	name := ts.MkAbs(args[0])
	data, err := os.ReadFile(name)
	ts.Check(err)
	if len(data) == 0 {
		ts.Fatalf("%s is empty", args[0])
	}
	data[len(data)/2] ^= 1
	ts.Check(os.WriteFile(name, data, 0o644))
}
