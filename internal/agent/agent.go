package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/agent/validate"
	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/sandbox"
)

// Meter says what was asked so far; *llm.Meter is the real one.
type Meter interface {
	Totals() llm.Totals
	// CanAsk is nil when the request may be made within the limit.
	CanAsk(r llm.Request) error
}

// Agent carries the services of a run. Model, Prover, Workshop and Sandbox are
// required.
type Agent struct {
	// Model is what is asked, with its wrappers: retry, meter, records.
	Model llm.Model
	// Meter of Model; nil: Model itself where it is one, else a new one around
	// it that holds Budget.Model.
	Meter    Meter
	Prover   Prover
	Workshop Workshop
	// Contexts is nil where the subject's code is not to be searched.
	Contexts Contexts
	Sandbox  sandbox.Sandbox
	// Trace may be nil.
	Trace *trace.Recorder
	// Progress is told one line at a time, from several goroutines; may be nil.
	Progress func(string)
	// OnText is told of the pieces of answers as they come; may be nil.
	OnText func(purpose, piece string)
	Now    func() time.Time // nil: time.Now
	Log    *slog.Logger     // nil: discarded
}

// Run looks for a script that shows the report's symptom. The error is for
// cancellation and infrastructure (sandbox, disk, index) and for a part to be
// switched off that there is none of; every other ending, a failed model among
// them, is in the Result. With equal answers and equal executions it asks the
// same in the same order, so that a run that was cut off goes on from records.
func (a *Agent) Run(ctx context.Context, in Input) (*Result, error) {
	r, err := a.newRun(in)
	if err != nil {
		return nil, fmt.Errorf("run the agent: %w", err)
	}
	box := gated{a.Sandbox, r.gate}
	room := &rooms{
		asker: ask.Asker{
			Model: r.model, Trace: a.Trace, Prompt: r.in.Budget.Prompt, Answer: r.in.Budget.Answer,
			Unparsed: r.model.miss, OnText: a.OnText, Cost: r.model.cost,
		},
		sandbox: box, limits: r.in.Limits, known: validate.NewKnown(), tool: a.tool(box, r.in.Limits),
		subject: r.subject, modules: r.modules, without: r.in.Without,
	}
	r.w, r.c = room, room
	return r.result(ctx)
}

// tool opens the linter's environment.
func (a *Agent) tool(box sandbox.Sandbox, limits sandbox.Limits) validate.Tool {
	return func(ctx context.Context) (validate.Box, *environment.Unavailable, error) {
		e, un, err := a.Workshop.Tool(ctx, validate.RuffRequirement)
		if un != nil || err != nil {
			return validate.Box{}, un, err
		}
		return validate.Box{Sandbox: box, Env: e, Limits: limits}, nil, nil
	}
}

// newRun checks the input and fills in what it leaves open.
func (a *Agent) newRun(in Input) (*run, error) {
	if in.Report == nil || in.Decision == nil {
		return nil, errors.New("no report, or none that was triaged, was given")
	}
	off, err := partsOff(in.Without)
	if err != nil {
		return nil, err
	}
	if in.Strategy == "" {
		in.Strategy = Auto
	}
	if !slices.Contains(Strategies, in.Strategy) {
		return nil, fmt.Errorf("there is no strategy %q: take one of %v", in.Strategy, Strategies)
	}
	in.Budget, in.Limits = in.Budget.withDefaults(), in.Limits.WithDefaults()
	now := a.Now
	if now == nil {
		now = time.Now
	}
	r := &run{
		a: a, in: in, off: off, gate: newGate(now, in.Budget.Wall, in.Budget.Sandbox),
		decision: in.Decision, log: a.Log,
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	r.prover = r.gate.behind(a.Prover)
	r.model, r.meter = a.metered(in.Budget.Model, r.gate)
	if in.Strategy == Sample {
		warm := sampleTemperature
		r.model.warm = &warm
	}
	r.subject, r.modules = subjectOf(in.Decision)
	return r, nil
}

// metered is the model behind the limits of the budget.
func (a *Agent) metered(limit llm.Limit, g *gate) (*guard, Meter) {
	model, meter := a.Model, a.Meter
	if meter == nil {
		if own, ok := model.(Meter); ok {
			meter = own
		} else {
			m := llm.NewMeter(model, llm.Prices{}, limit)
			model, meter = m, m
		}
	}
	return &guard{Model: model, gate: g, meter: meter}, meter
}

// off are the parts that are switched off.
type off map[string]bool

func (o off) part(p task.Part) bool { return o[string(p)] }

// retrieval are those of the search for code.
func (o off) retrieval() []codebase.Part {
	return slices.DeleteFunc(slices.Clone(codebase.Parts), func(p codebase.Part) bool { return !o[string(p)] })
}

func partsOff(names []string) (off, error) {
	o := off{}
	for _, name := range names {
		if !slices.Contains(codebase.Parts, codebase.Part(name)) && !slices.Contains(task.Parts, task.Part(name)) {
			return nil, fmt.Errorf("there is no part %q to leave out: there are %v and %v", name, codebase.Parts, task.Parts)
		}
		o[name] = true
	}
	return o, nil
}
