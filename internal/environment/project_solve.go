package environment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/pydist"
)

// localWheels finds wheels that were built from a project. The Manager is one;
// surroundings without a store have none.
type localWheels interface {
	wheelDir(p Package) (string, error)
}

// solveProject is Solve for a Spec with a project: the interpreter is chosen
// first, the wheel built for it, and the rest solved around it.
func (m *Manager) solveProject(ctx context.Context, s Spec) (*Lock, *Unavailable, error) {
	m.progress(Event{Stage: "solve", Text: "resolving around " + s.Subject})
	l := newLadder(m, s)
	l.left = slices.DeleteFunc(m.minors(ctx), func(minor string) bool { return allows(s.Project.RequiresPython, minor) })
	l.withoutNightlies()
	if err := l.prefetch(ctx); err != nil {
		return nil, nil, err
	}
	if u, err := l.choosePython(ctx); u != nil || err != nil {
		return nil, u, err
	}
	w, u, err := m.wheelFor(ctx, s, s.Project.At, l.python)
	if u != nil || err != nil {
		return nil, withRungs(u, l.rungs), err
	}
	if u, err := l.useWheel(w); u != nil || err != nil {
		return nil, u, err
	}
	if u, err := l.preflight(ctx); u != nil || err != nil {
		return nil, u, err
	}
	return l.resolve(ctx)
}

func withRungs(u *Unavailable, rungs []Rung) *Unavailable {
	if u != nil {
		u.Rungs = append(rungs, u.Rungs...)
	}
	return u
}

// prefetch hints at every pin but the project's own.
func (l *ladder) prefetch(ctx context.Context) error {
	names := slices.DeleteFunc(l.names(), func(name string) bool {
		r, _ := l.pinOf(name)
		return r != nil && r.Word == WordProject
	})
	return l.on.prefetch(ctx, names)
}

// minors are those of the machine; none when they cannot be listed, which
// choosePython will say.
func (m *Manager) minors(ctx context.Context) []string {
	list, err := m.interpreters(ctx)
	if err != nil {
		return nil
	}
	var out []string
	for _, p := range list {
		if !slices.Contains(out, p.Minor) {
			out = append(out, p.Minor)
		}
	}
	return out
}

// allows compares a project's words on Pythons with a minor version; the patch
// is left open, since ">=3.8.1" is meant for 3.8.
func allows(requires, minor string) bool {
	return requires == "" || pydist.Match(requires, minor+".0") || pydist.Match(requires, minor+".99")
}

// wheelFor is the wheel of a state for an interpreter: the one that was built
// to look at it when it serves, else another build.
func (m *Manager) wheelFor(ctx context.Context, s Spec, state ProjectState, python interp.Interpreter) (projectWheel, *Unavailable, error) {
	if known := s.Project.Wheel; known != nil && state == s.Project.At {
		w := projectWheel{Package: *known, RequiresPython: s.Project.RequiresPython, Provides: s.Project.Provides}
		if _, err := m.wheelDir(w.Package); err == nil && w.pure() {
			return w, nil, nil
		}
	}
	return m.wheelOf(ctx, projectBuild{
		src: *s.Project, state: state, asOf: s.AsOf,
		python: func(string) (interp.Interpreter, *Unavailable) { return python, nil },
	})
}

// useWheel makes the resolver see a wheel under its exact version. One that is
// compiled binds the interpreter.
func (l *ladder) useWheel(w projectWheel) (*Unavailable, error) {
	if w.Name != l.spec.Project.Name {
		return &Unavailable{Why: fmt.Sprintf("the project builds %s at one revision and %s at the other", l.spec.Project.Name, w.Name)}, nil
	}
	if err := l.addLocal(w.Package); err != nil {
		return nil, err
	}
	i := indexOf(l.reqs, w.Name)
	if i < 0 {
		return &Unavailable{Why: w.Name + " is not in the environment"}, nil
	}
	l.reqs[i].Spec, l.reqs[i].Word = "=="+w.Version, WordProject
	if !slices.Contains(l.protected, w.Name) {
		l.protected = append(l.protected, w.Name)
	}
	l.keepPython = l.keepPython || !w.pure()
	return nil, nil
}

