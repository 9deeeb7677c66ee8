package imports

import (
	"context"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
)

// target is what a name stands for. The zero one is nothing that is known.
type target struct {
	module module
	// file and def are of a definition, when file is not "".
	file string
	def  def
	// external is the top-level module outside the project that it comes from.
	external string
	through  []string
}

// known: the name was followed to something of the project.
func (t target) known() bool { return t.file != "" || t.module.found() }

// resolver follows one name. seen ends cycles: each name of each file is looked
// at once.
type resolver struct {
	g       *Graph
	seen    map[string]bool
	classes map[string]bool // the same for the attributes of classes
}

// resolver follows one name from a clean start.
func (g *Graph) resolver() *resolver {
	return &resolver{g: g, seen: map[string]bool{}, classes: map[string]bool{}}
}

// lookup is the module of a name as an import in file writes it.
func (r *resolver) lookup(ctx context.Context, file, dotted string) module {
	if strings.HasPrefix(dotted, ".") {
		return r.g.table.relative(file, dotted)
	}
	if m := r.g.table.absolute(file, dotted); m.found() {
		return m
	}
	return r.extended(ctx, file, dotted)
}

// extended looks for a submodule in the folders that a package adds to its
// __path__, and below the package that the root itself is.
func (r *resolver) extended(ctx context.Context, file, dotted string) module {
	first, rest, more := strings.Cut(dotted, ".")
	if r.g.selfName(ctx) == first {
		return r.g.table.at("", rest)
	}
	m := r.g.table.absolute(file, first)
	for more && m.file != "" && m.pkg {
		var part string
		part, rest, more = strings.Cut(rest, ".")
		next := r.submodule(ctx, m, part)
		if !next.found() {
			return module{}
		}
		m = next
	}
	if more {
		return module{}
	}
	return m
}

// submodule is the module of that name in a package.
func (r *resolver) submodule(ctx context.Context, m module, name string) module {
	if !m.pkg {
		return module{}
	}
	if sub := r.g.table.at(m.dir, name); sub.found() {
		return sub
	}
	if m.file != "" {
		for _, p := range r.g.summary(ctx, m.file).paths {
			if sub := r.g.table.at(join(m.dir, p), name); sub.found() {
				return sub
			}
		}
	}
	return module{}
}

// member is the attribute of a module: a name it binds, one of a star import, a
// submodule, or an entry of a table for __getattr__.
func (r *resolver) member(ctx context.Context, m module, name string) target {
	key := m.file + "\x00" + m.dir + "\x00" + name
	if !m.found() || r.seen[key] || ctx.Err() != nil {
		return target{}
	}
	r.seen[key] = true
	// Names come before submodules: "from .accuracy import accuracy" hides the
	// module behind the function, in Python as here. What only leads outside is
	// kept back: another branch of the try may stay inside.
	var outside target
	if m.file != "" {
		s := r.g.summary(ctx, m.file)
		for _, d := range s.names[""][name] {
			if outside.external != "" && d.kind == pysyntax.BindAssign {
				break // "except ImportError: torch = None"
			}
			t := r.binding(ctx, m.file, d)
			if t.known() {
				return t
			}
			if outside.external == "" {
				outside = t
			}
		}
		if t := r.star(ctx, m, s, name); t.known() {
			return t
		}
	}
	if sub := r.submodule(ctx, m, name); sub.found() {
		return target{module: sub}
	}
	if m.file != "" {
		if from, ok := r.g.summary(ctx, m.file).lazy[name]; ok {
			return r.via(m.file, r.imported(ctx, m.file, from.module, from.attr))
		}
	}
	return outside
}

// binding is what one binding of a file's own names stands for.
func (r *resolver) binding(ctx context.Context, file string, d def) target {
	switch {
	case d.kind == pysyntax.BindImport:
		return r.via(file, r.imported(ctx, file, d.module, d.attr))
	case d.kind == pysyntax.BindParam || !d.single:
		return target{}
	}
	return target{file: file, def: d}
}

// via adds a file that a name passed through.
func (r *resolver) via(file string, t target) target {
	if t.known() {
		t.through = append([]string{file}, t.through...)
	}
	return t
}

// star looks for a name in the modules of "from module import *".
func (r *resolver) star(ctx context.Context, m module, s *summary, name string) target {
	for _, from := range s.stars {
		src := r.lookup(ctx, m.file, from)
		if !src.found() || src.file == "" {
			continue
		}
		if all := r.g.summary(ctx, src.file).all; len(all) > 0 && !all[name] && !all["*"] || len(all) == 0 && strings.HasPrefix(name, "_") {
			continue
		}
		if t := r.member(ctx, src, name); t.known() {
			return r.via(m.file, t)
		}
	}
	return target{}
}

