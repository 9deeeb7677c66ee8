package imports

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/pysyntax"
)

// Budget limits what Dependencies gives; zero fields mean the defaults.
type Budget struct {
	Tokens int // estimate of all text; default 4000
	Count  int // definitions; default 20
	Depth  int // steps from the code that is asked about; default 3
}

// Defaults of Budget (guesses: half of a small model's window, and what a person
// would look up).
const (
	defaultTokens = 4000
	defaultCount  = 20
	defaultDepth  = 3
	// bytesPerToken is the usual estimate for code.
	bytesPerToken = 4
)

// orDefault fills the zero fields.
func (b Budget) orDefault() Budget {
	return Budget{
		Tokens: cmp.Or(b.Tokens, defaultTokens), Count: cmp.Or(b.Count, defaultCount), Depth: cmp.Or(b.Depth, defaultDepth),
	}
}

// Needs is what a piece of code needs: definitions of the project, and the
// packages outside it.
type Needs struct {
	// Dependencies are the nearest first, of equal distance the smallest.
	Dependencies []Dependency `json:"dependencies"`
	// External are the top-level modules that the code and all that was followed
	// from it name, sorted, the standard library left out.
	External []string `json:"external,omitempty"`
	// Left is how many more definitions were found than the budget allowed.
	Left int `json:"left,omitempty"`
}

// Dependencies are the definitions that the bytes start to end of a file need.
func (g *Graph) Dependencies(ctx context.Context, path string, start, end int, b Budget) []Dependency {
	return g.Needs(ctx, path, start, end, b).Dependencies
}

// Needs is Dependencies together with the packages outside the project. It
// never fails: a path or a span that is not there needs nothing, and when ctx
// ends, what was found until then is given.
func (g *Graph) Needs(ctx context.Context, path string, start, end int, b Budget) *Needs {
	s := &search{
		g: g, budget: b.orDefault(), external: map[string]bool{}, seen: map[place]bool{},
		asked: place{path, int32(max(start, 0)), int32(max(end, 0))},
	}
	if g.table.files[path] {
		s.run(ctx)
	}
	out := &Needs{Dependencies: s.found, External: slices.Sorted(maps.Keys(s.external)), Left: s.left}
	if out.Dependencies == nil {
		out.Dependencies = []Dependency{}
	}
	return out
}

// place is a span of a file.
type place struct {
	file       string
	start, end int32
}

// holds: q is a part of p.
func (p place) holds(q place) bool { return p.file == q.file && p.start <= q.start && p.end >= q.end }

// search goes breadth first from the asked span.
type search struct {
	g        *Graph
	budget   Budget
	asked    place
	seen     map[place]bool
	found    []Dependency
	external map[string]bool
	tokens   int
	left     int
}

// run goes level by level, so that what is near is given before the budget is
// spent on what is far.
func (s *search) run(ctx context.Context) {
	level := []place{s.asked}
	for distance := 1; distance <= s.budget.Depth && len(level) > 0 && ctx.Err() == nil; distance++ {
		var next []Dependency
		for _, p := range level {
			next = append(next, s.from(ctx, p, distance)...)
		}
		slices.SortStableFunc(next, nearest)
		level = s.take(next)
	}
}

// nearest orders the definitions of one distance: the smallest first.
func nearest(a, b Dependency) int {
	return cmp.Or(cmp.Compare(a.End-a.Start, b.End-b.Start), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Start, b.Start), cmp.Compare(a.As, b.As))
}

