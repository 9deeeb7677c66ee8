package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system/inert"
)

type reproduceCmd struct {
	Report   string `arg:"" optional:"" help:"The report: a file, - for standard input, an issue's URL or owner/repo#N."`
	runFlags `embed:""`

	strategyFlag `embed:""`
	agentFlags   `embed:""`
}

// Run reproduces a report.
func (c *reproduceCmd) Run(ctx context.Context, s streams) error {
	if err := errors.Join(c.runFlags.check(), c.agentFlags.check()); err != nil {
		return c.fail(s, err)
	}
	strategy, err := readStrategy(c.Strategy)
	if err != nil {
		return c.fail(s, err)
	}
	req, dir, err := c.load(ctx, s, c.Report)
	if err != nil {
		return c.fail(s, err)
	}
	if strategy != "" {
		req.Strategy = strategy
	}
	c.agentFlags.fill(req)
	return c.execute(ctx, s, req, dir)
}

// load reads the report, or takes up the request of a run to resume.
func (f *runFlags) load(ctx context.Context, s streams, name string) (*pipeline.Request, string, error) {
	if f.Resume != "" {
		return f.resumed(ctx, s, name)
	}
	if name == "" {
		return nil, "", usage("which report? Give a file, -, an issue's URL or owner/repo#N, or --resume RUN")
	}
	rep, err := readReport(ctx, name, s)
	if err != nil {
		return nil, "", err
	}
	req := &pipeline.Request{Report: rep}
	if err := f.request(req); err != nil {
		return nil, "", err
	}
	return req, f.Out, f.model(ctx, s, req)
}

// resumed takes up the request of a run, and goes on in its folder where that is
// this user's own.
func (f *runFlags) resumed(ctx context.Context, s streams, name string) (*pipeline.Request, string, error) {
	run, err := openRun(ctx, f.Resume)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = run.Close() }() // only read
	req, dir := run.Request, f.Resume
	if err := f.same(ctx, s, name, req); err != nil {
		return nil, "", err
	}
	switch {
	case f.Project != "" && run.Left.Project == nil:
		return nil, "", usage("--project and --resume exclude each other: a run goes on with the words it was begun with")
	case !run.Own:
		dir = ""
		if err := f.adopt(s, run); err != nil {
			return nil, "", err
		}
	case req.Unsafe && !f.UnsafeNoSandbox:
		return nil, "", usage("the run in %s had no isolation: say --unsafe-no-sandbox again to go on", f.Resume)
	}
	// Another model, more money or more time is a reason to go on with a run.
	f.effort(req)
	return req, dir, f.model(ctx, s, req)
}

// model puts the language model into a request. A resumed run has its own,
// unless another one is named now.
func (f *runFlags) model(ctx context.Context, s streams, req *pipeline.Request) error {
	named := f.modelBudget
	if named.LLM == "" && f.Resume != "" && req.Model != "" {
		named.LLM = req.Model
		// The folder that one stands in now may be a stranger's checkout, with a
		// program of that name.
		if here, _ := os.Getwd(); strings.HasPrefix(req.Model, "exec:") && req.ModelDir != here {
			return usage("the model of the run in %s is a command, %s, that was named in %s: go there, or say --llm again", inert.Line(f.Resume), inert.Line(llm.Redact(req.Model, llm.EnvSecrets(os.Environ()))), inert.Line(req.ModelDir))
		}
	}
	name, err := named.modelName(ctx, s)
	if err != nil {
		return err
	}
	req.Model, req.ModelDir = name, ""
	if strings.HasPrefix(name, "exec:") {
		if req.ModelDir, err = os.Getwd(); err != nil {
			return fmt.Errorf("keep where the model's command was named: %w", err)
		}
	}
	f.modelBudget.fill(req)
	req.AgentBudget.Wall = wallOf(req.Budget)
	return nil
}

// wallOf is --budget-time as the agent's budget has it.
func wallOf(limit time.Duration) time.Duration {
	if limit == 0 {
		return noWall
	}
	return limit
}

// noWall is no limit at all: in a budget zero is the default.
const noWall = 10 * 365 * 24 * time.Hour

