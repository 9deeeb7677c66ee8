package sections_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/agent/agenttest"
	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/ask/sections"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/llm"
)

var update = flag.Bool("update", false, "write the goldens anew")

// every section there is, of the made-up report.
func every() []ask.Section {
	r := agenttest.Report(agenttest.Crash)
	feedback := []task.Feedback{{Stage: task.StageRun, Severity: task.SeverityError, Line: 4, Text: "TypeError: no"}}
	attempts := []task.Attempt{
		{Number: 1, Script: "x = 1\n", Feedback: feedback},
		{Number: 2, Script: "x = 2\n", Feedback: feedback},
	}
	said := task.Report{Title: "it crashes", Observed: []task.Said{{Text: "a guess"}}}
	return []ask.Section{
		sections.Ordered(said), sections.Blocks(r), sections.Facts(agenttest.Facts()), sections.Module(agenttest.Module(1)),
		sections.Expectation(agenttest.Expectation()), sections.Observations([]task.Observation{{Name: "rows", Type: "number", Means: "rows"}}),
		sections.Plan(agenttest.Plan()), sections.Script("x = 0\n"), sections.NumberedScript("x = 0\n"),
		sections.Feedback(feedback), sections.Earlier(attempts),
	}
}

func TestEvery(t *testing.T) {
	var all []string
	for _, s := range every() {
		all = append(all, s.String())
	}
	agenttest.Golden(t, "testdata/sections.txt", strings.Join(all, "\n\n")+"\n", *update)
}

// TestCapsFit: all sections together, each at its cap, leave room for the
// instructions under the cap of a prompt.
func TestCapsFit(t *testing.T) {
	total := 0
	names := map[string]bool{}
	for _, s := range every() {
		if s.Max == 0 || names[s.Name] || !strings.HasPrefix(s.Name, strings.ToUpper(s.Name[:1])) {
			t.Errorf("%q: cap %d", s.Name, s.Max)
		}
		names[s.Name] = true
		switch s.Name {
		case "The script, with line numbers", "The reporter's script":
			continue // not beside the others
		}
		total += s.Max
	}
	if total > ask.DefaultPrompt-1500 {
		t.Errorf("the caps add up to %d tokens", total)
	}
	if n := llm.EstimateTokens(sections.Module(agenttest.Module(20000)).Text); n < 10000 {
		t.Errorf("the made-up code has only %d tokens", n)
	}
}