// addLocal puts the folder of a local wheel before the index; uv takes what
// lies there first.
func (l *ladder) addLocal(p Package) error {
	on, ok := l.on.(localWheels)
	if !ok {
		return fmt.Errorf("find the wheel %s: there is no store", p.Wheel)
	}
	dir, err := on.wheelDir(p)
	if err != nil {
		return err
	}
	l.links = append(l.links, dir)
	if l.own == nil {
		l.own = map[string]Package{}
	}
	l.own[p.Name] = p
	return nil
}

// Fix solves the fixed side of a project: base with the wheel of the fixed
// revision in place of the reported one. Everything else keeps its version
// unless the resolver has to move it; what moved is listed.
func (m *Manager) Fix(ctx context.Context, s Spec, base *Lock) (*Lock, []Move, *Unavailable, error) {
	if s.Project == nil || s.Project.Fixed == "" {
		return nil, nil, &Unavailable{Why: "no fixed revision was named"}, nil
	}
	python, ok, err := m.interpreter(ctx, base.Python)
	if err != nil {
		return nil, nil, nil, err
	}
	if !ok {
		return nil, nil, &Unavailable{Why: fmt.Sprintf("Python %s is no longer on this machine", base.Python), Next: "install it again"}, nil
	}
	w, u, err := m.wheelFor(ctx, s, s.Project.FixedAt, python)
	var wrong *ProjectError
	if errors.As(err, &wrong) { // nothing to build at that revision: no control, and no reason to stop
		return nil, nil, &Unavailable{Why: wrong.Error(), Next: wrong.Next}, nil
	}
	if u != nil || err != nil {
		return nil, nil, u, err
	}
	lock, u, err := m.cachedSolve(ctx, "fix", s, []string{base.Hash, w.Hashes[0]}, func() (*Lock, *Unavailable, error) {
		m.progress(Event{Stage: "solve", Text: fmt.Sprintf("resolving with %s at %s", w.Name, s.Project.FixedAt.Short())})
		return fixOn(ctx, m, s, base, w)
	})
	if err != nil || u != nil {
		return nil, nil, u, err
	}
	return lock, diff(base, lock), nil, nil
}

// fixOn tries as a control does: first all that the report names stays.
func fixOn(ctx context.Context, on surroundings, s Spec, base *Lock, w projectWheel) (*Lock, *Unavailable, error) {
	var rungs []Rung
	var last *Unavailable
	for _, firm := range []bool{true, false} {
		l, u, err := moveLadder(ctx, on, s, base, w.Name, w.Version, firm)
		if err != nil || u != nil {
			return nil, u, err
		}
		if u, err := l.useWheel(w); err != nil || u != nil {
			return nil, u, err
		}
		l.reqs[indexOf(l.reqs, w.Name)].Why = "built from the project at " + s.Project.FixedAt.Short()
		l.cutoff = base.AsOf // the day of a release of that version says nothing here
		l.rungs = rungs
		lock, u, err := l.resolve(ctx)
		if err != nil {
			return nil, nil, err
		}
		if u == nil {
			lock.after(base, s)
			return lock, nil, nil
		}
		rungs, last = u.Rungs, u
	}
	last.Why = fmt.Sprintf("%s at %s does not go with the rest: %s", w.Name, s.Project.FixedAt.Short(), last.Why)
	return nil, last, nil
}

// hasWheels says whether the store has all that a kept lock needs of it.
func (m *Manager) hasWheels(l *Lock) bool {
	for _, p := range l.Packages {
		if p.Wheel == "" {
			continue
		}
		if _, err := m.wheelDir(p); errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}
