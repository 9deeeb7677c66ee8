package imports

import (
	"cmp"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
)

// def is one binding of a name at module or class level.
type def struct {
	name           string // qualified
	kind           pysyntax.BindKind
	class          bool
	start, end     int32
	line, endLine  int32
	module, attr   string // of an import: "from module import attr", attr "" for the module
	always, single bool   // stands in no if or try; is a definition or a plain assignment
}

// summary is what other files can ask about a file.
type summary struct {
	size  int32
	lines int32
	// names are by scope ("" for the module, else a class's qualified name) and
	// name the bindings, the likeliest first.
	names map[string]map[string][]def
	// bases are by class the dotted names of its base classes.
	bases map[string][]string
	stars []string // modules of "from module import *", as written
	all   map[string]bool
	// paths are folders that __path__ is extended by, relative to the package.
	paths []string
	// lazy are the names that a literal table gives to __getattr__.
	lazy    map[string]lazyName
	imports []pysyntax.Import
	exports []export
}

// lazyName is where a lazy name comes from; attr "" is the module itself.
type lazyName struct{ module, attr string }

// export is one public name that a decorator gives to a definition.
type export struct {
	public string
	d      def
}

// detail is a file's own view: statements and scopes.
type detail struct {
	n *pysyntax.Nested
	// scopes are by def or class (-1 for the module) the bindings of a name.
	scopes map[int32]map[string][]pysyntax.Binding
	// globals are by def the names that it declares global.
	globals map[int32]map[string]bool
	lazy    bool
}

// detailOf reads a text. Global statements come first: they change where the
// names of their function are bound.
func detailOf(src string) *detail {
	d := &detail{
		n: pysyntax.NestOf(src), scopes: map[int32]map[string][]pysyntax.Binding{}, globals: map[int32]map[string]bool{},
	}
	for i := range d.n.Statements {
		for _, name := range d.n.Globals(int32(i)) {
			scope := d.n.Scope(int32(i))
			if d.globals[scope] == nil {
				d.globals[scope] = map[string]bool{}
			}
			d.globals[scope][name] = true
		}
	}
	for i := range d.n.Statements {
		scope := d.n.Scope(int32(i))
		for _, b := range d.n.Binds(int32(i)) {
			if d.globals[scope][b.Name] {
				d.bind(-1, b)
			} else {
				d.bind(scope, b)
			}
		}
		for _, b := range d.n.Params(int32(i)) {
			d.bind(int32(i), b)
		}
	}
	d.lazy = d.makesNames()
	return d
}

// maxBindings bounds the bindings of one name in one scope (guess: the most in
// Keras is 14).
const maxBindings = 64

// bind notes a binding of a scope.
func (d *detail) bind(scope int32, b pysyntax.Binding) {
	names := d.scopes[scope]
	if names == nil {
		names = map[string][]pysyntax.Binding{}
		d.scopes[scope] = names
	}
	if len(names[b.Name]) < maxBindings {
		names[b.Name] = append(names[b.Name], b)
	}
}

// summary makes what others see.
func (d *detail) summary() *summary {
	s := &summary{
		size: int32(len(d.n.Source)), lines: int32(strings.Count(d.n.Source, "\n")) + 1,
		names: map[string]map[string][]def{}, bases: map[string][]string{}, lazy: map[string]lazyName{},
	}
	d.scope(s, -1, "")
	for i, st := range d.n.Statements {
		switch {
		case st.Kind == "class" && d.visible(int32(i)):
			name := d.n.Qualified(int32(i))
			d.scope(s, int32(i), name)
			s.bases[name] = d.basesOf(int32(i))
		case st.Kind == "import" || st.Kind == "from":
			s.addImports(d.n.ImportsOf(int32(i)))
		case st.Kind == "" && st.Parent < 0 || st.Kind == "" && d.n.Scope(int32(i)) < 0:
			d.tables(s, int32(i))
		case st.Kind == "@":
			d.exported(s, int32(i))
		}
	}
	s.imports = append(s.imports, d.dynamic()...)
	return s
}

// visible: no function stands around statement i.
func (d *detail) visible(i int32) bool {
	for at := d.n.Scope(i); at >= 0; at = d.n.Scope(at) {
		if d.n.Statements[at].Kind == "def" {
			return false
		}
	}
	return true
}

// addImports notes the imports of one statement. A star in a function is not
// allowed in Python 3, and in Python 2 it binds nothing at module level.
func (s *summary) addImports(imports []pysyntax.Import) {
	s.imports = append(s.imports, imports...)
	for _, imp := range imports {
		if imp.TopLevel && len(imp.Names) > 0 && imp.Names[0].Name == "*" {
			s.stars = append(s.stars, imp.Module)
		}
	}
}

// scope fills the names of one scope.
func (d *detail) scope(s *summary, scope int32, name string) {
	names := map[string][]def{}
	for bound, all := range d.scopes[scope] {
		for _, b := range all {
			names[bound] = append(names[bound], d.def(b, name))
		}
		order(names[bound])
	}
	s.names[name] = names
}

// def is the definition that a binding makes.
func (d *detail) def(b pysyntax.Binding, scope string) def {
	st := d.n.Statements[b.Statement]
	out := def{
		name: b.Name, kind: b.Kind, class: st.Kind == "class", start: st.Start, end: st.End, line: st.Line, endLine: st.EndLine,
		always: st.Parent < 0 || d.n.Statements[st.Parent].Kind == "class" || d.n.Statements[st.Parent].Kind == "def",
		single: b.Kind != pysyntax.BindAssign || st.Kind == "",
	}
	if scope != "" {
		out.name = scope + "." + b.Name
	}
	if b.Kind == pysyntax.BindImport {
		out.module, out.attr = d.source(b)
	}
	return out
}

// source is what an import binds a name to.
func (d *detail) source(b pysyntax.Binding) (module, attr string) {
	for _, imp := range d.n.ImportsOf(b.Statement) {
		for _, n := range imp.Names {
			if cmp.Or(n.Alias, n.Name) == b.Name {
				module, attr = imp.Module, n.Name
			}
		}
		switch first, _, _ := strings.Cut(imp.Module, "."); {
		case len(imp.Names) > 0:
		case imp.Alias == b.Name:
			module = imp.Module
		case imp.Alias == "" && first == b.Name:
			module = first
		}
	}
	return module, attr
}

// order puts the binding that others see first: definitions and imports before
// assignments (often a None until the import worked), the last one at the
// scope's own level, then those of if and try in their order.
func order(all []def) {
	rank := func(d def) int {
		switch {
		case d.kind == pysyntax.BindAssign:
			return 2
		case d.always:
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b def) int {
		if rank(a) == 0 && rank(b) == 0 {
			return cmp.Compare(b.start, a.start)
		}
		return cmp.Compare(rank(a), rank(b))
	})
}

// basesOf are the base classes of class i as dotted names.
func (d *detail) basesOf(i int32) []string {
	n := d.n
	s := n.Statements[i]
	var out []string
	for at := s.First + 2; at < s.Last; at++ {
		t := n.Tokens[at]
		if before := n.Text(at - 1); n.Identifier(at) && (before == "(" || before == ",") && n.Text(at+1) != "=" && t.Depth == n.Tokens[s.First].Depth+1 {
			name, _ := n.Chain(at)
			out = append(out, name)
		}
	}
	return out
}