// take adds what the budget allows and gives the places to go on from. What
// does not fit is counted, and smaller ones after it may still fit.
func (s *search) take(next []Dependency) []place {
	var places []place
	for i, d := range next {
		p := place{d.Path, int32(d.Start), int32(d.End)}
		within := slices.ContainsFunc(next[i+1:min(len(next), i+1+maxSeen)], func(o Dependency) bool {
			return o.Path == d.Path && o.Start <= d.Start && o.End >= d.End && o.End-o.Start > d.End-d.Start && s.fits(o)
		}) || slices.ContainsFunc(s.found, func(o Dependency) bool {
			return o.Path == d.Path && o.Start <= d.Start && o.End >= d.End
		})
		switch {
		case within: // its class is given
		case !s.fits(d):
			s.left++
		default:
			s.found = append(s.found, d)
			s.tokens += tokensOf(d)
			places = append(places, p)
		}
	}
	return places
}

func tokensOf(d Dependency) int { return (d.End - d.Start + bytesPerToken - 1) / bytesPerToken }

// fits: the budget still has room for it.
func (s *search) fits(d Dependency) bool {
	return len(s.found) < s.budget.Count && s.tokens+tokensOf(d) <= s.budget.Tokens
}

// from are the new definitions that a span names.
func (s *search) from(ctx context.Context, p place, distance int) []Dependency {
	d := s.g.detail(ctx, p.file)
	var out []Dependency
	// A name that is read twice in a scope means the same both times.
	known := map[string]bool{}
	for _, ref := range d.n.References(int(p.start), int(p.end)) {
		key := ref.Name + "\x00" + itoa(ref.Scope)
		if known[key] || pysyntax.Builtin(ref.Name) && len(d.scopes[-1][ref.Name]) == 0 || ctx.Err() != nil {
			continue
		}
		known[key] = true
		t, used := s.reference(ctx, p.file, d, ref)
		if t.external != "" && !pydist.StdlibModule(t.external) && t.external != "__future__" {
			s.external[t.external] = true
		}
		if dep, ok := s.dependency(ctx, p, t); ok {
			dep.As, dep.Distance = used, distance
			out = append(out, dep)
		}
	}
	return out
}

// dependency makes one of a target, unless it is seen or part of what asks.
func (s *search) dependency(ctx context.Context, from place, t target) (Dependency, bool) {
	dep := Dependency{Path: t.file, Name: t.def.name, Through: t.through}
	switch {
	case t.file != "":
		dep.Start, dep.End, dep.StartLine, dep.EndLine = int(t.def.start), int(t.def.end), int(t.def.line), int(t.def.endLine)
	case t.module.file != "":
		sum := s.g.summary(ctx, t.module.file)
		dep.Path, dep.End, dep.StartLine, dep.EndLine = t.module.file, int(sum.size), 1, int(sum.lines)
	default:
		return dep, false
	}
	p := place{dep.Path, int32(dep.Start), int32(dep.End)}
	if s.seen[p] || from.holds(p) || p.holds(from) || s.asked.holds(p) || p.holds(s.asked) || dep.End <= dep.Start {
		return dep, false
	}
	s.seen[p] = true
	dep.Through = slices.DeleteFunc(slices.Clone(dep.Through), func(f string) bool { return f == from.file || f == dep.Path })
	if len(dep.Through) == 0 {
		dep.Through = nil
	}
	return dep, true
}

// reference is what a reference of a file stands for, and as much of its name
// as was followed.
func (s *search) reference(ctx context.Context, file string, d *detail, ref pysyntax.Reference) (target, string) {
	parts := strings.Split(ref.Name, ".")
	r := s.g.resolver()
	if len(parts) > 1 && (parts[0] == "self" || parts[0] == "cls" || parts[0] == "super") {
		if class := d.classAround(ref.Scope); class != "" {
			find := r.attribute
			if parts[0] == "super" {
				find = r.inherited
			}
			return find(ctx, file, class, parts[1]), strings.Join(parts[:2], ".")
		}
	}
	for scope := ref.Scope; ; scope = d.n.Scope(scope) {
		own := scope == ref.Scope || scope < 0 || d.n.Statements[scope].Kind == "def" // class bodies in between are not seen
		if all := d.scopes[scope][parts[0]]; own && len(all) > 0 {
			return s.bound(ctx, file, d, scope, all, parts)
		}
		if scope < 0 {
			break
		}
	}
	t := r.star(ctx, s.g.moduleOf(file), s.g.summary(ctx, file), parts[0])
	return s.follow(ctx, t, parts)
}

