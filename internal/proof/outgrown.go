package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// faultOutgrown is what tryReported gives in place of a missing module when the
// spec now holds a dependency back.
const faultOutgrown = "outgrown dependency"

var (
	// importFrom is the statement that failed, which names its module in every
	// Python; the message does so from 3.7 on only.
	importFrom = lazyre.New(`^\s*from\s+([A-Za-z_][\w.]*)\s+import\b`)
	// gonePart is a module that lost an attribute or a submodule.
	gonePart = lazyre.New(`^(?:module '([\w.]+)' has no attribute|No module named '([\w.]+)\.\w+')`)
)

// holdBack is for an environment that fails while it imports, since a package
// that only the resolver chose came out after the release that imports it and
// no longer has what that one needs. Makers seldom state an upper bound, so a
// day between two uploads of one project solves to a pair that nobody ran for
// long. The dependency then is held at what there was when its importer came
// out, the one pair its maker can have tried. It says whether the spec changed;
// each package is held once, so the loop around it ends.
func (p *proof) holdBack(ctx context.Context, lock *environment.Lock, ex sandbox.Execution) (bool, error) {
	if p.exp.Symptom.Kind == symptom.ImportError || p.judgeAny(ex).Finding == oracle.Hit {
		return false, nil // the failure is, or may be, what was reported
	}
	importer, dep := brokenImport(lock, ex)
	if importer == "" || !p.nobodysWord(lock, dep) {
		return false, nil
	}
	python := minor(lock.Python)
	uses, err := p.Solver.Releases(ctx, importer, python)
	if err != nil {
		return false, fmt.Errorf("list the releases of %s: %w", importer, err)
	}
	has, err := p.Solver.Releases(ctx, dep, python)
	if err != nil {
		return false, fmt.Errorf("list the releases of %s: %w", dep, err)
	}
	version := newestWhen(has, uses, lock.Version(importer))
	if version == "" || !older(version, lock.Version(dep)) {
		return false, nil
	}
	p.note("%s %s does not fit %s %s, which came out before it: %s held at %s or below",
		dep, lock.Version(dep), importer, lock.Version(importer), dep, version)
	p.progress("environment", "%s %s is too new for %s %s: solving with %s<=%s",
		dep, lock.Version(dep), importer, lock.Version(importer), dep, version)
	p.spec.Constraints = append(slices.Clone(p.spec.Constraints), environment.Requirement{
		Name: dep, Spec: "<=" + version, Word: environment.WordUndeclared, Why: "as of the release of " + importer,
	})
	return true, nil
}

// nobodysWord says that a package's version is the resolver's alone: neither
// the reporter, the user nor an earlier repair asked for it, and it is not what
// the verdict is about.
func (p *proof) nobodysWord(lock *environment.Lock, dep string) bool {
	if dep == p.subject {
		return false
	}
	asked := func(r environment.Requirement) bool { return r.Name == dep && r.Spec != "" }
	if slices.ContainsFunc(p.spec.Requirements, asked) || slices.ContainsFunc(p.spec.Constraints, asked) {
		return false
	}
	i := slices.IndexFunc(lock.Packages, func(pk environment.Package) bool { return pk.Name == dep })
	return i >= 0 && (lock.Packages[i].Word == environment.WordResolver || lock.Packages[i].Word == environment.WordImport)
}

// brokenImport reads which distribution's import failed, and at which other
// one, when both are in the lock. What a script asks of a package itself is the
// reporter's own affair.
func brokenImport(lock *environment.Lock, ex sandbox.Execution) (importer, dep string) {
	if len(ex.Record.Exceptions) == 0 {
		return "", ""
	}
	e := ex.Record.Exceptions[len(ex.Record.Exceptions)-1]
	if len(e.Frames) == 0 {
		return "", ""
	}
	last := e.Frames[len(e.Frames)-1]
	module := ""
	switch m := gonePart.FindStringSubmatch(e.Message); {
	case m != nil && (last.Function == "<module>" || m[2] != ""): // an attribute that is missed later may be the bug itself
		module = m[1] + m[2]
	case e.Type == "ImportError":
		if m := importFrom.FindStringSubmatch(last.Source); m != nil {
			module = m[1]
		}
	}
	if module == "" || last.Module == "" || last.Module == "__main__" {
		return "", ""
	}
	importer, dep = lockedDist(lock, last.Module), lockedDist(lock, module)
	if importer == "" || dep == "" || importer == dep {
		return "", ""
	}
	return importer, dep
}

// lockedDist is the distribution of a lock that holds a module, "" for none.
func lockedDist(lock *environment.Lock, module string) string {
	dist, _ := pydist.FromModule(module)
	return lockName(lock, pydist.Normalize(dist))
}

// newestWhen is the newest release of has that was out when version of uses
// came out; "" when the index gives no times.
func newestWhen(has, uses []environment.Release, version string) string {
	i := slices.IndexFunc(uses, func(r environment.Release) bool { return strings.EqualFold(r.Version, version) })
	if i < 0 || uses[i].Uploaded.IsZero() {
		return ""
	}
	best := ""
	for _, r := range has {
		if usable(r) && !r.Uploaded.IsZero() && !r.Uploaded.After(uses[i].Uploaded) && (best == "" || older(best, r.Version)) {
			best = r.Version
		}
	}
	return best
}
