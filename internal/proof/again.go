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

// Again runs the reported side of a recorded outcome anew, in an environment
// built from the recorded lock, and the control that gave the grade, and
// compares what the oracle says. An empty list means the same. unavailable is
// set when the locked environment cannot be built here.
func (p *Prover) Again(ctx context.Context, c *candidate.Candidate, old *Outcome) (diffs []Difference, unavailable *environment.Unavailable, err error) {
	pr := &proof{Prover: p, in: Input{Candidate: c, Runs: defaultRuns, Limits: old.Limits}, exp: *old.Expectation, out: &Outcome{}}
	varies := false
	var rates []Difference // of what comes and goes
	fresh := old.Evidence
	fresh.Groups = append([]oracle.Group(nil), old.Evidence.Groups...)
	for i := range fresh.Groups {
		if !rerun(old, i) {
			continue
		}
		g, un, err := pr.rerunGroup(ctx, fresh.Groups[i], old.Locks[i], old.Spec)
		if err != nil || un != nil {
			return nil, un, err
		}
		before := old.Evidence.Groups[i]
		differ := compareGroup(before, g, *old.Expectation)
		if comesAndGoes(before, g, *old.Expectation) {
			rates = append(rates, differ...)
		} else {
			diffs = append(diffs, differ...)
		}
		if g.Side == oracle.SideReported && !(unanimous(before, *old.Expectation) && unanimous(g, *old.Expectation)) {
			varies = true
		}
		fresh.Groups[i] = g
	}
	if len(rates) > 0 && !carries(c, old, fresh) {
		diffs = append(diffs, rates...)
	}
	if varies {
		pool(fresh.Groups, old)
	}
	regroundControl(c, old.Expectation, &fresh)
	now := Rejudge(*old.Expectation, fresh)
	sameClaim := varies && Positive(now.Headline) && Positive(old.Verdict.Headline)
	if now.Headline != old.Verdict.Headline && !sameClaim {
		diffs = append(diffs, Difference{"headline", string(old.Verdict.Headline), string(now.Headline)})
	}
	if now.Grade != old.Verdict.Grade {
		diffs = append(diffs, Difference{"grade", string(old.Verdict.Grade), string(now.Grade)})
	}
	return diffs, nil, nil
}

// carries says that the new executions alone, without the recorded ones, come to
// a positive verdict of the recorded grade.
func carries(c *candidate.Candidate, old *Outcome, fresh oracle.Evidence) bool {
	fresh.Groups = slices.Clone(fresh.Groups)
	regroundControl(c, old.Expectation, &fresh)
	alone := Rejudge(*old.Expectation, fresh)
	return alone.Headline != oracle.Flaky && Positive(alone.Headline) && alone.Grade == old.Verdict.Grade
}

// pool joins the recorded executions of the compared sides to the new ones. A
// symptom that comes now and then gives two samples of one rate: they are
// judged together, or chance alone would flip the verdict.
func pool(fresh []oracle.Group, old *Outcome) {
	for i := range fresh {
		if rerun(old, i) && fresh[i].Side != oracle.SideNeutral {
			fresh[i].Executions = slices.Concat(old.Evidence.Groups[i].Executions, fresh[i].Executions)
		}
	}
}

// rerun says which groups a verification runs again: the reported side, the
// control of the verdict, the author's own and the neutral one.
func rerun(old *Outcome, i int) bool {
	g := old.Evidence.Groups[i]
	if i >= len(old.Locks) || old.Locks[i] == nil || len(g.Executions) == 0 {
		return false
	}
	return g.Side == oracle.SideReported || g.Side == oracle.SideNeutral || g.Side == oracle.SideAuthored || i == old.Verdict.Control
}

func (p *proof) rerunGroup(ctx context.Context, before oracle.Group, lock *environment.Lock, spec environment.Spec) (oracle.Group, *environment.Unavailable, error) {
	g := before
	n := len(g.Executions)
	g.Executions, g.Judgements = nil, nil
	s, un, err := p.open(ctx, spec, lock)
	if err != nil || un != nil {
		return g, un, err
	}
	if g.Side == oracle.SideNeutral {
		g.Executions = []sandbox.Execution{s.cert.Execution}
		return g, nil, nil
	}
	s.group = g
	for have := n; ; have += n {
		if err := p.repeat(ctx, s, have); err != nil {
			return g, nil, err
		}
		if have >= doubtRuns || !unsettled(before, s.group, p.exp) {
			return s.group, nil, nil
		}
	}
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
