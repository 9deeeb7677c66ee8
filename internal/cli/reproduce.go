package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
)

type reproduceCmd struct {
	Report   string `arg:"" optional:"" help:"The report: a file, - for standard input, an issue's URL or owner/repo#N."`
	runFlags `embed:""`
}

// Run reproduces a report.
func (c *reproduceCmd) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return c.fail(s, err)
	}
	req, dir, err := c.load(ctx, s, c.Report)
	if err != nil {
		return c.fail(s, err)
	}
	return c.execute(ctx, s, req, dir)
}

// load reads the report, or takes up the request of a run to resume.
func (f *runFlags) load(ctx context.Context, s streams, name string) (*pipeline.Request, string, error) {
	if f.Resume != "" {
		req, err := pipeline.ReadRequest(f.Resume)
		if err != nil {
			return nil, "", err
		}
		if req.Unsafe && !f.UnsafeNoSandbox {
			return nil, "", usage("the run in %s had no isolation: say --unsafe-no-sandbox again to go on", f.Resume)
		}
		return req, f.Resume, f.same(ctx, s, name, req)
	}
	if name == "" {
		return nil, "", usage("which report? Give a file, -, an issue's URL or owner/repo#N, or --resume RUN")
	}
	rep, err := readReport(ctx, name, s)
	if err != nil {
		return nil, "", err
	}
	req := &pipeline.Request{Report: rep}
	return req, f.Out, f.request(req)
}

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
	tellRerun(s, run.Result)
	return nil
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
	problem, code := explain(err)
	result := proof.Failure(problem)
	if dir != "" {
		if abs, absErr := filepath.Abs(dir); absErr == nil {
			if _, reqErr := pipeline.ReadRequest(abs); reqErr == nil {
				result.Run = &abs
				if code == exitInterrupted {
					problem.Next = fmt.Sprintf("go on with: repgen reproduce --resume %s", output.ShellWord(relative(abs)))
					result.Error.Next = problem.Next
				}
			}
		}
	}
	if f.JSON {
		if err := output.JSON(s.out, result); err != nil {
			return err
		}
	}
	output.Problem(s.err, problem)
	return exit{code}
}
