package pipeline

import (
	"context"

	"github.com/repgen/repgen/internal/agent"
	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/triage"
)

// Author is a language model with the loop around it. The real one is wired in
// cli; the fake is in author_test.go. Whatever it does is kept in Desk.Dir, so
// that a second call for the same run repeats at most the model's call that was
// under way. An error is infrastructure or cancellation: a model that fails is
// an ending of the result.
type Author interface {
	// Write looks for a script that shows the bug.
	Write(ctx context.Context, d Desk, in agent.Input) (*agent.Result, error)
	// Explain says in the model's words why a proved script shows it. Totals are
	// those of this call alone.
	Explain(ctx context.Context, d Desk, in Proved) (Explanation, error)
}

// Desk is what an Author works with.
type Desk struct {
	// Dir is the run folder: records lie in llm/, the trajectory in
	// trajectory.jsonl.
	Dir string
	// Model is the name that the user gave.
	Model    string
	Project  *environment.ProjectSource // nil: the subject's own source as installed
	Prover   agent.Prover
	Workshop agent.Workshop
	Sandbox  sandbox.Sandbox
	// Progress is told of finished steps, Live of what the model is writing.
	Progress func(text string)
	Live     func(text string)
}

// Proved is a verdict that wants an explanation.
type Proved struct {
	Report    *report.Report
	Decision  *triage.Decision
	Candidate *candidate.Candidate
	Outcome   *proof.Outcome
	Budget    agent.Budget
	// Spent is what the run's model has taken already.
	Spent llm.Totals
}

// Explanation is the model's word on a verdict, never part of it.
type Explanation struct {
	Text   string     `json:"text"`
	Model  llm.Info   `json:"model"`
	Totals llm.Totals `json:"totals"`
	// Why there is none, in words.
	Why string `json:"why,omitempty"`
}
