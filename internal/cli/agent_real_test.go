package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/agent/trace"
)

// wordsReport tells of a failure and holds no script.
const wordsReport = `# total fails when axis is an int

pip install tinynet==1.2 with Python 3.11

Summing the rows of a nested list with axis=0 fails:

` + "```" + `
Traceback (most recent call last):
  File "/home/me/run.py", line 4, in <module>
    tinynet.total([[1, 2], [3, 4]], axis=0)
  File "/home/me/lib/python3.11/site-packages/tinynet/core.py", line 11, in total
    return [sum(row) for row in rows for _ in axis]
TypeError: 'int' object is not iterable
` + "```" + `

I expect the sums of the rows, as with axis=(0,).
`

// axisScript shows it.
const axisScript = `# trigger: axis=0
import tinynet

axis = (0,)
if not control:
    axis = 0
observe("sums", tinynet.total([[1, 2], [3, 4]], axis=axis))
`

// modelRig is a rig with a language model that writes a script.
type modelRig struct {
	*rig
	report string
	t      *testing.T
}

func newModelRig(t *testing.T, script string) *modelRig {
	t.Helper()
	r := newRig(t, newIndex(t, tinyWheels()...))
	source, err := os.ReadFile("testdata/agent/model.py")
	if err != nil {
		t.Fatal(err)
	}
	r.file("model.py", string(source))
	r.file("script.py", script)
	return &modelRig{rig: r, report: r.file("report.md", wordsReport), t: t}
}

// llm is the model's name, behaving in a way.
func (m *modelRig) llm(how string) string {
	return "exec:python3 " + m.path("model.py") + " " + how + " " + m.path("script.py")
}

// calls are what the model was asked for so far.
func (m *modelRig) calls() []string {
	data, err := os.ReadFile(m.path("calls.log"))
	if err != nil {
		return nil
	}
	return strings.Fields(string(data))
}

// A report without a script comes to a proved verdict through a model; the cost
// is right to the token; nothing is asked twice.
func TestAgentProves(t *testing.T) {
	m := newModelRig(t, axisScript)
	e := m.run("reproduce", "--json", "--llm", m.llm("well"), "--out", "run", m.report)
	e.want(t, 0, "fixed", "regression")
	calls := m.calls()
	model := e.result.Model
	if model == nil || !model.Wrote || model.Ending != "proved" || model.Calls != len(calls) || model.Usage.Input != 100*len(calls) || model.Usage.Output != 10*len(calls) {
		t.Fatalf("%v calls, and the result says %+v", calls, model)
	}
	if e.result.Cost.TokensIn != model.Usage.Input || e.result.Cost.SandboxSeconds <= 0 {
		t.Errorf("cost: %+v", e.result.Cost)
	}
	if model.Explanation == "" || !slices.Contains(calls, "explain") {
		t.Errorf("no explanation after %v: %v", calls, model.Why)
	}
	m.run("verify", "--json", "run/bundle").want(t, 0)
	again := m.run("reproduce", "--json", "--resume", "run")
	again.want(t, 0)
	if got := m.calls(); len(got) != len(calls) || verdict(again.result) != verdict(e.result) || again.result.Model.Calls != model.Calls {
		t.Errorf("taken up again: %d calls, then %d; %+v", len(calls), len(got), again.result.Model)
	}
	m.shows("run")
	m.replays("run", verdict(e.result))
}

// silentReport tells of a wrong number, without a script.
const silentReport = `# Wrong sum of two numbers

pip install tinynet==1.2 with Python 3.11

This is a bug: for the numbers 2 and 5 tinynet.add returns 10, which is wrong. I expected that it returns 7 there.
`

