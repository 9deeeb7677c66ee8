package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/agent"
	"github.com/repgen/repgen/internal/bundle"
	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/sandbox"
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
	// Author is asked where a Request names a language model; nil where none does.
	Author Author
	Events func(Event) // may be nil; called from several goroutines
	Now    func() time.Time
	// Version of repgen, written into the bundle.
	Version string
	// Build tells this program from any other: what another one has kept is made
	// again.
	Build string
	// Key of the user's: only what was sealed with it is taken from a folder.
	Key Key
}

// Run is one go of the whole pipeline at one report.
type Run struct {
	Dir       string
	Request   *Request
	Decision  *triage.Decision
	Candidate *candidate.Candidate
	Outcome   *proof.Outcome
	Result    *proof.Result
	// Agent is what the language model reached, nil where none was asked;
	// Explanation is its word on the verdict.
	Agent       *agent.Result
	Explanation *Explanation

	began      time.Time
	steering   []triage.Reason
	byAgent    bool    // Outcome and Candidate are the model's
	ownSandbox float64 // seconds of the own script, where its outcome gave way
	ownStages  map[string]float64
	agentWall  float64
}

// Reproduce takes a report the whole way, in dir. An error is infrastructure
// or cancellation; what was reached stays in the folder.
func (p *Pipeline) Reproduce(ctx context.Context, req *Request, dir string) (*Run, error) {
	began := p.now()
	f, err := p.openFolder(dir, req)
	if err != nil {
		return nil, err
	}
	defer f.close()
	r := &Run{Dir: f.files.Dir, Request: req, began: began}
	w := p.watch(f.files)
	defer w.close()

	w.done(StageReport, reportLine(req))
	if r.Decision, err = p.triage(f, req); err != nil {
		return r, err
	}
	r.steering = r.Decision.Steering
	w.done(StageTriage, triageLine(r.Decision))
	if r.Decision.Route == triage.Attempt {
		if err := p.attempt(ctx, f, w, r); err != nil {
			return r, err
		}
	}
	if err := p.explain(ctx, f, w, r); err != nil {
		return r, err
	}
	return r, p.finish(f, w, r)
}

// attempt runs the stages that need an environment: the reporter's script (or
// the one that is judged), then the language model where there is one and it
// could better the ending.
func (p *Pipeline) attempt(ctx context.Context, f *folder, w *watcher, r *Run) error {
	ws, err := p.workshop(f, w, r)
	if err != nil {
		return err
	}
	defer ws.close()
	if r.Candidate, err = p.candidate(f, r); err != nil && !(errors.Is(err, candidate.ErrNoBlocks) && r.Request.hasModel()) {
		return err
	}
	if r.Request.Script != "" && r.Candidate != nil {
		w.done(StageScript, scriptLine(r.Candidate))
	}
	if r.runsOwn() {
		if err := p.own(ctx, f, w, r, ws); err != nil {
			return err
		}
	}
	if r.wantsAuthor() {
		return p.author(ctx, f, w, r, ws)
	}
	return nil
}

// own judges the script that is there.
func (p *Pipeline) own(ctx context.Context, f *folder, w *watcher, r *Run, ws *workshop) error {
	w.start(StageEnvironment, "choosing versions")
	began := p.now()
	spec, un, err := p.spec(ctx, f, r, ws)
	if err != nil {
		return err
	}
	if un != nil {
		r.Outcome = &proof.Outcome{Spec: spec, Unavailable: un}
		w.done(StageEnvironment, environmentLine(r.Outcome))
		return nil
	}
	chose := p.now().Sub(began).Seconds()
	if r.Outcome, err = p.prove(ctx, f, r, ws, spec); err != nil {
		return err
	}
	if r.Outcome.Stages == nil {
		r.Outcome.Stages = map[string]float64{}
	}
	r.Outcome.Stages[proof.StageChoose] = chose
	if r.Outcome.Candidate != nil {
		r.Candidate = r.Outcome.Candidate // another script of the report, or an edited one
	}
	w.outcome(r.Outcome)
	return nil
}

func (p *Pipeline) triage(f *folder, req *Request) (*triage.Decision, error) {
	opts := req.triage()
	return stage(f, "02-decision", decisionInput(req, opts), func() (*triage.Decision, error) {
		d := triage.Decide(req.Report, opts)
		if e := req.Edited; e != nil && e.Expectation != nil {
			d.Expectation = e.Expectation // what the model's script was judged by
		}
		return d, nil
	})
}

