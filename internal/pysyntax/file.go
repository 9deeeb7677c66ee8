package pysyntax

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
)

// Parse reads the facts of src. It never fails.
func Parse(src string) *File {
	f, _ := parse(src)
	return f
}

// parse is Parse that also gives the tree, nil when there is none.
func parse(src string) (*File, *tree) {
	f := &File{bindings: map[string]string{}}
	if len(src) > maxSource {
		src, f.Truncated = strings.ToValidUTF8(src[:maxSource], ""), true
	}
	f.Source = src
	// The parser takes a NUL for the end of the text. Positions stay the same.
	readable := strings.ReplaceAll(src, "\x00", " ")
	root, cut := parseTree(readable)
	f.Truncated = f.Truncated || cut
	if root == nil {
		return f, nil
	}
	c := &collector{src: readable, f: f, budget: maxSteps}
	c.statements(root)
	c.visit(root, context{})
	c.indentation(root)
	slices.SortStableFunc(f.SyntaxErrors, func(a, b SyntaxError) int { return a.Line - b.Line })
	f.undefined, f.StarImport = unbound(readable, root)
	f.Truncated = f.Truncated || c.budget < 0
	c.finish()
	return f, &tree{root, readable}
}

// tree is a copied tree with its text.
type tree struct {
	root *node
	src  string
}

// TopModules are the imported top-level modules outside the standard library,
// in order of first import; relative imports are left out.
func (f *File) TopModules() []string {
	var found []string
	seen := map[string]bool{}
	for _, imp := range f.Imports {
		top := firstPart(imp.Module)
		if top == "" || seen[top] || top == "__future__" || pydist.StdlibModule(top) {
			continue
		}
		seen[top] = true
		found = append(found, top)
	}
	return found
}

// Undefined are the names that are read but never bound anywhere, once each, at
// their first line. It is empty when StarImport is set.
func (f *File) Undefined() []Name { return f.undefined }

// Resolve replaces the first part of a dotted name by what the imports bound
// it to: with "import torch.nn.functional as F", "F.relu" is
// "torch.nn.functional.relu".
func (f *File) Resolve(dotted string) string {
	first := firstPart(dotted)
	if full, ok := f.bindings[first]; ok {
		return full + dotted[len(first):]
	}
	return dotted
}

// Imported says whether the first part of a dotted name was bound by an import.
func (f *File) Imported(dotted string) bool {
	_, ok := f.bindings[firstPart(dotted)]
	return ok
}

// Influenced are the names whose value can depend on one of the top-level
// modules roots (TopModules when there are none). It follows assignments,
// arguments, loops, with blocks and conditions without regard to order or
// scope, so it says yes too often rather than too rarely.
func (f *File) Influenced(roots ...string) map[string]bool {
	if len(roots) == 0 {
		roots = f.TopModules()
	}
	top := map[string]bool{}
	for _, r := range roots {
		top[firstPart(r)] = true
	}
	marked := map[string]bool{}
	for name, full := range f.bindings {
		if top[firstPart(full)] {
			marked[name] = true
		}
	}
	f.spread(marked)
	return marked
}
