package validate

import (
	"context"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/sandbox"
)

// Box is an environment with the sandbox in which it is asked.
type Box struct {
	Sandbox sandbox.Sandbox
	// Env nil: there is nothing to ask, and the stages that need it are left out.
	Env    *environment.Environment
	Limits sandbox.Limits
	// Known keeps what an environment answered; nil: nothing is kept.
	Known *Known
	// Ran is told the wall seconds of each execution; nil: nobody is.
	Ran func(seconds float64)
}

// Tool opens the environment of the linter. Unavailable is a domain outcome:
// the stage is then left out, which is said once.
type Tool func(ctx context.Context) (Box, *environment.Unavailable, error)

// RuffRequirement is what the Tool's environment must hold: the linter, pinned,
// so that the same script is told the same in every run.
const RuffRequirement = "ruff==0.12.12"

// Veto is a model's objection to a script as irrelevant to the report, with the
// reason in its words. It may only stop a script, never let one pass.
type Veto func(ctx context.Context, script string) (veto bool, reason string, err error)

// Checker looks at scripts before they run. It is safe for concurrent use.
type Checker struct {
	Box  Box
	Tool Tool // nil: no lint
	// Without are the parts that are switched off, by their task.Part name:
	// "compilation" leaves out the compile stage, "static-analysis" lint and
	// names, "relevance" that stage and the Veto. Parse stays, since what does
	// not parse cannot be run, and so does refused, which is about belief.
	Without []string
	// Subject is the distribution under suspicion and Modules its import names;
	// empty: relevance cannot be told and is left out.
	Subject string
	Modules []string

	once onceNotes
}

// Input is one script with what it is for.
type Input struct {
	// Script is what the model wrote, without the shim.
	Script  string
	Trigger string
	// Plan may be nil; so may Expectation, which is the one that the script will
	// be judged by, and Veto.
	Plan        *task.Plan
	Expectation *oracle.Expectation
	Veto        Veto
}
