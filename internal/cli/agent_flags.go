package cli

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/agent"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/pipeline"
)

// modelBudget says which language model is used and what it may cost. A flag
// that is not given is nil or "": a resumed run then keeps the word it was
// begun with.
type modelBudget struct {
	llmFlags `embed:""`

	BudgetTokens *int     `help:"Tokens that the model may take, in and out together. Of --budget-tokens, --budget-usd and --budget-calls each 0 allows nothing at all; where none of the three is given, 1200000 tokens and 100 calls are the limit." placeholder:"N"`
	BudgetUSD    *float64 `help:"US dollars that the model may cost; needs a model whose price is known." name:"budget-usd" placeholder:"USD"`
	BudgetCalls  *int     `help:"Calls that the model may be asked." placeholder:"N"`

	ExplainWithModel bool `help:"Let the model explain a proved verdict afterwards (the default where there is a model and budget left). Its words are marked and decide nothing."`
	NoExplain        bool `help:"Do not let the model explain the verdict."`
}

// agentFlags say how a model is asked for scripts.
type agentFlags struct {
	Without       []string       `help:"Switch a part off: bm25, ann, reranker, training-loop-extraction, training-loop-ranking, module-partitioning, dependency-extraction (the retrieval), restructure, plan, compilation, relevance, static-analysis, runtime-feedback (the generation). May be repeated." placeholder:"PART"`
	Attempts      *int           `help:"Scripts that the model may write for one piece of code context (default 5; 0: none at all)." placeholder:"N"`
	Contexts      *int           `help:"Pieces of code context that it may be shown, one after another (default 5)." placeholder:"N"`
	Samples       *int           `help:"Scripts of --strategy sample (default 10)." placeholder:"N"`
	BudgetSandbox *time.Duration `help:"Time that the model's scripts may run, added up, such as 10m (default 30m; 0: not at all)." placeholder:"DURATION"`
	QuoteOnly     bool           `help:"The model may put the report in order, but add nothing of its own to it."`
}

// strategyFlag is how the model is asked; bench has several.
type strategyFlag struct {
	Strategy string `help:"How scripts are come by: auto (the reporter's script, then its completion, then the contexts of the project's code), repgen (the published order), sample (several at once), or the baselines zero-shot, few-shot, cot (one prompt, no project)." placeholder:"HOW"`
}

// maxCount bounds --attempts, --contexts and --samples: more is a slip of the
// finger (a guess).
const maxCount = 100

func (f *modelBudget) check() error {
	switch {
	case f.BudgetTokens != nil && *f.BudgetTokens < 0, f.BudgetCalls != nil && *f.BudgetCalls < 0:
		return usage("--budget-tokens and --budget-calls must not be negative")
	case f.BudgetUSD != nil && (!(*f.BudgetUSD >= 0) || math.IsInf(*f.BudgetUSD, 0)):
		return usage("--budget-usd %g: it must be an amount of money", *f.BudgetUSD)
	case f.ExplainWithModel && f.NoExplain:
		return usage("--explain-with-model and --no-explain exclude each other")
	}
	return nil
}

func (f *agentFlags) check() error {
	for _, n := range []struct {
		flag  string
		value *int
		least int
	}{{"attempts", f.Attempts, 0}, {"contexts", f.Contexts, 1}, {"samples", f.Samples, 1}} {
		if n.value != nil && (*n.value < n.least || *n.value > maxCount) {
			return usage("--%s %d: it must be between %d and %d", n.flag, *n.value, n.least, maxCount)
		}
	}
	if f.BudgetSandbox != nil && *f.BudgetSandbox < 0 {
		return usage("--budget-sandbox %s: it must not be negative", *f.BudgetSandbox)
	}
	return checkParts(f.Without)
}

// partNames are the thirteen parts, in the order of the way through them.
func partNames() []string {
	var names []string
	for _, p := range codebase.Parts {
		names = append(names, string(p))
	}
	for _, p := range task.Parts {
		names = append(names, string(p))
	}
	return names
}

func checkParts(names []string) error {
	known := partNames()
	for _, n := range names {
		if !slices.Contains(known, n) {
			return usage("--without %s: it is one of %s", n, strings.Join(known, ", "))
		}
	}
	return nil
}

// readStrategy wants one of the strategies; "" is none named.
func readStrategy(name string) (agent.Strategy, error) {
	if name == "" || slices.Contains(agent.Strategies, agent.Strategy(name)) {
		return agent.Strategy(name), nil
	}
	var known []string
	for _, s := range agent.Strategies {
		known = append(known, string(s))
	}
	return "", usage("--strategy %s: it is one of %s", name, strings.Join(known, ", "))
}

// fill puts what the flags say into a request and leaves the rest as it is.
func (f *modelBudget) fill(req *pipeline.Request) {
	l := &req.AgentBudget.Model
	set(&l.Tokens, f.BudgetTokens)
	set(&l.USD, f.BudgetUSD)
	set(&l.Calls, f.BudgetCalls)
	limitNothing(l, said(f.BudgetTokens), said(f.BudgetUSD), said(f.BudgetCalls))
	req.NoExplain = (req.NoExplain || f.NoExplain) && !f.ExplainWithModel
}

// fill puts what the flags say into a request and leaves the rest as it is.
func (f *agentFlags) fill(req *pipeline.Request) {
	if len(f.Without) > 0 {
		req.Without = slices.Compact(slices.Sorted(slices.Values(f.Without)))
	}
	req.QuoteOnly = req.QuoteOnly || f.QuoteOnly
	b := &req.AgentBudget
	set(&b.Contexts, f.Contexts)
	set(&b.Samples, f.Samples)
	set(&b.Attempts, orNothing(f.Attempts))
	set(&b.Sandbox, orNothing(f.BudgetSandbox))
}

// word is what was said of a limit.
type word int

const (
	unsaid word = iota
	some
	nothing
)

func said[T int | float64](limit *T) word {
	switch {
	case limit == nil:
		return unsaid
	case *limit == 0:
		return nothing
	}
	return some
}

// limitNothing marks a limit of zero that the user named: in a limit itself
// zero is no limit. Later words of other amounts take the mark away.
func limitNothing(l *llm.Limit, words ...word) {
	if slices.Contains(words, nothing) || slices.Contains(words, some) {
		l.None = slices.Contains(words, nothing)
	}
}

// orNothing is a limit of zero as a budget has it: below zero, since zero is the
// default there.
func orNothing[T int | time.Duration](limit *T) *T {
	if limit == nil || *limit != 0 {
		return limit
	}
	least := T(-1)
	return &least
}

// set takes the user's word where there is one.
func set[T any](to *T, word *T) {
	if word != nil {
		*to = *word
	}
}

// modelName is the model that the flags or the configuration name, "none"
// without one. What cannot be wired is said before anything is run.
func (f *modelBudget) modelName(ctx context.Context, s streams) (string, error) {
	if f.LLM == pipeline.NoModel {
		return pipeline.NoModel, nil
	}
	m, err := wireModel(ctx, s, f.llmFlags, llmUse{})
	if err != nil {
		return "", err
	}
	if m == nil || m.Model == nil {
		return pipeline.NoModel, nil
	}
	return m.Name, nil
}
