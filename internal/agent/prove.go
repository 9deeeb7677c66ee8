package agent

import (
	"context"
	"fmt"

	"github.com/repgen/repgen/internal/agent/refine"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/agent/validate"
	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/triage"
)

// shown is a script that showed the symptom once and was not proved.
type shown struct {
	made *made
	at   int // in run.attempts
}

// found is a proof with what was judged in it.
type found struct {
	outcome   *proof.Outcome
	candidate *candidate.Candidate
	decision  *triage.Decision
}

// Ranks of outcomes: by grade, then a lead, then whatever else a proof of a
// script that showed the symptom once can end in, best known first: it failed
// otherwise, it never came again, nothing could be said. Of equal ones the first
// is kept.
const (
	rankNothing = iota
	rankNotAgain
	rankOtherwise
	rankLead
	rankC
	rankB
	rankA
)

func (f *found) rank() int {
	v := f.outcome.Verdict
	switch {
	case v.Grade == "A":
		return rankA
	case v.Grade == "B":
		return rankB
	case v.Grade == "C":
		return rankC
	case v.Headline == oracle.Lead:
		return rankLead
	case v.Headline == oracle.DifferentFailure:
		return rankOtherwise
	case v.Headline == oracle.NotReproduced, v.Headline == oracle.Undecided:
		return rankNotAgain
	}
	return rankNothing
}

// prove proves the script of an attempt in full and ends the run where the
// outcome has a grade that counts.
func (r *run) prove(ctx context.Context, m *made, at int) error {
	if err := r.spare(); err != nil {
		return err
	}
	a := &r.attempts[at]
	r.progress("attempt %d showed the symptom: proving it", a.Number)
	ctx, end := r.a.Trace.Begin(trace.WithAttempt(ctx, a.Number), trace.KindRun, "prove")
	counting, sum := withCounter(ctx)
	o, err := r.prover.Prove(counting, r.proofInput(m))
	if err != nil {
		end(trace.Span{Text: err.Error(), Failed: true})
		return ending(ctx, infrastructure("prove a script", err))
	}
	r.gate.book(o.Sandbox, sum)
	f := &found{outcome: o, candidate: m.candidate, decision: r.decision}
	if o.Candidate != nil {
		// The prover may judge an edited script, and only that one is proved.
		f.candidate = o.Candidate
	}
	verdict := fmt.Sprintf("%s %s", o.Verdict.Headline, o.Verdict.Grade)
	a.Headline, a.Reached = string(o.Verdict.Headline), task.StageProof
	end(trace.Span{Text: verdict, Sandbox: o.Sandbox})
	// Of equal ones the first stays, whatever comes later.
	if r.best == nil || f.rank() > r.best.rank() {
		r.best = f
	}
	if f.rank() >= rankC {
		return &stopped{ending: Proved, why: fmt.Sprintf("attempt %d: %s, grade %s", a.Number, o.Verdict.Headline, o.Verdict.Grade)}
	}
	a.Feedback = refine.Merge(a.Feedback, unproved(o))
	r.decide(ctx, "not proved", fmt.Sprintf("attempt %d: %s", a.Number, o.Verdict.Headline))
	return nil
}

// unproved is what a proof without a grade that counts teaches.
func unproved(o *proof.Outcome) []task.Feedback {
	if list := validate.FromOutcome(o); len(list) > 0 {
		return list
	}
	return []task.Feedback{{
		Stage: task.StageProof, Severity: task.SeverityError, Signature: "unproved " + string(o.Verdict.Headline),
		Text: "The symptom was shown, but no other release and no control tells that the script can be right.",
	}}
}

// proveShown proves, when nothing better came, the last script that showed the symptom without a control
// of its own: another release may be one.
func (r *run) proveShown(ctx context.Context) error {
	s := r.shown
	r.shown = nil
	if s == nil {
		return nil
	}
	return r.prove(ctx, s.made, s.at)
}
