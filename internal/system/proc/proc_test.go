package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sh runs a script of the system's shell.
func sh(script string) Spec {
	return Spec{Argv: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}}
}

func run(t *testing.T, s Spec) Result {
	t.Helper()
	res, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestRun(t *testing.T) {
	tests := map[string]struct {
		script, stdout, stderr, signal string
		exit                           int
	}{
		"output":       {script: "echo out; echo err >&2", stdout: "out\n", stderr: "err\n"},
		"exit code":    {script: "exit 7", exit: 7},
		"exit 139":     {script: "exit 139", exit: 139},
		"signal":       {script: "kill -SEGV $$", signal: "SIGSEGV", exit: -1},
		"kill":         {script: "echo a; kill -9 $$", stdout: "a\n", signal: "SIGKILL", exit: -1},
		"no input":     {script: "cat; echo end", stdout: "end\n"},
		"its own vars": {script: "echo ${HOME-unset} ${PATH}", stdout: "unset /usr/bin:/bin\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			res := run(t, sh(tt.script))
			if string(res.Stdout) != tt.stdout || string(res.Stderr) != tt.stderr {
				t.Errorf("output %q, %q", res.Stdout, res.Stderr)
			}
			if res.ExitCode != tt.exit || res.Signal != tt.signal || res.TimedOut || res.Flooded {
				t.Errorf("end %+v", res)
			}
			if res.StdoutTotal != int64(len(tt.stdout)) || res.Wall <= 0 {
				t.Errorf("measured %d bytes, %v", res.StdoutTotal, res.Wall)
			}
		})
	}
}

func TestEnvironmentIsNeverInherited(t *testing.T) {
	t.Setenv("REPGEN_TEST_SECRET", "visible")
	res := run(t, Spec{Argv: []string{"/usr/bin/env"}})
	if len(res.Stdout) != 0 {
		t.Errorf("a nil Env gave %q", res.Stdout)
	}
	res = run(t, Spec{Argv: []string{"/usr/bin/env"}, Env: []string{"A=1"}})
	if string(res.Stdout) != "A=1\n" {
		t.Errorf("environment %q", res.Stdout)
	}
}

func TestDescriptors(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	s := sh("echo given >&4; ls /proc/self/fd | tr '\\n' ' '")
	s.ExtraFiles = []*os.File{nil, w}
	res := run(t, s)
	_ = w.Close()
	var got bytes.Buffer
	if _, err := got.ReadFrom(r); err != nil || got.String() != "given\n" {
		t.Errorf("extra file got %q, %v", got.String(), err)
	}
	// 3 is the folder that ls reads: our own descriptors stay ours.
	if string(res.Stdout) != "0 1 2 3 4 " {
		t.Errorf("open descriptors: %s", res.Stdout)
	}
}

func TestStdin(t *testing.T) {
	s := sh("wc -c")
	s.Stdin = bytes.Repeat([]byte("x"), 300000)
	if got := strings.TrimSpace(string(run(t, s).Stdout)); got != "300000" {
		t.Errorf("child read %s bytes", got)
	}
	s = sh("exit 0") // does not read: must not hang, must not fail
	s.Stdin = bytes.Repeat([]byte("x"), 300000)
	if res := run(t, s); res.ExitCode != 0 {
		t.Errorf("end %+v", res)
	}
}

func TestNotStarted(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"no-such-program-here", filepath.Join(dir, "absent")} {
		_, err := Run(t.Context(), Spec{Argv: []string{name}})
		if !errors.Is(err, ErrNotFound) || !errors.Is(err, exec.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Run(t.Context(), Spec{Argv: []string{plain}}); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("a plain file: %v", err)
	}
	if _, err := Run(t.Context(), Spec{}); err == nil {
		t.Error("nothing was run")
	}
	s := sh("echo")
	s.Dir = filepath.Join(dir, "absent")
	if _, err := Run(t.Context(), s); err == nil {
		t.Error("ran in a folder that does not exist")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, sh("echo")); !errors.Is(err, context.Canceled) {
		t.Errorf("under an ended context: %v", err)
	}
}

// deadGroup fails unless every process of the group is gone; one that only
// waits for the system's init to bury it is.
func deadGroup(t *testing.T, pgid int) {
	t.Helper()
	var living []string
	for range 6000 {
		if living = members(pgid); len(living) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("group %d lives on: %v", pgid, living)
}

// members lists the living processes of a group.
func members(pgid int) []string {
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	var out []string
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		// After the name in brackets: state, parent, group.
		rest := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		if rest[2] == strconv.Itoa(pgid) && rest[0] != "Z" && rest[0] != "X" {
			out = append(out, f)
		}
	}
	return out
}

func TestTimeoutKillsGroup(t *testing.T) {
	for name, grace := range map[string]time.Duration{"polite": 0, "short grace": 50 * time.Millisecond, "at once": -1} {
		t.Run(name, func(t *testing.T) {
			var pid int
			s := sh("trap '' TERM; sleep 600 & sleep 600 & wait")
			if name == "polite" {
				s = sh("sleep 600 & sleep 600")
			}
			s.Timeout, s.Grace = 100*time.Millisecond, grace
			s.OnStart = func(p int) { pid = p }
			res := run(t, s)
			if !res.TimedOut || res.Signal == "" {
				t.Errorf("end %+v", res)
			}
			deadGroup(t, pid)
		})
	}
}

