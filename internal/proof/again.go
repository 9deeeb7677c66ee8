package proof

import (
	"context"
	"fmt"

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
		fresh.Groups[i] = g
		diffs = append(diffs, compareGroup(old.Evidence.Groups[i], g, *old.Expectation)...)
	}
	now := Rejudge(*old.Expectation, fresh)
	if now.Headline != old.Verdict.Headline {
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

// compareGroup compares two samples of one side by what the oracle finds in
// them: a finding that one sample never has and the other always has is a
// difference; times and numbers that vary are not.
func compareGroup(before, after oracle.Group, e oracle.Expectation) []Difference {
	a, b := findings(e, before), findings(e, after)
	if a == b {
		return nil
	}
	name := fmt.Sprintf("%s %s %s findings", before.Side, before.Subject, before.Version)
	return []Difference{{Field: name, Before: a, After: b}}
}

// findings is "hit" when all executions say so, else the counts.
func findings(e oracle.Expectation, g oracle.Group) string {
	counts := map[oracle.Finding]int{}
	for _, ex := range g.Executions {
		counts[oracle.Judge(e, ex).Finding]++
	}
	text := ""
	for _, f := range []oracle.Finding{oracle.Hit, oracle.Clean, oracle.Absent, oracle.Within, oracle.Collided, oracle.Inconclusive} {
		if n := counts[f]; n > 0 {
			text += fmt.Sprintf("%s %d ", f, n)
		}
	}
	return text
}
