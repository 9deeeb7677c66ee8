package agent

import (
	"context"
	"sync"

	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/generate"
	"github.com/repgen/repgen/internal/agent/plan"
	"github.com/repgen/repgen/internal/agent/propose"
	"github.com/repgen/repgen/internal/agent/restructure"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/agent/validate"
	"github.com/repgen/repgen/internal/agent/veto"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
)

// writer is what asks the model; rooms is the real one, the fake of the tests
// is in fake_test.go. An error is the model's or that of ctx; an answer that
// cannot be used is a result without what was asked for.
type writer interface {
	restructure(ctx context.Context, r *report.Report, quoteOnly bool) (task.Report, error)
	propose(ctx context.Context, in propose.Input) (propose.Result, error)
	plan(ctx context.Context, in plan.Input) (plan.Result, error)
	write(ctx context.Context, in generate.Input) (generate.Script, error)
	veto(ctx context.Context, in veto.Input) (off bool, reason string, err error)
}

// checker is what looks at scripts before they run, in an environment that may
// be nil. An error is infrastructure or that of ctx.
type checker interface {
	facts(ctx context.Context, e *environment.Environment, names []string) (task.Facts, error)
	check(ctx context.Context, e *environment.Environment, in validate.Input) ([]task.Feedback, task.Stage, error)
}

// rooms are the real writer and checker.
type rooms struct {
	asker   ask.Asker
	sandbox sandbox.Sandbox
	limits  sandbox.Limits
	known   *validate.Known
	tool    validate.Tool
	subject string
	modules []string
	without []string

	mu       sync.Mutex
	checkers map[*environment.Environment]*validate.Checker
}

func (r *rooms) restructure(ctx context.Context, rep *report.Report, quoteOnly bool) (task.Report, error) {
	return restructure.Do(ctx, &r.asker, rep, restructure.Options{QuoteOnly: quoteOnly})
}

func (r *rooms) propose(ctx context.Context, in propose.Input) (propose.Result, error) {
	return propose.Do(ctx, &r.asker, in)
}

func (r *rooms) plan(ctx context.Context, in plan.Input) (plan.Result, error) {
	return plan.Do(ctx, &r.asker, in)
}

func (r *rooms) write(ctx context.Context, in generate.Input) (generate.Script, error) {
	return generate.Do(ctx, &r.asker, in)
}

func (r *rooms) veto(ctx context.Context, in veto.Input) (bool, string, error) {
	return veto.Do(ctx, &r.asker, in)
}

func (r *rooms) facts(ctx context.Context, e *environment.Environment, names []string) (task.Facts, error) {
	return validate.Facts(ctx, r.box(e), r.subject, names)
}

func (r *rooms) check(ctx context.Context, e *environment.Environment, in validate.Input) ([]task.Feedback, task.Stage, error) {
	return r.checker(e).Check(ctx, in)
}

// checker is one for each environment: what it says once it says once.
func (r *rooms) checker(e *environment.Environment) *validate.Checker {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.checkers == nil {
		r.checkers = map[*environment.Environment]*validate.Checker{}
	}
	c, ok := r.checkers[e]
	if !ok {
		c = &validate.Checker{Box: r.box(e), Tool: r.tool, Without: r.without, Subject: r.subject, Modules: r.modules}
		r.checkers[e] = c
	}
	return c
}

func (r *rooms) box(e *environment.Environment) validate.Box {
	return validate.Box{Sandbox: r.sandbox, Env: e, Limits: r.limits, Known: r.known}
}
