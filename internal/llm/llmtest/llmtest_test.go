package llmtest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
	"github.com/repgen/repgen/internal/pysyntax"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func scripted(_ *testing.T, b llmtest.Behaviour) llm.Model {
	return llmtest.Scripted(map[string]llmtest.Reply{"": b.Reply()})
}

func TestScriptedConforms(t *testing.T) { llmtest.Conform(t, scripted) }

func TestScriptedByPurposeAndTurn(t *testing.T) {
	m := llmtest.Scripted(map[string]llmtest.Reply{
		"plan": llmtest.Text("one", "two"), "": llmtest.Func(func(n int, r llm.Request) string { return r.Purpose }),
	})
	ask := func(purpose string) string {
		r := llmtest.Request("x")
		r.Purpose = purpose
		res, err := m.Complete(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return res.Text
	}
	for i, want := range []string{"one", "two", "two"} {
		if got := ask("plan"); got != want {
			t.Errorf("turn %d: %q, want %q", i, got, want)
		}
	}
	if got := ask("other"); got != "other" {
		t.Errorf("got %q", got)
	}
	if n := len(m.Asked()); n != 4 {
		t.Errorf("%d calls remembered", n)
	}
}

func TestScriptedWithoutReply(t *testing.T) {
	_, err := llmtest.Scripted(nil).Complete(t.Context(), llmtest.Request("x"))
	var failure *llm.Error
	if !errors.As(err, &failure) || failure.Kind != llm.NoRecord {
		t.Errorf("error %v", err)
	}
}

// Each fault is what its entry says.
func TestFaults(t *testing.T) {
	for _, f := range llmtest.Faults() {
		t.Run(f.Name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			if f.Name != "hang" {
				ctx = t.Context()
			}
			res, err := llmtest.Scripted(map[string]llmtest.Reply{"": f.Reply}).Complete(ctx, llmtest.Request("x"))
			var failure *llm.Error
			switch {
			case f.Name == "hang":
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error %v", err)
				}
			case f.Kind != "":
				if !errors.As(err, &failure) || failure.Kind != f.Kind {
					t.Errorf("error %v", err)
				}
			case err != nil:
				t.Error(err)
			default:
				_, _, codeErr := llm.ReadCode(res.Text)
				var into struct{ Steps []string }
				_, jsonErr := llm.ReadJSON(res.Text, nil, &into)
				if bad := codeErr != nil && jsonErr != nil; bad != f.Unreadable {
					t.Errorf("code: %v, JSON: %v", codeErr, jsonErr)
				}
			}
		})
	}
}

func TestFailFirst(t *testing.T) {
	m := llmtest.Scripted(map[string]llmtest.Reply{
		"": llmtest.FailFirst(1, llm.Error{Kind: llm.Overloaded}, llmtest.Slow(time.Millisecond, llmtest.JSON([]int{1}))),
	})
	if _, err := m.Complete(t.Context(), llmtest.Request("x")); err == nil {
		t.Error("the first call did not fail")
	}
	res, err := m.Complete(t.Context(), llmtest.Request("x"))
	if err != nil || res.Text != "[1]" {
		t.Errorf("%q, %v", res.Text, err)
	}
}

// The liars are Python: nothing but their content may have them refused.
func TestLiarsParse(t *testing.T) {
	for name, script := range llmtest.Liars("numpy", "mean", "ValueError", "it's \"bad\"\n") {
		if f := pysyntax.Parse(script); len(f.SyntaxErrors) > 0 {
			t.Errorf("%s: %v\n%s", name, f.SyntaxErrors, script)
		}
	}
}