// bound is what a name stands for that is bound in a scope of its own file.
func (s *search) bound(ctx context.Context, file string, d *detail, scope int32, all []pysyntax.Binding, parts []string) (target, string) {
	local := scope >= 0 && d.n.Statements[scope].Kind == "def"
	defs := make([]def, 0, len(all))
	for _, b := range all {
		if local && (b.Kind == pysyntax.BindParam || b.Kind == pysyntax.BindAssign) {
			return target{}, "" // a value of the function
		}
		name := ""
		if scope >= 0 {
			name = d.n.Qualified(scope)
		}
		defs = append(defs, d.def(b, name))
	}
	order(defs)
	var outside target
	for _, x := range defs {
		if outside.external != "" && x.kind == pysyntax.BindAssign {
			break // "except ImportError: torch = None"
		}
		t := s.g.resolver().binding(ctx, file, x)
		if x.kind == pysyntax.BindImport && !t.module.found() || x.kind == pysyntax.BindImport && len(parts) > 1 {
			if e := s.public(ctx, x, parts, t); e.known() {
				return e, strings.Join(parts, ".")
			}
		}
		if t.known() {
			end, used := s.follow(ctx, t, parts)
			if !end.known() && t.module.pkg && t.module.file == "" {
				end = s.g.resolver().outside(file, x.module) // a folder with the name of a package
			}
			return end, used
		}
		if outside.external == "" {
			outside = t
		}
	}
	return outside, parts[0]
}

// public looks a name up among those that decorators give, when following it
// through the files leads nowhere: keras.layers.Dense without keras/api.
func (s *search) public(ctx context.Context, x def, parts []string, t target) target {
	if t.file != "" || strings.HasPrefix(x.module, ".") {
		return target{}
	}
	if t.known() {
		if end, left := s.g.resolver().walk(ctx, t, parts[1:]); len(left) == 0 && end.known() {
			return target{}
		}
	}
	top, _, _ := strings.Cut(x.module, ".")
	if len(s.g.table.tops[top]) == 0 && s.g.selfName(ctx) != top {
		return target{}
	}
	full := x.module
	if x.attr != "" {
		full += "." + x.attr
	}
	full = strings.Join(append([]string{full}, parts[1:]...), ".")
	if _, below, _ := strings.Cut(full, "."); below == "" || s.g.resolver().lookup(ctx, x.module, top+"."+firstPart(below)).found() {
		return target{} // a module of its own: what it lacks is not public
	}
	for ; full != ""; full = full[:max(strings.LastIndexByte(full, '.'), 0)] {
		if e, ok := s.g.exported(ctx)[full]; ok {
			return target{file: e.file, def: e.def}
		}
	}
	return target{}
}

func firstPart(dotted string) string {
	first, _, _ := strings.Cut(dotted, ".")
	return first
}

// follow walks the rest of a dotted name. A module that is only passed on the
// way to something unknown is no dependency.
func (s *search) follow(ctx context.Context, t target, parts []string) (target, string) {
	if !t.known() {
		return t, parts[0]
	}
	end, left := s.g.resolver().walk(ctx, t, parts[1:])
	if len(left) > 0 && end.file == "" {
		return target{external: end.external}, ""
	}
	return end, strings.Join(parts[:len(parts)-len(left)], ".")
}

// classAround is the qualified class whose method the scope is, or is in.
func (d *detail) classAround(scope int32) string {
	for at := scope; at >= 0; at = d.n.Scope(at) {
		if up := d.n.Scope(at); d.n.Statements[at].Kind == "def" && up >= 0 && d.n.Statements[up].Kind == "class" {
			return d.n.Qualified(up)
		}
	}
	return ""
}
