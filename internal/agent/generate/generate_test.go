package generate_test

import (
	"context"
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/agent/agenttest"
	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/generate"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
	"github.com/repgen/repgen/internal/oracle"
)

var update = flag.Bool("update", false, "write the goldens anew")

const script = `# trigger: a cell without points
import numpy as np
import gridlib

points = np.arange(6.0).reshape(3, 2)
cells = np.array([0, 1, 2])
if not control:
    cells = np.array([0, 0, 2])
out = gridlib.resample(points, cells, method="nearest", radius=0.25)
observe("rows", out.shape[0])
`

func fenced(code string) string { return "```python\n" + code + "```" }

func input(v generate.Variant) generate.Input {
	return generate.Input{
		Variant: v, Report: agenttest.Report(agenttest.Crash), Plan: agenttest.Plan(), Module: agenttest.Module(600),
		Facts: agenttest.Facts(), Expectation: agenttest.Expectation(),
		Observations: []task.Observation{{Name: "rows", Type: "number", Means: "rows of the result"}},
		Script:       "import gridlib\nout = gridlib.resample(points, cells, method=\"nearest\", radius=0.25)\n",
	}
}

func do(t *testing.T, in generate.Input, answers ...string) (generate.Script, *llmtest.Model) {
	t.Helper()
	m := llmtest.Scripted(map[string]llmtest.Reply{"generate": llmtest.Text(answers...)})
	got, err := generate.Do(t.Context(), &ask.Asker{Model: m}, in)
	if err != nil {
		t.Fatal(err)
	}
	return got, m
}

func TestScript(t *testing.T) {
	got, _ := do(t, input(generate.Full), "Here you are:\n\n"+fenced(script)+"\nIt shows the bug.")
	if strings.TrimSpace(got.Body) != strings.TrimSpace(script) {
		t.Errorf("body:\n%s", got.Body)
	}
	if got.Trigger != "a cell without points" || len(got.Feedback) != 0 || got.Answer.Calls != 1 || got.Answer.Unparsed != 0 {
		t.Errorf("got %+v", got)
	}
}

// TestSent is what goes to the model, for every variant, first and again.
func TestSent(t *testing.T) {
	for _, v := range generate.Variants {
		t.Run(string(v), func(t *testing.T) {
			in := input(v)
			in.Sample = 2
			_, m := do(t, in, fenced(script))
			agenttest.Golden(t, "testdata/"+string(v)+".txt", agenttest.Sent(m.Asked()[0]), *update)
		})
	}
	in := input(generate.Full)
	in.Ordered = &task.Report{Title: "it crashes", Observed: []task.Said{{Text: "the index is empty"}}}
	in.Attempts = attempts(3)
	_, m := do(t, in, fenced(script))
	agenttest.Golden(t, "testdata/full-again.txt", agenttest.Sent(m.Asked()[0]), *update)
}

// attempts are n failed ones.
func attempts(n int) []task.Attempt {
	var all []task.Attempt
	for i := range n {
		all = append(all, task.Attempt{
			Number: i + 1, Script: strings.ReplaceAll(script, "0.25", "0.2"+strings.Repeat("5", i+1)),
			Feedback: []task.Feedback{{Stage: task.StageRun, Severity: task.SeverityError, Line: 9, Text: "TypeError: resample() got an unexpected keyword " + strings.Repeat("x", i)}},
		})
	}
	return all
}

// TestBaselines see the report and nothing of what else is known.
func TestBaselines(t *testing.T) {
	for _, v := range generate.Variants {
		_, m := do(t, input(v), fenced(script))
		sent := agenttest.Sent(m.Asked()[0])
		for _, known := range []string{"_part_0", "The plan", "Installed:", "What must be shown\n"} {
			if got := strings.Contains(sent, known); got == v.Baseline() {
				t.Errorf("%s: %q is there: %t", v, known, got)
			}
		}
		for _, always := range []string{"n_cells=37", `observe("name", value)`, "# trigger:", "if not control:"} {
			if v == generate.Complete && always == "n_cells=37" {
				continue
			}
			if !strings.Contains(sent, always) {
				t.Errorf("%s: %q is not there", v, always)
			}
		}
	}
}

