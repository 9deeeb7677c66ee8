package interp

import (
	"os"
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