func (p *Pipeline) candidate(f *folder, r *Run) (*candidate.Candidate, error) {
	return stage(f, "03-candidate", []any{r.Decision, r.Request.Report.Text, r.Request.Script}, func() (*candidate.Candidate, error) {
		own, err := candidate.FromReport(r.Request.Report, r.Decision)
		e := r.Request.Edited
		if r.Request.Script == "" || err == nil && (e == nil || !e.NeverOwn) && sameScript(r.Request.Script, own) {
			return own, err
		}
		if e != nil {
			return candidate.FromAgent(r.Request.Script, e.Trigger), nil
		}
		given := candidate.FromScript(r.Request.Script)
		given.WatchFor(r.Decision.Expectation)
		return given, nil
	})
}

// decisionInput is the question that triage answers; runs without a model ask
// it as they always did.
func decisionInput(req *Request, opts triage.Options) []any {
	in := []any{req.Report, opts}
	if req.Edited != nil {
		in = append(in, req.Edited)
	}
	return in
}

// sameScript says that a script given to judge is the reporter's own, so that
// its prints and asserts speak for the reporter. What a bundle puts before it and
// comments at its head make no other script of it, and neither do the ends of lines
// and empty lines around it; anything else may, a blank above all.
func sameScript(given string, own *candidate.Candidate) bool {
	if script, ok := bundle.Script(given); ok {
		given = script
	}
	given = settled(given)
	return given == settled(own.Original) || given == settled(own.Script)
}

// settled is a script without what differs between two copies of it.
func settled(script string) string {
	return strings.TrimRight(headless(strings.ReplaceAll(script, "\r\n", "\n")), " \t\n")
}

// chosen is what the spec stage keeps.
type chosen struct {
	Spec        environment.Spec         `json:"spec"`
	Unavailable *environment.Unavailable `json:"unavailable,omitempty"`
}

func (p *Pipeline) spec(ctx context.Context, f *folder, r *Run, ws *workshop) (environment.Spec, *environment.Unavailable, error) {
	in, un, err := ws.input(ctx, r.Candidate)
	if un != nil || err != nil {
		return environment.Spec{}, un, err
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
func (p *Pipeline) prove(ctx context.Context, f *folder, r *Run, ws *workshop, spec environment.Spec) (*proof.Outcome, error) {
	in := proof.Input{
		Report: r.Request.Report, Decision: r.Decision, Candidate: r.Candidate, Spec: spec,
		Runs: r.Request.Runs, Limits: r.Request.Limits,
	}
	if r.Request.Script == "" && len(r.Decision.Alternatives) > 0 {
		in.Alternatives = candidate.Alternatives(r.Request.Report, r.Decision)
	}
	if r.Request.Budget > 0 {
		in.Deadline = p.now().Add(r.Request.Budget)
	}
	question := []any{r.Decision, r.Candidate, in.Alternatives, spec, in.Runs, in.Limits}
	kept, err := stageIf(f, "05-outcome", question, (*keptOutcome).stands, func() (*keptOutcome, error) {
		o, err := ws.pr.Prove(ctx, in)
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
func (p *Pipeline) finish(f *folder, w *watcher, r *Run) error {
	r.Result = r.view()
	r.Result.Run = &r.Dir
	w.done(StageVerdict, verdictLine(r.Result))
	if r.Candidate != nil && r.Outcome != nil {
		dir, err := bundle.Write(filepath.Join(r.Dir, "bundle"), bundle.Content{
			Report: r.Request.Report, Decision: r.Decision, Candidate: r.Candidate, Outcome: r.Outcome, Result: r.Result, Version: p.Version,
			Wheel: p.wheel,
		})
		if err != nil {
			return fmt.Errorf("write the bundle: %w", err)
		}
		r.Result.Bundle = &dir
		w.done(StageBundle, dir)
	}
	r.Result.Cost.WallSeconds = p.now().Sub(r.began).Seconds()
	data, err := json.MarshalIndent(r.Result, "", "  ")
	if err != nil {
		return fmt.Errorf("keep the result: %w", err)
	}
	data = append(data, '\n')
	// The seal goes first: a kill between the two leaves a result that looks
	// changed, and a run that has not finished can be gone on with.
	if err := errors.Join(f.files.Keep(sealFile, []byte(f.key.Seal("result", f.run, string(data)))), f.files.Write(resultFile, data)); err != nil {
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

const (
	resultFile = "06-result.json"
	sealFile   = ".result"
)
