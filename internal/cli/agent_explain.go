package cli

import (
	"context"

	"fmt"
	"path/filepath"

	"github.com/repgen/repgen/internal/agent"
	"github.com/repgen/repgen/internal/agent/ask"
	explaining "github.com/repgen/repgen/internal/agent/explain"
	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pipeline"
)

// Explain implements pipeline.Author. A model that cannot explain costs the
// verdict nothing: the reason is in Why.
func (a *author) Explain(ctx context.Context, d pipeline.Desk, in pipeline.Proved) (pipeline.Explanation, error) {
	if in.Budget.Model == (llm.Limit{}) {
		in.Budget.Model = agent.DefaultBudget().Model
	}
	limit, ok := rest(in.Budget.Model, in.Spent)
	if !ok {
		return pipeline.Explanation{Why: "the model's budget is used up"}, nil
	}
	in.Budget.Model = limit
	m, err := a.model(ctx, d, in.Budget)
	if err != nil {
		problem, _ := explain(err)
		return pipeline.Explanation{Why: problem.What}, nil
	}
	fit(&in.Budget, m.ContextTokens)
	rec := trace.New(filepath.Join(d.Dir, explanationTrace))
	asker := &ask.Asker{Model: m.shown(d.Live), Trace: rec, Prompt: in.Budget.Prompt, Answer: in.Budget.Answer, Cost: m.Meter.Cost, Unparsed: m.Meter.Unparsed}
	text, err := explaining.Do(ctx, asker, explaining.Input{
		Headline: string(in.Outcome.Verdict.Headline), Grade: string(in.Outcome.Verdict.Grade),
		Report: in.Report, Script: in.Candidate.Script, Facts: facts(in),
	})
	if cerr := rec.Close(); cerr != nil {
		logger(a.s.err, a.show.Verbose).Warn("keep the trajectory of the explanation", "error", cerr)
	}
	out := pipeline.Explanation{Text: text.Text, Model: m.Info()}
	out.Totals = m.Meter.Totals()
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case err != nil:
		out.Why = err.Error()
	case out.Text == "" && len(text.LeftOut) > 0:
		out.Why = text.LeftOut[0]
	}
	return out, nil
}

// rest is what of a limit has not been spent; false when nothing is left.
func rest(l llm.Limit, spent llm.Totals) (llm.Limit, bool) {
	if l.None {
		return l, false
	}
	ok := true
	left := func(limit, taken int) int {
		if limit == 0 {
			return 0
		}
		ok = ok && taken < limit
		return limit - taken
	}
	l.Calls = left(l.Calls, spent.Calls)
	l.Tokens = left(l.Tokens, spent.InputTokens+spent.OutputTokens)
	if l.USD > 0 {
		ok = ok && spent.USD < l.USD
		l.USD -= spent.USD
	}
	return l, ok
}

// facts are what the executions showed, one line a group.
func facts(in pipeline.Proved) []string {
	v := in.Outcome.Verdict
	lines := []string{fmt.Sprintf("%d of %d executions on %s %s showed the symptom", v.Hits, v.Runs, in.Outcome.Subject.Name, in.Outcome.Subject.Version)}
	for _, g := range in.Outcome.Evidence.Groups {
		if g.Side == oracle.SideReported || g.Side == oracle.SideNeutral || len(g.Judgements) == 0 {
			continue
		}
		hits := 0
		for _, j := range g.Judgements {
			if j.Finding == oracle.Hit {
				hits++
			}
		}
		what := g.Subject + " " + g.Version
		if g.Change != "" {
			what = "the same release, " + g.Change
		}
		lines = append(lines, fmt.Sprintf("%d of %d on %s", hits, len(g.Judgements), what))
	}
	return append(lines, v.Reasons...)
}
