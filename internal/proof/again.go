package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/sandbox"
)

// Difference is one field that a re-run showed otherwise.
type Difference struct {
	Field  string `json:"field"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Rerun is what a verification ran, and what differs.
type Rerun struct {
	// Differences are empty where the same was found.
	Differences []Difference
	// Ran are the sides that ran again. Empty: the record holds nothing to be
	// run, and nothing was found to be the same.
	Ran []Ran
	// Unavailable is set when a locked environment cannot be built here.
	Unavailable *environment.Unavailable
}

// Ran is one side of a verification.
type Ran struct {
	Side    string `json:"side"`
	Package string `json:"package,omitempty"`
	Version string `json:"version,omitempty"`
	Change  string `json:"change,omitempty"`
	// Executions made anew.
	Executions int `json:"executions"`
	// Earlier says that the certificate of this very environment ran here before,
	// under the same isolation, and was not run once more.
	Earlier bool `json:"earlier,omitempty"`
}

// Again runs anew, in environments built from the recorded locks, every side
// that the headline and the grade of a recorded outcome rest on, and compares
// what the oracle says. What was not run again counts for nothing.
func (p *Prover) Again(ctx context.Context, c *candidate.Candidate, old *Outcome) (*Rerun, error) {
	pr := &proof{Prover: p, in: Input{Candidate: c, Runs: defaultRuns, Limits: old.Limits, Spec: old.Spec}, exp: *old.Expectation, out: &Outcome{}}
	again, err := restsOn(ctx, old)
	if err != nil {
		return nil, err
	}
	r, settled, err := pr.rerun(ctx, c, old, again, 0)
	if err == nil && r.Unavailable == nil && !settled {
		// Too few of what comes now and then: as many of each side as tell it
		// from chance. What is recorded adds nothing: anybody may have written it.
		r, _, err = pr.rerun(ctx, c, old, again, doubtRuns)
	}
	return r, err
}

// rerun runs the sides as often as they ran before, at least so often. settled is
// false where the new executions of the reported side, or the recorded ones,
// disagree among each other and do not come to the recorded verdict.
func (p *proof) rerun(ctx context.Context, c *candidate.Candidate, old *Outcome, again []bool, least int) (r *Rerun, settled bool, err error) {
	r = &Rerun{}
	varies := false
	var rates []Difference // of what comes and goes
	fresh := only(old.Evidence, again)
	for i, before := range old.Evidence.Groups {
		if !again[i] {
			continue
		}
		g, earlier, un, err := p.rerunGroup(ctx, before, old.Locks[i], old.Spec, least)
		if err != nil || un != nil {
			r.Unavailable = un
			return r, true, err
		}
		r.Ran = append(r.Ran, ranGroup(g, earlier))
		differ := compareGroup(before, g, *old.Expectation)
		if comesAndGoes(before, g, *old.Expectation) {
			rates = append(rates, differ...)
		} else {
			r.Differences = append(r.Differences, differ...)
		}
		if g.Side == oracle.SideReported && !(unanimous(before, *old.Expectation) && unanimous(g, *old.Expectation)) {
			varies = true
		}
		fresh.Groups[i] = g
	}
	if len(r.Ran) == 0 {
		return r, true, nil
	}
	if len(rates) > 0 && !carries(c, old, fresh) {
		r.Differences = append(r.Differences, rates...)
	}
	regroundControl(c, old.Expectation, &fresh)
	n := len(r.Differences)
	r.compare(old.Verdict, Rejudge(*old.Expectation, fresh), varies)
	return r, !varies || len(r.Differences) == n, nil
}

// compare adds what of the verdict does not follow from the new executions.
func (r *Rerun) compare(old, now oracle.Verdict, varies bool) {
	sameClaim := varies && Positive(now.Headline) && Positive(old.Headline)
	if now.Headline != old.Headline && !sameClaim {
		r.Differences = append(r.Differences, Difference{"headline", string(old.Headline), string(now.Headline)})
	}
	if now.Grade != old.Grade {
		r.Differences = append(r.Differences, Difference{"grade", string(old.Grade), string(now.Grade)})
	}
}

// ranGroup is a side as it is told. The certificate is one execution, and none
// where it was there already.
func ranGroup(g oracle.Group, earlier bool) Ran {
	ran := Ran{Side: string(g.Side), Package: g.Subject, Version: g.Version, Change: g.Change, Executions: len(g.Executions), Earlier: earlier}
	if earlier {
		ran.Executions = 0
	}
	return ran
}

// restsOn says which groups a verification runs again: the reported side, its
// certificate, the control of the verdict and the author's own, and whatever
// else the headline and the grade would not come out without (a regression has
// an older release beside the newest one). Without the reported side it is none.
func restsOn(ctx context.Context, old *Outcome) ([]bool, error) {
	groups := old.Evidence.Groups
	least, all := make([]bool, len(groups)), make([]bool, len(groups))
	reported := false
	for i, g := range groups {
		all[i] = i < len(old.Locks) && old.Locks[i] != nil && len(g.Executions) > 0
		least[i] = all[i] && (g.Side == oracle.SideReported || g.Side == oracle.SideNeutral || g.Side == oracle.SideAuthored || i == old.Verdict.Control)
		reported = reported || least[i] && g.Side == oracle.SideReported
	}
	if !reported {
		return make([]bool, len(groups)), nil
	}
	follows := func(some []bool) bool {
		v := Rejudge(*old.Expectation, only(old.Evidence, some))
		return v.Headline == old.Verdict.Headline && v.Grade == old.Verdict.Grade
	}
	if follows(least) {
		return least, nil
	}
	for i := len(groups) - 1; i >= 0; i-- {
		if !all[i] || least[i] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if all[i] = false; !follows(all) {
			all[i] = true
		}
	}
	return all, nil
}

// only is the evidence of some groups. The others keep their place without their
// executions.
func only(ev oracle.Evidence, some []bool) oracle.Evidence {
	ev.Groups = slices.Clone(ev.Groups)
	for i := range ev.Groups {
		if !some[i] {
			ev.Groups[i].Executions, ev.Groups[i].Judgements = nil, nil
		}
	}
	return ev
}

// carries says that the new executions alone, without the recorded ones, come to
// a positive verdict of the recorded grade.
func carries(c *candidate.Candidate, old *Outcome, fresh oracle.Evidence) bool {
	fresh.Groups = slices.Clone(fresh.Groups)
	regroundControl(c, old.Expectation, &fresh)
	alone := Rejudge(*old.Expectation, fresh)
	return alone.Headline != oracle.Flaky && Positive(alone.Headline) && alone.Grade == old.Verdict.Grade
}

// rerunGroup runs a side as often as before, or so often. earlier says that its certificate
// was there.
func (p *proof) rerunGroup(ctx context.Context, before oracle.Group, lock *environment.Lock, spec environment.Spec, least int) (g oracle.Group, earlier bool, un *environment.Unavailable, err error) {
	g = before
	n := max(len(g.Executions), least)
	g.Executions, g.Judgements = nil, nil
	s, un, err := p.open(ctx, spec, lock)
	if err != nil || un != nil {
		return g, false, un, err
	}
	if g.Side == oracle.SideNeutral {
		g.Executions = []sandbox.Execution{s.cert.Execution}
		return g, s.cert.Cached, nil, nil
	}
	s.group = g
	for have := n; ; have += n {
		if err := p.repeat(ctx, s, have); err != nil {
			return g, false, nil, err
		}
		if have >= doubtRuns || !unsettled(before, s.group, p.exp) {
			break
		}
	}
	if g.Side == oracle.SideRelease || g.Side == oracle.SideNewest || g.Side == oracle.SideNamed {
		// What a release has not is asked of the release, not of the record.
		s.group.Lacks, err = p.lacks(ctx, s)
	}
	return s.group, false, nil, err
}

// doubtRuns is how many new executions a group gets while they neither agree
// with a unanimous record nor refute it: in 20, one recorded hit is refuted by
// none (Fisher, p = 1/21).
const doubtRuns = 20

// unsettled says that a record was unanimous, that more than one new execution
// in five says otherwise, and that chance still explains it: a symptom that
// comes three times in five leaves a record of five hits one time in thirteen.
func unsettled(before, after oracle.Group, e oracle.Expectation) bool {
	a, b := findings(before, e), findings(after, e)
	na, nb := len(before.Executions), len(after.Executions)
	for _, f := range allFindings {
		if a[f] == na && 5*b[f] < 4*nb {
			return !beyondChance(a[f], na, b[f], nb)
		}
	}
	return false
}

// chance is the error that a comparison of two samples may make.
const chance = 0.05

// comesAndGoes says that the record of the reported side shows the symptom in
// some executions and not in others. What decides that (threads that race) has a
// rate that moves with the machine and its load: measured, 12 of 20 on a busy one
// and 19 of 20 on the same one at rest. Two such rates may differ where the new
// executions carry the claim by themselves, and show nothing else.
func comesAndGoes(before, after oracle.Group, e oracle.Expectation) bool {
	was, is := findings(before, e), findings(after, e)
	misses := func(t tally) int { return t[oracle.Clean] + t[oracle.Absent] }
	return before.Side == oracle.SideReported && was[oracle.Hit] > 0 && misses(was) > 0 &&
		is[oracle.Hit]+misses(is) == len(after.Executions)
}

// compareGroup compares two samples of one side by what the oracle finds in
// them: rates must not differ beyond chance.
func compareGroup(before, after oracle.Group, e oracle.Expectation) []Difference {
	a, b := findings(before, e), findings(after, e)
	na, nb := len(before.Executions), len(after.Executions)
	for _, f := range allFindings {
		if !beyondChance(a[f], na, b[f], nb) {
			continue
		}
		name := fmt.Sprintf("%s %s %s findings", before.Side, before.Subject, before.Version)
		return []Difference{{Field: name, Before: a.String(), After: b.String()}}
	}
	return nil
}

func beyondChance(a, na, b, nb int) bool {
	return oracle.FisherOneSided(a, na, b, nb) < chance || oracle.FisherOneSided(b, nb, a, na) < chance
}

// unanimous says that all executions of a group say the same.
func unanimous(g oracle.Group, e oracle.Expectation) bool {
	return len(findings(g, e)) <= 1
}

var allFindings = []oracle.Finding{oracle.Hit, oracle.Clean, oracle.Absent, oracle.Within, oracle.Collided, oracle.Inconclusive}

type tally map[oracle.Finding]int

func findings(g oracle.Group, e oracle.Expectation) tally {
	t := tally{}
	for _, j := range oracle.JudgeSide(e, g.Executions) {
		t[j.Finding]++
	}
	return t
}

// String is "hit 5", or the counts of each finding.
func (t tally) String() string {
	var parts []string
	for _, f := range allFindings {
		if n := t[f]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", f, n))
		}
	}
	return strings.Join(parts, ", ")
}
