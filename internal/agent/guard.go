package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/proof"
)

// guard is the model as the agent's parts see it: no call is begun that the
// run's time would end at once, none outlives it, and answers that could not be
// read are counted.
type guard struct {
	llm.Model
	gate  *gate
	meter Meter
	// warm is the temperature of scripts that must differ; nil: the backend's.
	warm *float64

	mu       sync.Mutex
	unparsed int // where the meter does not count them
}

// Complete implements llm.Model.
func (g *guard) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	left := g.gate.deadline.Sub(g.gate.now())
	if left < floor {
		return llm.Response{}, &llm.Error{Kind: llm.Budget, Why: "the time of the run ended", Next: "raise --budget-time"}
	}
	if g.warm != nil && r.Temperature == nil && r.Purpose == "generate" {
		r.Temperature = g.warm
	}
	within, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	answer, err := g.Model.Complete(within, r)
	if err != nil && ctx.Err() == nil && within.Err() != nil {
		var failed *llm.Error
		if !errors.As(err, &failed) || failed.Kind != llm.Budget {
			err = &llm.Error{Kind: llm.Budget, Why: "the time of the run ended during a call", Next: "raise --budget-time", Err: within.Err()}
		}
	}
	return answer, err
}

// miss counts an answer that could not be read.
func (g *guard) miss() {
	if m, ok := g.meter.(interface{ Unparsed() }); ok {
		m.Unparsed()
		return
	}
	g.mu.Lock()
	g.unparsed++
	g.mu.Unlock()
}

func (g *guard) missed() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.unparsed
}

// cost is what a usage costs in US dollars, where the meter knows it.
func (g *guard) cost(u llm.Usage) (usd float64, priced bool) {
	if m, ok := g.meter.(interface {
		Cost(u llm.Usage) (float64, bool)
	}); ok {
		return m.Cost(u)
	}
	return 0, false
}

// stopped ends the run with a result: the only way out of the loop that is no
// error of infrastructure.
type stopped struct {
	ending  Ending
	why     string
	failure *proof.ResultError
}

func (s *stopped) Error() string { return s.why }

// ending turns an error of one of the parts into how the run ends: cancellation
// and infrastructure stay errors.
func ending(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	var failed *llm.Error
	switch {
	case !errors.As(err, &failed):
		return err
	case failed.Kind == llm.Budget:
		return &stopped{ending: BudgetEnded, why: failed.Why}
	}
	return &stopped{ending: ModelFailed, why: failed.Error(), failure: failureOf(failed)}
}

// nexts are what a user can do about a failed backend that says nothing itself.
var nexts = map[llm.Kind]string{
	llm.Auth:        "check the key in the environment, then `repgen doctor`",
	llm.RateLimited: "wait, then go on with --resume",
	llm.Overloaded:  "wait, then go on with --resume",
	llm.Timeout:     "go on with --resume, or choose a quicker model",
	llm.Connection:  "check the address of the server, then go on with --resume",
	llm.TooLong:     "lower --budget-prompt, or choose a model with a longer context",
	llm.NotFound:    "check the model's name and the server's address, then `repgen doctor`",
	llm.Crashed:     "run the command by hand with a request on standard input",
	llm.NoRecord:    "the run asks something that was not recorded: record it anew",
}

func failureOf(e *llm.Error) *proof.ResultError {
	next := e.Next
	if next == "" {
		next = nexts[e.Kind]
	}
	if next == "" {
		next = "run `repgen doctor`, then go on with --resume"
	}
	if e.Kind != llm.NoRecord && !strings.Contains(next, "--resume") {
		next += "; then go on with --resume"
	}
	return &proof.ResultError{What: "the language model failed", Why: e.Error(), Next: next}
}

// infrastructure wraps what is neither a domain outcome nor cancellation.
func infrastructure(what string, err error) error {
	return fmt.Errorf("%s: %w", what, err)
}