// imported is what "from dotted import attr" gives in a file, or "import
// dotted" when attr is "".
func (r *resolver) imported(ctx context.Context, file, dotted, attr string) target {
	m := r.lookup(ctx, file, dotted)
	if attr == "" {
		if !m.found() {
			return r.outside(file, dotted)
		}
		return target{module: m}
	}
	if t := r.member(ctx, m, attr); t.known() || t.external != "" {
		return t
	}
	if m.file == "" { // nothing, or a folder that only has the name of a package
		return r.outside(file, dotted)
	}
	return target{}
}

// outside is the top-level module of an import that the project does not hold.
func (r *resolver) outside(file, dotted string) target {
	if strings.HasPrefix(dotted, ".") {
		return target{}
	}
	top, _, _ := strings.Cut(dotted, ".")
	if r.g.table.absolute(file, top).file != "" {
		return target{} // the project's own, but it is not there
	}
	return target{external: top}
}

// walk follows the rest of a dotted name from a target. It returns the parts
// that could not be followed.
func (r *resolver) walk(ctx context.Context, t target, parts []string) (target, []string) {
	for len(parts) > 0 {
		var next target
		switch {
		case t.file != "" && t.def.class:
			next = r.attribute(ctx, t.file, t.def.name, parts[0])
		case t.file == "":
			r.seen = map[string]bool{}
			next = r.member(ctx, t.module, parts[0])
		}
		if !next.known() {
			if next.external != "" {
				return next, nil
			}
			break
		}
		next.through = joinThrough(t.through, next.through)
		t, parts = next, parts[1:]
	}
	return t, parts
}

// joinThrough appends files, each once.
func joinThrough(a, b []string) []string {
	for _, f := range b {
		if !slices.Contains(a, f) {
			a = append(a[:len(a):len(a)], f)
		}
	}
	return a
}

// attribute is the attribute of a class, its own or of its bases in the project.
func (r *resolver) attribute(ctx context.Context, file, class, name string) target {
	s := r.g.summary(ctx, file)
	for _, d := range s.names[class][name] {
		if t := r.binding(ctx, file, d); class != "" && t.known() {
			return t
		}
	}
	return r.inherited(ctx, file, class, name)
}

// inherited is the attribute of the bases of a class, left to right, each with
// its own bases first.
func (r *resolver) inherited(ctx context.Context, file, class, name string) target {
	key := "class\x00" + file + "\x00" + class + "\x00" + name
	if r.classes[key] || ctx.Err() != nil || len(r.classes) > maxSeen {
		return target{}
	}
	r.classes[key] = true
	for _, base := range r.g.summary(ctx, file).bases[class] {
		if b := r.dotted(ctx, file, class, base); b.file != "" && b.def.class {
			if t := r.attribute(ctx, b.file, b.def.name, name); t.known() {
				return t
			}
		}
	}
	return target{}
}

// maxSeen bounds the names that are looked at for one (guess: torch's deepest
// class has 12 bases).
const maxSeen = 2000

// dotted is what a dotted name at module level stands for, or one in the body
// of the classes around a class.
func (r *resolver) dotted(ctx context.Context, file, class, dotted string) target {
	parts := strings.Split(dotted, ".")
	for scope := class; scope != ""; {
		scope = scope[:max(strings.LastIndexByte(scope, '.'), 0)]
		for _, d := range r.g.summary(ctx, file).names[scope][parts[0]] {
			if d.class && d.name == class {
				continue // "class Adam(Adam)": the name it replaces
			}
			in := &resolver{g: r.g, seen: map[string]bool{}, classes: r.classes}
			if t := in.binding(ctx, file, d); t.known() {
				if t, left := in.walk(ctx, t, parts[1:]); len(left) == 0 {
					return t
				}
			}
		}
	}
	in := &resolver{g: r.g, seen: map[string]bool{}, classes: r.classes}
	m := r.g.moduleOf(file)
	if t := in.star(ctx, m, r.g.summary(ctx, file), parts[0]); t.known() {
		if t, left := in.walk(ctx, t, parts[1:]); len(left) == 0 {
			return t
		}
	}
	return target{}
}

// moduleOf is the module that a file is.
func (g *Graph) moduleOf(file string) module {
	if strings.HasSuffix("/"+file, "/__init__.py") {
		return module{file, dirOf(file), true}
	}
	return module{file: file}
}

// maxSelf is how many files are asked what the package at the root is called.
const maxSelf = 20

// selfName is the name of the package that the root of the project is, "" when
// the root is none: the one that its files import their neighbours by.
func (g *Graph) selfName(ctx context.Context) string {
	if !g.table.files["__init__.py"] {
		return ""
	}
	return g.self.get(ctx, func() map[string]string {
		votes, best := map[string]int{}, ""
		files := append([]string{"__init__.py"}, g.files[:min(len(g.files), maxSelf)]...)
		for _, f := range files {
			for _, imp := range g.summary(ctx, f).imports {
				top, rest, _ := strings.Cut(imp.Module, ".")
				if top == "" || rest == "" || len(g.table.tops[top]) > 0 || !g.table.at("", rest).found() {
					continue
				}
				if votes[top]++; votes[top] > votes[best] {
					best = top
				}
			}
		}
		return map[string]string{"": best}
	})[""]
}
