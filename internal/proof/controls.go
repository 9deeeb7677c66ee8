package proof

import (
	"context"
	"fmt"
	"time"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/report"
)

// plan is one control to try: one distribution at one version, the rest of
// the lock unmoved.
type plan struct {
	side    oracle.Side
	name    string
	version string
}

// firstPlans are what every proof tries: the fixed revision that the user
// names, the releases that the report names as good, then the newest.
func (p *proof) firstPlans(ctx context.Context) []plan {
	var plans []plan
	if src := p.reported.spec.Project; src != nil && src.Fixed != "" {
		plans = append(plans, plan{oracle.SideFix, src.Name, atCommit("", src)})
	}
	for _, v := range p.in.Decision.Good {
		name := lockName(p.reported.lock, v.Dist)
		if name == "" {
			continue
		}
		switch version := p.resolve(ctx, name, v); version {
		case "":
			p.noteOnce("%s %s, named as good, is no release that can be installed here: it is no control", name, v.Spec)
		case p.reported.lock.Version(name):
			p.noteOnce("%s %s, named as good, is the release that ran: it is no control", name, v.Spec)
			p.out.Evidence.ReportedGood = true
		default:
			plans = append(plans, plan{oracle.SideNamed, name, version})
		}
	}
	if v := p.newest(ctx, p.subject); v != "" {
		plans = append(plans, plan{oracle.SideNewest, p.subject, v})
	}
	return plans
}

// lockName is the name under which a distribution stands in the lock (its own
// or that of a variant with the same code), "" if it does not.
func lockName(l *environment.Lock, dist string) string {
	if l.Version(dist) != "" {
		return dist
	}
	for _, v := range pydist.Variants(dist) {
		if l.Version(v) != "" {
			return v
		}
	}
	return ""
}

// resolve turns a stated version ("3.20.x", "0.6.1") into the newest release
// that matches it.
func (p *proof) resolve(ctx context.Context, name string, v report.Version) string {
	spec := matcher(v)
	best := ""
	for _, r := range p.list(ctx, name) {
		if usable(r) && pydist.Match(spec, r.Version) {
			best = r.Version
		}
	}
	return best
}

func usable(r environment.Release) bool { return r.Yanked == "" && !r.Pre && (r.Wheel || r.Sdist) }

// newest is the highest stable release that has a wheel for the interpreter;
// "" when that is the reported one already.
func (p *proof) newest(ctx context.Context, name string) string {
	rs := p.list(ctx, name)
	for i := len(rs) - 1; i >= 0; i-- {
		if usable(rs[i]) && rs[i].Wheel {
			if rs[i].Version == p.reported.lock.Version(name) {
				return ""
			}
			return rs[i].Version
		}
	}
	return ""
}

// list asks the index for the releases of a distribution once.
func (p *proof) list(ctx context.Context, name string) []environment.Release {
	if rs, ok := p.releases[name]; ok {
		return rs
	}
	rs, err := p.Solver.Releases(ctx, name, minor(p.reported.lock.Python))
	if err != nil {
		p.note("the releases of %s could not be listed: %v", name, err)
	}
	p.releases[name] = rs
	return rs
}

// build solves and builds one control.
func (p *proof) build(ctx context.Context, pl plan, spec environment.Spec, base *environment.Lock) (*side, error) {
	p.progress("control", "building %s %s", pl.name, pl.version)
	g := oracle.Group{Side: pl.side, Subject: pl.name, Version: pl.version}
	g.Older = pl.side != oracle.SideFix && older(pl.version, base.Version(pl.name))
	lock, moves, un, err := p.solveControl(ctx, pl, spec, base)
	if err != nil {
		return nil, fmt.Errorf("solve the control %s %s: %w", pl.name, pl.version, err)
	}
	if un != nil {
		g.Unavailable = un.Why
		return &side{group: g}, nil
	}
	if pl.side == oracle.SideFix {
		g.Version = atCommit(lock.Version(pl.name), spec.Project)
	}
	g.Moved, g.MovedNamed = Moved(p.in.Report, moves, base, pl.name)
	g.StandIn = standsIn(lock, pl.name)
	s, un, err := p.open(ctx, spec, lock)
	if err != nil {
		return nil, err
	}
	if un != nil {
		g.Unavailable = un.Why
		return &side{group: g}, nil
	}
	s.group = g
	return s, nil
}

// solveControl moves one distribution to another release, or to the fix.
func (p *proof) solveControl(ctx context.Context, pl plan, spec environment.Spec, base *environment.Lock) (*environment.Lock, []environment.Move, *environment.Unavailable, error) {
	if pl.side == oracle.SideFix {
		return p.Solver.Fix(ctx, spec, base)
	}
	return p.Solver.Move(ctx, spec, base, pl.name, pl.version)
}

// atCommit names the fixed side: its version, which may be the reported one's,
// and the commit.
func atCommit(version string, src *environment.ProjectSource) string {
	return version + "@" + src.FixedAt.Short()
}

