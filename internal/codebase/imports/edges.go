package imports

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/pysyntax"
)

func itoa(n int32) string { return strconv.Itoa(int(n)) }

// Edge says that file From imports file To.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Edges is the graph of files, sorted, without loops of one file. It reads
// every file.
func (g *Graph) Edges(ctx context.Context) []Edge {
	g.readAll(ctx)
	var out []Edge
	for _, f := range g.files {
		for _, to := range g.imports(ctx, f) {
			out = append(out, Edge{f, to})
		}
	}
	return out
}

// Importers are the files that import path, sorted. It reads every file.
func (g *Graph) Importers(ctx context.Context, path string) []string {
	var out []string
	for _, e := range g.Edges(ctx) {
		if e.To == path {
			out = append(out, e.From)
		}
	}
	return out
}

// imports are the files that a file imports itself, sorted: the module of each
// import, and the submodules among its names.
func (g *Graph) imports(ctx context.Context, file string) []string {
	found := map[string]bool{}
	r := g.resolver()
	for _, imp := range g.summary(ctx, file).imports {
		m := r.lookup(ctx, file, imp.Module)
		found[m.file] = true
		for _, name := range imp.Names {
			if bound := m.file != "" && len(g.summary(ctx, m.file).names[""][name.Name]) > 0; !bound {
				found[r.submodule(ctx, m, name.Name).file] = true
			}
		}
	}
	delete(found, "")
	delete(found, file)
	return slices.Sorted(maps.Keys(found))
}

// External are the top-level modules that the project imports from outside,
// sorted, the standard library left out. It reads every file.
func (g *Graph) External(ctx context.Context) []string {
	g.readAll(ctx)
	found := map[string]bool{}
	r := g.resolver()
	for _, f := range g.files {
		for _, imp := range g.summary(ctx, f).imports {
			if top := r.externalOf(ctx, f, imp); top != "" {
				found[top] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func (r *resolver) externalOf(ctx context.Context, file string, imp pysyntax.Import) string {
	top, _, _ := strings.Cut(imp.Module, ".")
	if top == "" || top == "__future__" || pydist.StdlibModule(top) {
		return ""
	}
	if m := r.lookup(ctx, file, imp.Module); m.file != "" {
		return ""
	}
	return cmp.Or(r.outside(file, imp.Module).external)
}
