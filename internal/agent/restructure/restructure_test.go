package restructure_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/agent/agenttest"
	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/restructure"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
	"github.com/repgen/repgen/internal/report"
)

var update = flag.Bool("update", false, "write the goldens anew")

type item struct {
	Text  string `json:"text"`
	Quote string `json:"quote"`
}

// answer is a model's answer by lists.
func answer(t *testing.T, lists map[string][]item) string {
	t.Helper()
	all := map[string]any{"title": "the model's title"}
	for _, name := range []string{"observed", "expected", "steps", "environment", "parameters"} {
		all[name] = lists[name]
		if lists[name] == nil {
			all[name] = []item{}
		}
	}
	raw, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func do(t *testing.T, text string, quoteOnly bool, answers ...string) (task.Report, *llmtest.Model, error) {
	t.Helper()
	m := llmtest.Scripted(map[string]llmtest.Reply{"restructure": llmtest.Text(answers...)})
	got, err := restructure.Do(t.Context(), &ask.Asker{Model: m}, agenttest.Report(text), restructure.Options{QuoteOnly: quoteOnly})
	return got, m, err
}

func all(t task.Report) []task.Said {
	var out []task.Said
	for _, list := range [][]task.Said{t.Observed, t.Expected, t.Steps, t.Environment, t.Parameters} {
		out = append(out, list...)
	}
	return out
}

func TestQuotesAreFound(t *testing.T) {
	lists := map[string][]item{
		"observed": {
			{Quote: "raises IndexError as soon as one  cell has no point"}, // over a line end of the report
			{Quote: "raises IndexError as soon as one cell has no point"},  // again
			{Quote: "raises KeyError at once", Text: "it raises"},          // invented
			{Text: "the lookup table is empty"},
		},
		"expected":   {{Text: "A cell without points gives NaN"}}, // a quote in the wrong field
		"parameters": {{Quote: "radius=0.25"}, {Quote: "x"}, {}},
	}
	got, _, err := do(t, agenttest.Crash, false, answer(t, lists))
	if err != nil {
		t.Fatal(err)
	}
	text := agenttest.Report(agenttest.Crash).Text
	for _, s := range all(got) {
		if s.Span != nil && text[s.Span.Start:s.Span.End] != s.Text {
			t.Errorf("%q is not what stands at its place", s.Text)
		}
	}
	if len(got.Observed) != 3 || got.Observed[0].Inferred() || !got.Observed[1].Inferred() || got.Observed[1].Text != "it raises" || !got.Observed[2].Inferred() {
		t.Errorf("observed: %+v", got.Observed)
	}
	if len(got.Expected) != 1 || got.Expected[0].Inferred() {
		t.Errorf("expected: %+v", got.Expected)
	}
	if len(got.Parameters) != 2 || got.Parameters[0].Inferred() || !got.Parameters[1].Inferred() {
		t.Errorf("parameters: %+v", got.Parameters)
	}
	if got.Title != "resample() crashes when a cell has no point" {
		t.Errorf("title %q", got.Title)
	}
}

func TestQuoteOnly(t *testing.T) {
	lists := map[string][]item{"observed": {{Quote: "raises IndexError"}, {Quote: "raises KeyError"}, {Text: "a guess"}}}
	got, m, err := do(t, agenttest.Crash, true, answer(t, lists))
	if err != nil {
		t.Fatal(err)
	}
	if len(all(got)) != 1 || got.Observed[0].Text != "raises IndexError" {
		t.Errorf("got %+v", got)
	}
	if !strings.Contains(m.Asked()[0].Messages[1].Content, "an item without a quote is thrown away") {
		t.Error("the model is not told")
	}
}

func TestByRulesInstead(t *testing.T) {
	want := restructure.ByRules(agenttest.Report(agenttest.Crash))
	for name, answers := range map[string][]string{
		"prose":                  {"I am afraid I cannot."},
		"empty lists":            {answer(t, nil)},
		"only invented quotes":   {answer(t, map[string][]item{"steps": {{Quote: "it says nothing of this"}}})},
		"nothing":                {""},
		"the lists of a verdict": {`{"headline":"reproduced"}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := do(t, agenttest.Crash, true, answers...)
			if err != nil {
				t.Fatal(err)
			}
			if g, w := dump(t, got), dump(t, want); g != w {
				t.Errorf("got %s\nwant %s", g, w)
			}
		})
	}
}

func dump(t *testing.T, r task.Report) string {
	t.Helper()
	raw, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw) + "\n"
}

func TestModelFails(t *testing.T) {
	m := llmtest.Scripted(map[string]llmtest.Reply{"": func(context.Context, int, llm.Request) (llm.Response, error) {
		return llm.Response{}, &llm.Error{Kind: llm.Auth, Why: "the key is wrong"}
	}})
	got, err := restructure.Do(t.Context(), &ask.Asker{Model: m}, agenttest.Report(agenttest.Crash), restructure.Options{})
	var failed *llm.Error
	if !errors.As(err, &failed) || len(got.Observed) == 0 {
		t.Errorf("%v, %+v", err, got)
	}
}

func TestByRules(t *testing.T) {
	got, err := restructure.Do(t.Context(), nil, agenttest.Report(agenttest.Crash), restructure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	agenttest.Golden(t, "testdata/by-rules.json", dump(t, got), *update)
	for _, s := range all(got) {
		if s.Inferred() {
			t.Errorf("%q is nobody's", s.Text)
		}
	}
	for name, list := range map[string][]task.Said{"observed": got.Observed, "expected": got.Expected, "environment": got.Environment} {
		if len(list) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}

func TestByRulesOfAnything(t *testing.T) {
	for _, text := range []string{"x", "# only a title", "```python\nprint(1)\n```", strings.Repeat("no end ", 5000), agenttest.Silent} {
		r := agenttest.Report(text)
		got := restructure.ByRules(r)
		for _, s := range all(got) {
			if s.Span == nil || r.Text[s.Span.Start:s.Span.End] != s.Text {
				t.Errorf("%.30q: %q is not the reporter's", text, s.Text)
			}
		}
	}
	restructure.ByRules(&report.Report{})
}

func TestSent(t *testing.T) {
	_, m, err := do(t, agenttest.Crash, false, answer(t, map[string][]item{"steps": {{Text: "x"}}}))
	if err != nil {
		t.Fatal(err)
	}
	agenttest.Golden(t, "testdata/sent.txt", agenttest.Sent(m.Asked()[0]), *update)
}

func FuzzAnswer(f *testing.F) {
	f.Add(`{"title":"","observed":[{"text":"a","quote":"raises IndexError"}],"expected":[],"steps":[],"environment":[],"parameters":[]}`)
	r := agenttest.Report(agenttest.Crash)
	f.Fuzz(func(t *testing.T, text string) {
		m := llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Text(text)})
		got, err := restructure.Do(t.Context(), &ask.Asker{Model: m}, r, restructure.Options{QuoteOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all(got) {
			if s.Span == nil || r.Text[s.Span.Start:s.Span.End] != s.Text {
				t.Errorf("%q is not the reporter's", s.Text)
			}
		}
	})
}
