package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/report"
)

// installedProject is the subject of a report as it is installed in the report's
// environment, which is built for it. release lets the environment be trimmed
// again.
func installedProject(ctx context.Context, s streams, c *envCmd, rep *report.Report, progress *output.Progress) (p *project, release func(), un *environment.Unavailable, err error) {
	sv, err := wireServices(ctx, s, c.place, c.show, progress.Event)
	if err != nil {
		return nil, nil, nil, err
	}
	// Nothing of it is run here, so that a machine without isolation can search.
	sv.envs.isolation = nil
	v, env, err := c.build(ctx, sv, rep, progress)
	if err != nil || v.Unavailable != nil {
		return nil, nil, v.unavailable(), err
	}
	subject := v.Spec.Subject
	if subject == "" {
		env.Release()
		return nil, nil, &environment.Unavailable{Why: "the report does not say which package it is about", Next: "name the package with --subject NAME"}, nil
	}
	p, why, err := builtProject(env, subject)
	if err != nil || p == nil {
		env.Release()
		if err == nil {
			un = &environment.Unavailable{Why: why, Next: "name the package with --subject NAME"}
		}
		return nil, nil, un, err
	}
	p.notices = otherSource(v.Spec, v.Lock, p.version)
	return p, env.Release, nil, nil
}

// otherSource says why the release that is searched may not be the reporter's:
// nothing named one, or the environment could only be had otherwise. A search
// through other source finds places that the report's frames do not fit.
func otherSource(s environment.Spec, l *environment.Lock, version string) []string {
	asked := ""
	if i := slices.IndexFunc(s.Requirements, func(r environment.Requirement) bool { return r.Name == s.Subject }); i >= 0 {
		asked = s.Requirements[i].Spec
	}
	const day = time.DateOnly
	switch {
	case asked != "" && !pydist.Match(asked, version):
		return []string{fmt.Sprintf("the report asks for %s%s, and %s is what could be installed: repgen env explain says why", s.Subject, asked, version)}
	case asked != "":
		return nil
	case s.AsOfSource == "now":
		return []string{fmt.Sprintf("the report names no version of %s and no day, so that its newest release is searched: --date DAY takes an older one", s.Subject)}
	case l.AsOf.After(s.AsOf):
		return []string{fmt.Sprintf("the environment is as of %s instead of %s, so that %s %s may be younger than the report: repgen env explain says why", l.AsOf.UTC().Format(day), s.AsOf.UTC().Format(day), s.Subject, version)}
	}
	return nil
}

// unavailable is that of a view, which may be nil beside an error.
func (v *environmentView) unavailable() *environment.Unavailable {
	if v == nil {
		return nil
	}
	return v.Unavailable
}
