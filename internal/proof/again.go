package proof

import (
	"context"
	"fmt"
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
		diffs = append(diffs, compareGroup(before, g, *old.Expectation)...)
		if g.Side == oracle.SideReported && !(unanimous(before, *old.Expectation) && unanimous(g, *old.Expectation)) {
			// A symptom that comes now and then: two samples of one rate are
			// judged together, or chance alone would flip the verdict.
			g.Executions = append(append([]sandbox.Execution(nil), before.Executions...), g.Executions...)
			varies = true
		}
		fresh.Groups[i] = g
	}
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

// rerun says which groups a verification runs again: the reported side, the
// control of the verdict and the neutral one.
func rerun(old *Outcome, i int) bool {
	g := old.Evidence.Groups[i]
	if i >= len(old.Locks) || old.Locks[i] == nil || len(g.Executions) == 0 {
		return false
	}
	return g.Side == oracle.SideReported || g.Side == oracle.SideNeutral || i == old.Verdict.Control
}

func (p *proof) rerunGroup(ctx context.Context, g oracle.Group, lock *environment.Lock, spec environment.Spec) (oracle.Group, *environment.Unavailable, error) {
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
	if err := p.repeat(ctx, s, n); err != nil {
		return g, nil, err
	}
	return s.group, nil, nil
}

// chance is the error that a comparison of two samples may make.
const chance = 0.05

// compareGroup compares two samples of one side by what the oracle finds in
// them: rates must not differ beyond chance, and what all recorded executions
// say, four of five new ones must say too.
func compareGroup(before, after oracle.Group, e oracle.Expectation) []Difference {
	a, b := findings(before, e), findings(after, e)
	na, nb := len(before.Executions), len(after.Executions)
	for _, f := range allFindings {
		lost := a[f] == na && 5*b[f] < 4*nb
		if !lost && !beyondChance(a[f], na, b[f], nb) {
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
	for _, ex := range g.Executions {
		t[oracle.Judge(e, ex).Finding]++
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
