package environment

import (
	"os"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

// realManager opens a Manager on the real index with an empty cache of its
// own.
func realManager(t *testing.T) *Manager {
	t.Helper()
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to use the real index, uv and interpreters")
	}
	m, err := Open(t.Context(), Options{CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func realSpec(t *testing.T, m *Manager, imports, subjects []string, versions ...report.Version) Spec {
	t.Helper()
	s, u, err := m.Spec(t.Context(), SpecInput{
		Report:    &report.Report{Versions: versions},
		Decision:  &triage.Decision{Subjects: subjects},
		Candidate: &candidate.Candidate{Imports: imports, Script: "import x"},
	})
	if err != nil || u != nil {
		t.Fatalf("spec: %v %v", u, err)
	}
	return s
}

func realSolve(t *testing.T, m *Manager, s Spec) *Lock {
	t.Helper()
	lock, u, err := m.Solve(t.Context(), s)
	if err != nil || u != nil {
		t.Fatalf("solve: %+v %v", u, err)
	}
	return lock
}

func TestRealSolveAndMove(t *testing.T) {
	m := realManager(t)
	s := realSpec(t, m, []string{"numpy", "ot"}, []string{"pot"},
		stated("numpy", "2.2.6", exact, "printed"), stated("scipy", "1.15.3", exact, "printed"), stated("pot", "0.9.5", exact, "printed"))
	if got := s.AsOf.Format("2006-01-02"); got != "2025-05-24" {
		t.Errorf("as of %s (%s)", got, s.AsOfSource)
	}
	lock := realSolve(t, m, s)
	if got := packagesOf(lock); got != "numpy==2.2.6 pot==0.9.5 scipy==1.15.3" {
		t.Errorf("packages %s", got)
	}
	for _, p := range lock.Packages {
		if len(p.Hashes) == 0 || p.Why == "" {
			t.Errorf("%s: hashes %d, why %q", p.Name, len(p.Hashes), p.Why)
		}
	}
	again, u, err := m.Solve(t.Context(), s)
	if err != nil || u != nil || again.Hash != lock.Hash {
		t.Errorf("a second solve differs: %v %v", u, err)
	}
	moved, moves, u, err := m.Move(t.Context(), s, lock, "POT", "0.9.6.post1")
	if err != nil || u != nil {
		t.Fatalf("move: %+v %v", u, err)
	}
	if len(moves) != 1 || moves[0] != (Move{Name: "pot", From: "0.9.5", To: "0.9.6.post1"}) {
		t.Errorf("moves %v", moves)
	}
	if moved.Hash == lock.Hash || moved.Python != lock.Python {
		t.Errorf("moved lock %s on %s", moved.Hash, moved.Python)
	}
	with, added, u, err := m.Add(t.Context(), s, lock, "packaging")
	if err != nil || u != nil || added.Version("packaging") == "" || indexOf(with.Requirements, "packaging") < 0 {
		t.Errorf("add: %+v %v", u, err)
	}
}

func TestRealFamilyMovesTogether(t *testing.T) {
	m := realManager(t)
	s := realSpec(t, m, []string{"jax"}, []string{"jax"}, stated("jax", "0.6.2", exact, "list"), stated("jaxlib", "0.6.2", exact, "list"))
	lock := realSolve(t, m, s)
	moved, moves, u, err := m.Move(t.Context(), s, lock, "jax", "0.6.1")
	if err != nil || u != nil {
		t.Fatalf("move: %+v %v", u, err)
	}
	if moved.Version("jaxlib") != "0.6.1" || len(moves) != 2 {
		t.Errorf("moves %v", moves)
	}
}

func TestRealRepairs(t *testing.T) {
	m := realManager(t)
	s := realSpec(t, m, []string{"numpy"}, []string{"numpy"}, stated("numpy", "1.26.4+local1", exact, "list"),
		stated("no-such-distribution-of-anyone", "1.0", exact, "freeze"), stated("python", "3.11", partial, "list"))
	lock := realSolve(t, m, s)
	if got := packagesOf(lock); got != "numpy==1.26.4" || lock.Rung != rungPreflight {
		t.Errorf("packages %s on rung %d", got, lock.Rung)
	}
	s = realSpec(t, m, []string{"qqzz_nobody_has_this"}, nil)
	if lock, u, err := m.Solve(t.Context(), s); err != nil || u == nil {
		t.Errorf("solved what does not exist: %v %v", lock, err)
	}
}

func TestRealReleases(t *testing.T) {
	m := realManager(t)
	list, err := m.Releases(t.Context(), "six", "3.11")
	if err != nil || len(list) < 20 {
		t.Fatalf("%d releases, %v", len(list), err)
	}
	for i, r := range list {
		if i > 0 && list[i-1].Version == r.Version {
			t.Errorf("%s twice", r.Version)
		}
	}
	last := list[len(list)-1]
	if !last.Wheel || last.Uploaded.Before(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("newest %+v", last)
	}
	if list, err := m.Releases(t.Context(), "qqzz-nobody-has-this", "3.11"); err != nil || list != nil {
		t.Errorf("releases of nothing: %v %v", list, err)
	}
}

func TestRealIndexDown(t *testing.T) {
	up := realManager(t)
	if _, err := up.resolver(t.Context()); err != nil { // uv itself comes from an index
		t.Fatal(err)
	}
	m, err := Open(t.Context(), Options{CacheDir: up.opts.CacheDir, Index: "http://127.0.0.1:9/simple"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Releases(t.Context(), "six", "3.11")
	checkIndexError(t, err)
	_, u, err := m.Solve(t.Context(), Spec{PythonSource: "wheels", AsOf: time.Now().UTC(), Requirements: []Requirement{req("six", WordImport)}})
	if u != nil {
		t.Errorf("an index that is down is no property of the environment: %+v", u)
	}
	checkIndexError(t, err)
}