// same refuses to resume the run of another report than the one that is named.
func (f *runFlags) same(ctx context.Context, s streams, name string, req *pipeline.Request) error {
	if name == "" {
		return nil
	}
	rep, err := readReport(ctx, name, s)
	if err != nil {
		return err
	}
	if rep.Text != req.Report.Text {
		return fmt.Errorf("open %s: %w", f.Resume, pipeline.ErrOtherReport)
	}
	return nil
}

// execute runs the pipeline and shows what came of it.
func (f *runFlags) execute(ctx context.Context, s streams, req *pipeline.Request, dir string) error {
	if dir == "" {
		// It lies where one happens to stand, in a stranger's checkout for one.
		if info, err := os.Lstat("repgen-out"); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return usage("repgen-out is a link: name the folder of the run with --out")
		}
		dir = pipeline.DefaultDir("repgen-out", req)
	}
	progress := f.progress(s)
	closed := false
	finish := func() {
		if !closed {
			closed = true
			progress.Close()
		}
	}
	defer finish()
	p, sv, err := f.wire(ctx, s, shortened(progress.Event))
	if err != nil {
		return f.fail(s, err)
	}
	run, err := p.Reproduce(ctx, req, dir)
	finish()
	sv.trim(ctx, logger(s.err, f.Verbose))
	if err != nil {
		return f.failIn(s, err, dir)
	}
	if err := f.print(s, run); err != nil {
		return err
	}
	if code := proof.ExitCode(run.Result); code != 0 {
		return exit{code}
	}
	return nil
}

// print shows a finished run.
func (f show) print(s streams, run *pipeline.Run) error {
	switch {
	case f.JSON:
		return output.JSON(s.out, run.Result)
	case f.Quiet:
		output.Quiet(s.out, run.Result)
		return nil
	}
	output.Details(s.out, run.Result)
	output.ModelPart(s.out, run.Result)
	tellScript(s, run)
	tellRerun(s, run.Result)
	return nil
}

// tellScript says how a person goes on with a model's script.
func tellScript(s streams, run *pipeline.Run) {
	if run.Agent == nil || proof.ExitCode(run.Result) == 0 {
		return
	}
	path := filepath.Join(run.Dir, pipeline.ScriptFile)
	if _, err := os.Stat(path); err == nil {
		_, _ = fmt.Fprintf(s.out, "   go on by hand: edit %s, then repgen judge %s\n", inert.Line(relative(path)), output.ShellWord(relative(path)))
	}
}

// tellRerun says how to run a bundle again, where there is anything to run.
func tellRerun(s streams, r *proof.Result) {
	if r.Bundle != nil && len(r.Versions) > 0 {
		output.Rerun(s.out, relative(*r.Bundle))
	}
}

// shortened tells events with the bundle's path as a user would name it.
func shortened(tell func(pipeline.Event)) func(pipeline.Event) {
	return func(e pipeline.Event) {
		if e.Stage == pipeline.StageBundle && e.State == "done" {
			e.Text = relative(e.Text)
		}
		tell(e)
	}
}

// relative shortens a path for people when it lies below the current folder.
func relative(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil || len(rel) >= len(path) {
		return path
	}
	return rel
}

// fail shows a failure that left no run.
func (f show) fail(s streams, err error) error { return f.failIn(s, err, "") }

// failIn shows a failure; what was reached stays in dir.
func (f show) failIn(s streams, err error, dir string) error {
	result, code := failureIn(s, err, dir)
	if f.JSON {
		if err := output.JSON(s.out, result); err != nil {
			return err
		}
	}
	output.Problem(s.err, *result.Error)
	return exit{code}
}

// failureIn is the result of a failure; where it left a run, that is named, and
// how to go on with it.
func failureIn(s streams, err error, dir string) (*proof.Result, int) {
	problem, code := explain(err)
	result := proof.Failure(s.named(problem))
	if dir == "" {
		return result, code
	}
	abs, absErr := filepath.Abs(dir)
	if absErr != nil || !pipeline.IsRun(abs) {
		return result, code
	}
	result.Run = &abs
	if code == exitInterrupted || errors.Is(err, pipeline.ErrNotFinished) {
		result.Error.Next = fmt.Sprintf("go on with: repgen reproduce --resume %s", output.ShellWord(relative(abs)))
	}
	return result, code
}
