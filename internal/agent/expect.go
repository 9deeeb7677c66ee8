package agent

import (
	"context"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/agent/propose"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/triage"
)

// speaks are the oracles whose symptom speaks for itself, whoever wrote the
// script: nothing that a script prints or computes is in them.
var speaks = []oracle.Name{
	oracle.OracleException, oracle.OracleMissingException, oracle.OracleImportError, oracle.OracleSignal, oracle.OracleWarning,
}

func speaksForItself(d *triage.Decision) bool {
	return d.Expectation != nil && slices.Contains(speaks, d.Expectation.Oracle)
}

// judgeable says that there is something to judge a run by.
func judgeable(d *triage.Decision) bool {
	return d.Expectation != nil && d.Expectation.Oracle != oracle.OracleNone
}

// order puts the report in order, once, unless that is switched off.
func (r *run) order(ctx context.Context) error {
	if r.putOrder || r.off.part(task.PartRestructure) {
		return nil
	}
	return r.stage(ctx, "restructure", func(ctx context.Context) (string, error) {
		ordered, err := r.w.restructure(ctx, r.in.Report, r.in.QuoteOnly)
		if err != nil {
			return "", err
		}
		r.ordered, r.putOrder = &ordered, true
		return ordered.Title, nil
	})
}

// expect chooses, once, what scripts are judged by: triage's expectation where
// it speaks for itself; else what the model proposes and the checks let pass;
// else triage's own, which is a lead at best for a script that is not the
// reporter's; else none, and nothing is judged.
func (r *run) expect(ctx context.Context) error {
	if r.chosen {
		return nil
	}
	r.chosen = true // also where it fails: the run ends then
	if speaksForItself(r.in.Decision) {
		return nil
	}
	if err := r.order(ctx); err != nil {
		return err
	}
	return r.stage(ctx, "propose", func(ctx context.Context) (string, error) {
		facts, err := r.facts(ctx, nil)
		if err != nil {
			return "", err
		}
		p, err := r.w.propose(ctx, propose.Input{Report: r.in.Report, Ordered: r.ordered, Facts: facts})
		if err != nil {
			return "", err
		}
		if p.Observed == nil || p.Proposal == nil {
			why := "none passed the checks"
			if len(p.Why) > 0 {
				why = strings.Join(p.Why, "; ")
			}
			r.decide(ctx, "no proposal", why)
			return "none", nil
		}
		// A copy: the caller's decision is about the reporter's own script too.
		d := *r.in.Decision
		d.Expectation = r.observed(p.Observed)
		r.decision, r.observes = &d, p.Proposal.Observations
		return "bad: " + p.Observed.Bad + "; good: " + p.Observed.Good, nil
	})
}

// observed is an expectation by a proposed claim, about the symptom and the
// subject that triage found.
func (r *run) observed(o *oracle.Observed) *oracle.Expectation {
	e := &oracle.Expectation{
		Oracle: oracle.OracleObserved, Observed: o,
		Symptom: symptom.Symptom{Kind: symptom.Unknown}, Subject: r.subject, Modules: r.modules,
	}
	if t := r.in.Decision.Expectation; t != nil {
		e.Symptom, e.Asks = t.Symptom, t.Asks
	}
	return e
}

// subjectOf is the distribution under suspicion with its import names.
func subjectOf(d *triage.Decision) (name string, modules []string) {
	if d.Expectation != nil {
		name, modules = d.Expectation.Subject, d.Expectation.Modules
	}
	if name == "" && len(d.Subjects) > 0 {
		name = d.Subjects[0]
	}
	if len(modules) == 0 && name != "" {
		modules = pydist.Imports(name)
	}
	return name, modules
}
