package agenttest_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/repgen/repgen/internal/agent/agenttest"
	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/explain"
	"github.com/repgen/repgen/internal/agent/generate"
	"github.com/repgen/repgen/internal/agent/plan"
	"github.com/repgen/repgen/internal/agent/propose"
	"github.com/repgen/repgen/internal/agent/restructure"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/agent/veto"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
)

// question is one of the agent's, with whether it brought what was asked for.
type question struct {
	name string
	ask  func(ctx context.Context, a *ask.Asker) (got bool, err error)
}

func questions() []question {
	r := agenttest.Report(agenttest.Crash)
	silent := agenttest.Report(agenttest.Silent)
	exists := func(_ context.Context, names []string) ([]task.Signature, error) {
		var out []task.Signature
		for _, n := range names {
			out = append(out, task.Signature{Name: n, Exists: n == "gridlib.resample"})
		}
		return out, nil
	}
	return []question{
		{"restructure", func(ctx context.Context, a *ask.Asker) (bool, error) {
			got, err := restructure.Do(ctx, a, r, restructure.Options{})
			return len(got.Observed) > 0, err // by rules, whatever happens
		}},
		{"propose", func(ctx context.Context, a *ask.Asker) (bool, error) {
			got, err := propose.Do(ctx, a, propose.Input{Report: silent})
			return got.Proposal != nil, err
		}},
		{"plan", func(ctx context.Context, a *ask.Asker) (bool, error) {
			got, err := plan.Do(ctx, a, plan.Input{Report: r, Lookup: exists})
			return got.Plan != nil, err
		}},
		{"generate", func(ctx context.Context, a *ask.Asker) (bool, error) {
			got, err := generate.Do(ctx, a, generate.Input{Variant: generate.Full, Report: r})
			return got.Body != "", err
		}},
		{"veto", func(ctx context.Context, a *ask.Asker) (bool, error) {
			off, _, err := veto.Do(ctx, a, veto.Input{Report: r, Script: "x = 1"})
			return off, err
		}},
		{"explain", func(ctx context.Context, a *ask.Asker) (bool, error) {
			got, err := explain.Do(ctx, a, explain.Input{Headline: "reproduced", Grade: "C", Report: r, Script: "x = 1"})
			return got.Text != "", err
		}},
	}
}

// TestFaults puts every question to every way in which a model or its backend
// misbehaves: what cannot be used is a result without what was asked for, what
// failed is an *llm.Error, each within few calls, and all of it is booked.
func TestFaults(t *testing.T) {
	for _, fault := range llmtest.Faults() {
		for _, q := range questions() {
			// In time that only passes while everybody waits: a busy machine must not
			// end a question before it is put.
			t.Run(fault.Name+"/"+q.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { putFault(t, fault, q) })
			})
		}
	}
}

func putFault(t *testing.T, fault llmtest.Fault, q question) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	if fault.Name != "hang" {
		cancel()
		ctx, cancel = context.WithCancel(t.Context())
	}
	defer cancel()
	m := llmtest.Scripted(map[string]llmtest.Reply{"": fault.Reply})
	booked := 0
	got, err := q.ask(ctx, &ask.Asker{Model: m, Unparsed: func() { booked++ }})
	var failed *llm.Error
	if err != nil && !errors.As(err, &failed) && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an error of no kind: %v", err)
	}
	if n := len(m.Asked()); n < 1 || n > 6 {
		t.Errorf("%d calls", n)
	}
	if err == nil && booked == 0 && !(got && q.name == "generate") {
		t.Error("an answer of no use is not booked")
	}
	if got && q.name != "restructure" && q.name != "generate" {
		t.Error("something was made of it")
	}
}

// TestLiars are no business of the questions: a script is read as it is, and
// judged elsewhere; but no lie becomes a note of ours.
func TestLiars(t *testing.T) {
	r := agenttest.Report(agenttest.Crash)
	for name, script := range llmtest.Liars("gridlib", "resample", "IndexError", "index 0 is out of bounds") {
		m := llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Text(llmtest.Fenced(script))})
		got, err := generate.Do(t.Context(), &ask.Asker{Model: m}, generate.Input{Variant: generate.Full, Report: r})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Body == "" {
			t.Errorf("%s: no script was read of\n%s", name, script)
		}
		for _, n := range got.Notes {
			if strings.Contains(n, "reproduced") {
				t.Errorf("%s: %q", name, n)
			}
		}
	}
}
