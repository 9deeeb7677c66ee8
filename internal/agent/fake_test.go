package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/agent/generate"
	"github.com/repgen/repgen/internal/agent/plan"
	"github.com/repgen/repgen/internal/agent/propose"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/agent/validate"
	"github.com/repgen/repgen/internal/agent/veto"
	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/triage"
)

// Scripts say by the calls in them what the fake prover finds.
const (
	nothing  = "import numpy as np\nnp.quiet()\n"
	hit      = "import numpy as np\nnp.shows()\n"
	proved   = "import numpy as np\nnp.shows()\nnp.clean()\nnp.grade_b()\n"
	lead     = "import numpy as np\nnp.shows()\nnp.clean()\n"
	badNames = "import numpy as np\nnp.no_such_name()\n"
	lonely   = "import numpy as np\nnp.shows()\nnp.grade_b()\n" // another release tells, without a control
)

// numbered is a script that differs from others with another number.
func numbered(script string, n int) string { return fmt.Sprintf("%snp.zeros(%d)\n", script, n) }

// fakeWriter asks the model once for each of its parts and takes what comes.
type fakeWriter struct {
	model  llm.Model
	mu     sync.Mutex
	plans  []plan.Input
	asked  []generate.Input
	vetoed []veto.Input
}

func (w *fakeWriter) ask(ctx context.Context, purpose string, sample int, about string) (string, error) {
	r, err := w.model.Complete(ctx, llm.Request{
		Messages:  []llm.Message{{Role: llm.User, Content: purpose + " " + about}},
		MaxTokens: 256, Purpose: purpose, Sample: sample,
	})
	return r.Text, err
}

func (w *fakeWriter) restructure(ctx context.Context, _ *report.Report, _ bool) (task.Report, error) {
	text, err := w.ask(ctx, "restructure", 0, "")
	return task.Report{Title: text}, err
}

func (w *fakeWriter) propose(ctx context.Context, _ propose.Input) (propose.Result, error) {
	text, err := w.ask(ctx, "propose", 0, "")
	if err != nil || text == "" {
		return propose.Result{Why: []string{"vacuous"}}, err
	}
	o := &oracle.Observed{Names: []oracle.ObservedName{{Name: "x", Type: "number"}}, Bad: text, Good: "!(" + text + ")"}
	return propose.Result{Proposal: &task.Proposal{Observations: []task.Observation{{Name: "x", Type: "number"}}, Bad: text}, Observed: o}, nil
}

func (w *fakeWriter) plan(ctx context.Context, in plan.Input) (plan.Result, error) {
	w.mu.Lock()
	w.plans = append(w.plans, in)
	w.mu.Unlock()
	text, err := w.ask(ctx, "plan", 0, fmt.Sprint(len(in.Feedback), in.Previous != nil, module(in.Module)))
	if err != nil || text == "" {
		return plan.Result{Why: []string{"names nothing that exists"}}, err
	}
	return plan.Result{Plan: &task.Plan{Trigger: text}}, nil
}

func (w *fakeWriter) write(ctx context.Context, in generate.Input) (generate.Script, error) {
	w.mu.Lock()
	w.asked = append(w.asked, in)
	w.mu.Unlock()
	var told []string
	for _, a := range in.Attempts {
		told = append(told, a.Script, string(a.Reached))
		for _, f := range a.Feedback {
			told = append(told, f.Text)
		}
	}
	text, err := w.ask(ctx, "generate", in.Sample, string(in.Variant)+module(in.Module)+strings.Join(told, "|"))
	return generate.Script{Body: text, Trigger: "the trigger"}, err
}

func (w *fakeWriter) veto(ctx context.Context, in veto.Input) (bool, string, error) {
	w.mu.Lock()
	w.vetoed = append(w.vetoed, in)
	w.mu.Unlock()
	if strings.Contains(in.Script, "elsewhere()") {
		return true, "it is about something else", nil
	}
	return false, "", ctx.Err()
}

func module(m *codebase.Module) string {
	if m == nil {
		return ""
	}
	return m.Path
}

// fakeChecker finds the one name that does not exist.
type fakeChecker struct {
	err   error
	asked int
	mu    sync.Mutex
}

func (c *fakeChecker) facts(ctx context.Context, _ *environment.Environment, _ []string) (task.Facts, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	return task.Facts{Python: "3.12"}, errors.Join(c.err, ctx.Err())
}

