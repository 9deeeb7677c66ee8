package agent

import (
	"context"
	"time"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/triage"
)

// Strategy is how scripts are come by.
type Strategy string

// The strategies.
const (
	Auto     Strategy = "auto"      // the reporter's script, then its completion, then RepGen's contexts
	RepGen   Strategy = "repgen"    // the published order
	Sample   Strategy = "sample"    // several scripts at once, clustered by what they show
	ZeroShot Strategy = "zero-shot" // the published baselines: one prompt, no project
	FewShot  Strategy = "few-shot"
	CoT      Strategy = "cot"
)

// Strategies are all of them.
var Strategies = []Strategy{Auto, RepGen, Sample, ZeroShot, FewShot, CoT}

// Budget bounds one run of the agent. It is never exceeded, not by one call: a
// call that could exceed it is not made. Zero fields take DefaultBudget's; a
// limit of nothing is llm.Limit.None.
type Budget struct {
	Attempts int           `json:"attempts"` // a context; the published 5
	Contexts int           `json:"contexts"` // the published 5
	Samples  int           `json:"samples"`  // of the strategy "sample"
	Model    llm.Limit     `json:"model"`
	Wall     time.Duration `json:"wall"`
	Sandbox  time.Duration `json:"sandbox"` // wall time of executions, added up
	// Prompt caps one prompt, in estimated tokens.
	Prompt int `json:"prompt"`
	// Answer caps one answer, in tokens.
	Answer int `json:"answer"`
}

// Input is one report with what is known of it.
type Input struct {
	Report   *report.Report
	Decision *triage.Decision
	// Own is what the reporter's own script showed and OwnScript that script;
	// nil where there is none that runs.
	Own       *proof.Outcome
	OwnScript *candidate.Candidate
	Strategy  Strategy
	// Without names the parts that are switched off: codebase.Parts and task.Parts.
	Without []string
	Budget  Budget
	Runs    int
	Limits  sandbox.Limits
	// QuoteOnly: the restructured report holds nothing that a model inferred.
	QuoteOnly bool
}

// Prover runs and judges; *proof.Prover is the real one.
type Prover interface {
	// Try runs a candidate once, and its control once where the first run shows
	// the symptom and the script has one.
	Try(ctx context.Context, in proof.Input) (*proof.Trial, error)
	Prove(ctx context.Context, in proof.Input) (*proof.Outcome, error)
}

// Workshop is what the agent needs of environments. Unavailable is a domain
// outcome.
type Workshop interface {
	// Spec says what a script needs besides what the report names; a nil
	// candidate: the report's own wishes only.
	Spec(ctx context.Context, c *candidate.Candidate) (environment.Spec, *environment.Unavailable, error)
	// Open solves and builds.
	Open(ctx context.Context, s environment.Spec) (*environment.Environment, *environment.Unavailable, error)
	// Tool is an environment that holds a tool of ours (a linter), not the subject.
	Tool(ctx context.Context, requirement string) (*environment.Environment, *environment.Unavailable, error)
}

// Contexts finds the code that a report is about, in an environment that holds
// the subject; env is nil when there is none.
type Contexts func(ctx context.Context, env *environment.Environment, without []codebase.Part) (*codebase.CodeContext, error)

// Ending says why the agent stopped.
type Ending string

// The endings.
const (
	Proved        Ending = "proved"         // an outcome with grade A, B or C
	LeadOnly      Ending = "lead"           // shown, without a control that counts
	DeadEnd       Ending = "dead_end"       // every strategy came to one
	BudgetEnded   Ending = "budget"         // Why names which
	ModelFailed   Ending = "model_failed"   // the backend; Failure is set
	NoEnvironment Ending = "no_environment" // nothing to run in
)

// Result is what the agent reached.
type Result struct {
	Ending Ending `json:"ending"`
	// Why are the reasons in words, the one that ended it first.
	Why []string `json:"why"`
	// Outcome is the best that was proved, nil when no script showed the
	// symptom; Candidate and Decision are what was judged in it.
	Outcome   *proof.Outcome       `json:"-"`
	Candidate *candidate.Candidate `json:"candidate,omitempty"`
	Decision  *triage.Decision     `json:"decision,omitempty"`
	Attempts  []task.Attempt       `json:"attempts"`
	Totals    llm.Totals           `json:"totals"`
	Sandbox   float64              `json:"sandbox_s"`
	// Failure of the backend, in words, for Ending ModelFailed.
	Failure *proof.ResultError `json:"failure,omitempty"`
	// Explanation is the model's, after a verdict; never part of it.
	Explanation string                   `json:"explanation,omitempty"`
	Unavailable *environment.Unavailable `json:"unavailable,omitempty"`
	// Model, Strategy and Without are what was used.
	Model    llm.Info `json:"model"`
	Strategy Strategy `json:"strategy"`
	Without  []string `json:"without,omitempty"`
}