// A silent bug is judged by a claim that the model proposed and the report's own
// words anchor; a claim that they do not is at best a lead.
func TestAgentProposes(t *testing.T) {
	m := newModelRig(t, "# trigger: the numbers 2 and 5\nimport tinynet\n\nobserve(\"out\", tinynet.add(2, 5))\n")
	m.file("report.md", silentReport)
	claim := func(bad, good string) {
		m.file("proposal.json", fmt.Sprintf(`{"observations": [{"name": "out", "type": "number", "means": "what add returns"}], "bad": %q, "good": %q,
			"bad_quote": "tinynet.add returns 10", "good_quote": "I expected that it returns 7 there"}`, bad, good))
	}
	claim("out == 10", "out == 7")
	e := m.run("reproduce", "--json", "--no-explain", "--llm", m.llm("well"), "--out", "run", m.report)
	e.want(t, 0, "fixed", "regression")
	if e.result.Symptom.Oracle != "observed" || e.result.Grade > "B" || !e.result.Model.Wrote {
		t.Errorf("judged by %s, grade %s, model %+v", e.result.Symptom.Oracle, e.result.Grade, e.result.Model)
	}
	m.run("verify", "--json", "run/bundle").want(t, 0)
	// The report says nothing of 8 or 3.
	claim("out > 8", "out < 8")
	e = m.run("reproduce", "--json", "--no-explain", "--llm", m.llm("well"), "--out", "loose", m.report)
	e.want(t, 4, "lead", "exhausted")
	t.Logf("a claim of the model's own: %s %v", e.result.Headline, e.result.Reasons)
}

// shows looks at the run as people do.
func (m *modelRig) shows(run string) {
	m.t.Helper()
	e := m.run("show", run)
	e.want(m.t, 0)
	for _, want := range []string{"agent", "trajectory", "generate", "in the model's words", "100 + 10 tokens"} {
		if !strings.Contains(e.out, want) {
			m.t.Errorf("show lacks %q:\n%s", want, e.out)
		}
	}
	m.run("show", "--html", "page.html", run).want(m.t, 0)
	page, err := os.ReadFile(m.path("page.html"))
	if err != nil || !strings.Contains(string(page), "Here it is:") || strings.Contains(string(page), "<script") {
		m.t.Errorf("the page: %v, %d bytes", err, len(page))
	}
	if m.run("show", "--json", run).result.Model == nil {
		m.t.Error("show --json lacks the model")
	}
	if spans, err := trace.Read(m.path(run + "/" + trajectoryFile)); err != nil || len(spans) == 0 {
		m.t.Errorf("the trajectory: %d spans, %v", len(spans), err)
	}
}

// replays goes the same way from the records alone.
func (m *modelRig) replays(run string, want verdictOf) {
	m.t.Helper()
	before := len(m.calls())
	e := m.run("reproduce", "--json", "--llm", "replay:"+m.path(run+"/llm"), "--out", run+"-replayed", m.report)
	e.want(m.t, 0)
	if got := verdict(e.result); got != want || len(m.calls()) != before {
		m.t.Errorf("replayed to %+v with %d calls, recorded %+v", got, len(m.calls())-before, want)
	}
}

// Every strategy comes to an honest end with the same model.
func TestEveryStrategy(t *testing.T) {
	m := newModelRig(t, axisScript)
	for _, s := range []string{"repgen", "sample", "zero-shot", "few-shot", "cot"} {
		e := m.run("reproduce", "--json", "--llm", m.llm("well"), "--strategy", s, "--samples", "3", "--no-explain", "--out", "run-"+s, m.report)
		e.want(t, 0, "fixed", "regression")
		if e.result.Model == nil || e.result.Model.Strategy != s {
			t.Errorf("%s: %+v", s, e.result.Model)
		}
	}
}

