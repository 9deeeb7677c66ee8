package validate

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/pysyntax"
)

// onceNotes is what a Checker remembers: the linter's box, and that the want of
// one was said.
type onceNotes struct {
	mu   sync.Mutex
	said bool
	tool *Box
	why  string // there is none
}

// first says whether nobody asked before.
func (o *onceNotes) first() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	was := o.said
	o.said = true
	return !was
}

// toolBox opens the linter's environment once; why says why there is none.
func (o *onceNotes) toolBox(ctx context.Context, open Tool) (b Box, why string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.tool != nil || o.why != "" {
		return orNone(o.tool), o.why, nil
	}
	b, no, err := open(ctx)
	switch {
	case err != nil:
		return Box{}, "", fmt.Errorf("open the linter's environment: %w", err)
	case no != nil:
		o.why = no.Why
	case !b.ready():
		o.why = "it is not configured"
	default:
		o.tool = &b
	}
	return orNone(o.tool), o.why, nil
}

// orNone is the box, or one with which nothing can be asked.
func orNone(b *Box) Box {
	if b == nil {
		return Box{}
	}
	return *b
}

// Failed says whether one of the feedbacks ends the attempt.
func Failed(list []task.Feedback) bool {
	return slices.ContainsFunc(list, func(f task.Feedback) bool { return f.Severity == task.SeverityError })
}

// Check looks at one script, stage by stage, and stops at the first that gives an
// error. Warnings of the stages before go along. reached is the last stage
// entered; StageRefused without an error: the script can be run. The error is for
// infrastructure and cancellation only.
func (c *Checker) Check(ctx context.Context, in Input) (feedback []task.Feedback, reached task.Stage, err error) {
	f := pysyntax.Parse(in.Script)
	l := looked{}
	stages := []struct {
		name task.Stage
		look func() ([]task.Feedback, error)
	}{
		{task.StageAnswer, func() ([]task.Feedback, error) { return checkAnswer(in.Script, f), nil }},
		{task.StageParse, func() ([]task.Feedback, error) { return checkParse(f), nil }},
		{task.StageCompile, func() ([]task.Feedback, error) {
			// One execution answers for compile and names; the linter runs beside it.
			var err error
			l, err = c.look(ctx, f)
			return checkCompile(l.inside.compile, c.python(), in.Script), err
		}},
		{task.StageLint, func() ([]task.Feedback, error) { return l.lint, nil }},
		{task.StageNames, func() ([]task.Feedback, error) { return checkNames(l.inside, in.Expectation), nil }},
		{task.StageRelevance, func() ([]task.Feedback, error) { return c.checkRelevance(ctx, f, in) }},
		{task.StageRefused, func() ([]task.Feedback, error) { return checkRefused(in), nil }},
	}
	for _, s := range stages {
		if s.name == task.StageRelevance && c.off(task.PartRelevance) {
			continue
		}
		found, err := s.look()
		if err != nil {
			return feedback, s.name, err
		}
		feedback, reached = append(feedback, found...), s.name
		if Failed(found) {
			break
		}
	}
	return feedback, reached, nil
}

// looked is what the sandbox said of a script.
type looked struct {
	inside inside
	lint   []task.Feedback
}

// look asks the environment and the linter at once.
func (c *Checker) look(ctx context.Context, f *pysyntax.File) (looked, error) {
	var l looked
	work, ctx := errgroup.WithContext(ctx)
	compile, static := !c.off(task.PartCompilation), !c.off(task.PartStatic)
	if c.Box.ready() {
		work.Go(func() (err error) {
			l.inside, err = c.Box.lookInside(ctx, f, compile, static)
			return err
		})
	}
	if static {
		work.Go(func() (err error) {
			l.lint, err = c.checkLint(ctx, f.Source, c.python())
			return err
		})
	}
	return l, work.Wait()
}

// off says whether a part is switched off.
func (c *Checker) off(p task.Part) bool { return slices.Contains(c.Without, string(p)) }

// python is the version that the script will run on.
func (c *Checker) python() string {
	if c.Box.Env == nil {
		return ""
	}
	if v := c.Box.Env.Python.Version; v != "" {
		return v
	}
	return c.Box.Env.Lock.Python
}
