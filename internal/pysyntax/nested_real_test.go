package pysyntax

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNestedReal holds the pass without a grammar against tree-sitter, on the
// standard library of the Python at hand and the folders in REPGEN_TREES: the
// same definitions, imports and calls with the same lines.
func TestNestedReal(t *testing.T) {
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("needs Python: set REPGEN_REAL=1")
	}
	out, err := exec.CommandContext(t.Context(), "python3", "-c", "import sysconfig; print(sysconfig.get_paths()['stdlib'])").Output()
	if err != nil {
		t.Fatal(err)
	}
	roots := append([]string{strings.TrimSpace(string(out))}, filepath.SplitList(os.Getenv("REPGEN_TREES"))...)
	files, differ := 0, 0
	for _, root := range roots {
		for _, path := range sources(t, root) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f := Parse(string(text))
			if len(f.SyntaxErrors) > 0 || f.Truncated || strings.Contains(string(text), "\f") {
				continue
			}
			files++
			if diff := firstDifference(factsOfTree(f), factsOfNested(NestOf(string(text)))); diff != "" {
				differ++
				t.Logf("%s: %s", path, diff)
			}
		}
	}
	t.Logf("%d files, %d differ", files, differ)
	// What is left are places where tree-sitter's own recovery is at fault.
	if files < 500 || differ*200 > files {
		t.Errorf("%d of %d files differ", differ, files)
	}
}

func sources(t *testing.T, root string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "site-packages" || strings.HasPrefix(d.Name(), "lib2to3") || d.Name() == "test") {
			return filepath.SkipDir
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() && info.Size() < maxSource && strings.HasSuffix(path, ".py") {
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func factsOfTree(f *File) []string {
	var out []string
	for _, imp := range f.Imports {
		if !imp.Dynamic {
			out = append(out, fmt.Sprintf("%06d import %s %v %s %v %v", imp.Line, imp.Module, imp.Names, imp.Alias, imp.Span, imp.Guarded))
		}
	}
	for _, d := range f.Defined {
		name := d.Name
		if d.Scope != "" {
			name = d.Scope + "." + name
		}
		out = append(out, fmt.Sprintf("%06d %s %s", d.Line, d.Kind, name))
	}
	for _, c := range f.Calls {
		if c.Method != "" && c.Func != "print" && c.Func != "exec" {
			out = append(out, fmt.Sprintf("%06d call %s", c.Line, c.Method))
		}
	}
	slices.Sort(out)
	return out
}

func factsOfNested(n *Nested) []string {
	var out []string
	for i, s := range n.Statements {
		at := int32(i)
		for _, imp := range n.ImportsOf(at) {
			out = append(out, fmt.Sprintf("%06d import %s %v %s %v %v", imp.Line, imp.Module, imp.Names, imp.Alias, imp.Span, imp.Guarded))
		}
		if s.Name != "" {
			kind := "function"
			if s.Kind == "class" {
				kind = "class"
			}
			out = append(out, fmt.Sprintf("%06d %s %s", n.Tokens[s.First].Line, kind, n.Qualified(at)))
		}
		for _, c := range n.Calls(at) {
			if c.Func == "print" || c.Func == "exec" {
				continue
			}
			begin, _ := n.receiver(c.Token, s.First)
			out = append(out, fmt.Sprintf("%06d call %s", n.Tokens[begin].Line, c.Method))
		}
	}
	slices.Sort(out)
	return out
}

func firstDifference(want, got []string) string {
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			return "missing " + want[i]
		case i >= len(want):
			return "too much " + got[i]
		case want[i] != got[i]:
			return want[i] + " | " + got[i]
		}
	}
	return ""
}
