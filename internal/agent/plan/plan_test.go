package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/agent/agenttest"
	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/plan"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
)

var update = flag.Bool("update", false, "write the goldens anew")

// known says that only the names of the made-up library exist.
func known(_ context.Context, names []string) ([]task.Signature, error) {
	var out []task.Signature
	for _, n := range names {
		s := task.Signature{Name: n, Exists: n == "gridlib.resample"}
		if !s.Exists {
			s.Near = []string{"gridlib.resample"}
		}
		out = append(out, s)
	}
	return out, nil
}

func text(t *testing.T, p task.Plan) string {
	t.Helper()
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func input() plan.Input {
	return plan.Input{
		Report: agenttest.Report(agenttest.Crash), Facts: agenttest.Facts(), Module: agenttest.Module(500),
		Expectation: agenttest.Expectation(), Lookup: known,
	}
}

func do(t *testing.T, in plan.Input, answers ...string) (plan.Result, *llmtest.Model) {
	t.Helper()
	m := llmtest.Scripted(map[string]llmtest.Reply{"plan": llmtest.Text(answers...)})
	got, err := plan.Do(t.Context(), &ask.Asker{Model: m}, in)
	if err != nil {
		t.Fatal(err)
	}
	return got, m
}

func TestPlan(t *testing.T) {
	got, m := do(t, input(), text(t, *agenttest.Plan()))
	if got.Plan == nil || len(got.Plan.Steps) != 2 || len(got.Signatures) != 1 || !got.Signatures[0].Exists {
		t.Fatalf("got %+v", got)
	}
	agenttest.Golden(t, "testdata/sent.txt", agenttest.Sent(m.Asked()[0]), *update)
}

func TestRejected(t *testing.T) {
	made := agenttest.Plan()
	made.Names = []string{"gridlib.Regridder", "gridlib.regrid"}
	got, m := do(t, input(), text(t, *made), text(t, *agenttest.Plan()))
	if got.Plan == nil || len(m.Asked()) != 2 {
		t.Fatalf("got %+v after %d questions", got, len(m.Asked()))
	}
	last := m.Asked()[1].Messages[3].Content
	if !strings.Contains(last, "gridlib.Regridder does not exist here; there is gridlib.resample") {
		t.Errorf("the reason is not said: %q", last)
	}
	if got, _ = do(t, input(), text(t, *made)); got.Plan != nil || len(got.Why) != 1 || len(got.Signatures) != 2 {
		t.Errorf("got %+v", got)
	}
	for name, bad := range map[string]string{
		"no names": text(t, task.Plan{Steps: made.Steps}), "no steps": text(t, task.Plan{Names: []string{"gridlib.resample"}}), "prose": "no",
	} {
		if got, _ = do(t, input(), bad); got.Plan != nil || len(got.Why) == 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestOneMissingNameIsNoReason(t *testing.T) {
	made := agenttest.Plan()
	made.Names = []string{"gridlib.regrid", "gridlib.resample()", "gridlib.resample", "not a name", "os; rm"}
	got, _ := do(t, input(), text(t, *made))
	if got.Plan == nil || !slices.Equal(got.Plan.Names, []string{"gridlib.regrid", "gridlib.resample"}) {
		t.Errorf("got %+v", got)
	}
}

func TestWithoutLookup(t *testing.T) {
	in := input()
	in.Lookup = nil
	got, m := do(t, in, text(t, task.Plan{Steps: []task.Step{{Do: "call it"}}}))
	if got.Plan == nil || strings.Contains(m.Asked()[0].Messages[1].Content, "is looked up") {
		t.Errorf("got %+v", got)
	}
}

func TestRevise(t *testing.T) {
	first := input()
	_, a := do(t, first, text(t, *agenttest.Plan()))
	again := input()
	again.Previous = agenttest.Plan()
	again.Feedback = []task.Feedback{{Stage: task.StageOracle, Severity: task.SeverityError, Text: "it returned NaN"}}
	got, b := do(t, again, text(t, *agenttest.Plan()))
	if got.Plan == nil {
		t.Fatalf("got %+v", got)
	}
	one, two := a.Asked()[0].Messages, b.Asked()[0].Messages
	if one[0] != two[0] || !strings.HasPrefix(two[1].Content, one[1].Content) {
		t.Error("a revision does not begin like the first question")
	}
	rest := strings.TrimPrefix(two[1].Content, one[1].Content)
	for _, want := range []string{"The refuted plan", "it returned NaN", "do not plan the same again"} {
		if !strings.Contains(rest, want) {
			t.Errorf("the revision does not say %q:\n%s", want, rest)
		}
	}
	agenttest.Golden(t, "testdata/revise.txt", agenttest.Sent(b.Asked()[0]), *update)
}

func TestFailures(t *testing.T) {
	in := input()
	in.Lookup = func(context.Context, []string) ([]task.Signature, error) {
		return nil, errors.New("the sandbox failed")
	}
	m := llmtest.Scripted(map[string]llmtest.Reply{"plan": llmtest.Text(text(t, *agenttest.Plan()))})
	if _, err := plan.Do(t.Context(), &ask.Asker{Model: m}, in); err == nil || !strings.Contains(err.Error(), "look up the names") || len(m.Asked()) != 1 {
		t.Errorf("error: %v after %d questions", err, len(m.Asked()))
	}
	m = llmtest.Scripted(map[string]llmtest.Reply{})
	var failed *llm.Error
	if _, err := plan.Do(t.Context(), &ask.Asker{Model: m}, input()); !errors.As(err, &failed) {
		t.Errorf("error: %v", err)
	}
}

func TestTidy(t *testing.T) {
	made := task.Plan{Trigger: "a\n<<<END>>>\x1b[2J", Resources: strings.Repeat("x", 5000)}
	for i := range 40 {
		made.Steps = append(made.Steps, task.Step{Do: fmt.Sprintf("step %d\nmore", i)}, task.Step{Do: " "})
		made.Names = append(made.Names, fmt.Sprintf("gridlib.n%d", i))
	}
	in := input()
	in.Lookup = nil
	got, _ := do(t, in, text(t, made))
	p := got.Plan
	if p == nil || len(p.Steps) != 12 || p.Steps[1].Do != "step 1 more" || len(p.Names) != 24 || len(p.Resources) > 500 || strings.ContainsAny(p.Trigger, "\x1b\n") {
		t.Errorf("got %+v", p)
	}
}

// TestPlanOfABrokenImport: where importing the library is what fails, no name of
// it can be looked up, and a plan for it is none the worse.
func TestPlanOfABrokenImport(t *testing.T) {
	in := input()
	in.Lookup = func(_ context.Context, names []string) (list []task.Signature, err error) {
		for _, n := range names {
			list = append(list, task.Signature{Name: n, Unsure: true, Why: "importing gridlib fails with AttributeError: module 'numpy' has no attribute 'int'"})
		}
		return list, nil
	}
	m := llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Text(`{"steps":[{"do":"import gridlib","values":"","shows":""}],"names":["gridlib"],"trigger":"","resources":""}`)})
	got, err := plan.Do(t.Context(), &ask.Asker{Model: m}, in)
	if err != nil || got.Plan == nil || len(m.Asked()) != 1 {
		t.Errorf("%+v %v after %d calls", got, err, len(m.Asked()))
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(`{"steps":[{"do":"a","values":"","shows":""}],"names":["gridlib.resample"],"trigger":"","resources":""}`)
	in := input()
	f.Fuzz(func(t *testing.T, text string) {
		m := llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Text(text)})
		got, err := plan.Do(t.Context(), &ask.Asker{Model: m}, in)
		if err != nil {
			t.Fatal(err)
		}
		if got.Plan != nil && !slices.ContainsFunc(got.Signatures, func(s task.Signature) bool { return s.Exists || s.Unsure }) {
			t.Errorf("a plan that names nothing that exists: %+v", got.Plan)
		}
	})
}
