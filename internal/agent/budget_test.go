package agent

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/sandbox"
)

func TestDefaultBudget(t *testing.T) {
	d := DefaultBudget()
	if d.Attempts != 5 || d.Contexts != 5 {
		t.Errorf("not the published 5 by 5: %+v", d)
	}
	if got := (Budget{}).withDefaults(); got != d {
		t.Errorf("an empty budget is %+v", got)
	}
	own := Budget{Attempts: 2, Model: llm.Limit{USD: 1}}.withDefaults()
	if own.Attempts != 2 || own.Model != (llm.Limit{USD: 1}) || own.Contexts != 5 {
		t.Errorf("what the user says is lost: %+v", own)
	}
}

// TestBudgetOfNothing: no call, no environment, no run, and the reason.
func TestBudgetOfNothing(t *testing.T) {
	for name, b := range map[string]Budget{
		"model": {Model: llm.Limit{None: true}}, "attempts": {Attempts: -1}, "contexts": {Contexts: -1}, "samples": {Samples: -1},
		"wall": {Wall: -1}, "sandbox": {Sandbox: -1}, "prompt": {Prompt: -1}, "answer": {Answer: -1},
	} {
		s := set(t, scripts(proved))
		s.in.Budget = b
		out := s.run(t)
		wantEnding(t, out, BudgetEnded)
		if len(s.model.Asked()) != 0 || s.workshop.opened != 0 || !strings.Contains(out.Why[0], "budget") {
			t.Errorf("%s: asked %s, opened %d, %v", name, purposes(s.model), s.workshop.opened, out.Why)
		}
	}
}

// TestCallsEndAnywhere ends the budget of calls before every call that a full
// run makes: never one more is made, and what was reached is in the result.
func TestCallsEndAnywhere(t *testing.T) {
	for _, strategy := range Strategies {
		run := func(calls int) (*Result, int) {
			by := scripts()
			by["generate"] = llmtest.Func(func(n int, _ llm.Request) string {
				return numbered([]string{nothing, badNames, lead}[n%3], n)
			})
			s := set(t, by)
			s.silent()
			s.in.Strategy, s.in.Budget.Model.Calls, s.in.Budget.Samples = strategy, calls, 4
			return s.run(t), len(s.model.Asked())
		}
		full, total := run(1000)
		if full.Ending == BudgetEnded || total == 0 {
			t.Fatalf("%s: %d calls and %s without a limit", strategy, total, full.Ending)
		}
		for calls := 1; calls < total; calls++ {
			out, made := run(calls)
			if out.Ending != BudgetEnded || made > calls || out.Totals.Calls > calls || out.Why[0] == "" {
				t.Errorf("%s with %d of %d calls: %s after %d: %v", strategy, calls, total, out.Ending, made, out.Why)
			}
		}
	}
}

// TestTokensAreNeverExceeded, whatever the limit.
func TestTokensAreNeverExceeded(t *testing.T) {
	for limit := 100; limit < 6000; limit += 300 {
		by := scripts()
		by["generate"] = llmtest.Func(func(n int, _ llm.Request) string { return numbered(badNames, n) })
		s := set(t, by)
		s.in.Budget.Model.Tokens = limit
		out := s.run(t)
		if took := out.Totals.InputTokens + out.Totals.OutputTokens; took > limit {
			t.Errorf("%d tokens of %d", took, limit)
		}
	}
}

// TestNeverEndingAnswer: a model that hangs is cut off when the time of the run
// ends, and what was shown is kept.
func TestNeverEndingAnswer(t *testing.T) {
	for _, purpose := range []string{"restructure", "propose", "plan", "generate"} {
		synctest.Test(t, func(t *testing.T) {
			by := scripts(lead)
			by[purpose] = func(ctx context.Context, _ int, r llm.Request) (llm.Response, error) {
				<-ctx.Done()
				return llm.Response{}, ctx.Err()
			}
			s := set(t, by)
			s.silent()
			s.in.Strategy, s.in.Budget.Wall = RepGen, time.Minute
			began := time.Now()
			out := s.run(t)
			wantEnding(t, out, BudgetEnded)
			if took := time.Since(began); took > time.Minute || !strings.Contains(out.Why[0], "time of the run") {
				t.Errorf("%s: ended after %s: %v", purpose, took, out.Why)
			}
		})
	}
}