// TestPrefix: attempts of one context share everything up to the first script.
func TestPrefix(t *testing.T) {
	for _, v := range generate.Variants {
		var first []llm.Message
		for n := range 5 {
			in := input(v)
			in.Module, in.Attempts = agenttest.Module(9000), attempts(n)
			_, m := do(t, in, fenced(script))
			sent := m.Asked()[0].Messages
			if n == 0 {
				first = sent
				continue
			}
			if len(sent) != 4 || !slices.Equal(sent[:2], first) {
				t.Errorf("%s, attempt %d: does not begin like the first", v, n+1)
			}
			if newest := in.Attempts[n-1].Script; !strings.Contains(sent[2].Content, newest) {
				t.Errorf("%s, attempt %d: the last script is not whole:\n%s", v, n+1, sent[2].Content)
			}
			if !strings.Contains(sent[3].Content, "[run, error, line 9] TypeError") || !strings.Contains(sent[3].Content, "Write the whole script again") {
				t.Errorf("%s, attempt %d: %s", v, n+1, sent[3].Content)
			}
		}
	}
}

// TestNoRule: how a proposed symptom is judged is not sent.
func TestNoRule(t *testing.T) {
	in := input(generate.Full)
	in.Expectation = &oracle.Expectation{Oracle: oracle.OracleObserved, Observed: &oracle.Observed{
		Names: []oracle.ObservedName{{Name: "rows", Type: "number"}}, Bad: "rows == 8471", Good: "rows == 9182",
	}}
	_, m := do(t, in, fenced(script))
	if sent := agenttest.Sent(m.Asked()[0]); strings.Contains(sent, "8471") || strings.Contains(sent, "9182") || !strings.Contains(sent, `observe("rows", ...)`) {
		t.Errorf("sent:\n%s", sent)
	}
}

func TestNoScript(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		finish llm.Finish
		want   string
	}{
		"empty":              {"", llm.FinishStop, "empty"},
		"prose":              {"I am sorry, I cannot write that.", llm.FinishStop, "no Python script"},
		"withheld":           {"", llm.FinishFilter, "withheld"},
		"only what is given": {fenced("from repgen import observe, control\n"), llm.FinishStop, "no Python script"},
	} {
		t.Run(name, func(t *testing.T) {
			booked := 0
			m := llmtest.Scripted(map[string]llmtest.Reply{"": func(_ context.Context, _ int, r llm.Request) (llm.Response, error) {
				response := llmtest.Answer(r, c.text)
				response.Finish = c.finish
				return response, nil
			}})
			got, err := generate.Do(t.Context(), &ask.Asker{Model: m, Unparsed: func() { booked++ }}, input(generate.Full))
			if err != nil {
				t.Fatal(err)
			}
			if got.Body != "" || len(got.Feedback) != 1 || booked != 1 || got.Answer.Unparsed != 1 {
				t.Fatalf("got %+v, %d booked", got, booked)
			}
			if f := got.Feedback[0]; f.Stage != task.StageAnswer || f.Severity != task.SeverityError || !strings.Contains(f.Text, c.want) || f.Signature == "" {
				t.Errorf("feedback %+v", f)
			}
		})
	}
}

func TestFails(t *testing.T) {
	m := llmtest.Scripted(nil)
	var failed *llm.Error
	if _, err := generate.Do(t.Context(), &ask.Asker{Model: m}, input(generate.Full)); !errors.As(err, &failed) {
		t.Errorf("error: %v", err)
	}
	if _, err := generate.Do(t.Context(), &ask.Asker{Model: m}, input("nothing like it")); err == nil || !strings.Contains(err.Error(), `no variant "nothing like it"`) {
		t.Errorf("error: %v", err)
	}
}

func TestAttemptWithoutScript(t *testing.T) {
	in := input(generate.Full)
	in.Attempts = []task.Attempt{{Number: 1, Feedback: []task.Feedback{{Stage: task.StageAnswer, Severity: task.SeverityError, Text: "The answer was empty."}}}}
	_, m := do(t, in, fenced(script))
	sent := m.Asked()[0].Messages
	if len(sent) != 2 || !strings.Contains(sent[1].Content, "The answer was empty.") {
		t.Errorf("sent %+v", sent)
	}
}
