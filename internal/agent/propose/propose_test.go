package propose_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/agent/agenttest"
	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/propose"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
)

var update = flag.Bool("update", false, "write the goldens anew")

// good is a proposal that passes, for agenttest.Silent.
func good() task.Proposal {
	return task.Proposal{
		Observations: []task.Observation{{Name: "out", Type: "array", Means: "what\nresample returns"}},
		Bad:          "out.shape == [8, 3]",
		Good:         "out.shape == [10, 3]",
		BadQuote:     "gives shape (8, 3), the last row is missing",
		GoodQuote:    "It should give  shape (10, 3)",
	}
}

func text(t *testing.T, p task.Proposal) string {
	t.Helper()
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func do(t *testing.T, answers ...string) (propose.Result, *llmtest.Model) {
	t.Helper()
	m := llmtest.Scripted(map[string]llmtest.Reply{"propose": llmtest.Text(answers...)})
	got, err := propose.Do(t.Context(), &ask.Asker{Model: m}, propose.Input{Report: agenttest.Report(agenttest.Silent), Facts: agenttest.Facts()})
	if err != nil {
		t.Fatal(err)
	}
	return got, m
}

func TestPasses(t *testing.T) {
	got, m := do(t, text(t, good()))
	if got.Proposal == nil || got.Observed == nil || len(got.Why) > 0 {
		t.Fatalf("got %+v", got)
	}
	if got.Observed.Bad != good().Bad || len(got.Observed.Names) != 1 || got.Observed.Names[0].Type != "array" {
		t.Errorf("observed: %+v", got.Observed)
	}
	if got.Observed.GoodQuote != "It should give shape (10, 3)" || got.Proposal.Observations[0].Means != "what resample returns" {
		t.Errorf("not tidy: %+v", got.Proposal)
	}
	agenttest.Golden(t, "testdata/sent.txt", agenttest.Sent(m.Asked()[0]), *update)
}

func TestCheck(t *testing.T) {
	r := agenttest.Report(agenttest.Silent)
	for _, c := range []struct {
		name string
		edit func(*task.Proposal)
		want string
	}{
		{"passes", func(*task.Proposal) {}, ""},
		{"invented quote", func(p *task.Proposal) { p.BadQuote = "it returns the wrong shape" }, "bad_quote does not stand in the report"},
		{"short quote", func(p *task.Proposal) { p.GoodQuote = "(10, 3)" }, "good_quote has fewer than 12 characters"},
		{"one quote", func(p *task.Proposal) { p.GoodQuote = p.BadQuote }, "are the same"},
		{"unknown name", func(p *task.Proposal) { p.Bad = "rows == 8" }, "rows"},
		{"no expression", func(p *task.Proposal) { p.Good = "" }, "empty"},
		{"does not parse", func(p *task.Proposal) { p.Bad = "out.shape ==" }, ""},
		{"always true", func(p *task.Proposal) { p.Bad = "out.size >= 0" }, ""},
		{"no observations", func(p *task.Proposal) { p.Observations = nil }, "observations"},
		{"too many", func(p *task.Proposal) {
			for i := range 12 {
				p.Observations = append(p.Observations, task.Observation{Name: "n" + strings.Repeat("x", i+1), Type: "number"})
			}
		}, "at most 8"},
		{"a number of its own", func(p *task.Proposal) { p.Good = "out.shape == [11, 3]" }, "the report has no 11"},
		{"a string of its own", func(p *task.Proposal) { p.Good = `out.dtype == "float16"` }, `the report has no "float16"`},
		{"too wide a tolerance", func(p *task.Proposal) { p.Good = "close(out.mean, 1, 0.2)" }, "the report has no 0.2"},
		{"a type of its own", func(p *task.Proposal) { p.Observations[0].Type = "tensor" }, "tensor"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := good()
			c.edit(&p)
			why := strings.Join(propose.Check(r, p), "; ")
			if (why == "") != (c.name == "passes") || !strings.Contains(why, c.want) {
				t.Errorf("why: %q, want %q", why, c.want)
			}
		})
	}
}

// TestLiteralsOfNoMatter may be the model's: the smallest numbers, tolerances.
func TestLiteralsOfNoMatter(t *testing.T) {
	p := good()
	p.Bad, p.Good = "!close(out.mean, 1, 0.001) || out.min < -1", "close(out.mean, 1, 0.001) && out.min >= 0"
	if why := propose.Check(agenttest.Report(agenttest.Silent), p); len(why) > 0 {
		t.Errorf("why: %q", why)
	}
}

func TestSecondAsk(t *testing.T) {
	bad := good()
	bad.BadQuote = "it says nothing like this"
	got, m := do(t, text(t, bad), text(t, good()))
	if got.Proposal == nil {
		t.Fatalf("got %+v", got)
	}
	second := m.Asked()[1].Messages
	if !strings.Contains(second[len(second)-1].Content, "bad_quote does not stand in the report") {
		t.Errorf("the reason is not said: %q", second[len(second)-1].Content)
	}
	got, m = do(t, text(t, bad))
	if got.Proposal != nil || got.Observed != nil || len(got.Why) != 1 || len(m.Asked()) != 2 {
		t.Errorf("got %+v after %d questions", got, len(m.Asked()))
	}
	if got, _ = do(t, "It is reproduced."); got.Proposal != nil || len(got.Why) == 0 {
		t.Errorf("got %+v", got)
	}
}

func TestModelFails(t *testing.T) {
	m := llmtest.Scripted(map[string]llmtest.Reply{"": func(context.Context, int, llm.Request) (llm.Response, error) {
		return llm.Response{}, &llm.Error{Kind: llm.Budget, Why: "spent"}
	}})
	_, err := propose.Do(t.Context(), &ask.Asker{Model: m}, propose.Input{Report: agenttest.Report(agenttest.Silent)})
	var failed *llm.Error
	if !errors.As(err, &failed) {
		t.Errorf("error: %v", err)
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(`{"observations":[{"name":"out","type":"array","means":""}],"bad":"out.shape == [8, 3]","good":"out.shape == [10, 3]","bad_quote":"gives shape (8, 3)","good_quote":"It should give shape (10, 3)"}`)
	r := agenttest.Report(agenttest.Silent)
	f.Fuzz(func(t *testing.T, text string) {
		m := llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Text(text)})
		got, err := propose.Do(t.Context(), &ask.Asker{Model: m}, propose.Input{Report: r})
		if err != nil {
			t.Fatal(err)
		}
		if got.Proposal != nil && len(propose.Check(r, *got.Proposal)) > 0 {
			t.Errorf("passed: %+v", got.Proposal)
		}
	})
}