// TestWallEnds before every step: nothing is begun that could pass it.
func TestWallEnds(t *testing.T) {
	run := func(wall time.Duration) (*Result, time.Duration) {
		clock := newTicking()
		by := scripts()
		for name, reply := range scripts(numbered(nothing, 1), numbered(badNames, 2), lead) {
			by[name] = func(ctx context.Context, n int, r llm.Request) (llm.Response, error) {
				clock.add(10 * time.Second)
				return reply(ctx, n, r)
			}
		}
		s := set(t, by)
		s.Now = clock.Now
		s.in.Budget.Wall = wall
		s.prover.during = func() { clock.add(10 * time.Second) }
		began := clock.Now()
		out := s.run(t)
		return out, clock.Now().Sub(began)
	}
	full, took := run(time.Hour)
	wantEnding(t, full, LeadOnly)
	for wall := 10 * time.Second; wall < took; wall += 10 * time.Second {
		out, passed := run(wall)
		wantEnding(t, out, BudgetEnded)
		if passed > wall {
			t.Errorf("a step was begun with the time used up: %s of %s", passed, wall)
		}
	}
}

// TestSandboxEnds: the seconds that a prover reports count, and no run is begun
// without any left.
func TestSandboxEnds(t *testing.T) {
	by := scripts()
	by["generate"] = llmtest.Func(func(n int, _ llm.Request) string {
		return numbered([]string{nothing, badNames, lead}[n%3], n)
	})
	s := set(t, by)
	s.prover.sandbox = 20
	s.in.Budget.Sandbox = 50 * time.Second
	out := s.run(t)
	wantEnding(t, out, BudgetEnded)
	if n := len(s.prover.tried) + len(s.prover.proved); n != 3 || out.Sandbox != 60 || !strings.Contains(out.Why[0], "sandbox") {
		t.Errorf("%d runs, %.0f s: %v", n, out.Sandbox, out.Why)
	}
}

// box is a sandbox that takes as long as it is told, by the fake clock.
type box struct {
	takes  func(l sandbox.Limits) time.Duration
	mu     sync.Mutex
	limits []time.Duration
}

func (b *box) Run(ctx context.Context, c sandbox.Command, l sandbox.Limits) (sandbox.Execution, error) {
	b.mu.Lock()
	b.limits = append(b.limits, l.Wall)
	b.mu.Unlock()
	took := min(b.takes(l), l.Wall)
	time.Sleep(took)
	ex := sandbox.Execution{Label: c.Label, Outcome: sandbox.Exited, WallSeconds: took.Seconds()}
	if took == l.Wall {
		ex.Outcome, ex.LimitHit = sandbox.TimedOut, "wall "+l.Wall.String()
	}
	return ex, ctx.Err()
}

func (b *box) Layers(context.Context) ([]sandbox.Layer, error) { return nil, nil }

func TestGateCutsTheLastExecution(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &box{takes: func(l sandbox.Limits) time.Duration { return l.Wall }}
		s := gated{inner, newGate(time.Now, time.Hour, 150*time.Second)}
		limits := sandbox.Limits{Wall: time.Minute}
		var outcomes []sandbox.Outcome
		for range 4 {
			ex, err := s.Run(context.Background(), sandbox.Command{Label: "x"}, limits)
			if err != nil || ex.Label != "x" {
				t.Fatal(ex, err)
			}
			outcomes = append(outcomes, ex.Outcome)
		}
		// Two in full, one cut to the 30 s that are left, one not begun. What was
		// cut is no time-out: it must not pass for a hang.
		if len(inner.limits) != 3 || inner.limits[2] >= 30*time.Second || s.gate.seconds() > 150 {
			t.Errorf("limits %v, %.0f s in all", inner.limits, s.gate.seconds())
		}
		want := []sandbox.Outcome{sandbox.TimedOut, sandbox.TimedOut, sandbox.Canceled, sandbox.Canceled}
		for i := range want {
			if outcomes[i] != want[i] {
				t.Errorf("outcomes %v, want %v", outcomes, want)
			}
		}
		if why := s.gate.why(); !strings.Contains(why, "sandbox budget of 2m30s") {
			t.Errorf("why = %q", why)
		}
	})
}

