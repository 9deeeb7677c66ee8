package cli

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/agent"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/pipeline"
)

func ptr[T any](v T) *T { return &v }

// The help lists every part that can be switched off and every strategy.
func TestHelpListsPartsAndStrategies(t *testing.T) {
	if n := len(partNames()); n != 13 {
		t.Errorf("%d parts, the published method has 13", n)
	}
	var out strings.Builder
	if code := Main([]string{"reproduce", "--help"}, strings.NewReader(""), &out, &out); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, name := range partNames() {
		if !strings.Contains(text, name) {
			t.Errorf("the help lacks the part %s", name)
		}
	}
	for _, s := range agent.Strategies {
		if !strings.Contains(text, string(s)) {
			t.Errorf("the help lacks the strategy %s", s)
		}
	}
}

func TestWrongModelFlags(t *testing.T) {
	for _, f := range []agentFlags{
		{Attempts: ptr(-1)}, {Attempts: ptr(maxCount + 1)}, {Contexts: ptr(0)}, {Samples: ptr(0)},
		{BudgetSandbox: ptr(-time.Second)}, {Without: []string{"plan", ""}}, {Without: []string{"Plan"}},
	} {
		if f.check() == nil {
			t.Errorf("%+v is accepted", f)
		}
	}
	for _, f := range []modelBudget{
		{BudgetTokens: ptr(-1)}, {BudgetCalls: ptr(-1)}, {BudgetUSD: ptr(-0.1)}, {BudgetUSD: ptr(math.NaN())}, {BudgetUSD: ptr(math.Inf(1))},
		{ExplainWithModel: true, NoExplain: true},
	} {
		if f.check() == nil {
			t.Errorf("%+v is accepted", f)
		}
	}
	if (&agentFlags{Without: partNames(), Attempts: ptr(0)}).check() != nil || (&modelBudget{BudgetUSD: ptr(0.0)}).check() != nil {
		t.Error("a budget of nothing is a right word")
	}
	if _, err := readStrategy("Auto"); err == nil {
		t.Error("a strategy in capitals is accepted")
	}
}

// Zero is nothing where the user says it, and the default where nobody does.
func TestBudgetOfNothing(t *testing.T) {
	for name, f := range map[string]modelBudget{"tokens": {BudgetTokens: ptr(0)}, "calls": {BudgetCalls: ptr(0), BudgetTokens: ptr(9)}, "money": {BudgetUSD: ptr(0.0)}} {
		var req pipeline.Request
		f.fill(&req)
		if !req.AgentBudget.Model.None {
			t.Errorf("%s: %+v lets something be asked", name, req.AgentBudget.Model)
		}
		// With more to spend the run goes on.
		more := modelBudget{BudgetTokens: ptr(5000)}
		more.fill(&req)
		if req.AgentBudget.Model.None || req.AgentBudget.Model.Tokens != 5000 {
			t.Errorf("%s: with more to spend %+v", name, req.AgentBudget.Model)
		}
	}
	var req pipeline.Request
	(&modelBudget{}).fill(&req)
	(&agentFlags{}).fill(&req)
	if req.AgentBudget != (agent.Budget{}) {
		t.Errorf("no word became %+v", req.AgentBudget)
	}
	(&agentFlags{Attempts: ptr(0), BudgetSandbox: ptr(time.Duration(0))}).fill(&req)
	if req.AgentBudget.Attempts >= 0 || req.AgentBudget.Sandbox >= 0 {
		t.Errorf("nothing became %+v", req.AgentBudget)
	}
}

// A resumed run keeps its words unless there are new ones.
func TestResumedWordsAreKept(t *testing.T) {
	req := pipeline.Request{Without: []string{"plan"}, QuoteOnly: true, NoExplain: true, AgentBudget: agent.Budget{Attempts: 2, Model: llm.Limit{USD: 1}}}
	(&modelBudget{}).fill(&req)
	(&agentFlags{}).fill(&req)
	if len(req.Without) != 1 || !req.QuoteOnly || !req.NoExplain || req.AgentBudget.Attempts != 2 || req.AgentBudget.Model.USD != 1 {
		t.Errorf("got %+v", req)
	}
	(&modelBudget{ExplainWithModel: true, BudgetUSD: ptr(2.0)}).fill(&req)
	(&agentFlags{Without: []string{"relevance", "bm25", "bm25"}, Attempts: ptr(4)}).fill(&req)
	if strings.Join(req.Without, " ") != "bm25 relevance" || req.NoExplain || req.AgentBudget.Attempts != 4 || req.AgentBudget.Model.USD != 2 {
		t.Errorf("got %+v", req)
	}
}
