package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/triage"
)

// run is the state of one Run.
type run struct {
	a      *Agent
	in     Input
	off    off
	w      writer
	c      checker
	prover Prover
	gate   *gate
	model  *guard
	meter  Meter
	log    *slog.Logger

	// What is found out once, when it is first needed.
	subject  string
	modules  []string
	base     *base
	ordered  *task.Report // nil: the report as it is
	putOrder bool
	decision *triage.Decision // with the expectation that is judged by
	observes []task.Observation
	chosen   bool
	code     []codebase.Module

	faults   int // executions in a row that failed by the environment's fault
	mu       sync.Mutex
	attempts []task.Attempt
	shown    *shown // a hit that was not proved yet
	asked    bool   // other releases were asked about a script that shows observed values
	best     *found
	why      []string
	gone     *environment.Unavailable // the last environment that could not be had
	denied   bool                     // it was a script's
}

// result runs the strategy and says how it ended.
func (r *run) result(ctx context.Context) (*Result, error) {
	ctx, end := r.a.Trace.Begin(ctx, trace.KindStage, string(r.in.Strategy))
	err := r.follow(ctx)
	var stop *stopped
	if !errors.As(err, &stop) {
		end(trace.Span{Text: err.Error(), Failed: true})
		return nil, fmt.Errorf("run the agent: %w", err)
	}
	out := r.conclude(stop)
	r.a.Trace.Note(ctx, trace.KindDecision, "ending", string(out.Ending)+": "+out.Why[0])
	end(trace.Span{Text: string(out.Ending)})
	r.progress("the agent ended (%s): %s", out.Ending, out.Why[0])
	return out, nil
}

// follow goes the strategy's way and returns how it stopped, or the error of
// infrastructure or cancellation that stopped it; never nil.
func (r *run) follow(ctx context.Context) error {
	if why := r.in.Budget.nothing(); why != "" {
		return &stopped{ending: BudgetEnded, why: why}
	}
	err := r.strategy(ctx)
	// What was shown before the end is proved while there is time for it: a
	// budget of tokens that ended, or a backend that failed, does not undo a run.
	var stop *stopped
	if errors.As(err, &stop) && stop.ending != Proved && r.shown != nil && r.gate.why() == "" {
		if late := r.proveShown(ctx); late != nil {
			var better *stopped
			if !errors.As(late, &better) || better.ending == Proved {
				return late
			}
		}
	}
	return err
}

// conclude puts the result together.
func (r *run) conclude(stop *stopped) *Result {
	out := &Result{
		Ending: stop.ending, Why: append([]string{stop.why}, r.why...), Failure: stop.failure,
		Attempts: r.attempts, Totals: r.meter.Totals(), Sandbox: r.gate.seconds(),
		Model: r.model.Info(), Strategy: r.in.Strategy, Without: r.in.Without,
	}
	out.Totals.Unparsed += r.model.missed()
	if out.Attempts == nil {
		out.Attempts = []task.Attempt{}
	}
	if r.best != nil {
		out.Outcome, out.Candidate, out.Decision = r.best.outcome, r.best.candidate, r.best.decision
		if out.Ending == DeadEnd && r.best.rank() >= rankLead {
			out.Ending = LeadOnly
		}
	}
	if out.Ending == NoEnvironment {
		out.Unavailable = r.gone
	}
	return out
}

// progress tells one line.
func (r *run) progress(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	r.log.Info(line)
	if r.a.Progress != nil {
		r.a.Progress(line)
	}
}

// decide records a decision with its reason; reasons are in the result, the
// oldest first.
func (r *run) decide(ctx context.Context, name, why string) {
	r.a.Trace.Note(ctx, trace.KindDecision, name, why)
	r.progress("%s: %s", name, why)
	r.mu.Lock()
	r.why = append(r.why, name+": "+why)
	r.mu.Unlock()
}

// stage runs one part under a span and turns its error into how the run ends.
func (r *run) stage(ctx context.Context, name string, do func(ctx context.Context) (text string, err error)) error {
	ctx, end := r.a.Trace.Begin(ctx, trace.KindStage, name)
	text, err := do(ctx)
	if err != nil {
		end(trace.Span{Text: err.Error(), Failed: true})
		return ending(ctx, err)
	}
	end(trace.Span{Text: text})
	return nil
}

// spare says that the run's budgets let another attempt begin.
func (r *run) spare() error {
	if why := r.gate.why(); why != "" {
		return &stopped{ending: BudgetEnded, why: why}
	}
	return nil
}
