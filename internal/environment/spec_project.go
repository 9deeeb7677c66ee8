package environment

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/pydist"
)

// lookAtProject builds the reported state once, to learn its name, version and
// modules, and puts them into in. Which interpreter it is for is settled when
// the rest is solved. The Spec is what is known without it.
func (m *Manager) lookAtProject(ctx context.Context, in *SpecInput) (Spec, *Unavailable, error) {
	p := *in.Project
	w := newInference(m, *in)
	w.spec.Project = in.Project
	w.python()
	if err := w.date(ctx); err != nil {
		return w.spec, nil, err
	}
	pythons, err := m.interpreters(ctx)
	if err != nil {
		return w.spec, nil, err
	}
	built, u, err := m.wheelOf(ctx, projectBuild{
		src: p, state: p.At, asOf: w.spec.AsOf,
		python: func(requires string) (interp.Interpreter, *Unavailable) {
			return likelyPython(pythons, w.spec.Python, requires, w.spec.AsOf)
		},
	})
	if u != nil || err != nil {
		return w.spec, u, err
	}
	p.Name, p.Version, p.Wheel = built.Name, built.Version, &built.Package
	p.Provides, p.RequiresPython = built.Provides, built.RequiresPython
	in.Project = &p
	return w.spec, nil, nil
}

// likelyPython is the stated one, else the newest that the project allows and
// that was a year old on the day: younger ones have few wheels.
func likelyPython(list []interp.Interpreter, stated, requires string, asOf time.Time) (interp.Interpreter, *Unavailable) {
	if stated != "" {
		if p, ok := pickInterpreter(list, stated); ok {
			return p, nil
		}
	}
	var allowed []interp.Interpreter
	for _, p := range list {
		if requires == "" || pydist.Match(requires, p.Version) {
			allowed = append(allowed, p)
		}
	}
	for _, p := range allowed {
		if released, known := releasedOn(p.Minor); known && asOf.Sub(released) >= 365*24*time.Hour {
			return p, nil
		}
	}
	if len(allowed) == 0 {
		return interp.Interpreter{}, &Unavailable{
			Why:  fmt.Sprintf("the project wants Python %s (found: %s)", requires, minorsOf(list)),
			Next: "install such a Python",
		}
	}
	return allowed[0], nil
}

// project makes the distribution that was built from the project a
// requirement. A release of it that the report names is not installed.
func (w *inference) project() {
	p := w.in.Project
	if p == nil {
		return
	}
	w.spec.Project = p
	r := Requirement{Name: p.Name, Spec: "==" + p.Version, Word: WordProject, Why: "built from " + p.at()}
	if v, named := w.named[p.Name]; named {
		w.edit("%s %s is named in the report: taken from %s instead, as %s", p.Name, v.Spec, p.at(), p.Version)
		delete(w.named, p.Name)
	}
	if i := indexOf(w.spec.Requirements, p.Name); i >= 0 { // --with NAME[extra]
		r.Extras = w.spec.Requirements[i].Extras
		w.spec.Requirements = slices.Delete(w.spec.Requirements, i, i+1)
	}
	w.require(r)
	w.edit("%s %s built from %s", p.Name, p.Version, p.at())
}

// at names the state in words, without the folder's path.
func (p *ProjectSource) at() string {
	if p.At.Commit == "" {
		return "the project's folder"
	}
	return fmt.Sprintf("the project at %s (%s)", orHead(p.Revision), p.At.Short())
}

// fromProject takes an import from the project when it has such a module.
func (w *inference) fromProject(module string) bool {
	p := w.in.Project
	if p == nil || !slices.Contains(p.Provides, module) {
		return false
	}
	if pydist.Namespace(module) {
		return false
	}
	if !slices.Contains(w.spec.Imports, module) {
		w.spec.Imports = append(w.spec.Imports, module)
	}
	return true
}
