package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/bundle"
	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/system"
	"github.com/repgen/repgen/internal/triage"
)

// Speccer says what an environment should hold.
type Speccer interface {
	Spec(ctx context.Context, in environment.SpecInput) (environment.Spec, *environment.Unavailable, error)
}

// Projects reads and keeps what is built from a project of the user's.
type Projects interface {
	// ResolveProject says what the revisions mean now.
	ResolveProject(ctx context.Context, p environment.ProjectSource) (environment.ProjectSource, *environment.Unavailable, error)
	// Wheel reads a wheel that a lock names.
	Wheel(p environment.Package) ([]byte, error)
}

// Pipeline carries the services of a run.
type Pipeline struct {
	Specs Speccer
	// Projects may be nil where no Request has a project.
	Projects Projects
	Solver   proof.Solver
	Builder  proof.Builder
	Sandbox  sandbox.Sandbox
	Events   func(Event) // may be nil; called from several goroutines
	Now      func() time.Time
	// Version of repgen, written into the bundle.
	Version string
}

// Run is one go of the whole pipeline at one report.
type Run struct {
	Dir       string
	Request   *Request
	Decision  *triage.Decision
	Candidate *candidate.Candidate
	Outcome   *proof.Outcome
	Result    *proof.Result
}

// Reproduce takes a report the whole way, in dir. An error is infrastructure
// or cancellation; what was reached stays in the folder.
func (p *Pipeline) Reproduce(ctx context.Context, req *Request, dir string) (*Run, error) {
	began := p.now()
	f, err := openFolder(dir, req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.unlock() }()
	r := &Run{Dir: f.dir, Request: req}
	w := p.watch(f.dir)
	defer w.close()

	w.done(StageReport, reportLine(req))
	if r.Decision, err = p.triage(f, req); err != nil {
		return r, err
	}
	w.done(StageTriage, triageLine(r.Decision))
	if r.Decision.Route == triage.Attempt {
		if err := p.attempt(ctx, f, w, r); err != nil {
			return r, err
		}
	}
	return r, p.finish(f, w, r, began)
}

// attempt runs the stages that need an environment.
func (p *Pipeline) attempt(ctx context.Context, f *folder, w *watcher, r *Run) error {
	var err error
	if r.Candidate, err = p.candidate(f, r); err != nil {
		return err
	}
	w.start(StageEnvironment, "choosing versions")
	spec, un, err := p.spec(ctx, f, r)
	if err != nil {
		return err
	}
	if un != nil {
		r.Outcome = &proof.Outcome{Spec: spec, Unavailable: un}
		w.done(StageEnvironment, environmentLine(r.Outcome))
		return nil
	}
	if r.Outcome, err = p.prove(ctx, f, w, r, spec); err != nil {
		return err
	}
	w.done(StageEnvironment, environmentLine(r.Outcome))
	if r.Outcome.Unavailable == nil {
		w.done(StageRun, runLine(r.Outcome))
		w.done(StageControl, controlLine(r.Outcome))
	}
	return nil
}

func (p *Pipeline) triage(f *folder, req *Request) (*triage.Decision, error) {
	opts := triage.Options{Subject: req.Subject, Good: req.Good, Script: req.Script != ""}
	return stage(f, "02-decision", []any{req.Report, opts}, func() (*triage.Decision, error) {
		return triage.Decide(req.Report, opts), nil
	})
}

func (p *Pipeline) candidate(f *folder, r *Run) (*candidate.Candidate, error) {
	return stage(f, "03-candidate", []any{r.Decision, r.Request.Report.Text, r.Request.Script}, func() (*candidate.Candidate, error) {
		own, err := candidate.FromReport(r.Request.Report, r.Decision)
		if r.Request.Script == "" || err == nil && sameScript(r.Request.Script, own) {
			return own, err
		}
		return candidate.FromScript(r.Request.Script), nil
	})
}

// sameScript says that a script given to judge is the reporter's own, so that
// its prints and asserts speak for the reporter.
func sameScript(given string, own *candidate.Candidate) bool {
	same := func(a, b string) bool {
		return strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ")
	}
	return same(given, own.Original) || same(given, own.Script)
}

// chosen is what the spec stage keeps.
type chosen struct {
	Spec        environment.Spec         `json:"spec"`
	Unavailable *environment.Unavailable `json:"unavailable,omitempty"`
}