// Moved tells what else had to move, and which of that the report names. The
// family of the subject (released together) counts as the subject.
func Moved(r *report.Report, moves []environment.Move, base *environment.Lock, name string) (all, named []string) {
	family := map[string]bool{name: true}
	for _, f := range pydist.Family(name) {
		family[f] = true
	}
	stated := map[string]bool{}
	for _, v := range r.Versions {
		if v.Role != report.RoleMention {
			stated[lockName(base, v.Dist)] = true
		}
	}
	for _, m := range moves {
		if m.Name == name {
			continue
		}
		text := fmt.Sprintf("%s %s -> %s", m.Name, orNone(m.From), orNone(m.To))
		all = append(all, text)
		if stated[m.Name] && !family[m.Name] {
			named = append(named, text)
		}
	}
	return all, named
}

func orNone(v string) string {
	if v == "" {
		return "none"
	}
	return v
}

// controls runs the first plans, then searches other releases until one gives
// grade B, the probes are used up, or the deadline has passed. What is left of
// its patience goes to the pair of neighbouring releases.
func (p *proof) controls(ctx context.Context, y *yard, plans []plan) error {
	enough, cost := false, time.Duration(0)
	for _, pl := range plans {
		began := time.Now()
		s, err := y.take(ctx, pl)
		if err != nil {
			return err
		}
		good, err := p.tryControl(ctx, s)
		if err != nil {
			return err
		}
		enough, cost = enough || good, time.Since(began)
	}
	subjects := append([]string{p.subject}, p.otherSubjects()...)
	for i, name := range subjects {
		if enough || i > 0 && (p.subjectDecides() || !p.exp.Satisfiable()) {
			break // where no release can be called good, another package's say nothing
		}
		var err error
		if enough, err = p.search(ctx, y, name, i > 0); err != nil {
			return err
		}
		if enough && i > 0 {
			p.note("moving %s alone removes the symptom, moving %s does not", name, p.subject)
			p.subject = name
			p.reported.group.Subject, p.reported.group.Version = name, p.reported.lock.Version(name)
		}
	}
	if enough {
		if err := p.narrow(ctx, y, cost); err != nil {
			return err
		}
	}
	p.out.Evidence.Adjacent = p.adjacent()
	p.sayPairs()
	return nil
}

// expectControls plans what every proof tries, and has it built while the
// reported side runs.
func (p *proof) expectControls(ctx context.Context) []plan {
	if p.yard.stopped() {
		p.openYard(ctx, p.reported.spec, p.reported.lock)
	}
	plans := p.firstPlans(ctx)
	for _, pl := range plans {
		if !measured(p.exp.Oracle) {
			p.yard.want(pl)
		}
	}
	return plans
}

// subjectDecides says that moving the subject has removed the symptom somewhere,
// even if too much moved with it to be a control: then no other package is the
// suspect.
func (p *proof) subjectDecides() bool {
	for _, state := range p.seen(p.subject) {
		if state == without {
			return true
		}
	}
	return false
}

// otherSubjects are further distributions the report names, in the lock.
func (p *proof) otherSubjects() []string {
	var names []string
	for _, d := range p.in.Decision.Subjects {
		n := lockName(p.reported.lock, d)
		if n == "" || n == p.subject || len(names) >= maxExtraSubjects {
			continue
		}
		names = append(names, n)
	}
	return names
}

// tryControl probes a control once and confirms it when the symptom is absent.
// good means it can give grade B.
func (p *proof) tryControl(ctx context.Context, s *side) (good bool, err error) {
	defer func() { p.record(s) }()
	if s.env == nil {
		p.progress("control", "%s: %s", labelOf(&s.group), s.group.Unavailable)
		return false, nil
	}
	if err := p.repeat(ctx, s, p.firstRuns(s.group.Side)); err != nil {
		return false, err
	}
	if err := p.repairControl(ctx, s); err != nil {
		return false, err
	}
	if !p.absent(s) {
		return false, nil
	}
	if s.group.Lacks, err = p.lacks(ctx, s); err != nil || !p.absent(s) {
		return false, err
	}
	if err := p.repeat(ctx, s, p.controlNeed(s.group.Side)); err != nil {
		return false, err
	}
	return p.absent(s) && len(s.group.MovedNamed) == 0 && !s.group.StandIn, nil
}

// firstRuns is how many executions say whether a control is worth confirming:
// one, unless one alone compares nothing.
func (p *proof) firstRuns(side oracle.Side) int {
	if oracle.ByGroup(p.exp.Oracle) {
		return p.controlNeed(side)
	}
	return 1
}

// firm is the chance that is tolerated where the reported side is mixed: a
// second sample of the same rate must still be told from the control, or a
// verification would lose the grade by luck. A guess, a fifth of chance.
const firm = 0.01

// controlNeed is how many executions the control needs so that Fisher's test
// can speak, now and when the reported side is run again: the fewest that its
// counts can be told from. It is as many as the reported side has when the
// symptom is rarer than every second execution, and when the control is one of
// many releases that were searched for a clean one. Of eight releases on which
// a symptom comes in three of five runs, some show none in three runs in two of
// five searches, by chance alone.
func (p *proof) controlNeed(side oracle.Side) int {
	n, hits := len(p.reported.group.Executions), p.countHits(p.reported)
	most := max(n, controlRuns)
	switch {
	case side == oracle.SideRelease && !p.narrowing, 2*hits < n:
		return most
	case hits == n:
		return controlRuns
	}
	for need := controlRuns; need < most; need++ {
		if oracle.FisherOneSided(hits, n, 0, need) < firm {
			return need
		}
	}
	return most
}
