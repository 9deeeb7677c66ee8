package environment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
)

// Move solves a control: base with only the distribution name at version.
// Everything else keeps its version unless the resolver has to move it; what
// moved is listed, the asked one included. Python stays.
func (m *Manager) Move(ctx context.Context, s Spec, base *Lock, name, version string) (*Lock, []Move, *Unavailable, error) {
	name = nameIn(base, pydist.Normalize(name))
	if _, err := pydist.ParseVersion(version); err != nil {
		return nil, nil, nil, fmt.Errorf("move %s: %w", name, err)
	}
	if base.Version(name) == "" {
		return nil, nil, &Unavailable{Why: fmt.Sprintf("%s is not in the environment", name)}, nil
	}
	lock, u, err := m.cachedSolve(ctx, "move", s, []string{base.Hash, name, version}, func() (*Lock, *Unavailable, error) {
		m.progress(Event{Stage: "solve", Text: fmt.Sprintf("resolving with %s %s", name, version)})
		return moveOn(ctx, m, s, base, name, version)
	})
	if err != nil || u != nil {
		return nil, nil, u, err
	}
	return lock, diff(base, lock), nil, nil
}

// nameIn is the name under which a lock holds a distribution: itself or a
// variant of it.
func nameIn(base *Lock, name string) string {
	if base.Version(name) != "" {
		return name
	}
	for _, v := range pydist.Variants(name) {
		if base.Version(v) != "" {
			return v
		}
	}
	return name
}

// moveOn tries twice: first everything that the report names stays where it
// is, then only the resolver's preference for the old lock holds it there.
func moveOn(ctx context.Context, on surroundings, s Spec, base *Lock, name, version string) (*Lock, *Unavailable, error) {
	if u, err := notThere(ctx, on, base, name, version); u != nil || err != nil {
		return nil, u, err
	}
	var rungs []Rung
	var last *Unavailable
	for _, firm := range []bool{true, false} {
		l, u, err := moveLadder(ctx, on, s, base, name, version, firm)
		if err != nil || u != nil {
			return nil, u, err
		}
		l.rungs = rungs
		lock, u, err := l.resolve(ctx)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case u == nil && sameVersion(lock.Version(name), version):
			lock.after(base, s)
			return lock, nil, nil
		case u == nil: // a stand-in of a control would be a control of something else
			u = &Unavailable{Why: fmt.Sprintf("only %s %s could be had", name, lock.Version(name)), Rungs: lock.Rungs}
		}
		rungs, last = u.Rungs, u
	}
	last.Why = fmt.Sprintf("environment absent: %s %s does not go with the rest: %s", name, version, last.Why)
	return nil, last, nil
}

// notThere says why a release cannot be a control at all, before anything is
// solved: the index lost it, or it has nothing for the interpreter of the
// reported side, which a control keeps. Such a release is neither good nor bad.
func notThere(ctx context.Context, on surroundings, base *Lock, name, version string) (*Unavailable, error) {
	list, err := on.Releases(ctx, name, minorOf(base.Python))
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(r Release) bool { return sameVersion(r.Version, version) })
	switch {
	case i < 0:
		return &Unavailable{Why: fmt.Sprintf("release absent: the index has no %s %s", name, version)}, nil
	case !list[i].Wheel && !list[i].Sdist:
		return &Unavailable{Why: fmt.Sprintf("environment absent: %s %s has no file for Python %s, which the reported side runs on", name, version, minorOf(base.Python))}, nil
	case !list[i].Wheel && slices.Contains(neverBuilt, name):
		return &Unavailable{Why: fmt.Sprintf("environment absent: %s %s has no wheel for Python %s and is never built from source", name, version, minorOf(base.Python))}, nil
	}
	return nil, nil
}

// moveLadder starts from the base's own solution. Firm keeps the reporter's
// pins; the family of the moved package is never held.
func moveLadder(ctx context.Context, on surroundings, s Spec, base *Lock, name, version string, firm bool) (*ladder, *Unavailable, error) {
	l := newLadder(on, s)
	l.protected = []string{name}
	if u, err := l.samePython(ctx, base); u != nil || err != nil {
		return nil, u, err
	}
	l.cutoff, l.exempt, l.existing = base.AsOf, slices.Clone(base.Exempt), base.Text
	family := pydist.Family(name)
	l.reqs = heldAt(base, base.Requirements, firm, family)
	l.cons = nil
	if firm {
		l.cons = heldAt(base, base.Constraints, firm, family)
	}
	l.reqs = pinned(l.reqs, name, version)
	l.cons = slices.DeleteFunc(l.cons, func(r Requirement) bool { return r.Name == name || r.Spec == "" })
	if err := l.sources(ctx, base, name); err != nil {
		return nil, nil, err
	}
	return l, nil, l.dateFor(ctx, name, version)
}

// heldAt are requirements of a lock, at the versions that it has when they are
// to be firm.
func heldAt(base *Lock, list []Requirement, firm bool, free []string) []Requirement {
	var out []Requirement
	for _, r := range list {
		version := base.Version(r.Name)
		if version == "" {
			continue
		}
		r.Spec = ""
		if r.Word == WordProject || firm && !slices.Contains(free, r.Name) {
			r.Spec = "==" + version
		}
		out = append(out, r)
	}
	return out
}

func pinned(list []Requirement, name, version string) []Requirement {
	r := Requirement{Name: name, Spec: "==" + version, Word: WordSubject, Why: "moved by a control"}
	if i := indexOf(list, name); i >= 0 {
		r.Extras = list[i].Extras
		list[i] = r
		return list
	}
	return append(list, r)
}

