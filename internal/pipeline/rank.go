package pipeline

import (
	"cmp"
	"maps"
	"slices"

	"github.com/repgen/repgen/internal/agent"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
)

// rank orders what was reached, best first: a claim by its grade (A, B, C);
// then what was seen without a control (grade D: a lead, or flaky); then
// everything else. Of equals the reporter's own script goes first, since its
// words are the reporter's.
func rank(o *proof.Outcome) int {
	switch {
	case o == nil || o.Unavailable != nil:
		return 5
	case proved(o):
		return slices.Index([]oracle.Grade{"A", "B", "C"}, o.Verdict.Grade)
	case o.Verdict.Headline == oracle.Lead || o.Verdict.Headline == oracle.Flaky:
		return 3
	}
	return 4
}

// take makes the agent's outcome the run's where it is the better one, or the
// only one.
func (r *Run) take() {
	a := r.Agent
	if a.Outcome == nil && a.Unavailable != nil && r.Outcome == nil {
		r.Outcome = &proof.Outcome{Unavailable: a.Unavailable}
		return
	}
	if a.Outcome == nil || a.Candidate == nil || r.Outcome != nil && cmp.Compare(rank(r.Outcome), rank(a.Outcome)) <= 0 {
		return
	}
	if r.Outcome != nil {
		r.ownSandbox, r.ownStages = r.Outcome.Sandbox, r.Outcome.Stages
	}
	r.byAgent, r.Outcome, r.Candidate = true, a.Outcome, a.Candidate
	if a.Outcome.Candidate != nil {
		r.Candidate = a.Outcome.Candidate
	}
	if a.Decision != nil {
		r.Decision = a.Decision
	}
}

// view lays out the result, the language model's part included.
func (r *Run) view() *proof.Result {
	v := proof.View(r.Decision, r.Candidate, r.Outcome)
	for _, s := range r.steering {
		v.Steering = append(v.Steering, s.Text)
	}
	if a := r.Agent; a != nil {
		r.end(v, a)
		r.costs(v, a)
	}
	if r.Agent != nil || r.Explanation != nil {
		v.Model = r.modelView()
		v.Cost.TokensIn, v.Cost.TokensOut, v.Cost.USD = v.Model.Usage.Input, v.Model.Usage.Output, v.Model.USD
	}
	return v
}

// end is the headline where the model's work is the reason for it.
func (r *Run) end(v *proof.Result, a *agent.Result) {
	switch {
	case r.byAgent && rank(r.Outcome) <= 3, r.Outcome != nil && r.Outcome.Unavailable != nil:
		return
	case r.Outcome != nil && !r.byAgent:
		// The reporter's own script was judged: what it showed stands.
		text := "the language model found no more"
		if a.Ending == agent.ModelFailed {
			text = "the language model could not help"
		}
		for _, why := range a.Why {
			v.Reasons = append(v.Reasons, text+": "+why)
		}
		if len(a.Why) == 0 {
			v.Reasons = append(v.Reasons, text)
		}
		return
	}
	v.Headline, v.Grade, v.Also = oracle.Exhausted, "", []oracle.Headline{}
	v.Reasons = append(v.Reasons, a.Why...)
	if a.Ending == agent.ModelFailed {
		v.Headline, v.Error = oracle.Failed, a.Failure
		if v.Error == nil {
			v.Error = &proof.ResultError{What: "the language model failed", Next: "repgen doctor checks the configured model"}
		}
		v.Reasons = append(v.Reasons, v.Error.What)
	}
}

// costs adds the model's executions to the own script's.
func (r *Run) costs(v *proof.Result, a *agent.Result) {
	v.Cost.SandboxSeconds = a.Sandbox + r.ownSandbox
	if r.Outcome != nil && !r.byAgent {
		v.Cost.SandboxSeconds = a.Sandbox + r.Outcome.Sandbox
	} else {
		// The parts of the agent's own proof lie inside its wall time; those of
		// the script that was run before it are what is left.
		v.Cost.Stages = maps.Clone(r.ownStages)
	}
	if v.Cost.Stages == nil {
		v.Cost.Stages = map[string]float64{}
	}
	v.Cost.Stages[stageAgent] = r.agentWall
}

// stageAgent is the part of the wall time that the language model's work took,
// its scripts' executions included.
const stageAgent = "agent"

// modelView is what the model did and took.
func (r *Run) modelView() *proof.ResultModel {
	q := r.Request
	m := &proof.ResultModel{Name: q.Model, Strategy: string(q.strategy()), Without: append([]string{}, q.Without...), Why: []string{}}
	var info llm.Info
	var total llm.Totals
	if a := r.Agent; a != nil {
		info, total = a.Model, a.Totals
		m.Attempts, m.Contexts, m.Ending = len(a.Attempts), contextsOf(a), string(a.Ending)
		m.Why, m.Explanation = append(m.Why, a.Why...), a.Explanation
	}
	m.Wrote = r.byAgent
	if e := r.Explanation; e != nil {
		if info.Backend == "" {
			info = e.Model
		}
		if r.Agent == nil {
			total.Priced = true
		}
		total = sum(total, e.Totals)
		m.Explanation = e.Text
		if e.Why != "" {
			m.Why = append(m.Why, "no explanation: "+e.Why)
		}
	}
	m.Backend, m.Model = info.Backend, info.Model
	m.Calls, m.USD, m.Priced, m.Failed, m.Unparsed = total.Calls, total.USD, total.Priced, total.Failed, total.Unparsed
	m.Usage = proof.ResultUsage{Input: total.InputTokens, Output: total.OutputTokens, Cached: total.CachedTokens, Estimated: total.Estimated}
	return m
}

func contextsOf(a *agent.Result) int {
	most := 0
	for _, t := range a.Attempts {
		most = max(most, t.Context)
	}
	return most
}

func sum(a, b llm.Totals) llm.Totals {
	return llm.Totals{
		Calls: a.Calls + b.Calls, InputTokens: a.InputTokens + b.InputTokens, OutputTokens: a.OutputTokens + b.OutputTokens,
		CachedTokens: a.CachedTokens + b.CachedTokens, USD: a.USD + b.USD, Priced: a.Priced && b.Priced, Estimated: a.Estimated || b.Estimated,
		Failed: a.Failed + b.Failed, Unparsed: a.Unparsed + b.Unparsed,
	}
}
