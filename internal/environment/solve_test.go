package environment

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/repgen/repgen/internal/environment/interp"
)

func checkIndexError(t *testing.T, err error) {
	t.Helper()
	var index *IndexError
	if !errors.As(err, &index) {
		t.Errorf("%T %v is no *IndexError", err, err)
		return
	}
	if index.What == "" || index.Next == "" {
		t.Errorf("says too little: %+v", index)
	}
}

// fakeManager is a Manager whose interpreters are known already, so that
// nothing is looked for on this machine.
func fakeManager(t *testing.T) *Manager {
	t.Helper()
	m, err := Open(t.Context(), Options{CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	m.tools.pythons = []interp.Interpreter{{Path: "/opt/python3.11", Version: "3.11.7", Minor: "3.11"}}
	m.tools.found = true
	return m
}

func TestOpenNeedsACache(t *testing.T) {
	if _, err := Open(t.Context(), Options{}); err == nil {
		t.Error("opened without a cache folder")
	}
}

func TestCachedSolve(t *testing.T) {
	m := fakeManager(t)
	s := Spec{Subject: "lib", AsOf: at("2024-03-10")}
	calls := 0
	solve := func() (*Lock, *Unavailable, error) {
		calls++
		return &Lock{Python: "3.11.7", Hash: "abc", Env: map[string]string{"A": "b"}}, nil, nil
	}
	for range 3 {
		lock, u, err := m.cachedSolve(t.Context(), "solve", s, nil, solve)
		if err != nil || u != nil || lock.Hash != "abc" || lock.Env["A"] != "b" {
			t.Fatalf("%+v %v %v", lock, u, err)
		}
	}
	if calls != 1 {
		t.Errorf("solved %d times", calls)
	}
	s.AsOf = at("2024-03-11")
	if _, _, err := m.cachedSolve(t.Context(), "solve", s, nil, solve); err != nil || calls != 2 {
		t.Errorf("another day was taken from the cache: %d, %v", calls, err)
	}
	m.tools.pythons[0].Version = "3.11.8"
	if _, _, err := m.cachedSolve(t.Context(), "solve", s, nil, solve); err != nil || calls != 3 {
		t.Errorf("another interpreter was taken from the cache: %d, %v", calls, err)
	}
}

func TestUnavailableIsNotCached(t *testing.T) {
	m := fakeManager(t)
	calls := 0
	for range 2 {
		_, u, err := m.cachedSolve(t.Context(), "solve", Spec{}, nil, func() (*Lock, *Unavailable, error) {
			calls++
			return nil, &Unavailable{Why: "no"}, nil
		})
		if err != nil || u == nil || u.Why != "no" {
			t.Fatalf("%v %v", u, err)
		}
	}
	if calls != 2 {
		t.Errorf("asked %d times", calls)
	}
}

func TestTornLockIsSolvedAgain(t *testing.T) {
	m := fakeManager(t)
	calls := 0
	solve := func() (*Lock, *Unavailable, error) {
		calls++
		return &Lock{Hash: "abc"}, nil, nil
	}
	for range 2 {
		if _, _, err := m.cachedSolve(t.Context(), "solve", Spec{}, nil, solve); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(m.opts.CacheDir, "locks", "*.json"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%v %v", files, err)
		}
		if err := os.WriteFile(files[0], []byte(`{"hash":`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if calls != 2 {
		t.Errorf("solved %d times", calls)
	}
}

func TestMoveOfWhatIsNotThere(t *testing.T) {
	m := fakeManager(t)
	base := &Lock{Python: "3.11.7", Packages: []Package{{Name: "tensorflow-cpu", Version: "2.15.0"}}}
	_, _, u, err := m.Move(t.Context(), Spec{}, base, "jax", "0.6.1")
	if err != nil || u == nil {
		t.Errorf("%v %v", u, err)
	}
	if _, _, _, err := m.Move(t.Context(), Spec{}, base, "tensorflow", "newest"); err == nil {
		t.Error("moved to no version")
	}
	if got := nameIn(base, "tensorflow"); got != "tensorflow-cpu" {
		t.Errorf("tensorflow is in it as %s", got)
	}
}

func TestPickInterpreter(t *testing.T) {
	list := []interp.Interpreter{{Version: "3.12.1", Minor: "3.12"}, {Version: "3.11.9", Minor: "3.11"}, {Version: "3.11.7", Minor: "3.11"}}
	cases := map[string]string{"3.11.7": "3.11.7", "3.11": "3.11.9", "3.11.2": "3.11.9", "3.12": "3.12.1", "3.13": "", "": ""}
	for version, want := range cases {
		if p, ok := pickInterpreter(list, version); p.Version != want || ok != (want != "") {
			t.Errorf("%q: %q %t, want %q", version, p.Version, ok, want)
		}
	}
}

// BenchmarkSolveCached is what a second run pays for its environment's lock.
func BenchmarkSolveCached(b *testing.B) {
	m, err := Open(b.Context(), Options{CacheDir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	m.tools.found = true
	lock := &Lock{Hash: "abc"}
	for i := range 60 {
		lock.Packages = append(lock.Packages, Package{Name: "package" + itoa(i), Version: "1.0", Hashes: make([]string, 20)})
	}
	for b.Loop() {
		if _, _, err := m.cachedSolve(b.Context(), "solve", Spec{}, nil, func() (*Lock, *Unavailable, error) { return lock, nil, nil }); err != nil {
			b.Fatal(err)
		}
	}
}
