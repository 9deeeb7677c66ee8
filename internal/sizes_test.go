package internal_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Ceilings of the house: beyond them a file or function does more than one
// thing.
const (
	fileCeiling      = 600
	functionCeiling  = 100
	interfaceCeiling = 5
)

// TestSizes holds the ceilings on every source file.
func TestSizes(t *testing.T) {
	n := 0
	for _, top := range []string{"../internal", "../cmd"} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			n++
			checkSizes(t, path)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 20 {
		t.Fatalf("only %d files found: the walk is broken", n)
	}
}

func checkSizes(t *testing.T, path string) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(src, []byte("\n")); lines > fileCeiling {
		t.Errorf("%s has %d lines, the ceiling is %d", path, lines, fileCeiling)
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if lines := set.Position(n.End()).Line - set.Position(n.Pos()).Line + 1; lines > functionCeiling {
				t.Errorf("%s: %s has %d lines, the ceiling is %d", path, n.Name.Name, lines, functionCeiling)
			}
		case *ast.InterfaceType:
			if methods := n.Methods.NumFields(); methods > interfaceCeiling {
				t.Errorf("%s: an interface has %d methods, the ceiling is %d", path, methods, interfaceCeiling)
			}
		}
		return true
	})
}
