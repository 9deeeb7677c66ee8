package imports

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/pysyntax"
)

// folder is a project on disk, just enough of one.
type folder string

func (f folder) Read(_ context.Context, path string) ([]byte, error) {
	return os.ReadFile(filepath.Join(string(f), filepath.FromSlash(path)))
}

func (f folder) graph(t *testing.T) *Graph {
	t.Helper()
	var files []string
	err := filepath.WalkDir(string(f), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "site-packages" && path != string(f) {
			return filepath.SkipDir
		}
		if rel, err := filepath.Rel(string(f), path); err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".py") {
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	g, err := Build(t.Context(), files, f)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// place of a name as Python says it.
type said struct {
	Module, Name, File, Qualname string
	Line                         int
}

func python(t *testing.T, args ...string) []said {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "python3", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []said
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var s said
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// agree counts the names for which the graph and Python say the same.
func agree(t *testing.T, g *Graph, all []said) {
	t.Helper()
	wrong, aliases := 0, 0
	for _, s := range all {
		r := g.resolver()
		got := r.imported(t.Context(), "no file.py", s.Module, s.Name)
		if got.file == filepath.ToSlash(s.File) && int(got.def.line) == s.Line {
			continue
		}
		// "c_size_t = c_ulong": the name is made there, the class elsewhere. What
		// the assignment names is found at the next step.
		if got.file != "" && got.def.kind == pysyntax.BindAssign {
			aliases++
			continue
		}
		wrong++
		if wrong <= 40 {
			t.Logf("from %s import %s: %s:%d, Python says %s:%d", s.Module, s.Name, got.file, got.def.line, s.File, s.Line)
		}
	}
	t.Logf("%d names, %d of them other names of something, %d differ", len(all), aliases, wrong)
	// What is left is made while a module runs, where no reading can see it.
	if len(all) < 300 || wrong*33 > len(all) {
		t.Errorf("%d of %d names differ", wrong, len(all))
	}
}

// TestRealInspect holds the answers against importlib and inspect, for the
// public names of the standard library.
func TestRealInspect(t *testing.T) {
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("needs Python: set REPGEN_REAL=1")
	}
	out, err := exec.CommandContext(t.Context(), "python3", "-c", "import os, sysconfig; print(os.path.realpath(sysconfig.get_paths()['stdlib']))").Output()
	if err != nil {
		t.Fatal(err)
	}
	agree(t, folder(strings.TrimSpace(string(out))).graph(t), python(t, "testdata/inspect_names.py"))
}

// TestRealReference holds the answers against a reference on Python's own ast,
// for every from-import of the packages that REPGEN_PACKAGES names
// ("/folder/of/packages/name", a list like PATH). scripts/test-real.sh sets it.
func TestRealReference(t *testing.T) {
	list := os.Getenv("REPGEN_PACKAGES")
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("needs Python and packages: set REPGEN_REAL=1 and REPGEN_PACKAGES")
	}
	if list == "" {
		t.Fatal("REPGEN_PACKAGES names no package: make test-real sets it")
	}
	for _, p := range filepath.SplitList(list) {
		t.Run(filepath.Base(p), func(t *testing.T) {
			agree(t, folder(filepath.Dir(p)).graph(t), python(t, "testdata/reference.py", filepath.Dir(p), filepath.Base(p)))
		})
	}
}
