package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/codebase"
	pysource "github.com/repgen/repgen/internal/codebase/source"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/service/mcp"
	"github.com/repgen/repgen/internal/system"
	"github.com/repgen/repgen/internal/triage"
)

// Open implements mcp.Environments. The user's own words beat the agent's.
func (w *agentServices) Open(ctx context.Context, ask mcp.EnvironmentAsk, tell mcp.Tell) (*mcp.Opened, *environment.Unavailable, error) {
	sv, err := w.services(ctx, tell)
	if err != nil {
		return nil, nil, err
	}
	in, err := w.specInput(ask)
	if err != nil {
		return nil, nil, err
	}
	spec, un, err := sv.envs.Spec(ctx, in)
	if err != nil || un != nil {
		return nil, un, err
	}
	tell("environment: solving")
	lock, un, err := sv.envs.Solve(ctx, spec)
	if err != nil || un != nil {
		return nil, un, err
	}
	tell(fmt.Sprintf("environment: building %d packages", len(lock.Packages)))
	env, un, err := sv.envs.Build(ctx, lock)
	if err != nil || un != nil {
		return nil, un, err
	}
	cert, err := sv.envs.Certify(ctx, env, spec)
	if err != nil {
		env.Release()
		return nil, nil, err
	}
	return &mcp.Opened{Env: env, Spec: spec, Certificate: cert}, nil, nil
}

// specInput is what the environment should hold.
func (w *agentServices) specInput(ask mcp.EnvironmentAsk) (environment.SpecInput, error) {
	c := w.c
	date, python := c.Date, c.Python
	if date == "" {
		date = ask.Date
	}
	if python == "" {
		python = ask.Python
	}
	asOf, err := day(date)
	if err != nil {
		return environment.SpecInput{}, err
	}
	d := triage.Decide(ask.Report, triage.Options{Subject: c.Subject, HasModel: true, Script: ask.Script != ""})
	cand, err := scriptOf(ask.Report, d, ask.Script)
	return environment.SpecInput{
		Report: ask.Report, Decision: d, Candidate: cand, Date: asOf, Python: python, Subject: c.Subject,
		With: append(append([]string(nil), c.With...), ask.With...), Now: now(),
	}, err
}

// scriptOf is the script whose imports count: the agent's, else the reporter's,
// else none.
func scriptOf(rep *report.Report, d *triage.Decision, script string) (*candidate.Candidate, error) {
	if script != "" {
		return candidate.FromAgent(script, ""), nil
	}
	c, err := candidate.FromReport(rep, d)
	if errors.Is(err, candidate.ErrNoBlocks) {
		return &candidate.Candidate{}, nil
	}
	return c, err
}

// Search implements mcp.Searcher.
func (w *agentServices) Search(ctx context.Context, ask mcp.CodeAsk, tell mcp.Tell) (*codebase.CodeContext, error) {
	p, err := codeProject(ask)
	if err != nil {
		return nil, err
	}
	cache, err := system.CacheDir()
	if err != nil {
		return nil, err
	}
	m, err := modelFlags{}.wire(ctx, w.s, cache)
	if err != nil {
		return nil, err
	}
	o := codebase.Options{
		Dir: p.index, Project: p.name, Log: logger(w.s.err, w.c.Verbose), Notices: p.notices,
		Progress: func(e codebase.Progress) { tell(e.Stage + ": under way") },
	}
	m.options(&o)
	x, err := codebase.Open(ctx, p.tree, o)
	var found *codebase.CodeContext
	if err == nil {
		found, err = x.Context(ctx, ask.Query, codebase.ContextOptions{Budget: ask.Budget})
	}
	if x != nil {
		err = errors.Join(err, x.Close())
	}
	err = errors.Join(err, m.close())
	if errors.Is(err, codebase.ErrNoPython) {
		return nil, usage("there is no Python to search in %s: name a folder of source as dir, or an environment_id", p.name)
	}
	return found, err
}

// codeProject is the source that is searched.
func codeProject(ask mcp.CodeAsk) (*project, error) {
	if ask.Env == nil {
		return folderProject(ask.Dir)
	}
	in, err := ask.Env.Installed(ask.Package)
	if err != nil {
		return nil, fmt.Errorf("find the source of %s: %w", ask.Package, err)
	}
	if len(in.Tops) == 0 {
		return nil, usage("%s is not installed in that environment, or has no Python source", ask.Package)
	}
	tree, err := pysource.Installed(in.SitePackages, in.Tops)
	if err != nil {
		return nil, err
	}
	return newProject(fmt.Sprintf("%s %s as installed", in.Name, in.Version), tree, "installed", ask.Env.Lock.Hash, ask.Package)
}
