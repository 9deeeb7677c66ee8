package llm_test

import (
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(recordInto); dir != "" {
		recordForEver(dir)
	}
	goleak.VerifyTestMain(m)
}

func scripted(b llmtest.Behaviour) *llmtest.Model {
	return llmtest.Scripted(map[string]llmtest.Reply{"": b.Reply()})
}

// quick is a retry that fails at once.
func quick(m llm.Model) llm.Model {
	return llm.Retry(m, llm.RetryOptions{Attempts: 2, Base: time.Millisecond, Cap: time.Millisecond})
}

// priced has a price for the scripted model.
var priced = llm.Prices{Override: map[string]llm.Price{"scripted": {In: 1, Out: 10}}}

// Each wrapper, and all of them in their order, keep the contract.
func TestWrappersConform(t *testing.T) {
	for name, wrap := range map[string]func(*testing.T, llm.Model) llm.Model{
		"meter": func(_ *testing.T, m llm.Model) llm.Model { return llm.NewMeter(m, priced, llm.Limit{}) },
		"meter with limits": func(_ *testing.T, m llm.Model) llm.Model {
			return llm.NewMeter(m, priced, llm.Limit{Calls: 100, Tokens: 1_000_000, USD: 100})
		},
		"retry":    func(_ *testing.T, m llm.Model) llm.Model { return quick(m) },
		"cached":   func(t *testing.T, m llm.Model) llm.Model { return llm.Cached(m, t.TempDir()) },
		"recorded": func(t *testing.T, m llm.Model) llm.Model { return llm.Recorded(m, t.TempDir()) },
		"all": func(t *testing.T, m llm.Model) llm.Model {
			m = llm.Recorded(llm.Cached(quick(m), t.TempDir()), t.TempDir())
			return llm.NewMeter(m, priced, llm.Limit{Calls: 100, Tokens: 1_000_000, USD: 100})
		},
	} {
		t.Run(name, func(t *testing.T) {
			llmtest.Conform(t, func(t *testing.T, b llmtest.Behaviour) llm.Model { return wrap(t, scripted(b)) })
		})
	}
}

// record asks everything that the suite asks, into a folder.
func record(t *testing.T, dir string, b llmtest.Behaviour) {
	t.Helper()
	m := llm.Recorded(scripted(b), dir)
	for _, r := range llmtest.Requests() {
		if _, err := m.Complete(t.Context(), r); err != nil && b.Fail == "" {
			t.Fatal(err)
		}
	}
}

// What was recorded is replayed, and answers a resumed run.
func TestRecordsConform(t *testing.T) {
	dirs := map[llmtest.Behaviour]string{} // each is recorded once
	recorded := func(b llmtest.Behaviour) string {
		if dirs[b] == "" {
			dirs[b] = t.TempDir()
			record(t, dirs[b], b)
		}
		return dirs[b]
	}
	t.Run("replay", func(t *testing.T) {
		llmtest.Conform(t, func(t *testing.T, b llmtest.Behaviour) llm.Model {
			if b.Hang {
				return nil // nobody is asked
			}
			m, err := llm.Replay(recorded(b))
			if err != nil {
				t.Fatal(err)
			}
			return m
		})
	})
	t.Run("resumed", func(t *testing.T) {
		llmtest.Conform(t, func(_ *testing.T, b llmtest.Behaviour) llm.Model {
			if b.Hang {
				return nil
			}
			return llm.Recorded(scripted(b), recorded(b)) // a failure at the end is asked again
		})
	})
	t.Run("warm cache", func(t *testing.T) {
		llmtest.Conform(t, func(t *testing.T, b llmtest.Behaviour) llm.Model {
			dir := t.TempDir()
			if !b.Hang {
				m := llm.Cached(scripted(b), dir)
				for _, r := range llmtest.Requests() {
					_, _ = m.Complete(t.Context(), r)
				}
			}
			return llm.Cached(scripted(b), dir)
		})
	})
}
