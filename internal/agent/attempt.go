package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/repgen/repgen/internal/agent/generate"
	"github.com/repgen/repgen/internal/agent/plan"
	"github.com/repgen/repgen/internal/agent/refine"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/agent/validate"
	"github.com/repgen/repgen/internal/agent/veto"
	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
)

// scene is what scripts are asked for with: one context of one strategy.
type scene struct {
	name    string // of the strategy, in records
	number  int    // of the context, from 1; 0: none
	variant generate.Variant
	module  *codebase.Module
	script  string // the reporter's, for its completion
	bare    bool   // a baseline: no plan, no project, no facts
	first   int    // its first attempt in run.attempts
	plan    *task.Plan
	facts   task.Facts
	revised bool
	sample  int
	fresh   int // scripts that no earlier attempt of the run wrote
}

// made is one attempt with what is needed to prove it.
type made struct {
	attempt   task.Attempt
	trigger   string
	candidate *candidate.Candidate
	spec      environment.Spec
	trial     *proof.Trial
	twin      bool // the same script as an earlier sample, whose trial this is
}

// write asks for the script of one attempt. An answer without one is an attempt
// too: it was paid for, and what it lacked is told to the next.
func (r *run) write(ctx context.Context, s *scene, number int) (*made, error) {
	in := generate.Input{
		Variant: s.variant, Report: r.in.Report, Ordered: r.ordered, Plan: s.plan, Module: s.module, Facts: s.facts,
		Expectation: r.decision.Expectation, Observations: r.observes, Script: s.script,
		Attempts: r.history(s), Sample: s.sample,
	}
	if s.bare {
		// A baseline is one prompt of the report: what the run knows besides, since
		// it is the last resort of another strategy, would make it something else.
		in.Ordered, in.Attempts = nil, nil
	}
	m := &made{attempt: task.Attempt{Number: number, Context: s.number, Strategy: s.name, Reached: task.StageAnswer}}
	err := r.stage(ctx, "generate", func(ctx context.Context) (string, error) {
		script, err := r.w.write(ctx, in)
		if err != nil {
			return "", err
		}
		m.attempt.Script, m.trigger, m.attempt.Feedback = script.Body, script.Trigger, script.Feedback
		if strings.TrimSpace(script.Body) == "" && !validate.Failed(script.Feedback) {
			m.attempt.Feedback = append(m.attempt.Feedback, task.Feedback{
				Stage: task.StageAnswer, Severity: task.SeverityError, Text: "The answer holds no script.", Signature: "no script",
			})
		}
		return fmt.Sprintf("%d lines", strings.Count(script.Body, "\n")+1), nil
	})
	return m, err
}

// history is what the next prompt may show of earlier attempts: what the
// reporter's own script showed, then those of the scene.
func (r *run) history(s *scene) []task.Attempt {
	var past []task.Attempt
	if own := r.own(); own != nil {
		past = append(past, *own)
	}
	for _, a := range r.attempts[s.first:] {
		a.Feedback = validate.ForModel(a.Feedback)
		past = append(past, a)
	}
	if r.off.part(task.PartRuntime) {
		past = refine.Blind(past)
	}
	return past
}

// own is the reporter's script as attempt 0, nil where none was judged.
func (r *run) own() *task.Attempt {
	if r.in.Own == nil || r.in.OwnScript == nil || r.in.Own.Unavailable != nil {
		return nil
	}
	// FromOutcome says for a lead too what is missing: a control that tells.
	a := &task.Attempt{
		Strategy: "reporter", Script: r.in.OwnScript.Script, Reached: task.StageProof,
		Headline: string(r.in.Own.Verdict.Headline), Hit: r.in.Own.Verdict.Hits > 0,
		Feedback: refine.Merge(validate.FromOutcome(r.in.Own)),
	}
	return a
}

