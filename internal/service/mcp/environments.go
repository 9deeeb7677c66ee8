package mcp

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/repgen/repgen/internal/environment"
)

// kept is an environment of this session.
type kept struct {
	id     string
	opened *Opened
	users  int // runs that are in it now
}

// keep holds an environment for later calls. One that is there already takes
// the new one's place, and the least recently used idle one makes room.
func (s *session) keep(o *Opened) string {
	hash := o.Env.Lock.Hash
	id := "env-" + hash[:min(len(hash), 16)]
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, k := range s.envs {
		if k.id == id {
			o.Env.Release() // the one at hand is as good
			s.envs = append(slices.Delete(s.envs, i, i+1), k)
			return id
		}
	}
	s.envs = append(s.envs, &kept{id: id, opened: o})
	if len(s.envs) > maxEnvironments {
		if i := slices.IndexFunc(s.envs, func(k *kept) bool { return k.users == 0 }); i >= 0 {
			s.envs[i].opened.Env.Release()
			s.envs = slices.Delete(s.envs, i, i+1)
		}
	}
	return id
}

// use finds an environment and keeps it until done is called.
func (s *session) use(id string) (o *Opened, done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.envs, func(k *kept) bool { return k.id == id })
	if i < 0 {
		return nil, nil, refuse("call solve_environment; it gives the environment_id", "%s is no environment of this session", line(id, maxLine))
	}
	k := s.envs[i]
	s.envs = append(slices.Delete(s.envs, i, i+1), k)
	k.users++
	return k.opened, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		k.users--
	}, nil
}

// releaseAll lets the store trim every environment again.
func (s *session) releaseAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.envs {
		k.opened.Env.Release()
	}
	s.envs = nil
}

// What a client's words about an environment must look like. They never reach a
// shell; the form keeps options and paths out of the resolver's input.
var (
	pythonForm  = regexp.MustCompile(`^[0-9]+\.[0-9]+(\.[0-9]+)?$`)
	requireForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9,._ -]*\])?( *(===|==|~=|!=|<=|>=|<|>) *[A-Za-z0-9.*+!_-]+( *, *(==|~=|!=|<=|>=|<|>) *[A-Za-z0-9.*+!_-]+)*)?$`)
)

// check refuses words that are no wishes about an environment.
func (in *SolveIn) check() error {
	if in.Python != "" && !pythonForm.MatchString(in.Python) {
		return refuse("write X.Y, such as 3.11", "python %q is no version", line(in.Python, maxLine))
	}
	if in.Date != "" {
		if _, err := time.Parse(time.DateOnly, in.Date); err != nil {
			return refuse("write YYYY-MM-DD", "date %q is no day", line(in.Date, maxLine))
		}
	}
	if len(in.With) > maxWith {
		return refuse("name only what is needed", "%d requirements; at most %d are taken", len(in.With), maxWith)
	}
	for _, w := range in.With {
		if !requireForm.MatchString(w) {
			return refuse("write NAME or NAME==VERSION: no URL, no path, no option", "%q is no requirement", line(w, maxLine))
		}
	}
	if in.Script != "" {
		return checkScript(in.Script)
	}
	return nil
}

// solve serves solve_environment.
func (s *session) solve(ctx context.Context, req *sdk.CallToolRequest, in SolveIn) (*sdk.CallToolResult, SolveOut, error) {
	if err := in.check(); err != nil {
		return nil, SolveOut{}, err
	}
	h, err := s.resolve(ctx, in.ReportRef)
	if err != nil {
		return nil, SolveOut{}, s.fail(err)
	}
	ask := EnvironmentAsk{Report: h.report, Script: in.Script, Python: in.Python, Date: in.Date, With: in.With}
	run, result, err := s.long(ctx, req, task{Waiting: in.Waiting, tool: toolSolve, do: func(ctx context.Context, tell Tell) (any, error) {
		opened, un, err := s.opts.Environments.Open(ctx, ask, tell)
		if err != nil {
			return nil, err
		}
		return s.environmentOut(opened, un), nil
	}})
	if err != nil {
		return nil, SolveOut{}, err
	}
	return nil, SolveOut{Run: run, Environment: typed[EnvironmentOut](result)}, nil
}

// maxPackages of an environment are listed.
const maxPackages = 150

func (s *session) environmentOut(o *Opened, un *environment.Unavailable) *EnvironmentOut {
	if un != nil {
		p := clean(Problem{What: "the environment cannot be had here", Why: un.Why, Next: un.Next})
		return &EnvironmentOut{Unavailable: &p, Notice: untrusted}
	}
	id := s.keep(o)
	l := &o.Env.Lock
	day, source := l.Day(o.Spec)
	out := &EnvironmentOut{
		EnvironmentID: id, Python: l.Python, AsOf: fmt.Sprintf("%s (%s)", day.UTC().Format(time.DateOnly), source),
		Index: line(l.Index, maxLine), Subject: o.Spec.Subject, Certified: o.Certificate.OK, Certificate: line(o.Certificate.Why, maxWords), Notice: untrusted,
	}
	var packages []string
	for _, p := range l.Packages {
		packages = append(packages, p.Name+"=="+p.Version)
	}
	out.Packages = lines(packages, maxPackages, maxLine)
	out.Edits = lines(append(slices.Clone(o.Spec.Edits), l.Edits...), maxListed, maxLine)
	return out
}
