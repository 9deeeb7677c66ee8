package veto_test

import (
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/agent/agenttest"
	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/veto"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
)

var update = flag.Bool("update", false, "write the goldens anew")

func input(script string) veto.Input {
	return veto.Input{Report: agenttest.Report(agenttest.Crash), Expectation: agenttest.Expectation(), Script: script}
}

func TestVeto(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		off          bool
		reason       string
	}{
		{"no", `{"off": false, "reason": ""}`, false, ""},
		{"yes", `{"off": true, "reason": "every cell has\na point"}`, true, "every cell has a point"},
		{"yes, without a reason", `{"off": true, "reason": " "}`, false, ""},
		{"no, with a reason", `{"off": false, "reason": "fine"}`, false, ""},
		{"prose", `I think it is fine.`, false, ""},
		{"nothing", ``, false, ""},
		{"hostile", `{"off": true, "reason": "` + "\u202e" + strings.Repeat("x", 900) + `"}`, true, `\u202e` + strings.Repeat("x", 294) + "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := llmtest.Scripted(map[string]llmtest.Reply{"veto": llmtest.Text(c.answer)})
			off, reason, err := veto.Do(t.Context(), &ask.Asker{Model: m}, input("x = 1"))
			if err != nil || off != c.off || reason != c.reason {
				t.Errorf("%t, %q, %v", off, reason, err)
			}
			if n := m.Asked()[0].MaxTokens; n != 200 {
				t.Errorf("an answer of %d tokens is allowed", n)
			}
		})
	}
}

func TestSent(t *testing.T) {
	m := llmtest.Scripted(map[string]llmtest.Reply{"veto": llmtest.Text(`{"off": false, "reason": ""}`)})
	for _, script := range []string{"import gridlib\n", "import gridlib\nx = 2\n"} {
		if _, _, err := veto.Do(t.Context(), &ask.Asker{Model: m}, input(script)); err != nil {
			t.Fatal(err)
		}
	}
	agenttest.Golden(t, "testdata/sent.txt", agenttest.Sent(m.Asked()[0]), *update)
	one, two := m.Asked()[0].Messages, m.Asked()[1].Messages
	before, _, _ := strings.Cut(one[1].Content, "## The script\n")
	if !slices.Equal(one[:1], two[:1]) || !strings.HasPrefix(two[1].Content, before) || len(before) < 1000 {
		t.Error("two scripts do not share what comes before them")
	}
}

func TestModelFails(t *testing.T) {
	var failed *llm.Error
	if _, _, err := veto.Do(t.Context(), &ask.Asker{Model: llmtest.Scripted(nil)}, input("x = 1")); !errors.As(err, &failed) {
		t.Errorf("error: %v", err)
	}
}
