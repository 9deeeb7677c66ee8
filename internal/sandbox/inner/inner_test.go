package inner

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestLookup(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"tool": 0o755, "text": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"A=/x", "PATH=/nowhere:" + dir}
	if got, err := lookup("tool", env); err != nil || got != filepath.Join(dir, "tool") {
		t.Errorf("tool: %q, %v", got, err)
	}
	if got, err := lookup("/any/path", nil); err != nil || got != "/any/path" {
		t.Errorf("a path: %q, %v", got, err)
	}
	for _, name := range []string{"text", "absent"} {
		if _, err := lookup(name, env); !errors.Is(err, exec.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestChildFiles(t *testing.T) {
	if got := childFiles(-1); len(got) != 3 {
		t.Errorf("without a channel: %v", got)
	}
	got := childFiles(42)
	if len(got) != ProbeFD+1 || got[ProbeFD] != 42 || got[3] != ^uintptr(0) {
		t.Errorf("with a channel: %v", got)
	}
}

func TestSignalName(t *testing.T) {
	for sig, want := range map[syscall.Signal]string{syscall.SIGSEGV: "SIGSEGV", 40: "SIG40"} {
		if got := signalName(sig); got != want {
			t.Errorf("signalName(%d) = %s", int(sig), got)
		}
	}
}

// TestAwaitChild: the status is the command's, not that of an orphan before.
func TestAwaitChild(t *testing.T) {
	pid, err := syscall.ForkExec("/bin/sh", []string{"sh", "-c", "exit 139"}, &syscall.ProcAttr{Env: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	if ws := awaitChild(pid); !ws.Exited() || ws.ExitStatus() != 139 {
		t.Errorf("status %v", ws)
	}
	pid, err = syscall.ForkExec("/bin/sh", []string{"sh", "-c", "kill -SEGV $$"}, &syscall.ProcAttr{Env: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	if ws := awaitChild(pid); !ws.Signaled() || ws.Signal() != syscall.SIGSEGV {
		t.Errorf("status %v", ws)
	}
}

// TestLimitsNeverRise: a limit above the inherited one stays at that one.
func TestLimitsNeverRise(t *testing.T) {
	var have unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &have); err != nil {
		t.Fatal(err)
	}
	if err := setLimits(Order{}); err != nil {
		t.Fatal(err)
	}
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &now); err != nil || now.Max > min(have.Max, coreLimit) {
		t.Errorf("core limit %+v after %+v, %v", now, have, err)
	}
}

func TestLookAround(t *testing.T) {
	s := lookAround()
	if s.Pid != os.Getpid() || s.Seccomp == "" || s.UIDMap == "" || !strings.Contains(strings.Join(s.Interfaces, " "), "lo") {
		t.Errorf("outside a sandbox: %+v", s)
	}
}

// TestBare: the first process without a namespace ends what the command started,
// at its end, on SIGTERM and when its orders end.
func TestBare(t *testing.T) {
	for name, act := range map[string]func(*bareRun){
		"end":     func(b *bareRun) { _ = b.stdin.Close() }, // the script reads it
		"orders":  func(b *bareRun) { _ = b.orders.Close() },
		"SIGTERM": func(b *bareRun) { _ = b.first.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			b := bare(t)
			if _, err := b.stdout.Read(make([]byte, 2)); err != nil {
				t.Fatal(err)
			}
			act(b)
			if _, err := io.Copy(io.Discard, b.stdout); err != nil { // until the last holder is dead
				t.Fatal(err)
			}
			told, err := io.ReadAll(b.news)
			if err != nil {
				t.Fatal(err)
			}
			if ended := strings.Contains(string(told), `"ended":true`); ended != (name == "end") {
				t.Errorf("it told %s", told)
			}
			_ = b.first.Wait()
		})
	}
}

// bareRun is a first process and its channels.
type bareRun struct {
	first               *exec.Cmd
	stdout              io.Reader
	stdin, orders, news *os.File
}

// bare starts the test program as a first process with a shell below it, whose
// child leaves its group and holds the output open, so that its end is the
// output's.
func bare(t *testing.T) *bareRun {
	t.Helper()
	pipe := func() (r, w *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close(); _ = w.Close() })
		return r, w
	}
	orderR, orderW := pipe()
	newsR, newsW := pipe()
	held, stdin := pipe()
	first := &exec.Cmd{Path: Bare, Args: Argv(Bare, 3, 4, "mark"), ExtraFiles: []*os.File{orderR, newsW}, Stdin: held}
	stdout, err := first.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = first.Process.Kill() })
	for _, f := range []*os.File{orderR, newsW, held} {
		_ = f.Close()
	}
	script := `setsid sh -c 'echo x; exec sleep 600' & read wait`
	order := Order{Argv: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, ProbeFD: -1}
	if err := json.NewEncoder(orderW).Encode(order); err != nil {
		t.Fatal(err)
	}
	return &bareRun{first, stdout, stdin, orderW, newsR}
}