func (c *fakeChecker) check(ctx context.Context, _ *environment.Environment, in validate.Input) ([]task.Feedback, task.Stage, error) {
	switch {
	case c.err != nil:
		return nil, "", c.err
	case strings.Contains(in.Script, "off_topic"):
		return []task.Feedback{{Stage: task.StageRelevance, Severity: task.SeverityError, Text: "not about it", Signature: "off topic"}}, task.StageRelevance, nil
	case strings.Contains(in.Script, "no_such_name"):
		return []task.Feedback{{Stage: task.StageNames, Severity: task.SeverityError, Text: "no such name", Signature: "no_such_name"}}, task.StageNames, nil
	}
	if in.Veto != nil {
		off, reason, err := in.Veto(ctx, in.Script)
		if off || err != nil {
			return []task.Feedback{{Stage: task.StageRelevance, Severity: task.SeverityError, Text: reason, Signature: "veto"}}, task.StageRelevance, err
		}
	}
	return nil, task.StageRefused, ctx.Err()
}

// fakeProver finds in a script what its calls say.
type fakeProver struct {
	mu            sync.Mutex
	tried, proved []proof.Input
	err           error
	sandbox       float64 // of each trial and proof
	gone          *environment.Unavailable
	during        func()
}

func (p *fakeProver) Try(ctx context.Context, in proof.Input) (*proof.Trial, error) {
	p.mu.Lock()
	p.tried = append(p.tried, in)
	p.mu.Unlock()
	if p.during != nil {
		p.during()
	}
	if err := errors.Join(p.err, ctx.Err()); err != nil {
		return nil, err
	}
	t := &proof.Trial{Sandbox: p.sandbox, Unavailable: p.gone}
	script := in.Candidate.Script
	observed := symptom.Symptom{Kind: symptom.Exception, Exception: "ValueError", Message: script}
	t.Judgement = oracle.Judgement{Finding: oracle.Absent}
	if strings.Contains(script, "broken()") {
		t.Judgement = oracle.Judgement{Finding: oracle.Inconclusive, Fault: "missing_library", Detail: "libx.so"}
	}
	if strings.Contains(script, "shows()") {
		t.Judgement = oracle.Judgement{Finding: oracle.Hit, Observed: observed}
	}
	if strings.Contains(script, "clean()") {
		t.ControlJudgement = &oracle.Judgement{Finding: oracle.Clean}
	}
	return t, nil
}

func (p *fakeProver) Prove(ctx context.Context, in proof.Input) (*proof.Outcome, error) {
	p.mu.Lock()
	p.proved = append(p.proved, in)
	p.mu.Unlock()
	if p.during != nil {
		p.during()
	}
	if err := errors.Join(p.err, ctx.Err()); err != nil {
		return nil, err
	}
	o := &proof.Outcome{Sandbox: p.sandbox, Verdict: oracle.Verdict{Headline: oracle.Lead, Grade: "D"}}
	if strings.Contains(in.Candidate.Script, "grade_b()") {
		o.Verdict = oracle.Verdict{Headline: oracle.Reproduced, Grade: "B"}
	}
	return o, nil
}

// fakeWorkshop has every environment but for those that it is told to lack.
type fakeWorkshop struct {
	spec, open *environment.Unavailable
	lacks      string // a module that no environment holds
	err        error
	opened     int
	mu         sync.Mutex
}

func (w *fakeWorkshop) Spec(_ context.Context, c *candidate.Candidate) (environment.Spec, *environment.Unavailable, error) {
	if c == nil {
		return environment.Spec{Imports: []string{"numpy"}}, w.spec, w.err
	}
	for _, name := range c.Imports {
		if name == w.lacks {
			return environment.Spec{}, &environment.Unavailable{Why: "no release of " + name}, w.err
		}
	}
	return environment.Spec{Imports: c.Imports}, nil, w.err
}

func (w *fakeWorkshop) Open(ctx context.Context, _ environment.Spec) (*environment.Environment, *environment.Unavailable, error) {
	w.mu.Lock()
	w.opened++
	w.mu.Unlock()
	return &environment.Environment{Key: "key"}, w.open, ctx.Err()
}

func (w *fakeWorkshop) Tool(context.Context, string) (*environment.Environment, *environment.Unavailable, error) {
	return nil, &environment.Unavailable{Why: "no linter here"}, nil
}

