// Package sandboxtest holds the suites that every adapter of package sandbox
// runs: Conformance for the contract, Escape for what the isolation must hold.
// Only tests import it.
package sandboxtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
)

// python is the distribution's interpreter: /usr is visible in every sandbox,
// and, unlike one below a home folder, to every user.
const python = "/usr/bin/python3"

// Real skips the test unless the switch for real tools is on. When it is on, a
// missing tool must fail the test, not skip it.
func Real(t testing.TB) {
	t.Helper()
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to run processes in the sandbox")
	}
	if _, err := os.Stat(python); err != nil {
		t.Fatalf("REPGEN_REAL is set but there is no %s: apt-get install python3", python)
	}
}

// limits are small enough for a quick test and large enough for a busy
// machine.
func limits() sandbox.Limits {
	return sandbox.Limits{
		Wall: time.Minute, CPU: time.Minute, MemoryBytes: 512 << 20, Pids: 64,
		OutputBytes: 1 << 20, FileBytes: 256 << 20, DiskBytes: 512 << 20,
	}
}

// script is a command that runs Python code, with arguments in sys.argv[1:].
func script(code string, args ...string) sandbox.Command {
	return sandbox.Command{Argv: append([]string{python, "-c", code}, args...)}
}

// run executes and fails the test on an error of the sandbox itself.
func run(t *testing.T, s sandbox.Sandbox, c sandbox.Command, l sandbox.Limits) sandbox.Execution {
	t.Helper()
	ex, err := s.Run(t.Context(), c, l)
	if err != nil {
		t.Fatalf("Run: %v\nstderr: %s", err, ex.Stderr)
	}
	return ex
}

// wantExit fails unless the script ended by itself with the code.
func wantExit(t *testing.T, ex sandbox.Execution, code int) {
	t.Helper()
	if ex.Outcome != sandbox.Exited || ex.ExitCode != code || ex.Signal != "" {
		t.Fatalf("ended %s %d %s (%s), want exit %d\nstdout: %s\nstderr: %s",
			ex.Outcome, ex.ExitCode, ex.Signal, ex.LimitHit, code, ex.Stdout, ex.Stderr)
	}
}

// wantOutcome fails unless the execution ended so.
func wantOutcome(t *testing.T, ex sandbox.Execution, want sandbox.Outcome) {
	t.Helper()
	if ex.Outcome != want {
		t.Fatalf("ended %s %d %s (%s), want %s\nstdout: %.300s\nstderr: %.300s",
			ex.Outcome, ex.ExitCode, ex.Signal, ex.LimitHit, want, ex.Stdout, ex.Stderr)
	}
}

// Token is a word that occurs nowhere else on the machine.
func Token(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("canary%d%s", time.Now().UnixNano(), strings.Repeat("z", 8))
}

// Gone fails when a process with the word in its command line goes on
// living. Of a busy machine the kernel takes a while to end them.
func Gone(t *testing.T, word string) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		pids := withWord(word)
		if len(pids) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("still running: %v", pids)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// withWord lists the processes of the host that name the word; the test's own
// is none, since its words are made at run time.
func withWord(word string) []string {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is valid
	var out []string
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err == nil && bytes.Contains(data, []byte(word)) {
			out = append(out, filepath.Base(filepath.Dir(f)))
		}
	}
	return out
}

// cancelWhen cancels once the file exists.
func cancelWhen(t *testing.T, cancel context.CancelFunc, path string) {
	t.Helper()
	go func() {
		for range 3000 {
			if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
	}()
}
