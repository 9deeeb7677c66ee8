package agent

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/agent/agenttest"
	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/sandbox"
)

var update = flag.Bool("update", false, "write the goldens anew")

// mute is a sandbox in which nothing answers, so that the stages that ask the
// environment have nothing to object.
type mute struct{}

func (mute) Run(ctx context.Context, c sandbox.Command, l sandbox.Limits) (sandbox.Execution, error) {
	return sandbox.Execution{Label: c.Label, Outcome: sandbox.Exited, WallSeconds: 0.5, Limits: l}, ctx.Err()
}

func (mute) Layers(context.Context) ([]sandbox.Layer, error) { return nil, nil }

const silentReport = `# np.clip keeps NaN out of the bounds

I call np.clip on a row and the result is larger than the bound.

` + "```python\nimport numpy as np\nrow = np.array([1.0, 9.0])\nout = np.clip(row, 0.0, 2.0)\n```" + `

The maximum of the result is 9.0, it should be 2.0 at most.
`

// answers are a model that keeps to what it is asked for.
func answers(script string) map[string]llmtest.Reply {
	return map[string]llmtest.Reply{
		"restructure": llmtest.Text(`{"title":"clip","observed":[{"text":"","quote":"The maximum of the result is 9.0"}],"expected":[{"text":"","quote":"it should be 2.0 at most"}],"steps":[],"environment":[],"parameters":[]}`),
		"propose": llmtest.Text(`{"observations":[{"name":"top","type":"number","means":"the maximum"}],"bad":"top == 9.0","good":"top <= 2.0",
			"bad_quote":"The maximum of the result is 9.0","good_quote":"it should be 2.0 at most"}`),
		"plan":     llmtest.Text(`{"steps":[{"do":"clip a row","values":"[1.0, 9.0]","shows":"9.0"}],"names":["numpy.clip"],"trigger":"the bound","resources":"none"}`),
		"generate": llmtest.Text(script),
	}
}

const clipScript = "Here it is:\n```python\n# trigger: the bound\nimport numpy as np\n\nbound = None\nif not control:\n    bound = 2.0\nout = np.clip(np.array([1.0, 9.0]), 0.0, bound)\nobserve(\"top\", out.max())\n```\n"

// seer shows the symptom for every script, with a clean control.
type seer struct{ fakeProver }

func (p *seer) Try(_ context.Context, in proof.Input) (*proof.Trial, error) {
	p.tried = append(p.tried, in)
	return &proof.Trial{
		Judgement:        oracle.Judgement{Finding: oracle.Hit},
		ControlJudgement: &oracle.Judgement{Finding: oracle.Clean}, Sandbox: 2,
	}, nil
}

func (p *seer) Prove(_ context.Context, in proof.Input) (*proof.Outcome, error) {
	p.proved = append(p.proved, in)
	return &proof.Outcome{Sandbox: 20, Verdict: oracle.Verdict{Headline: oracle.Fixed, Grade: "B"}}, nil
}

// nothingNamed: no environment is there to ask before a script is.
var nothingNamed = &environment.Unavailable{Why: "the report names no package"}

// roomy is an agent with its real rooms over a report of a silent symptom.
func roomy(t *testing.T, m llm.Model, p Prover) (*Agent, Input, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trajectory.jsonl")
	a := &Agent{Model: m, Prover: p, Workshop: &fakeWorkshop{spec: nothingNamed}, Sandbox: mute{}, Trace: trace.New(path)}
	s := set(t, nil)
	s.silent()
	in := s.in
	in.Report = agenttest.Report(silentReport)
	return a, in, path
}