// noSandbox fails whoever uses it.
type noSandbox struct{ t testing.TB }

func (s noSandbox) Run(context.Context, sandbox.Command, sandbox.Limits) (sandbox.Execution, error) {
	s.t.Error("the sandbox was used")
	return sandbox.Execution{}, errors.New("not to be used")
}

func (s noSandbox) Layers(context.Context) ([]sandbox.Layer, error) { return nil, nil }

// stage is everything of one test.
type stageSet struct {
	*Agent
	in       Input
	model    *llmtest.Model
	writer   *fakeWriter
	checker  *fakeChecker
	prover   *fakeProver
	workshop *fakeWorkshop
}

// scripts answer "generate" in turn, the last one for ever; the other parts get
// an answer each.
func scripts(texts ...string) map[string]llmtest.Reply {
	return map[string]llmtest.Reply{
		"restructure": llmtest.Text("in order"), "propose": llmtest.Text("x > 1"),
		"plan": llmtest.Text("the trigger"), "generate": llmtest.Text(texts...),
	}
}

// set is an agent for a report of an exception with a code block.
func set(t testing.TB, by map[string]llmtest.Reply) *stageSet {
	t.Helper()
	s := &stageSet{
		model: llmtest.Scripted(by), writer: &fakeWriter{}, checker: &fakeChecker{},
		prover: &fakeProver{}, workshop: &fakeWorkshop{},
	}
	s.Agent = &Agent{Model: s.model, Prover: s.prover, Workshop: s.workshop, Sandbox: noSandbox{t}}
	s.in = Input{
		Report: &report.Report{Title: "np.quiet raises", Text: "np.quiet raises", Blocks: []report.Block{
			{Kind: report.BlockPython, Text: "np.quiet(x)\n"},
		}},
		Decision: &triage.Decision{Subjects: []string{"numpy"}, Expectation: &oracle.Expectation{
			Oracle: oracle.OracleException, Symptom: symptom.Symptom{Kind: symptom.Exception, Exception: "ValueError"},
			Subject: "numpy", Modules: []string{"numpy"},
		}},
	}
	return s
}

// silent makes the report one of a symptom that does not speak for itself.
func (s *stageSet) silent() {
	s.in.Decision.Expectation = &oracle.Expectation{Oracle: oracle.OracleNonFinite, Subject: "numpy", Symptom: symptom.Symptom{Kind: symptom.NonFinite}}
}

// modules are code contexts of n modules.
func (s *stageSet) modules(n int) {
	s.Contexts = func(context.Context, *environment.Environment, []codebase.Part) (*codebase.CodeContext, error) {
		c := &codebase.CodeContext{Project: "numpy"}
		for i := range n {
			c.Modules = append(c.Modules, codebase.Module{Path: fmt.Sprintf("m%d.py", i+1)})
		}
		return c, nil
	}
}

func (s *stageSet) start(ctx context.Context) (*Result, *run, error) {
	r, err := s.newRun(s.in)
	if err != nil {
		return nil, nil, err
	}
	s.writer.model = r.model
	r.w, r.c = s.writer, s.checker
	out, err := r.result(ctx)
	return out, r, err
}

func (s *stageSet) run(t testing.TB) *Result {
	t.Helper()
	out, _, err := s.start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Why) == 0 || out.Why[0] == "" {
		t.Errorf("an ending (%s) without a reason", out.Ending)
	}
	return out
}

// purposes are the calls that were made, in order, runs of one folded ("plan
// generate*5").
func purposes(m *llmtest.Model) string {
	var out []string
	n := 0
	asked := m.Asked()
	for i, r := range asked {
		n++
		if i+1 < len(asked) && asked[i+1].Purpose == r.Purpose {
			continue
		}
		if n > 1 {
			r.Purpose = fmt.Sprintf("%s*%d", r.Purpose, n)
		}
		out, n = append(out, r.Purpose), 0
	}
	return strings.Join(out, " ")
}

func wantEnding(t *testing.T, got *Result, want Ending) {
	t.Helper()
	if got.Ending != want {
		t.Errorf("ending %q, want %q: %v", got.Ending, want, got.Why)
	}
}

// ticking is a clock that tests move.
type ticking struct {
	mu  sync.Mutex
	now time.Time
}

func newTicking() *ticking { return &ticking{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *ticking) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *ticking) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
