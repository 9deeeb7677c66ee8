package bwrap

import (
	"os"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	Trampoline()
	if spec := os.Getenv(roleVar); spec != "" {
		os.Exit(runner(spec))
	}
	os.Exit(m.Run())
}

// open makes a sandbox whose state lies in a folder of the test.
func open(t testing.TB, o Options) *Sandbox {
	t.Helper()
	o.StateDir = t.TempDir()
	s, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) {
	sandboxtest.Conformance(t, func(t *testing.T) sandbox.Sandbox { return open(t, Options{}) })
}

func TestConformanceWithoutCgroup(t *testing.T) {
	sandboxtest.Conformance(t, func(t *testing.T) sandbox.Sandbox { return open(t, Options{NoCgroup: true}) })
}
