package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system"
)

// workshop is where a run's scripts are run: one memory of answers, one journal
// and one work folder for the reporter's script and for a model's.
type workshop struct {
	p    *Pipeline
	r    *Run
	memo memo
	work string
	pr   *proof.Prover

	mu   sync.Mutex
	open []*environment.Environment
}

func (p *Pipeline) workshop(f *folder, w *watcher, r *Run) (*workshop, error) {
	work := filepath.Join(f.files.Dir, workFolder)
	if err := os.MkdirAll(work, 0o755); err != nil {
		return nil, fmt.Errorf("make the work folder: %w", err)
	}
	m := memo{keeper: f.keeper, solver: p.Solver, builder: p.Builder}
	return &workshop{p: p, r: r, memo: m, work: work, pr: &proof.Prover{
		Solver: m, Builder: m, Sandbox: p.Sandbox, Journal: journal{f.keeper}, WorkRoot: work,
		Progress: func(stage, text string) { w.progress(Stage(stage), text) },
	}}, nil
}

// close gives the environments back and removes the work folder.
func (b *workshop) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.open {
		e.Release()
	}
	b.open = nil
	_ = system.RemoveAll(b.work)
}

// input is all that an environment for a script of this run is inferred from;
// a nil candidate: the report's own wishes only.
func (b *workshop) input(ctx context.Context, c *candidate.Candidate) (environment.SpecInput, *environment.Unavailable, error) {
	q := b.r.Request
	in := environment.SpecInput{
		Report: q.Report, Decision: b.r.Decision, Candidate: c,
		Date: q.Date, Python: q.Python, Subject: q.Subject, With: q.With,
	}
	if c == nil {
		in.Candidate = &candidate.Candidate{}
	}
	if q.Project != nil {
		// What the revisions mean is part of the question: a checkout that has
		// moved on is another one.
		project, un, err := b.p.Projects.ResolveProject(ctx, *q.Project)
		if un != nil || err != nil {
			return in, un, err
		}
		in.Project = &project
	}
	return in, nil, nil
}

// Spec implements agent.Workshop.
func (b *workshop) Spec(ctx context.Context, c *candidate.Candidate) (environment.Spec, *environment.Unavailable, error) {
	in, un, err := b.input(ctx, c)
	if un != nil || err != nil {
		return environment.Spec{}, un, err
	}
	r, err := b.memo.remember("spec", in, func() (r remembered, err error) {
		in.Now = b.p.now()
		r.Spec, r.Unavailable, err = b.p.Specs.Spec(ctx, in)
		return r, err
	})
	return r.Spec, r.Unavailable, err
}

// Open implements agent.Workshop.
func (b *workshop) Open(ctx context.Context, s environment.Spec) (*environment.Environment, *environment.Unavailable, error) {
	l, un, err := b.memo.Solve(ctx, s)
	if un != nil || err != nil {
		return nil, un, err
	}
	e, un, err := b.memo.Build(ctx, l)
	if un != nil || err != nil {
		return nil, un, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = append(b.open, e)
	return e, nil, nil
}

// Tool implements agent.Workshop: an environment that holds nothing but a tool
// of ours, so that it stands beside the report's and never in it.
func (b *workshop) Tool(ctx context.Context, requirement string) (*environment.Environment, *environment.Unavailable, error) {
	in := environment.SpecInput{With: []string{requirement}}
	r, err := b.memo.remember("tool", in, func() (r remembered, err error) {
		in.Now = b.p.now()
		r.Spec, r.Unavailable, err = b.p.Specs.Spec(ctx, in)
		return r, err
	})
	if err != nil || r.Unavailable != nil {
		return nil, r.Unavailable, err
	}
	return b.Open(ctx, r.Spec)
}