// look checks a script and runs it once where it passes. Its environment comes
// first, since names and signatures are asked there, and a script may import
// what the report's own environment does not hold.
func (r *run) look(ctx context.Context, s *scene, m *made) error {
	a := &m.attempt
	if validate.Failed(a.Feedback) {
		return nil
	}
	m.candidate = candidate.FromAgent(a.Script, m.trigger)
	spec, env, feedback, err := r.ground(ctx, m.candidate)
	if err != nil {
		return ending(ctx, err)
	}
	m.spec = spec
	if len(feedback) > 0 {
		a.Reached, a.Feedback = task.StageNames, refine.Merge(a.Feedback, feedback)
		return nil
	}
	err = r.stage(ctx, "validate", func(ctx context.Context) (string, error) {
		list, reached, err := r.c.check(ctx, env, validate.Input{
			Script: a.Script, Trigger: m.trigger, Plan: s.plan, Expectation: r.decision.Expectation, Veto: r.veto(s, m),
		})
		if err != nil {
			return "", infrastructure("check a script", err)
		}
		a.Reached, a.Feedback = reached, refine.Merge(a.Feedback, list)
		if validate.Failed(list) {
			return "ended at " + string(reached), nil
		}
		return "passed", nil
	})
	if err != nil || validate.Failed(a.Feedback) {
		return err
	}
	return r.try(ctx, m)
}

// veto is asked only of scripts that call nothing which the report names: of the
// others the rules know that they are about it, and a call is saved. A baseline
// is one prompt, and has none.
func (r *run) veto(s *scene, m *made) validate.Veto {
	if s.bare || candidate.CallsNamed(r.in.Report, m.candidate, r.modules) {
		return nil
	}
	return func(ctx context.Context, script string) (bool, string, error) {
		return r.w.veto(ctx, veto.Input{Report: r.in.Report, Ordered: r.ordered, Expectation: r.decision.Expectation, Script: script})
	}
}

// try runs a script once, and its control where the symptom came.
func (r *run) try(ctx context.Context, m *made) error {
	if err := r.spare(); err != nil {
		return err
	}
	ctx, end := r.a.Trace.Begin(ctx, trace.KindRun, "try")
	counting, sum := withCounter(ctx)
	t, err := r.prover.Try(counting, r.proofInput(m))
	if err != nil {
		end(trace.Span{Text: err.Error(), Failed: true})
		return ending(ctx, infrastructure("try a script", err))
	}
	r.gate.book(t.Sandbox, sum)
	m.trial = t
	a := &m.attempt
	if t.Unavailable != nil {
		// The ladder has tried already: what is left to say is the script's doing,
		// or the end.
		end(trace.Span{Text: "no environment: " + t.Unavailable.Why, Sandbox: t.Sandbox})
		list, err := r.unavailable(t.Spec, m.candidate, t.Unavailable)
		a.Reached, a.Feedback = task.StageNames, refine.Merge(a.Feedback, list)
		return err
	}
	a.Hit = t.Judgement.Finding == oracle.Hit
	// A control that cannot count (it leaves out the judged call) is none, however
	// clean it runs.
	a.Clean = a.Hit && t.ControlUnfit == "" && t.ControlJudgement != nil && t.ControlJudgement.Finding == oracle.Clean
	list := validate.FromTrial(t, m.candidate)
	a.Reached = reached(a, list)
	a.Feedback = refine.Merge(a.Feedback, list)
	text := strings.TrimSpace(fmt.Sprintf("%s %s", t.Judgement.Finding, refine.Failure(t.Judgement.Observed)))
	end(trace.Span{Text: text, Sandbox: t.Sandbox, Detail: feedbackText(list)})
	if strings.HasPrefix(t.Execution.LimitHit, budgetHit) {
		return &stopped{ending: BudgetEnded, why: r.gateWhy(t)}
	}
	return r.environmentFault(list)
}

// gateWhy is why an execution was not made in full.
func (r *run) gateWhy(t *proof.Trial) string {
	if why := r.gate.why(); why != "" {
		return why
	}
	return strings.TrimPrefix(t.Execution.LimitHit, budgetHit)
}

