package native

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/sandboxtest"
)

// roleVar makes the test binary the program that TestKills kills.
const roleVar = "REPGEN_TEST_RUNNER"

func TestMain(m *testing.M) {
	if word := os.Getenv(roleVar); word != "" {
		_, _ = fmt.Fprintln(os.Stderr, sandboxtest.Victim(New(), word))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func TestConformance(t *testing.T) {
	sandboxtest.Conformance(t, func(*testing.T) sandbox.Sandbox { return New() })
}

// TestKills: kill -9 of the program takes along all that the script started, and
// the next start clears the rest.
func TestKills(t *testing.T) {
	word := t.TempDir()
	t.Setenv("REPGEN_CACHE_DIR", word)
	t.Setenv("TMPDIR", t.TempDir())
	sandboxtest.Kills(t, word, func() *exec.Cmd {
		cmd := exec.Command(os.Args[0], word)
		cmd.Env = append(os.Environ(), roleVar+"="+word)
		return cmd
	})
	runs := filepath.Join(word, "sandbox", "native")
	sandboxtest.Marks(t, runs)
	New()
	for dir, want := range map[string]int{runs: 1, os.TempDir(): 0} { // New's own
		if left, err := os.ReadDir(dir); err != nil || len(left) != want {
			t.Errorf("in %s: %d left, %v", dir, len(left), err)
		}
	}
}