// What a model does wrong ends in the right headline, with the cost booked and
// without a model's word in the verdict.
func TestModelMisbehaves(t *testing.T) {
	m := newModelRig(t, axisScript)
	liar := strings.Replace(axisScript, "observe(", "raise TypeError(\"'int' object is not iterable\")\nobserve(", 1)
	for _, c := range []struct {
		name, how, script string
		code              int
		headline          string
		more              []string
	}{
		{"nothing", "nothing", axisScript, 4, "exhausted", nil},
		{"prose", "prose", axisScript, 4, "exhausted", nil},
		{"crash", "crash", axisScript, 1, "failed", nil},
		{"liar", "well", liar, 4, "exhausted", nil},
		{"print", "well", "import tinynet\nprint(\"TypeError: 'int' object is not iterable\")\n", 4, "exhausted", nil},
		{"syntax", "well", "def f(:\n", 4, "exhausted", nil},
		{"no budget", "well", axisScript, 4, "exhausted", []string{"--budget-tokens", "0"}},
		{"no calls", "well", axisScript, 4, "exhausted", []string{"--budget-calls", "0"}},
		{"no attempts", "well", axisScript, 4, "exhausted", []string{"--attempts", "0"}},
		{"no sandbox", "well", axisScript, 4, "exhausted", []string{"--budget-sandbox", "0s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m.file("script.py", c.script)
			before := len(m.calls())
			args := append([]string{"reproduce", "--json", "--llm", m.llm(c.how), "--contexts", "2", "--out", "run-" + c.name}, c.more...)
			e := m.run(append(args, m.report)...)
			e.want(t, c.code, c.headline)
			made := len(m.calls()) - before
			if e.result.Model == nil || e.result.Model.Wrote {
				t.Fatalf("the model's part: %+v", e.result.Model)
			}
			if len(c.more) > 0 && made != 0 {
				t.Errorf("%d calls under a budget of nothing", made)
			}
			if got := e.result.Model.Usage.Input; c.how != "crash" && got != 100*made {
				t.Errorf("%d calls, and %d input tokens booked", made, got)
			}
			t.Logf("%d calls: %s: %v", made, e.result.Model.Ending, e.result.Model.Why)
		})
	}
}

// A limit is never passed, not by one call.
func TestBudgetHolds(t *testing.T) {
	m := newModelRig(t, "def f(:\n")
	for _, calls := range []int{1, 2, 3, 5} {
		before := len(m.calls())
		e := m.run("reproduce", "--json", "--llm", m.llm("well"), "--budget-calls", fmt.Sprint(calls), "--out", fmt.Sprintf("run-%d", calls), m.report)
		e.want(t, 4, "exhausted")
		if made := len(m.calls()) - before; made > calls || e.result.Model.Calls != made {
			t.Errorf("%d calls under a limit of %d, %d booked", made, calls, e.result.Model.Calls)
		}
	}
}

// killedAt runs a command and kills it at the model's n-th call from now on.
func (m *modelRig) killedAt(n int, args ...string) {
	m.t.Helper()
	n += len(m.calls())
	p := m.start(args...)
	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
				if len(m.calls()) >= n {
					_ = p.cmd.Process.Kill()
					return
				}
			}
		}
	}()
	p.wait()
	close(stop)
}

// kill -9 at each call of the model: what was answered is not asked again, and
// the verdict is the undisturbed one.
func TestKilledAtEachModelCall(t *testing.T) {
	m := newModelRig(t, axisScript)
	e := m.run("reproduce", "--json", "--llm", m.llm("slow"), "--out", "undisturbed", m.report)
	e.want(t, 0)
	want, all := verdict(e.result), m.calls()
	for n := 1; n <= len(all); n++ {
		if err := os.Remove(m.path("calls.log")); err != nil {
			t.Fatal(err)
		}
		run := fmt.Sprintf("killed-%d", n)
		m.killedAt(n, "reproduce", "--json", "--llm", m.llm("slow"), "--out", run, m.report)
		before := startedAt(t, m.path(run))
		e := m.run("reproduce", "--json", "--resume", run)
		e.want(t, 0)
		if got := verdict(e.result); got != want || e.result.Model.Calls != len(all) {
			t.Errorf("killed at call %d it ends as %+v with %d calls, undisturbed %+v with %d", n, got, e.result.Model.Calls, want, len(all))
		}
		if made := len(m.calls()); made > len(all)+1 {
			t.Errorf("killed at call %d: %d calls in all, undisturbed %d", n, made, len(all))
		}
		keptAll(t, m.path(run), before)
	}
}

// A model's key is nowhere in the run folder, whoever printed it.
func TestNoKeyInTheRunFolder(t *testing.T) {
	m := newModelRig(t, axisScript)
	const key = "sk-canary-0815-abcdefghijklmnop"
	m.env["MODEL_API_KEY"] = key
	for _, how := range []string{"key", "crash"} {
		e := m.run("reproduce", "--json", "--llm", m.llm(how), "--out", "runs/"+how, m.report)
		if strings.Contains(e.out+e.err, key) {
			t.Errorf("%s: the key was printed:\n%s%s", how, e.out, e.err)
		}
	}
	nowhere(t, m.path("runs"), []string{key})
}

