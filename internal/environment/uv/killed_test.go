package uv

import (
	"testing"

	"github.com/repgen/repgen/internal/system/proc"
)

// TestEndedBySignal: a uv that was ended says nothing of what it was asked.
func TestEndedBySignal(t *testing.T) {
	for signal, want := range map[string]Class{"SIGXFSZ": FileLimit, "SIGKILL": Killed, "SIGSEGV": Killed} {
		f := failureOf(proc.Result{Signal: signal, ExitCode: -1, Stderr: []byte("Because a was not found in the package registry")})
		if f.Class != want || !f.Infrastructure() || f.Detail == "" {
			t.Errorf("%s: %+v", signal, f)
		}
	}
	if f := failureOf(proc.Result{ExitCode: 1, Stderr: []byte("x\n cause: Because a was not found in the package registry")}); f.Class != PackageMissing {
		t.Errorf("%+v", f)
	}
}
