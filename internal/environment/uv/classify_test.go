package uv

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDump(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txt")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		_, text, _ := strings.Cut(string(b), "\n")
		x := Classify(text, 1)
		t.Logf("%s: %s %s %s %v %v %v", filepath.Base(f), x.Class, x.Name, x.Version, x.Names, x.Pythons, x.Published)
	}
}
