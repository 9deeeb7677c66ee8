package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

type envCmd struct {
	Report  string `arg:"" help:"The report: a file, - for standard input, an issue's URL or owner/repo#N."`
	NoBuild bool   `help:"Only solve, build nothing."`
	wishes  `embed:""`
	place   `embed:""`
	show    `embed:""`
}

// environmentView is the JSON object of env.
type environmentView struct {
	Spec        environment.Spec         `json:"spec"`
	Lock        *environment.Lock        `json:"lock"`
	Certified   *bool                    `json:"certified"`
	Certificate string                   `json:"certificate,omitempty"`
	Unavailable *environment.Unavailable `json:"unavailable"`
}

// Run solves and builds the environment of a report.
func (c *envCmd) Run(ctx context.Context, s streams) error {
	if err := errors.Join(c.wishes.check(), c.place.check()); err != nil {
		return c.failAlone(s, err)
	}
	v, err := c.solve(ctx, s)
	if err != nil {
		return c.failAlone(s, err)
	}
	if c.JSON {
		if err := output.JSON(s.out, v); err != nil {
			return err
		}
	} else {
		c.tell(s, v)
	}
	if v.Unavailable != nil || v.Certified != nil && !*v.Certified {
		return exit{exitNothing}
	}
	return nil
}

func (c *envCmd) solve(ctx context.Context, s streams) (*environmentView, error) {
	rep, err := readReport(ctx, c.Report, s)
	if err != nil {
		return nil, err
	}
	progress := c.progress(s)
	defer progress.Close()
	sv, err := wireServices(ctx, s, c.place, c.show, progress.Event)
	if err != nil {
		return nil, err
	}
	if c.NoBuild {
		sv.envs.isolation = nil
	}
	v, env, err := c.build(ctx, sv, rep, progress)
	if err != nil || env == nil {
		return v, err
	}
	cert, err := sv.envs.Certify(ctx, env, v.Spec)
	if err != nil {
		return v, err
	}
	v.Certified, v.Certificate = &cert.OK, cert.Why
	return v, nil
}

// build solves the environment of a report and builds it. The Environment is
// nil when it is unavailable, or not to be built.
func (c *envCmd) build(ctx context.Context, sv *services, rep *report.Report, progress *output.Progress) (*environmentView, *environment.Environment, error) {
	date, err := day(c.Date)
	if err != nil {
		return nil, nil, err
	}
	d := triage.Decide(rep, triage.Options{Subject: c.Subject, HasModel: true})
	cand, err := candidate.FromReport(rep, d)
	if errors.Is(err, candidate.ErrNoBlocks) {
		// Without a script the versions that the report names are all there is.
		cand, err = &candidate.Candidate{}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	v := &environmentView{}
	in := environment.SpecInput{Report: rep, Decision: d, Candidate: cand, Date: date, Python: c.Python, Subject: c.Subject, With: c.With, Now: now()}
	if v.Spec, v.Unavailable, err = sv.envs.Spec(ctx, in); err != nil || v.Unavailable != nil {
		return v, nil, err
	}
	progress.Event(pipeline.Event{Time: now(), Stage: pipeline.StageEnvironment, State: "start", Text: "solving"})
	if v.Lock, v.Unavailable, err = sv.envs.Solve(ctx, v.Spec); err != nil || v.Unavailable != nil || c.NoBuild {
		return v, nil, err
	}
	env, un, err := sv.envs.Build(ctx, v.Lock)
	v.Unavailable = un
	return v, env, err
}

// headline is the one line of --quiet.
func (v *environmentView) headline() string {
	switch {
	case v.Unavailable != nil:
		return "env_unavailable"
	case v.Certified == nil:
		return "solved"
	case *v.Certified:
		return "certified"
	}
	return "not certified"
}

func (c *envCmd) tell(s streams, v *environmentView) {
	if c.Quiet {
		_, _ = fmt.Fprintln(s.out, v.headline())
		return
	}
	st := style(s.out)
	line := func(name, text string) { _, _ = fmt.Fprintln(s.out, output.StageLine(name, text, st)) }
	line("as of", fmt.Sprintf("%s (%s)", v.Spec.AsOf.UTC().Format(asOfForm), v.Spec.AsOfSource))
	if v.Unavailable != nil {
		line("unavailable", v.Unavailable.Why)
		for _, r := range v.Unavailable.Rungs {
			line(fmt.Sprintf("rung %d", r.Number), r.Name+": "+r.Result+" "+r.Detail)
		}
		if v.Unavailable.Next != "" {
			line("next", v.Unavailable.Next)
		}
		return
	}
	line("python", v.Lock.Python+" ("+v.Spec.PythonSource+")")
	if v.Lock.Index != "" {
		line("index of", v.Lock.Index)
	}
	for _, r := range v.Lock.Rungs {
		line(fmt.Sprintf("rung %d", r.Number), r.Name+": "+r.Result+" "+r.Detail)
	}
	for _, p := range v.Lock.Packages {
		line("package", fmt.Sprintf("%-32s %-10s %s", p.Name+" "+p.Version, p.Word, p.Why))
	}
	for _, e := range append(v.Spec.Edits, v.Lock.Edits...) {
		line("edit", e)
	}
	if v.Certified != nil {
		text := "certified: imports work, versions are the asked ones"
		if !*v.Certified {
			text = "NOT certified: " + v.Certificate
		}
		line("certificate", text)
	}
}
