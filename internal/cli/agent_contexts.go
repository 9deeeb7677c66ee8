package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/codebase/query"
	pysource "github.com/repgen/repgen/internal/codebase/source"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/report"
)

// finder finds the code that a report is about, for the agent: in the user's
// project, else in the subject's own source as installed.
type finder struct {
	author *author
	desk   pipeline.Desk
	report *report.Report
	// subjects are the distributions under suspicion, best guess first.
	subjects []string

	done  []func() error
	noted map[string]bool
}

// find implements agent.Contexts. A project without Python, or a subject that
// cannot be found, is a context without modules and the reason in its notices.
func (f *finder) find(ctx context.Context, env *environment.Environment, without []codebase.Part) (*codebase.CodeContext, error) {
	p, why, err := f.project(env)
	if err != nil {
		return nil, fmt.Errorf("find the code for the language model: %w", err)
	}
	if p == nil {
		f.note(why)
		return &codebase.CodeContext{Notices: []string{why}}, nil
	}
	quiet := output.NewProgress(nil, output.Style{}, nil, output.Style{})
	defer quiet.Close()
	x, done, err := p.open(ctx, f.author.s, modelFlags{}, f.author.show, quiet)
	f.done = append(f.done, done)
	if errors.Is(err, codebase.ErrNoPython) {
		f.note(p.name + ": " + err.Error())
		return &codebase.CodeContext{Project: p.name, Notices: []string{err.Error()}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("index the code for the language model: %w", err)
	}
	cc, err := x.Context(ctx, query.FromReport(f.report), codebase.ContextOptions{SearchOptions: codebase.SearchOptions{Without: without}})
	if err != nil {
		return nil, fmt.Errorf("search the code for the language model: %w", err)
	}
	for _, n := range cc.Notices {
		f.note(n)
	}
	return cc, nil
}

// project is the code to search; nil with the reason when there is none. A
// project at another revision than its checkout shows is searched as it was
// built and installed.
func (f *finder) project(env *environment.Environment) (p *project, why string, err error) {
	named := f.desk.Project
	if named != nil && (named.Revision == "" || env == nil) {
		p, err = folderProject(named.Dir)
		return p, "", err
	}
	if env == nil {
		return nil, "there is no environment and no --project: the model sees no code", nil
	}
	for _, subject := range f.subjects {
		if p, why, err = builtProject(env, subject); p != nil || err != nil {
			return p, "", err
		}
	}
	if len(f.subjects) == 0 {
		why = "the report does not say which package it is about"
	}
	return nil, why + ": the model sees no code", nil
}

// builtProject is a distribution's own source in an environment.
func builtProject(env *environment.Environment, subject string) (*project, string, error) {
	in, err := env.Installed(subject)
	if err != nil {
		return nil, "", fmt.Errorf("find the source of %s: %w", subject, err)
	}
	if len(in.Tops) == 0 {
		return nil, subject + " is not installed in that environment", nil
	}
	tree, err := pysource.Installed(in.SitePackages, in.Tops)
	if err != nil {
		return nil, "", err
	}
	p, err := newProject(fmt.Sprintf("%s %s as installed", subject, in.Version), tree, "installed", env.Lock.Hash, subject)
	if err == nil {
		p.version = in.Version
		p.next = "the package may be compiled only: name its source with --project DIR"
	}
	return p, "", err
}

// note says each thing once.
func (f *finder) note(text string) {
	if f.noted == nil {
		f.noted = map[string]bool{}
	}
	if text != "" && !f.noted[text] {
		f.noted[text] = true
		f.desk.Progress("code: " + text)
	}
}

func (f *finder) close() error {
	var errs []error
	for _, done := range f.done {
		errs = append(errs, done())
	}
	f.done = nil
	return errors.Join(errs...)
}