func TestCancelKillsGroup(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var pid int
	s := sh("echo ready; sleep 600 & sleep 600")
	s.Grace = -1
	s.OnStart = func(p int) { pid = p }
	s.OnLine = func(Stream, string) { cancel() }
	res, err := Run(ctx, s)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if string(res.Stdout) != "ready\n" {
		t.Errorf("lost what was seen: %q", res.Stdout)
	}
	deadGroup(t, pid)
}

// TestNoOrphans: what the leader leaves in the background ends with it, also
// though it holds the output open.
func TestNoOrphans(t *testing.T) {
	var pid int
	s := sh("sleep 600 & echo gone")
	s.OnStart = func(p int) { pid = p }
	res := run(t, s)
	if string(res.Stdout) != "gone\n" || res.Wall > 30*time.Second {
		t.Errorf("%q after %v", res.Stdout, res.Wall)
	}
	deadGroup(t, pid)
}

// TestEscapedHolder: a process that left the group keeps the pipe; the run
// must end all the same.
func TestEscapedHolder(t *testing.T) {
	res := run(t, sh("setsid sleep 3 & echo $!; sleep 0.2"))
	pid, err := strconv.Atoi(strings.TrimSpace(string(res.Stdout)))
	if err != nil {
		t.Fatal(err)
	}
	_ = unix.Kill(pid, unix.SIGKILL)
	if res.ExitCode != 0 {
		t.Errorf("end %+v", res)
	}
}

func TestCaps(t *testing.T) {
	s := sh("printf begin; head -c 100000 /dev/zero | tr '\\0' x; printf end; echo short >&2")
	s.KeepBytes = 100
	res := run(t, s)
	out := string(res.Stdout)
	if !strings.HasPrefix(out, "beginx") || !strings.HasSuffix(out, "xend") || !strings.Contains(out, "99908 bytes left out") {
		t.Errorf("kept %q", out)
	}
	if res.StdoutTotal != 100008 || string(res.Stderr) != "short\n" || res.Flooded {
		t.Errorf("end %+v", res)
	}
}

func TestFlood(t *testing.T) {
	for _, redirect := range []string{"", ">&2"} {
		s := sh("exec yes " + redirect)
		s.KeepBytes, s.FloodBytes, s.Grace = 1000, 50000, -1
		res := run(t, s)
		if !res.Flooded || res.Signal != "SIGKILL" || res.StdoutTotal+res.StderrTotal <= 50000 {
			t.Errorf("end %s, %d bytes", res.Signal, res.StdoutTotal)
		}
	}
}

func TestLines(t *testing.T) {
	var mu sync.Mutex
	got := map[Stream][]string{}
	s := sh(`printf 'a\r\nb\n\nlast'; printf 'e1\ne2\n' >&2`)
	s.OnLine = func(st Stream, line string) {
		mu.Lock()
		defer mu.Unlock()
		got[st] = append(got[st], line)
	}
	run(t, s)
	if fmt.Sprint(got[Stdout]) != "[a b  last]" || fmt.Sprint(got[Stderr]) != "[e1 e2]" {
		t.Errorf("lines %v", got)
	}
}

func TestMeasures(t *testing.T) {
	res := run(t, sh("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"))
	if res.CPU <= 0 || res.MaxRSS < 100<<10 {
		t.Errorf("cpu %v, peak %d", res.CPU, res.MaxRSS)
	}
}

func TestSignalName(t *testing.T) {
	for sig, want := range map[unix.Signal]string{unix.SIGSEGV: "SIGSEGV", unix.SIGABRT: "SIGABRT", 40: "SIG40"} {
		if got := SignalName(sig); got != want {
			t.Errorf("SignalName(%d) = %s", int(sig), got)
		}
	}
}

// TestCaptureKeepsEnds compares the ring with the plain slice, for any cuts.
func TestCaptureKeepsEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keep := rapid.Int64Range(2, 40).Draw(t, "keep")
		c := &capture{keep: keep}
		var all []byte
		for _, part := range rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 60)).Draw(t, "parts") {
			c.add(part)
			all = append(all, part...)
		}
		got, total := c.bytes()
		if total != int64(len(all)) {
			t.Fatalf("total %d, want %d", total, len(all))
		}
		if total <= keep {
			if !bytes.Equal(got, all) {
				t.Fatalf("got %q, want %q", got, all)
			}
			return
		}
		head, tail := all[:keep/2], all[total-(keep-keep/2):]
		want := fmt.Appendf(append([]byte{}, head...), "\n... %d bytes left out ...\n", total-keep)
		if want = append(want, tail...); !bytes.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

// TestLinesAreWhole: the cuts between reads do not show in the lines.
func TestLinesAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ab\n]{0,80}`).Draw(t, "text")
		size := rapid.IntRange(1, 9).Draw(t, "size")
		var got []string
		c := &capture{keep: 10, onLine: func(l string) { got = append(got, l) }}
		c.readFrom(&cutReader{data: []byte(text), size: size})
		want := strings.Split(text, "\n")
		if want[len(want)-1] == "" {
			want = want[:len(want)-1] // no line begins after the last end
		}
		if strings.Join(got, "|") != strings.Join(want, "|") || len(got) != len(want) {
			t.Fatalf("lines %q, want %q", got, want)
		}
	})
}

// cutReader gives at most size bytes a read.
type cutReader struct {
	data []byte
	size int
}

func (r *cutReader) Read(p []byte) (int, error) {
	if len(r.data) == 0 {
		return 0, errors.New("end")
	}
	n := copy(p, r.data[:min(r.size, len(r.data))])
	r.data = r.data[n:]
	return n, nil
}
