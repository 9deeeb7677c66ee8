package environment

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

// SpecInput is all that an environment is inferred from. Report, Decision and
// Candidate may each be nil.
type SpecInput struct {
	Report    *report.Report
	Decision  *triage.Decision
	Candidate *candidate.Candidate
	// Date is a full UTC instant, zero when the user gave none.
	Date time.Time
	// Python is "3.11" or "3.11.7", "" when the user gave none.
	Python  string
	Subject string
	// With are requirements in pip's form, one each.
	With []string
	// Now is the clock, zero for time.Now.
	Now time.Time
	// Project is where the subject is built from, as ResolveProject left it;
	// nil takes it from the index.
	Project *ProjectSource
}

// Spec infers what the environment of a report should hold. A requirement of
// the user that cannot be read is an error; a script that needs something no
// index can have is Unavailable.
func (m *Manager) Spec(ctx context.Context, in SpecInput) (Spec, *Unavailable, error) {
	if in.Project != nil {
		p, u, err := m.lookAtProject(ctx, &in)
		if u != nil || err != nil {
			return p, u, err
		}
		return inferSpec(ctx, m, in)
	}
	return m.keptSpec(ctx, in)
}

// listings is what the package index says, or a table in tests. Releases of a
// distribution that does not exist are none.
type listings interface {
	Releases(ctx context.Context, name, python string) ([]Release, error)
	// prefetch is a hint that all of these will be asked for.
	prefetch(ctx context.Context, names []string) error
}

// inference carries one Spec from a report to its end. Its steps run in the
// order of inferSpec, each seeing what the former added.
type inference struct {
	in    SpecInput
	index listings
	named map[string]report.Version
	spec  Spec
}

func newInference(index listings, in SpecInput) *inference {
	if in.Now.IsZero() {
		in.Now = time.Now()
	}
	if in.Report == nil {
		in.Report = &report.Report{}
	}
	if in.Decision == nil {
		in.Decision = &triage.Decision{}
	}
	if in.Candidate == nil {
		in.Candidate = &candidate.Candidate{}
	}
	w := &inference{in: in, index: index}
	w.named = w.chooseVersions()
	return w
}

func inferSpec(ctx context.Context, index listings, in SpecInput) (Spec, *Unavailable, error) {
	w := newInference(index, in)
	w.python()
	w.environ()
	if err := w.flags(); err != nil {
		return Spec{}, nil, err
	}
	w.project()
	if u := w.imports(); u != nil {
		return w.spec, u, nil
	}
	w.installLines()
	w.needs()
	w.subject()
	w.constraints()
	w.spec.CUDA = w.wantsCUDA()
	if err := w.date(ctx); err != nil {
		return Spec{}, nil, err
	}
	if u := w.nothing(); u != nil {
		return w.spec, u, nil
	}
	if err := w.cpuBuilds(ctx); err != nil {
		return Spec{}, nil, err
	}
	return w.spec, nil, nil
}

// nothing is the outcome for a report without a script that names no package:
// an empty environment would pass every certificate and say nothing. Without a
// script, packages that it merely names are all there is to build.
func (w *inference) nothing() *Unavailable {
	if w.in.Candidate.Script != "" || w.in.Project != nil {
		return nil
	}
	if len(w.spec.Requirements) == 0 {
		w.spec.Requirements, w.spec.Constraints = w.spec.Constraints, nil
	}
	if len(w.spec.Requirements) == 0 {
		return &Unavailable{
			Why:  "the report has no script and names no package: there is nothing to build",
			Next: "name what it is about with --subject NAME, or packages with --with NAME==VERSION",
		}
	}
	if w.spec.Subject == "" {
		w.spec.Subject = w.spec.Requirements[0].Name
	}
	// A certificate that imports nothing would certify nothing.
	for _, r := range w.spec.Requirements {
		if names := pydist.Imports(r.Name); pydist.Known(r.Name) && len(names) > 0 && !slices.Contains(w.spec.Imports, names[0]) {
			w.spec.Imports = append(w.spec.Imports, names[0])
		}
	}
	return nil
}

func (w *inference) edit(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(w.spec.Edits, text) {
		w.spec.Edits = append(w.spec.Edits, text)
	}
}

// require adds a requirement unless the distribution is wanted already: the
// first word wins, and the flags come first.
func (w *inference) require(r Requirement) {
	if i := indexOf(w.spec.Requirements, r.Name); i >= 0 {
		return
	}
	w.spec.Requirements = append(w.spec.Requirements, r)
}

// want adds a distribution in the version that the report names, else as the
// newest of the date.
func (w *inference) want(dist string, word Word, why string) {
	spec, named := w.specOf(dist)
	if named && word != WordFlag {
		word = WordReporter
	}
	w.require(Requirement{Name: dist, Spec: spec, Word: word, Why: why})
}

func (w *inference) has(dist string) bool { return indexOf(w.spec.Requirements, dist) >= 0 }

func indexOf(list []Requirement, name string) int {
	return slices.IndexFunc(list, func(r Requirement) bool { return r.Name == name })
}

// python takes the flag's version, else the reporter's. Neither: the solver
// chooses by what has wheels.
func (w *inference) python() {
	v, stated := w.named["python"]
	delete(w.named, "python")
	switch {
	case w.in.Python != "":
		w.spec.Python, w.spec.PythonSource = w.in.Python, "flag"
		return
	case stated:
		if p, err := pydist.ParseVersion(v.Spec); err == nil && len(p.Release()) >= 2 {
			w.spec.Python, w.spec.PythonSource = minorOf(v.Spec), "report"
		}
	}
	if w.spec.Python == "" && !stated {
		if minor, why := w.impliedPython(); minor != "" {
			w.spec.Python, w.spec.PythonSource = minor, "report"
			w.edit("Python %s: %s", minor, why)
		}
	}
	if w.spec.Python == "" {
		w.spec.PythonSource = "wheels"
	}
}

// subject names the distribution under suspicion as it will be installed.
func (w *inference) subject() {
	name := w.in.Subject
	if name == "" && w.in.Project != nil {
		name = w.in.Project.Name
	}
	if name == "" && len(w.in.Decision.Subjects) > 0 {
		name = w.in.Decision.Subjects[0]
	}
	name = pydist.Normalize(name)
	if to, ok := nightlies[name]; ok {
		name = to
	}
	switch {
	case name == "" && len(w.spec.Requirements) > 0:
		name = w.spec.Requirements[0].Name
	case name != "" && !w.has(name):
		name = w.installedAs(name)
	}
	w.spec.Subject = name
	switch {
	case name == "" || w.has(name):
	case w.in.Subject != "":
		w.want(name, WordFlag, "named as the subject")
	case w.in.Candidate.Script == "" || len(w.spec.Requirements) == 0 || fragment(w.in.Candidate.Script):
		// Somebody will want to write a script, or to complete the fragment that
		// leaves out its imports ("model = Thing(np.ones(3))"): without the
		// subject there would be nothing to call in its environment.
		w.want(name, WordReporter, "the subject of the report")
	}
}

// fragment says that a script uses names which nothing defines, and which are
// no alias that everybody reads an import into: it cannot run as it is, and
// what it leaves out is most likely the subject's.
func fragment(script string) bool {
	f := pysyntax.Parse(script)
	have := f.TopModules()
	for _, n := range f.Undefined() {
		if pysyntax.WellKnown(n.Name, have, f.Source) == "" {
			return true
		}
	}
	return false
}

// installedAs is the required distribution that holds the same code as name.
func (w *inference) installedAs(name string) string {
	for _, v := range pydist.Variants(name) {
		if w.has(v) {
			return v
		}
	}
	return name
}
