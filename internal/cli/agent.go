package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/repgen/repgen/internal/agent"
	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/system/inert"
)

// The model's files in a run folder.
const (
	recordsFolder    = "llm"
	trajectoryFile   = "trajectory.jsonl"
	explanationTrace = "explanation.jsonl"
)

// author is the language model with the agent around it, wired for one run
// after another; it is safe for concurrent runs in folders of their own.
type author struct {
	s    streams
	show show
}

// Write implements pipeline.Author.
func (a *author) Write(ctx context.Context, d pipeline.Desk, in agent.Input) (*agent.Result, error) {
	if in.Budget.Model == (llm.Limit{}) {
		in.Budget.Model = agent.DefaultBudget().Model
	}
	m, err := a.model(ctx, d, in.Budget)
	if err != nil {
		return notWired(in, err), nil
	}
	tellNotes(d, m.Notes)
	fit(&in.Budget, m.ContextTokens)
	rec := trace.New(filepath.Join(d.Dir, trajectoryFile))
	finder := &finder{author: a, desk: d, report: in.Report, subjects: in.Decision.Subjects}
	ag := &agent.Agent{
		Model: m.shown(d.Live), Meter: m.Meter, Prover: d.Prover, Workshop: d.Workshop, Contexts: finder.find, Sandbox: d.Sandbox,
		Trace: rec, Progress: d.Progress, Log: logger(a.s.err, a.show.Verbose),
	}
	res, err := ag.Run(ctx, in)
	if cerr := rec.Close(); cerr != nil {
		// The trajectory is for people: without it the verdict is the same.
		logger(a.s.err, a.show.Verbose).Warn("keep the trajectory", "error", cerr)
	}
	return res, errors.Join(err, finder.close())
}

// model wires the model of a run: its answers are kept in the run folder, and
// those that are there are not asked for again.
func (a *author) model(ctx context.Context, d pipeline.Desk, b agent.Budget) (*wiredModel, error) {
	m, err := wireModel(ctx, a.s, llmFlags{LLM: d.Model}, llmUse{Record: filepath.Join(d.Dir, recordsFolder), Limit: b.Model, Tell: d.Progress})
	if err != nil {
		return nil, err
	}
	if m == nil || m.Model == nil {
		return nil, fmt.Errorf("ask the language model: %s names none", d.Model)
	}
	return m, nil
}

// notWired is the ending where there is no model to ask: it was there when the
// run began, so that this is a fault of its own, not of the command line.
func notWired(in agent.Input, err error) *agent.Result {
	problem, _ := explain(err)
	return &agent.Result{Ending: agent.ModelFailed, Why: []string{problem.What}, Failure: &problem, Strategy: in.Strategy, Without: in.Without}
}

func tellNotes(d pipeline.Desk, notes []string) {
	for _, n := range notes {
		d.Progress(n)
	}
}

// fit caps prompts for a model that reads less than the default.
func fit(b *agent.Budget, window int) {
	if window <= 0 {
		return
	}
	def := agent.DefaultBudget()
	answer, prompt := b.Answer, b.Prompt
	if answer <= 0 {
		answer = def.Answer
	}
	if prompt <= 0 {
		prompt = def.Prompt
	}
	// An answer may take a third of the window at most, the prompt what is left
	// without a tenth, since both are estimates (guesses).
	answer = min(answer, window/3)
	b.Answer, b.Prompt = answer, min(prompt, (window-answer)*9/10)
}

// shown is the wired model that tells what is being written.
func (m *wiredModel) shown(live func(string)) llm.Model {
	return &shownModel{Model: m.Model, live: live, temperature: m.Temperature}
}

// shownModel shows a model's answer while it comes, and asks at the temperature of the
// user's configuration where the caller wants none of its own.
type shownModel struct {
	llm.Model
	live        func(string)
	temperature *float64
}

// Complete implements llm.Model.
func (t *shownModel) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	if r.Temperature == nil {
		r.Temperature = t.temperature
	}
	if t.live == nil {
		return t.Model.Complete(ctx, r)
	}
	ask := r.OnText
	view := &tail{purpose: r.Purpose, tell: t.live}
	r.OnText = func(piece string) {
		if ask != nil {
			ask(piece)
		}
		view.add(piece)
	}
	return t.Model.Complete(ctx, r)
}

// tail is the last line of what a model writes, told a few times a second.
type tail struct {
	purpose string
	tell    func(string)
	mu      sync.Mutex
	line    string
	bytes   int
	last    time.Time
}

// maxTail is how much of a line is shown.
const maxTail = 60

func (t *tail) add(piece string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bytes += len(piece)
	t.line += piece
	if i := strings.LastIndexByte(strings.TrimRight(t.line, "\n"), '\n'); i >= 0 {
		t.line = t.line[i+1:]
	}
	if n := len(t.line); n > 4*maxTail {
		t.line = t.line[n-4*maxTail:]
	}
	if now := time.Now(); now.Sub(t.last) >= liveEvery {
		t.last = now
		line := []rune(inert.Line(t.line))
		if len(line) > maxTail {
			line = line[len(line)-maxTail:]
		}
		t.tell(fmt.Sprintf("%s (%d bytes): %s", t.purpose, t.bytes, string(line)))
	}
}
