package bundle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

// A manifest only shows that a folder is as its last writer left it. What a
// forger may write into it must therefore follow from something that is looked
// at again: the script is read anew, a group's labels must fit its lock.

// reread puts into the evidence what the script is really refused for, and what
// of the claim does not rest on the report.
func (b *Bundle) reread() {
	fresh := candidate.Reread(b.Candidate)
	b.Candidate.HasControl = fresh.HasControl
	proof.Ground(b.Report, fresh, b.Outcome.Expectation, &b.Outcome.Evidence)
	for _, why := range proof.Refusals(fresh, b.Outcome.Expectation) {
		if !slices.Contains(b.Outcome.Evidence.Refused, why) {
			b.Outcome.Evidence.Refused = append(b.Outcome.Evidence.Refused, why)
		}
	}
	for _, o := range proof.Unearned(b.Outcome, fresh) {
		if !slices.Contains(b.Outcome.Evidence.Open, o) {
			b.Outcome.Evidence.Open = append(b.Outcome.Evidence.Open, o)
		}
	}
}

// unfounded lists claims of the evidence that its own locks and variables
// contradict.
func (b *Bundle) unfounded() []string {
	out := append(b.forbiddenEnv(), b.oddControls()...)
	if e := b.Outcome.Expectation; e.ReporterScript && candidate.Reread(b.Candidate).Origin != "reporter" {
		out = append(out, fileOracle+": judges the script as the reporter's own, which it is not")
	}
	base := b.Outcome.Lock
	for i, g := range b.Outcome.Evidence.Groups {
		lock := b.Outcome.Locks[i]
		if lock == nil {
			continue
		}
		name := fmt.Sprintf("%s: the group %s %s %s", fileEvidence, g.Side, g.Subject, g.Version)
		version, _, _ := strings.Cut(g.Version, "@")
		if have := lock.Version(g.Subject); g.Subject != "" && version != "" && have != version {
			out = append(out, fmt.Sprintf("%s ran with %s %s", name, g.Subject, have))
		}
		if !maps.Equal(lock.Env, base.Env) {
			out = append(out, name+" ran with other variables than the reported side")
		}
		if lock.Python != base.Python {
			out = append(out, fmt.Sprintf("%s ran with Python %s, the reported side with %s", name, lock.Python, base.Python))
		}
		if g.Side == oracle.SideFix && !b.isFix(base, lock) {
			out = append(out, name+" is no fix of a project, built from it")
		}
		if g.Older && g.Side != oracle.SideFix && notBefore(version, base.Version(g.Subject)) {
			out = append(out, fmt.Sprintf("%s is no release before %s", name, base.Version(g.Subject)))
		}
		if moved := unsaid(base, lock, g); len(moved) > 0 {
			out = append(out, fmt.Sprintf("%s also moved %s", name, strings.Join(moved, ", ")))
		}
	}
	return out
}

// isFix: the fix is the project's own, built from the revision that its user
// called fixed, as the reported side is built from another.
func (b *Bundle) isFix(base, lock *environment.Lock) bool {
	p := b.Outcome.Spec.Project
	built := func(l *environment.Lock) bool {
		return slices.ContainsFunc(l.Packages, func(k environment.Package) bool {
			return k.Wheel != "" && k.Name == pydist.Normalize(p.Name)
		})
	}
	return p != nil && p.Fixed != "" && built(base) && built(lock)
}

// relabel puts on each group what follows from its lock and the report, whatever
// the bundle says of it: a release that nobody named as good is one that a search
// found, what moved with it and is named there counts, and so does a stand-in.
func (b *Bundle) relabel() {
	base, good := b.Outcome.Lock, triage.Decide(b.Report, triage.Options{}).Good
	for i := range b.Outcome.Evidence.Groups {
		g, lock := &b.Outcome.Evidence.Groups[i], b.Outcome.Locks[i]
		if lock == nil || base == nil {
			continue
		}
		named := slices.ContainsFunc(good, func(v report.Version) bool { return pydist.Normalize(v.Dist) == g.Subject })
		if g.Side == oracle.SideNamed && !named {
			g.Side = oracle.SideRelease
		}
		g.StandIn = g.StandIn || slices.Contains(lock.StandIns, g.Subject)
		if g.Side == oracle.SideFix || g.Subject == "" {
			continue
		}
		_, moved := proof.Moved(b.Report, movesBetween(base, lock), base, g.Subject)
		for _, m := range moved {
			if !slices.Contains(g.MovedNamed, m) {
				g.MovedNamed = append(g.MovedNamed, m)
			}
		}
	}
}

// movesBetween are the packages whose release differs between two locks.
func movesBetween(base, lock *environment.Lock) []environment.Move {
	var moves []environment.Move
	for _, p := range append(slices.Clone(base.Packages), lock.Packages...) {
		m := environment.Move{Name: p.Name, From: base.Version(p.Name), To: lock.Version(p.Name)}
		if m.From != m.To && !slices.Contains(moves, m) {
			moves = append(moves, m)
		}
	}
	return moves
}

// notBefore compares two releases. Of what is no version nothing is known.
func notBefore(a, b string) bool {
	va, errA := pydist.ParseVersion(a)
	vb, errB := pydist.ParseVersion(b)
	return errA == nil && errB == nil && va.Compare(vb) >= 0
}

// unsaid are packages beside the subject that differ from the reported side and
// are not listed as moved.
func unsaid(base, lock *environment.Lock, g oracle.Group) []string {
	var out []string
	if base == nil {
		return nil
	}
	said := func(name string) bool {
		return name == g.Subject || slices.ContainsFunc(g.Moved, func(m string) bool { return strings.HasPrefix(m, name+" ") })
	}
	for _, p := range append(slices.Clone(base.Packages), lock.Packages...) {
		if base.Version(p.Name) != lock.Version(p.Name) && !said(p.Name) && !slices.Contains(out, p.Name) {
			out = append(out, p.Name)
		}
	}
	return out
}

// forbiddenEnv are variables that no report may set, and no bundle either.
func (b *Bundle) forbiddenEnv() []string {
	var out []string
	sets := map[string]map[string]string{fileCandidate: b.Candidate.Env, fileEvidence: maps.Clone(b.Outcome.Spec.Env)}
	if sets[fileEvidence] == nil {
		sets[fileEvidence] = map[string]string{}
	}
	for _, l := range b.locks() {
		maps.Copy(sets[fileEvidence], l.Env)
	}
	for _, file := range slices.Sorted(maps.Keys(sets)) {
		for _, name := range slices.Sorted(maps.Keys(sets[file])) {
			if candidate.ForbiddenEnv(name) {
				out = append(out, fmt.Sprintf("%s: sets %q, which no report may set", file, name))
			}
		}
	}
	return out
}