// reached is how far a run came: to its control where it showed the symptom,
// else to the stage that complains.
func reached(a *task.Attempt, list []task.Feedback) task.Stage {
	if a.Hit {
		return task.StageControl
	}
	stage := task.StageOracle
	for _, f := range list {
		if f.Severity == task.SeverityError && f.Stage == task.StageRun {
			stage = task.StageRun
		}
	}
	return stage
}

func feedbackText(list []task.Feedback) string {
	var lines []string
	for _, f := range list {
		lines = append(lines, fmt.Sprintf("%s, %s: %s", f.Stage, f.Severity, f.Text))
	}
	return strings.Join(lines, "\n")
}

// proofInput is a script as the prover takes it. The limits are not cut to what
// the budgets leave: they are part of the key by which executions are found
// again, and the gate cuts each one where it runs.
func (r *run) proofInput(m *made) proof.Input {
	return proof.Input{
		Report: r.in.Report, Decision: r.decision, Candidate: m.candidate, Spec: m.spec,
		Runs: r.in.Runs, Limits: r.in.Limits, Deadline: r.gate.deadline,
	}
}

// outline makes the plan of a scene, or a revision of it.
func (r *run) outline(ctx context.Context, s *scene) error {
	if s.bare {
		return nil
	}
	if len(s.facts.Signatures) == 0 {
		facts, err := r.facts(ctx, r.named())
		if err != nil {
			return ending(ctx, err)
		}
		s.facts = facts
	}
	// The reporter's script is the plan of its completion.
	if r.off.part(task.PartPlan) || s.variant == generate.Complete {
		return nil
	}
	in := plan.Input{
		Report: r.in.Report, Ordered: r.ordered, Module: s.module, Facts: s.facts,
		Expectation: r.decision.Expectation, Observations: r.observes, Previous: s.plan,
	}
	if env := r.baseEnv(); env != nil {
		in.Lookup = func(ctx context.Context, names []string) ([]task.Signature, error) {
			facts, err := r.facts(ctx, names)
			return facts.Signatures, err
		}
	}
	if s.plan != nil {
		in.Feedback = r.refutation(s)
	}
	return r.stage(ctx, "plan", func(ctx context.Context) (string, error) {
		p, err := r.w.plan(ctx, in)
		if err != nil {
			return "", err
		}
		if p.Plan == nil {
			// A model that cannot plan may still write: no plan is no dead end.
			r.decide(ctx, "no plan", strings.Join(p.Why, "; "))
			return "none", nil
		}
		s.plan, s.facts.Signatures = p.Plan, merged(s.facts.Signatures, p.Signatures)
		return fmt.Sprintf("%d steps, trigger %s", len(p.Plan.Steps), p.Plan.Trigger), nil
	})
}

// merged are signatures once each, the earlier ones first.
func merged(a, b []task.Signature) []task.Signature {
	seen := map[string]bool{}
	var out []task.Signature
	for _, s := range append(append([]task.Signature(nil), a...), b...) {
		if !seen[s.Name] {
			seen[s.Name] = true
			out = append(out, s)
		}
	}
	return out
}

// refutation is what the last run of a scene said against its plan.
func (r *run) refutation(s *scene) []task.Feedback {
	past := r.attempts[s.first:]
	if r.off.part(task.PartRuntime) {
		past = refine.Blind(past)
	}
	if len(past) == 0 {
		return nil
	}
	return validate.ForModel(past[len(past)-1].Feedback)
}

// maxEnvironmentFaults in a row end a run: the ladder has done what it could,
// and no other script makes a library whole. A guess: one may be the script's
// choice of a module.
const maxEnvironmentFaults = 2

// environmentFault counts executions that failed by the environment's fault and
// nothing else.
func (r *run) environmentFault(list []task.Feedback) error {
	fault := ""
	for _, f := range list {
		_, environment := validate.EnvironmentFault(f)
		switch {
		case environment:
			fault = f.Text
		case f.Severity == task.SeverityError:
			fault = ""
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if fault == "" {
		r.faults = 0
		return nil
	}
	if r.faults++; r.faults < maxEnvironmentFaults {
		return nil
	}
	return &stopped{ending: NoEnvironment, why: fault}
}
