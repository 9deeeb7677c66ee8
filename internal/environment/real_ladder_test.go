package environment

import (
	"os"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
)

// realBench opens a Manager with a sandbox on the real index. REPGEN_CACHE_DIR
// names a cache to share between runs; without it everything is fetched anew.
func realBench(t *testing.T) *Manager {
	t.Helper()
	needReal(t, "bwrap")
	cache := os.Getenv("REPGEN_CACHE_DIR")
	if cache == "" {
		cache = t.TempDir()
		t.Cleanup(func() { makeWritable(t, cache) })
	}
	m, err := Open(t.Context(), Options{CacheDir: cache, Sandbox: plainBwrap{}, Limits: sandbox.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// certified solves, builds and imports.
func certified(t *testing.T, m *Manager, s Spec) (*Lock, Certificate) {
	t.Helper()
	lock := realSolve(t, m, s)
	e, u, err := m.Build(t.Context(), lock)
	if err != nil || u != nil {
		t.Fatalf("build: %+v %v (%s)", u, err, strings.Join(lock.Edits, "; "))
	}
	t.Cleanup(e.Release)
	c, err := m.Certify(t.Context(), e, s)
	if err != nil {
		t.Fatal(err)
	}
	return lock, c
}

// TestRealBadMetadata: no version of uv installs gym 0.21.0 as it is. The later
// days need setuptools of the source's own day, 3.12 an older interpreter.
func TestRealBadMetadata(t *testing.T) {
	m := realBench(t)
	for _, c := range []struct{ python, day, lands string }{
		{"3.9", "2022-03-01", "3.9"}, {"3.8", "2022-03-01", "3.8"}, {"3.9", "2024-06-01", "3.9"}, {"3.12", "2024-06-01", "3.10"},
	} {
		t.Run(c.python+" "+c.day, func(t *testing.T) {
			s := Spec{
				Python: c.python, PythonSource: "report", AsOf: endOfDay(at(c.day)), AsOfSource: "flag", Subject: "gym", Imports: []string{"gym"},
				Requirements: []Requirement{req("gym==0.21.0", WordReporter), {Name: "numpy", Spec: "<2", Word: WordReporter}},
			}
			lock, cert := certified(t, m, s)
			if !cert.OK || len(cert.Wrong) > 0 || lock.Version("gym") != "0.21.0" || lock.Rung != rungMetadata || minorOf(lock.Python) != c.lands {
				t.Errorf("python %s, rung %d (%s), certificate %t %s %v", lock.Python, lock.Rung, rungsOf(lock.Rungs), cert.OK, cert.Why, cert.Wrong)
			}
			if !strings.Contains(strings.Join(lock.Edits, "\n"), "opencv-python") {
				t.Errorf("the repair is not recorded: %q", lock.Edits)
			}
		})
	}
}