// samePython takes the interpreter that solved the base.
func (l *ladder) samePython(ctx context.Context, base *Lock) (*Unavailable, error) {
	list, err := l.on.interpreters(ctx)
	if err != nil {
		return nil, err
	}
	p, ok := pickInterpreter(list, base.Python)
	if !ok {
		return &Unavailable{Why: fmt.Sprintf("Python %s is no longer on this machine", base.Python), Next: "install it again"}, nil
	}
	l.pythons, l.keepPython = list, true
	l.python = p
	return nil, nil
}

// sources brings the base's own source builds along.
func (l *ladder) sources(ctx context.Context, base *Lock, moved string) error {
	for _, p := range base.Packages {
		if p.Wheel != "" && p.Name != moved {
			if err := l.addLocal(p); err != nil {
				return err
			}
		}
		if !p.made() || p.Name == moved {
			continue
		}
		in, err := p.houseInput(l.python, base.AsOf)
		if err != nil {
			return err
		}
		h, u, err := l.on.house(ctx, in)
		if err != nil {
			return fmt.Errorf("bring %s %s along: %w", p.Name, p.Version, err)
		}
		if u == nil {
			l.links = append(l.links, h.dir)
			l.built[p.Name+"=="+p.Version] = h
		}
	}
	return nil
}

// dateFor lets a control see the day after its release was uploaded, so that
// what was released with it is there.
func (l *ladder) dateFor(ctx context.Context, name, version string) error {
	list, err := l.on.Releases(ctx, name, l.python.Minor)
	if err != nil {
		return err
	}
	for _, r := range list {
		if !sameVersion(r.Version, version) || r.Uploaded.IsZero() {
			continue
		}
		if reuploaded(list, r) {
			l.exempt = append(l.exempt, name)
			return nil
		}
		if until := endOfDay(r.Uploaded.AddDate(0, 0, 1)); until.After(l.cutoff) {
			l.cutoff = until
		}
	}
	return nil
}

// diff lists the packages that differ between two locks, by name.
func diff(from, to *Lock) []Move {
	var out []Move
	for _, p := range from.Packages {
		if v := to.Version(p.Name); v != p.Version {
			out = append(out, Move{Name: p.Name, From: p.Version, To: v})
		}
	}
	for _, p := range to.Packages {
		if from.Version(p.Name) == "" {
			out = append(out, Move{Name: p.Name, To: p.Version})
		}
	}
	slices.SortFunc(out, func(a, b Move) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Add solves base with one more distribution, a need that a run showed. The
// returned Spec holds it too.
func (m *Manager) Add(ctx context.Context, s Spec, base *Lock, dist string) (Spec, *Lock, *Unavailable, error) {
	dist, err := needed(ctx, m, base, dist)
	if err != nil {
		return s, nil, nil, err
	}
	if base.Version(dist) != "" {
		return s, nil, &Unavailable{Why: fmt.Sprintf("%s %s is in the environment already", dist, base.Version(dist))}, nil
	}
	need := Requirement{Name: dist, Word: WordUndeclared, Why: "an import failed without it"}
	if i := indexOf(s.Constraints, dist); i >= 0 {
		need.Spec = s.Constraints[i].Spec
	}
	s.Requirements = append(slices.Clone(s.Requirements), need)
	lock, u, err := m.cachedSolve(ctx, "add", s, []string{base.Hash, dist}, func() (*Lock, *Unavailable, error) {
		m.progress(Event{Stage: "solve", Text: "adding " + dist})
		return addTo(ctx, m, s, base, need)
	})
	return s, lock, u, err
}

// standardLeft maps modules that older Pythons had, or that every environment
// used to hold, to the distribution that has them now.
var standardLeft = map[string]string{
	"pkg-resources": "setuptools", "distutils": "setuptools",
	"attr": "attrs", "mpl-toolkits": "matplotlib",
}

// needed is the distribution to add for a name that a run reported.
func needed(ctx context.Context, index listings, base *Lock, dist string) (string, error) {
	name := pydist.Normalize(dist)
	if to, ok := standardLeft[name]; ok {
		return to, nil
	}
	to, err := cpuVariant(ctx, index, Requirement{Name: name}, minorOf(base.Python), base.AsOf)
	if err != nil || to == "" {
		return name, err
	}
	return to, nil
}

func addTo(ctx context.Context, on surroundings, s Spec, base *Lock, need Requirement) (*Lock, *Unavailable, error) {
	l := newLadder(on, s)
	if u, err := l.samePython(ctx, base); u != nil || err != nil {
		return nil, u, err
	}
	l.cutoff, l.exempt, l.existing = base.AsOf, slices.Clone(base.Exempt), base.Text
	l.rung, l.rungs = base.Rung, slices.Clone(base.Rungs)
	l.reqs = append(slices.Clone(base.Requirements), need)
	l.cons = slices.DeleteFunc(slices.Clone(base.Constraints), func(r Requirement) bool { return r.Name == need.Name })
	l.standIns = slices.Clone(base.StandIns)
	l.edits, l.changes = slices.Clone(base.Edits), slices.Clone(base.Changes)
	l.note(rungExact, need.Name, fmt.Sprintf("%s added: %s", need.Name+need.Spec, need.Why))
	if err := l.sources(ctx, base, ""); err != nil {
		return nil, nil, err
	}
	if u, err := l.check(ctx, need.Name); u != nil || err != nil {
		return nil, u, err
	}
	if r, _ := l.pinOf(need.Name); r == nil { // what was asked for is not there
		return nil, l.unavailable(l.edits[len(l.edits)-1], "name another distribution or day with --with or --date"), nil
	}
	return l.resolve(ctx)
}