// A person edits the model's script and has it judged, by the run's folder.
func TestGoOnByHand(t *testing.T) {
	m := newModelRig(t, strings.Replace(axisScript, "axis = 0\n", "axis = (0,)\n", 1))
	e := m.run("reproduce", "--llm", m.llm("well"), "--out", "run", "--contexts", "1", "--attempts", "2", m.report)
	e.want(t, 4)
	if !strings.Contains(e.out, "repgen judge run/candidate.py") {
		t.Errorf("nothing says how to go on:\n%s", e.out)
	}
	path := m.path("run/candidate.py")
	script, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(script), "if not control:\n    axis = (0,)", "if not control:\n    axis = 0", 1)
	if err := os.WriteFile(path, []byte(edited), 0o644); err != nil {
		t.Fatal(err)
	}
	for i, args := range [][]string{{"run/candidate.py"}, {"--from", "run"}, {"--report", m.report, "run/candidate.py"}} {
		judged := m.run(append([]string{"judge", "--json", "--no-explain", "--out", fmt.Sprintf("judged-%d", i)}, args...)...)
		judged.want(t, 0, "fixed", "regression")
	}
	// The run itself does not write over what a person wrote.
	m.run("reproduce", "--json", "--resume", "run", "--attempts", "3")
	if after, err := os.ReadFile(path); err != nil || string(after) != edited {
		t.Errorf("the edited script became %q, %v", after, err)
	}
}

// The table of strategies by cases.
func TestBenchStrategies(t *testing.T) {
	m := newModelRig(t, axisScript)
	dir := m.path("cases/a")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"report.md": wordsReport, "case.yaml": "expected: reproduced\nneeds_llm: true\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"bench", "--json", "--llm", m.llm("well"), "--strategies", "auto,zero-shot", "--out", "out", "cases"}
	e := m.run(args...)
	e.want(t, 0)
	table := strategyTable(t, e.out)
	made, sum := len(m.calls()), 0
	for _, s := range table {
		sum += s.Table.Spent.Calls
		if s.Table.Spent.TokensIn != 100*s.Table.Spent.Calls {
			t.Errorf("%s: %+v", s.Strategy, s.Table.Spent)
		}
	}
	if sum != made {
		t.Errorf("%d calls, %d in the table", made, sum)
	}
	m.run(args...).want(t, 0)
	if again := len(m.calls()); again != made {
		t.Errorf("finished cases were run again: %d calls more", again-made)
	}

	// Killed in the second strategy, it goes on there, and counts what had been
	// spent before.
	first := table[0].Table.Spent.Calls
	args = []string{"bench", "--json", "--llm", m.llm("slow"), "--strategies", "auto,zero-shot", "--out", "killed", "cases"}
	m.killedAt(first+1, args...)
	e = m.run(args...)
	e.want(t, 0)
	for i, s := range strategyTable(t, e.out) {
		if s != table[i] {
			t.Errorf("after a kill: %+v, undisturbed %+v", s, table[i])
		}
	}
	if n := len(m.calls()) - made; n > made+1 {
		t.Errorf("%d calls with a kill between, undisturbed %d", n, made)
	}
}

// strategyRow is what a benchmark of strategies spent with one of them.
type strategyRow struct {
	Strategy string
	Table    struct {
		Spent struct {
			Calls    int `json:"calls"`
			TokensIn int `json:"tokens_in"`
		} `json:"spent"`
	}
}

// strategyTable wants two strategies without a false claim.
func strategyTable(t *testing.T, text string) []strategyRow {
	t.Helper()
	var table struct {
		FalseClaims []string `json:"false_claims"`
		Strategies  []strategyRow
	}
	if err := json.Unmarshal([]byte(text), &table); err != nil || len(table.Strategies) != 2 || len(table.FalseClaims) != 0 || table.FalseClaims == nil {
		t.Fatalf("%v: %s", err, text)
	}
	return table.Strategies
}