func TestRealRooms(t *testing.T) {
	for _, strategy := range Strategies {
		t.Run(string(strategy), func(t *testing.T) {
			dir := t.TempDir()
			scripted := llmtest.Scripted(answers(clipScript))
			p := &seer{}
			a, in, path := roomy(t, llm.NewMeter(llm.Recorded(scripted, dir), llm.Prices{}, DefaultBudget().Model), p)
			in.Strategy, in.Budget.Samples = strategy, 1
			out, err := a.Run(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}
			wantEnding(t, out, Proved)
			if out.Candidate == nil || !strings.Contains(out.Candidate.Script, "observe(\"top\", out.max())") || !out.Candidate.HasControl || out.Candidate.Trigger != "the bound" {
				t.Errorf("the candidate: %+v", out.Candidate)
			}
			baseline := strategy == ZeroShot || strategy == FewShot || strategy == CoT
			if e := out.Decision.Expectation; (e.Oracle == oracle.OracleObserved) == baseline {
				t.Errorf("judged by %s", e.Oracle)
			}
			if err := a.Trace.Close(); err != nil {
				t.Fatal(err)
			}
			spans, err := trace.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			checkCosts(t, spans, out)
			golden(t, filepath.Join("testdata", "trajectory-"+string(strategy)+".txt"), outline(spans))
			replayed(t, dir, strategy, out)
		})
	}
}

// checkCosts: the trajectory holds every token and every second of the result.
func checkCosts(t *testing.T, spans []trace.Span, out *Result) {
	t.Helper()
	var sum trace.Cost
	for _, c := range trace.Totals(spans) {
		sum.InputTokens += c.InputTokens
		sum.OutputTokens += c.OutputTokens
		sum.Calls += c.Calls
		sum.Sandbox += c.Sandbox
	}
	if sum.InputTokens != out.Totals.InputTokens || sum.OutputTokens != out.Totals.OutputTokens || sum.Calls != out.Totals.Calls {
		t.Errorf("the trajectory costs %+v, the result %+v", sum, out.Totals)
	}
	// The checks' own executions are in the result and in no span of a run.
	if sum.Sandbox != 22 || out.Sandbox < 22 {
		t.Errorf("sandbox %.1f s in the trajectory, %.1f s in the result", sum.Sandbox, out.Sandbox)
	}
}

// replayed: the records alone give the same again, and nobody is asked.
func replayed(t *testing.T, dir string, strategy Strategy, want *Result) {
	t.Helper()
	m, err := llm.Replay(dir)
	if err != nil {
		t.Fatal(err)
	}
	a, in, _ := roomy(t, llm.NewMeter(m, llm.Prices{}, DefaultBudget().Model), &seer{})
	in.Strategy, in.Budget.Samples = strategy, 1
	got, err := a.Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	if got.Ending != want.Ending || got.Totals.InputTokens != want.Totals.InputTokens || len(got.Attempts) != len(want.Attempts) {
		t.Errorf("replayed to %s with %+v, recorded %s with %+v", got.Ending, got.Totals, want.Ending, want.Totals)
	}
}

// outline is a trajectory without times and sizes.
func outline(spans []trace.Span) string {
	depth := map[int]int{}
	var out strings.Builder
	for _, s := range spans {
		if s.Parent != 0 {
			depth[s.ID] = depth[s.Parent] + 1
		}
		text := s.Text
		if s.Call != nil {
			text = s.Call.Template
		}
		_, _ = fmt.Fprintf(&out, "%s%s %s: %s\n", strings.Repeat("  ", depth[s.ID]), s.Kind, s.Name, text)
	}
	return out.String()
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s (write it anew with -update):\n%s", path, got)
	}
}

// TestUselessAnswers: each kind of answer that is no script ends honestly, with
// every call booked, and never as a proof.
func TestUselessAnswers(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "prose": "I cannot help with that.", "broken": "```python\nimport numpy as np\nnp.clip(", "other language": "```javascript\nconsole.log(1)\n```",
		"a megabyte": "```python\n" + strings.Repeat("x = 1\n", 1<<18) + "```", "json": `{"script": 1`,
	} {
		t.Run(name, func(t *testing.T) {
			scripted := llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Text(text)})
			p := &seer{}
			a, in, _ := roomy(t, scripted, p)
			defer func() { _ = a.Trace.Close() }()
			out, err := a.Run(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}
			if out.Ending != DeadEnd && out.Ending != BudgetEnded || out.Outcome != nil || len(p.tried) != 0 {
				t.Errorf("%s: %v after %d trials", out.Ending, out.Why, len(p.tried))
			}
			if out.Totals.Calls != len(scripted.Asked()) || name != "a megabyte" && out.Totals.Unparsed == 0 {
				t.Errorf("%d calls, booked %+v", len(scripted.Asked()), out.Totals)
			}
		})
	}
}
