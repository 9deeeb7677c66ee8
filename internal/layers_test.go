package internal_test

import (
	"go/build"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/repgen/repgen/"

// rooms is the house's import order: a package may import its own room and the
// rooms above it. docs/architecture.md explains each.
var rooms = []string{
	"internal/system",
	"internal/pydist",
	"internal/pysyntax",
	"internal/sandbox",
	"internal/audit",
	"internal/symptom",
	"internal/report",
	"internal/oracle",
	"internal/triage",
	"internal/candidate",
	"internal/environment",
	"internal/proof",
	"internal/codebase",
	"internal/llm",
	"internal/agent",
	"internal/bundle",
	"internal/pipeline",
	"internal/output",
	"internal/bench",
	"internal/service",
	"internal/cli",
	"cmd/repgen",
}

// adapters may be imported by internal/cli (the wiring) and their own room only.
var adapters = []string{
	"internal/sandbox/bwrap",
	"internal/sandbox/native",
	"internal/report/github",
	"internal/codebase/embed/onnx",
	"internal/codebase/rerank/onnx",
	"internal/llm/openai",
	"internal/llm/anthropic",
	"internal/llm/exec",
}

func roomOf(pkg string) (string, int) {
	for i, r := range rooms {
		if pkg == r || strings.HasPrefix(pkg, r+"/") {
			return r, i
		}
	}
	return "", -1
}

// TestImportOrder fails when data could flow backwards through the house.
func TestImportOrder(t *testing.T) {
	for pkg, p := range packages(t) {
		room, level := roomOf(pkg)
		if level < 0 {
			t.Errorf("%s is in no room of the table: add it to docs/architecture.md and here", pkg)
			continue
		}
		for _, imp := range p.Imports {
			dep, ok := strings.CutPrefix(imp, module)
			if !ok {
				continue
			}
			depRoom, depLevel := roomOf(dep)
			if depLevel > level {
				t.Errorf("%s imports %s, a later room: data flows one way (docs/architecture.md)", pkg, dep)
			}
			for _, a := range adapters {
				if dep == a && room != "internal/cli" && room != depRoom {
					t.Errorf("%s imports the adapter %s: only internal/cli wires adapters", pkg, dep)
				}
			}
		}
	}
}

// TestPackageDocs wants each package documented in exactly one file.
func TestPackageDocs(t *testing.T) {
	for pkg, p := range packages(t) {
		if strings.TrimSpace(p.Doc) == "" {
			t.Errorf("%s has no package doc", pkg)
		}
	}
}

// packages reads every package of the module, tests left out.
func packages(t *testing.T) map[string]*build.Package {
	t.Helper()
	found := map[string]*build.Package{}
	for _, top := range []string{"internal", "cmd"} {
		root := filepath.Join("..", top)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if !d.IsDir() {
				return nil
			}
			if d.Name() == "testdata" {
				return filepath.SkipDir
			}
			p, err := build.ImportDir(path, build.ImportComment)
			if err != nil || len(p.GoFiles)+len(p.CgoFiles) == 0 {
				return nil // no Go package here
			}
			name, err := filepath.Rel("..", path)
			if err != nil {
				return err
			}
			found[filepath.ToSlash(name)] = p
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(found) < 10 {
		t.Fatalf("only %d packages found: the walk is broken", len(found))
	}
	return found
}

// TestRoomsAreDocumented: docs/architecture.md has each room in its order, and
// names each package directly below it, helpers of tests left out; adapters have
// a star.
func TestRoomsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `([a-z]+)`(?: \\((.*?)\\))? \\|")
	named := regexp.MustCompile("`([a-z0-9/]+)`(\\*?)")
	inner, order := map[string]bool{}, []string(nil)
	for _, m := range row.FindAllStringSubmatch(string(doc), -1) {
		if room := "internal/" + m[1]; slices.Contains(rooms, room) {
			order = append(order, room)
			for _, sub := range named.FindAllStringSubmatch(m[2], -1) {
				inner[room+"/"+sub[1]] = sub[2] == "*"
			}
		}
	}
	if want := rooms[:len(rooms)-1]; !slices.Equal(order, want) { // cmd/repgen is no room of the house
		t.Errorf("the table has %v, want %v", order, want)
	}
	found := packages(t)
	for pkg := range found {
		room, _ := roomOf(pkg)
		star, ok := inner[pkg]
		if direct := path.Dir(pkg) == room && !strings.HasSuffix(pkg, "test"); direct && !ok {
			t.Errorf("%s is not in the table", pkg)
		}
		if ok && star != slices.Contains(adapters, pkg) || !ok && slices.Contains(adapters, pkg) {
			t.Errorf("%s: an adapter has a star in the table, and nothing else", pkg)
		}
	}
	for pkg := range inner {
		if found[pkg] == nil {
			t.Errorf("the table names %s, which is not there", pkg)
		}
	}
}
