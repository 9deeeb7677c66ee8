package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/repgen/repgen/internal/agent"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/triage"
)

// triage are the user's words for triage. A model's script that a person edited
// is judged as the run with the model would have, though no model is asked.
func (r *Request) triage() triage.Options {
	return triage.Options{Subject: r.Subject, Good: r.Good, Script: r.Script != "", HasModel: r.hasModel() || r.Edited != nil}
}

// runsOwn says that the script that is there is run before any model is asked:
// a given one always, the reporter's where it is complete and no other order is
// asked for.
func (r *Run) runsOwn() bool {
	switch {
	case r.Candidate == nil:
		return false
	case r.Request.Script != "" || !r.Request.hasModel():
		return true
	case r.Request.strategy() != agent.Auto:
		return false
	}
	alone := r.Request.triage()
	alone.HasModel = false
	return triage.Decide(r.Request.Report, alone).Route == triage.Attempt
}

// wantsAuthor says that another script could better the ending. Where the
// environment, the hardware or the report itself is the reason, none could.
func (r *Run) wantsAuthor() bool {
	if !r.Request.hasModel() || r.Request.Script != "" {
		return false
	}
	if r.Outcome == nil {
		return true
	}
	if r.Outcome.Unavailable != nil || proved(r.Outcome) {
		return false
	}
	switch r.Outcome.Verdict.Headline {
	case oracle.NotABug, oracle.NeedsHardware, oracle.Hostile, oracle.EnvUnavailable:
		return false
	}
	return true
}

// proved says that an outcome is a claim with a control: grade A, B or C.
func proved(o *proof.Outcome) bool {
	return o != nil && o.Unavailable == nil && proof.Positive(o.Verdict.Headline) && o.Verdict.Grade != "" && o.Verdict.Grade <= "C"
}

// errNoAuthor is a defect of the wiring.
var errNoAuthor = errors.New("ask the language model: none is wired")

// keptAgent is an agent's result with its outcome, which its own JSON leaves
// out, and the executions of that.
type keptAgent struct {
	Result *agent.Result `json:"result"`
	Kept   *keptOutcome  `json:"outcome,omitempty"`
	Wall   float64       `json:"wall_s"`
}

// agentStage keeps what the language model reached.
const agentStage = "05-agent"

// author asks the language model for scripts and takes the better ending.
func (p *Pipeline) author(ctx context.Context, f *folder, w *watcher, r *Run, ws *workshop) error {
	if p.Author == nil {
		return errNoAuthor
	}
	q := r.Request
	in := agent.Input{
		Report: q.Report, Decision: r.Decision, Own: r.Outcome, OwnScript: r.Candidate, Strategy: q.strategy(),
		Without: q.Without, Budget: q.AgentBudget, Runs: q.Runs, Limits: q.Limits, QuoteOnly: q.QuoteOnly,
	}
	question := []any{q.Model, r.Decision, r.Candidate, ownHeadline(r.Outcome), in.Strategy, in.Without, in.Budget, in.Runs, in.Limits, in.QuoteOnly, q.With, q.Date, q.Python, q.Project}
	w.start(StageAgent, q.Model+dot+string(in.Strategy))
	// A model that failed may answer the next time: that ending is not kept.
	final := func(k *keptAgent) bool {
		return k.Result != nil && k.Result.Ending != agent.ModelFailed && (k.Kept == nil || k.Kept.stands())
	}
	kept, err := stageIf(f, agentStage, question, final, func() (*keptAgent, error) {
		in.Budget.Wall = p.left(in.Budget.Wall, r.began)
		began := p.now()
		res, err := p.Author.Write(ctx, p.desk(f, w, r, ws), in)
		if err != nil {
			return nil, err
		}
		k := &keptAgent{Result: res, Wall: p.now().Sub(began).Seconds()}
		if res.Outcome != nil {
			k.Kept = keep(res.Outcome)
		}
		return k, nil
	})
	if err != nil {
		return fmt.Errorf("look for a script with the language model: %w", err)
	}
	if kept.Kept != nil {
		kept.Result.Outcome = kept.Kept.restore()
	}
	r.Agent, r.agentWall = kept.Result, kept.Wall
	if err := keepScript(f, r.Agent); err != nil {
		return err
	}
	w.done(StageAgent, agentLine(r.Agent))
	r.take()
	if r.byAgent {
		w.outcome(r.Outcome)
	}
	return nil
}

// left is what remains of a wall budget since the run began; below zero says
// that nothing does, since zero is the default.
func (p *Pipeline) left(wall time.Duration, began time.Time) time.Duration {
	if wall <= 0 {
		return wall
	}
	if rest := wall - p.now().Sub(began); rest > 0 {
		return rest
	}
	return -1
}

func ownHeadline(o *proof.Outcome) string {
	if o == nil {
		return ""
	}
	return string(o.Verdict.Headline) + " " + string(o.Verdict.Grade)
}

func (p *Pipeline) desk(f *folder, w *watcher, r *Run, ws *workshop) Desk {
	d := Desk{
		Dir: f.files.Dir, Model: r.Request.Model, Project: r.Request.Project, Sandbox: p.Sandbox,
		Progress: func(text string) { w.progress(StageAgent, text) },
		Live:     func(text string) { w.live(StageAgent, text) },
	}
	if ws != nil {
		d.Prover, d.Workshop = ws.pr, ws
	}
	return d
}

// explain asks for the model's words on a verdict that was proved, unless they
// came with the script.
func (p *Pipeline) explain(ctx context.Context, f *folder, w *watcher, r *Run) error {
	q := r.Request
	if !q.hasModel() || q.NoExplain || p.Author == nil || !proved(r.Outcome) || r.byAgent && r.Agent.Explanation != "" {
		return nil
	}
	in := Proved{Report: q.Report, Decision: r.Decision, Candidate: r.Candidate, Outcome: r.Outcome, Budget: q.AgentBudget}
	if r.Agent != nil {
		in.Spent = r.Agent.Totals
	}
	w.start(StageAgent, "explaining the verdict")
	final := func(e Explanation) bool { return e.Text != "" }
	e, err := stageIf(f, "05-explanation", []any{q.Model, r.Candidate, r.Outcome.Verdict}, final, func() (Explanation, error) {
		return p.Author.Explain(ctx, p.desk(f, w, r, nil), in)
	})
	if err != nil {
		return fmt.Errorf("explain the verdict with the language model: %w", err)
	}
	r.Explanation = &e
	return nil
}
