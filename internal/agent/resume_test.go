package agent

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
)

// backend counts what really reaches a scripted model, and fails when told.
type backend struct {
	*llmtest.Model
	calls  int
	killAt int
	kill   func()
}

func (b *backend) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	b.calls++
	if b.calls == b.killAt {
		b.kill()
		if err := ctx.Err(); err != nil {
			return llm.Response{}, err
		}
	}
	return b.Model.Complete(ctx, r)
}

// byPrompt answers by what is asked and not by how often, as a model does whose
// earlier answers lie in records.
func byPrompt() map[string]llmtest.Reply {
	by := scripts()
	by["generate"] = llmtest.Func(func(_ int, r llm.Request) string {
		n := len(r.Messages[0].Content) + r.Sample
		return numbered([]string{nothing, badNames, lead}[n%3], n)
	})
	return by
}

// resumable is a run over records in dir.
func resumable(t *testing.T, strategy Strategy, dir string, b *backend) *stageSet {
	s := set(t, nil)
	b.Model = llmtest.Scripted(byPrompt())
	s.Model = llm.NewMeter(llm.Recorded(b, dir), llm.Prices{}, DefaultBudget().Model)
	s.silent()
	s.modules(2)
	s.in.Strategy, s.in.Budget = strategy, Budget{Attempts: 3, Contexts: 2, Samples: 3}
	return s
}

// TestResume cuts a run off at every model call, by cancellation and by a panic,
// and starts it again over the same records: it ends as an uninterrupted one,
// with the same totals, and only the call under way is made twice.
func TestResume(t *testing.T) {
	for _, strategy := range []Strategy{Auto, RepGen} {
		whole := &backend{}
		s := resumable(t, strategy, t.TempDir(), whole)
		want := s.run(t)
		asked := s.prover.tried
		if whole.calls < 6 {
			t.Fatalf("%s: only %d calls", strategy, whole.calls)
		}
		for at := 1; at <= whole.calls; at++ {
			for _, panics := range []bool{false, true} {
				dir := t.TempDir()
				first := &backend{killAt: at}
				cutOff(t, resumable(t, strategy, dir, first), first, panics)
				second := &backend{}
				again := resumable(t, strategy, dir, second)
				got := again.run(t)
				if second.calls != whole.calls-at+1 {
					t.Errorf("%s cut off at call %d of %d (panic %t): %d calls after it, want %d", strategy, at, whole.calls, panics, second.calls, whole.calls-at+1)
				}
				if got.Ending != want.Ending || !slices.Equal(got.Why, want.Why) || !reflect.DeepEqual(got.Attempts, want.Attempts) {
					t.Errorf("%s cut off at call %d: another way: %v, want %v", strategy, at, got.Why, want.Why)
				}
				if got.Totals != want.Totals || len(again.prover.tried) != len(asked) {
					t.Errorf("%s cut off at call %d: totals %+v, want %+v", strategy, at, got.Totals, want.Totals)
				}
			}
		}
	}
}

// cutOff runs until the backend's killAt.
func cutOff(t *testing.T, s *stageSet, b *backend, panics bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.kill = cancel
	if panics {
		b.kill = func() { panic("killed") }
		defer func() {
			if recover() == nil {
				t.Error("it was not killed")
			}
		}()
	}
	if _, _, err := s.start(ctx); !panics && !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestSampleResumes: samples are found by their numbers, whatever their order.
func TestSampleResumes(t *testing.T) {
	dir := t.TempDir()
	var calls [2]int
	var results [2]*Result
	for i := range 2 {
		s := resumable(t, Sample, dir, &backend{})
		counted := llmtest.Scripted(byPrompt())
		s.Model = llm.NewMeter(llm.Recorded(counted, dir), llm.Prices{}, DefaultBudget().Model)
		results[i] = s.run(t)
		calls[i] = len(counted.Asked())
		for _, r := range counted.Asked() {
			if r.Purpose == "generate" && (r.Temperature == nil || *r.Temperature != sampleTemperature) {
				t.Errorf("sample %d at temperature %v", r.Sample, r.Temperature)
			}
		}
	}
	if calls[0] == 0 || calls[1] != 0 || !reflect.DeepEqual(results[0].Attempts, results[1].Attempts) || results[0].Totals != results[1].Totals {
		t.Errorf("calls %v, totals %+v and %+v", calls, results[0].Totals, results[1].Totals)
	}
}
