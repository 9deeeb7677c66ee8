package inner

import (
	"errors"
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