func (p *Pipeline) spec(ctx context.Context, f *folder, r *Run) (environment.Spec, *environment.Unavailable, error) {
	q := r.Request
	in := environment.SpecInput{
		Report: q.Report, Decision: r.Decision, Candidate: r.Candidate,
		Date: q.Date, Python: q.Python, Subject: q.Subject, With: q.With,
	}
	if q.Project != nil {
		// What the revisions mean is part of the stage's input: a checkout that
		// has moved on is another question.
		project, un, err := p.Projects.ResolveProject(ctx, *q.Project)
		if un != nil || err != nil {
			return environment.Spec{}, un, err
		}
		in.Project = &project
	}
	c, err := stage(f, "04-spec", in, func() (chosen, error) {
		in.Now = p.now()
		spec, un, err := p.Specs.Spec(ctx, in)
		return chosen{spec, un}, err
	})
	return c.Spec, c.Unavailable, err
}

// prove keeps only a finished outcome; the executions inside are journalled
// one by one.
func (p *Pipeline) prove(ctx context.Context, f *folder, w *watcher, r *Run, spec environment.Spec) (*proof.Outcome, error) {
	m := memo{dir: filepath.Join(f.dir, "answers"), solver: p.Solver, builder: p.Builder}
	work := filepath.Join(f.dir, "work")
	if err := os.MkdirAll(work, 0o755); err != nil {
		return nil, fmt.Errorf("make the work folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	pr := &proof.Prover{
		Solver: m, Builder: m, Sandbox: p.Sandbox, Journal: journal{filepath.Join(f.dir, "executions")}, WorkRoot: work,
		Progress: func(stage, text string) { w.progress(Stage(stage), text) },
	}
	in := proof.Input{
		Report: r.Request.Report, Decision: r.Decision, Candidate: r.Candidate, Spec: spec,
		Runs: r.Request.Runs, Limits: r.Request.Limits,
	}
	if r.Request.Budget > 0 {
		in.Deadline = p.now().Add(r.Request.Budget)
	}
	question := []any{r.Decision, r.Candidate, spec, in.Runs, in.Limits}
	kept, err := stage(f, "05-outcome", question, func() (*keptOutcome, error) {
		o, err := pr.Prove(ctx, in)
		if err != nil {
			return nil, err
		}
		return keep(o), nil
	})
	if err != nil {
		return nil, err
	}
	return kept.restore(), nil
}

// finish writes the bundle and the result.
func (p *Pipeline) finish(f *folder, w *watcher, r *Run, began time.Time) error {
	r.Result = proof.View(r.Decision, r.Candidate, r.Outcome)
	r.Result.Run = &f.dir
	w.done(StageVerdict, verdictLine(r.Result))
	if r.Candidate != nil && r.Outcome != nil {
		dir, err := bundle.Write(filepath.Join(f.dir, "bundle"), bundle.Content{
			Report: r.Request.Report, Decision: r.Decision, Candidate: r.Candidate, Outcome: r.Outcome, Result: r.Result, Version: p.Version,
			Wheel: p.wheel,
		})
		if err != nil {
			return fmt.Errorf("write the bundle: %w", err)
		}
		r.Result.Bundle = &dir
		w.done(StageBundle, dir)
	}
	r.Result.Cost.WallSeconds = p.now().Sub(began).Seconds()
	if err := system.WriteJSON(filepath.Join(f.dir, resultFile), r.Result); err != nil {
		return fmt.Errorf("keep the result: %w", err)
	}
	return nil
}

// wheel reads a wheel for the bundle; one that is gone is left out of it.
func (p *Pipeline) wheel(pkg environment.Package) ([]byte, error) {
	if p.Projects == nil {
		return nil, fs.ErrNotExist
	}
	return p.Projects.Wheel(pkg)
}

func (p *Pipeline) now() time.Time {
	if p.Now != nil {
		return p.Now()
	}
	return time.Now()
}

const resultFile = "06-result.json"

// ReadResult reads the result of a finished run.
func ReadResult(dir string) (*proof.Result, error) {
	if _, err := ReadRequest(dir); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(dir, resultFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("read the result of %s: %w: go on with --resume", dir, ErrNotFinished)
	}
	if err != nil {
		return nil, fmt.Errorf("read the result: %w", err)
	}
	var r proof.Result
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("read the result of %s: it is damaged: go on with --resume", dir)
	}
	return &r, nil
}
