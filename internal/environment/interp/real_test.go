package interp

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFindReal asks the interpreters of this machine.
func TestFindReal(t *testing.T) {
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to ask the interpreters of this machine")
	}
	dir := t.TempDir()
	first, err := Find(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(first) == 0 {
		t.Fatal("no interpreter on this machine: install python3")
	}
	second, err := Find(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != len(second) {
		t.Fatalf("%d interpreters, %d when asked again", len(first), len(second))
	}
	for i, p := range first {
		t.Logf("%+v", p)
		if p.Path != second[i].Path || p.Version != second[i].Version || p.ABI != second[i].ABI {
			t.Errorf("the cache changed %+v to %+v", p, second[i])
		}
		if _, err := os.Stat(p.Guest(p.Prefix)); err != nil {
			t.Errorf("guest place: %v", err)
		}
	}
}

// TestAskRunsNothing: what lies in the site-packages of an interpreter, such as
// that of a copied virtual environment on PATH, does not run when it is asked.
func TestAskRunsNothing(t *testing.T) {
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to ask the interpreters of this machine")
	}
	list, err := Find(t.Context(), t.TempDir())
	if err != nil || len(list) == 0 {
		t.Fatalf("no interpreter on this machine: %v", err)
	}
	for _, p := range list {
		dir := t.TempDir()
		program, err := os.ReadFile(p.Path)
		if err != nil {
			t.Fatal(err)
		}
		copied := put(t, filepath.Join(dir, "bin", "python3"), string(program))
		put(t, filepath.Join(dir, "pyvenv.cfg"), "home = "+filepath.Dir(p.Path)+"\n")
		canary := filepath.Join(dir, "canary")
		put(t, filepath.Join(dir, "lib", "python"+p.Minor, "site-packages", "x.pth"), "import os; open('"+canary+"', 'w')\n")
		if got, err := ask(t.Context(), candidate{path: copied, source: "path"}); err == nil {
			t.Errorf("%s: an environment was taken for an interpreter: %+v", p.Version, got)
		}
		if _, err := os.Stat(canary); err == nil {
			t.Errorf("%s: a line of a .pth file ran", p.Version)
		}
	}
}