func TestGateHoldsTheWall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &box{takes: func(l sandbox.Limits) time.Duration { return l.Wall }}
		s := gated{inner, newGate(time.Now, 90*time.Second, time.Hour)}
		began := time.Now()
		for range 3 {
			if _, err := s.Run(context.Background(), sandbox.Command{}, sandbox.Limits{Wall: time.Minute}); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took > 90*time.Second || len(inner.limits) != 2 || !strings.Contains(s.gate.why(), "time of the run") {
			t.Errorf("%s, %v, %q", took, inner.limits, s.gate.why())
		}
	})
}

// TestGateWaits: side by side, an execution waits for what others give back
// rather than be cut short.
func TestGateWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &box{takes: func(sandbox.Limits) time.Duration { return 2 * time.Second }}
		s := gated{inner, newGate(time.Now, time.Hour, 100*time.Second)}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				ex, err := s.Run(context.Background(), sandbox.Command{}, sandbox.Limits{Wall: time.Minute})
				if err != nil || ex.Outcome != sandbox.Exited {
					t.Error(ex.Outcome, ex.LimitHit, err)
				}
			})
		}
		wg.Wait()
		if s.gate.seconds() != 8 {
			t.Errorf("%.0f s", s.gate.seconds())
		}
		for _, l := range inner.limits {
			if l != time.Minute {
				t.Errorf("cut to %s", l)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		granted, _, err := s.gate.take(ctx, 90*time.Second)
		if granted == 0 || err != nil {
			t.Fatal(granted, err)
		}
		wg.Go(func() {
			if _, _, err := s.gate.take(ctx, time.Minute); !errors.Is(err, context.Canceled) {
				t.Errorf("canceled while waiting: %v", err)
			}
		})
		synctest.Wait()
		cancel()
		wg.Wait()
	})
}

// TestGateNeverExceeds, whatever runs how long side by side.
func TestGateNeverExceeds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := time.Duration(rapid.IntRange(1, 200).Draw(rt, "limit")) * time.Second
		takes := rapid.SliceOfN(rapid.IntRange(0, 90), 1, 12).Draw(rt, "takes")
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			n := 0
			inner := &box{takes: func(sandbox.Limits) time.Duration {
				mu.Lock()
				defer mu.Unlock()
				n++
				return time.Duration(takes[(n-1)%len(takes)]) * time.Second
			}}
			s := gated{inner, newGate(time.Now, time.Hour, limit)}
			var wg sync.WaitGroup
			for range takes {
				wg.Go(func() {
					if _, err := s.Run(context.Background(), sandbox.Command{}, sandbox.Limits{Wall: time.Minute}); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if got := s.gate.seconds(); got > limit.Seconds() || s.gate.held != 0 {
				t.Errorf("%.0f s of %s, %s held", got, limit, s.gate.held)
			}
		})
	})
}

// TestBookedOnce: what ran here and is in the report too counts once; what the
// report holds of an earlier go counts as well.
func TestBookedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &box{takes: func(sandbox.Limits) time.Duration { return 3 * time.Second }}
		s := gated{inner, newGate(time.Now, time.Hour, time.Hour)}
		ctx, sum := withCounter(context.Background())
		if _, err := s.Run(ctx, sandbox.Command{}, sandbox.Limits{}); err != nil {
			t.Fatal(err)
		}
		s.gate.book(3, sum)
		if s.gate.seconds() != 3 {
			t.Errorf("booked twice: %.0f s", s.gate.seconds())
		}
		s.gate.book(10, sum)
		if s.gate.seconds() != 10 {
			t.Errorf("%.0f s, want 10", s.gate.seconds())
		}
	})
}

// kept is a journal in memory.
type kept struct {
	proof.NoJournal
	keys []string
}

func (k *kept) Save(key string, _ sandbox.Execution) error {
	k.keys = append(k.keys, key)
	return nil
}

func TestHonestJournal(t *testing.T) {
	k := &kept{}
	h := honest{k}
	for key, ex := range map[string]sandbox.Execution{
		"full": {Outcome: sandbox.TimedOut, LimitHit: "wall 1m"}, "cut": {Outcome: sandbox.Canceled, LimitHit: budgetHit + "only 3s were left"},
	} {
		if err := h.Save(key, ex); err != nil {
			t.Fatal(err)
		}
	}
	if len(k.keys) != 1 || k.keys[0] != "full" {
		t.Errorf("kept %v", k.keys)
	}
}
