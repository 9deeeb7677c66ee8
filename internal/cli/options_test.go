package cli

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/report"
)

// TestResumeTakesEffort: a run goes on with the executions and times it was
// begun with, and takes others that are named now.
func TestResumeTakesEffort(t *testing.T) {
	dir := ownRun(t, "--runs", "9", "--budget-time", "1h", "--run-timeout", "7m")
	begun := pipeline.Request{Report: &report.Report{Text: "x"}, Runs: 9, Budget: time.Hour}
	begun.Limits.Wall = 7 * time.Minute
	runs, budget, wall := 3, 2*time.Minute, time.Minute
	for name, tt := range map[string]struct {
		flags        runFlags
		runs         int
		budget, wall time.Duration
	}{
		"nothing said": {runFlags{}, 9, time.Hour, 7 * time.Minute},
		"all said":     {runFlags{Runs: &runs, BudgetTime: &budget, RunTimeout: &wall}, 3, 2 * time.Minute, time.Minute},
		"time alone":   {runFlags{BudgetTime: &budget}, 9, 2 * time.Minute, 7 * time.Minute},
	} {
		f := tt.flags
		f.Resume, f.LLM = dir, pipeline.NoModel
		s := streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}
		req, _, err := f.load(t.Context(), s, "")
		if err != nil {
			t.Fatal(err)
		}
		if req.Runs != tt.runs || req.Budget != tt.budget || req.Limits.Wall != tt.wall || req.AgentBudget.Wall != tt.budget {
			t.Errorf("%s: load gives %d, %s, %s, agent %s", name, req.Runs, req.Budget, req.Limits.Wall, req.AgentBudget.Wall)
		}
		again := begun
		if err := f.over(&again); err != nil || again.Runs != tt.runs || again.Budget != tt.budget || again.Limits.Wall != tt.wall {
			t.Errorf("%s: over gives %d, %s, %s, %v", name, again.Runs, again.Budget, again.Limits.Wall, err)
		}
	}
	fresh := pipeline.Request{}
	f := runFlags{}
	if err := f.request(&fresh); err != nil || fresh.Runs != defaultRuns || fresh.Budget != defaultBudget || fresh.Limits.Wall != defaultRunTimeout {
		t.Errorf("a fresh one gives %d, %s, %s, %v", fresh.Runs, fresh.Budget, fresh.Limits.Wall, err)
	}
}
