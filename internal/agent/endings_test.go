package agent

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestProved(t *testing.T) {
	s := set(t, scripts(badNames, nothing, proved))
	out := s.run(t)
	wantEnding(t, out, Proved)
	if out.Outcome == nil || out.Outcome.Verdict.Grade != "B" || out.Candidate == nil || out.Decision == nil {
		t.Fatalf("nothing to judge: %+v", out)
	}
	if len(out.Attempts) != 3 || len(s.prover.tried) != 2 || len(s.prover.proved) != 1 {
		t.Errorf("%d attempts, %d trials, %d proofs", len(out.Attempts), len(s.prover.tried), len(s.prover.proved))
	}
	last := out.Attempts[2]
	if last.Number != 3 || !last.Hit || !last.Clean || last.Headline != "reproduced" || last.Reached != "proof" {
		t.Errorf("the attempt: %+v", last)
	}
	if out.Totals.Calls != 3 || out.Totals.InputTokens == 0 || out.Strategy != Auto || out.Model.Backend != "scripted" {
		t.Errorf("the result: %+v", out)
	}
	if got := s.prover.proved[0].Candidate; got.Origin != candidate.FromAgent("", "").Origin {
		t.Errorf("the script passes for %q's", got.Origin)
	}
}

// TestAnotherReleaseMayTell: a script without a control is proved when nothing
// better came.
func TestAnotherReleaseMayTell(t *testing.T) {
	for name, texts := range map[string][]string{
		"as the last attempt":    {lonely},
		"before a dead end":      {lonely, numbered(badNames, 1), numbered(badNames, 2), numbered(badNames, 3)},
		"with the same for ever": {lonely, lonely},
	} {
		t.Run(name, func(t *testing.T) {
			s := set(t, scripts(texts...))
			out := s.run(t)
			wantEnding(t, out, Proved)
			if len(s.prover.proved) != 1 || out.Attempts[0].Headline != "reproduced" {
				t.Errorf("%d proofs, attempts %+v", len(s.prover.proved), out.Attempts)
			}
		})
	}
}

// TestImportOnly: where importing is what fails there is nothing that a control
// could leave out, and of observed values no control of the script's own counts
// alone: the first script that shows either is proved at once.
func TestImportOnly(t *testing.T) {
	for _, c := range []struct {
		judged oracle.Name
		calls  int
	}{{oracle.OracleImportError, 1}, {oracle.OracleObserved, 1}, {oracle.OracleException, 2}} {
		s := set(t, scripts(lonely, numbered(nothing, 1)))
		s.in.Decision.Expectation.Oracle = c.judged
		s.in.Budget.Attempts = 2
		s.in.Strategy = RepGen
		out := s.run(t)
		wantEnding(t, out, Proved)
		if len(out.Attempts) != c.calls || len(s.prover.proved) != 1 || out.Attempts[0].Headline != "reproduced" {
			t.Errorf("%s: %d proofs, attempts %+v", c.judged, len(s.prover.proved), out.Attempts)
		}
	}
}

// TestReleasesAskedOnce: where the other releases do not tell for the first
// script that shows observed values, they are asked again only about a script
// with a control, or at the end.
func TestReleasesAskedOnce(t *testing.T) {
	s := set(t, scripts(numbered(hit, 1), numbered(hit, 2), numbered(hit, 3), nothing))
	s.in.Decision.Expectation.Oracle = oracle.OracleObserved
	s.in.Strategy = RepGen
	s.in.Budget.Attempts, s.in.Budget.Contexts = 3, 1
	out := s.run(t)
	wantEnding(t, out, LeadOnly)
	if len(out.Attempts) != 3 || len(s.prover.proved) != 2 {
		t.Errorf("%d attempts, %d proofs", len(out.Attempts), len(s.prover.proved))
	}
}

func TestLeadOnly(t *testing.T) {
	s := set(t, scripts(lead, hit, nothing))
	out := s.run(t)
	wantEnding(t, out, LeadOnly)
	if out.Outcome == nil || out.Outcome.Verdict.Headline != oracle.Lead {
		t.Errorf("the lead is lost: %+v", out.Outcome)
	}
	if f := out.Attempts[0].Feedback; len(f) == 0 || f[0].Stage != "proof" || f[0].Text == "" {
		t.Errorf("the next prompt is not told: %+v", f)
	}
}

// TestBestOutcomeWins: a lead does not hide a grade that comes later, and stays
// where nothing better comes.
func TestBestOutcomeWins(t *testing.T) {
	order := []oracle.Verdict{
		{Headline: oracle.Exhausted}, {Headline: oracle.NotReproduced}, {Headline: oracle.DifferentFailure},
		{Headline: oracle.Lead, Grade: "D"}, {Headline: oracle.Reproduced, Grade: "C"}, {Headline: oracle.Flaky, Grade: "B"}, {Headline: oracle.Fixed, Grade: "A"},
	}
	for i, v := range order {
		f := &found{outcome: &proof.Outcome{Verdict: v}}
		if f.rank() != i {
			t.Errorf("%s %s has rank %d, want %d", v.Headline, v.Grade, f.rank(), i)
		}
	}
	out := set(t, scripts(lead, proved)).run(t)
	wantEnding(t, out, Proved)
}

func TestDeadEndEnding(t *testing.T) {
	s := set(t, scripts(nothing))
	out := s.run(t)
	wantEnding(t, out, DeadEnd)
	if out.Outcome != nil {
		t.Error("an outcome of nothing")
	}
	// Two of the completion, two of the one context without code, one baseline:
	// the same script is noticed at once, and run once in all.
	if got := purposes(s.model); got != "generate*2 restructure plan generate*3" || len(s.prover.tried) != 1 {
		t.Errorf("asked %s, ran %d", got, len(s.prover.tried))
	}
	if all := strings.Join(out.Why, "\n"); !strings.Contains(all, "zero-shot") || !strings.Contains(all, "completion") {
		t.Errorf("the reasons do not say what was tried:\n%s", all)
	}
}

// TestModelFailed: whatever kind of failure, it ends with what, why and next,
// and with what was found before.
func TestModelFailed(t *testing.T) {
	for _, kind := range []llm.Kind{llm.Auth, llm.RateLimited, llm.Overloaded, llm.Timeout, llm.Connection, llm.TooLong, llm.NotFound, llm.BadRequest, llm.BadResponse, llm.Crashed, llm.NoRecord} {
		t.Run(string(kind), func(t *testing.T) {
			by := scripts(lead)
			by["generate"] = func(_ context.Context, n int, r llm.Request) (llm.Response, error) {
				if n > 0 {
					return llm.Response{}, &llm.Error{Kind: kind, Why: "it broke"}
				}
				return llmtest.Answer(r, lead), nil
			}
			out := set(t, by).run(t)
			wantEnding(t, out, ModelFailed)
			if f := out.Failure; f == nil || f.What == "" || !strings.Contains(f.Why, "it broke") || f.Next == "" {
				t.Errorf("failure %+v", f)
			}
			if out.Outcome == nil || len(out.Attempts) != 1 || out.Totals.Calls == 0 {
				t.Errorf("what was found is lost: %+v", out)
			}
		})
	}
}

// TestShownBeforeTheEnd: what was shown and not yet proved is proved when the
// model fails or its budget ends.
func TestShownBeforeTheEnd(t *testing.T) {
	for name, kind := range map[string]llm.Kind{"failure": llm.Connection, "budget": llm.Budget} {
		t.Run(name, func(t *testing.T) {
			by := scripts()
			by["generate"] = func(_ context.Context, n int, r llm.Request) (llm.Response, error) {
				if n > 0 {
					return llm.Response{}, &llm.Error{Kind: kind, Why: "it ended"}
				}
				return llmtest.Answer(r, lonely), nil
			}
			out := set(t, by).run(t)
			wantEnding(t, out, Proved)
		})
	}
}

func TestNoEnvironment(t *testing.T) {
	t.Run("it cannot be built", func(t *testing.T) {
		s := set(t, scripts(proved))
		s.workshop.open = &environment.Unavailable{Why: "no wheel"}
		out := s.run(t)
		wantEnding(t, out, NoEnvironment)
		if out.Unavailable == nil || out.Unavailable.Why != "no wheel" || len(s.model.Asked()) != 0 {
			t.Errorf("asked %s: %+v", purposes(s.model), out)
		}
	})
	t.Run("the report names none and no script has one", func(t *testing.T) {
		s := set(t, scripts(proved))
		s.workshop.spec, s.workshop.lacks = &environment.Unavailable{Why: "nothing to build"}, "numpy"
		out := s.run(t)
		wantEnding(t, out, NoEnvironment)
		if out.Unavailable == nil {
			t.Error("it is not said why")
		}
	})
	t.Run("the report names none and the script does", func(t *testing.T) {
		s := set(t, scripts(proved))
		s.workshop.spec = &environment.Unavailable{Why: "nothing to build"}
		wantEnding(t, s.run(t), Proved)
	})
	t.Run("the reporter's script wants a module of his own", func(t *testing.T) {
		s := set(t, scripts(proved))
		s.workshop.lacks = "mycompany"
		s.in.OwnScript = &candidate.Candidate{Script: "import mycompany", Imports: []string{"mycompany"}}
		wantEnding(t, s.run(t), Proved)
	})
	t.Run("only the script wants too much", func(t *testing.T) {
		s := set(t, scripts("import nowhere\n"+proved, proved))
		s.workshop.lacks = "nowhere"
		out := s.run(t)
		wantEnding(t, out, Proved)
		if f := out.Attempts[0].Feedback; len(f) != 1 || !strings.Contains(f[0].Text, "no release of nowhere") {
			t.Errorf("the model is told %+v", f)
		}
	})
	t.Run("a run says so", func(t *testing.T) {
		s := set(t, scripts(proved))
		s.prover.gone = &environment.Unavailable{Why: "its certificate failed"}
		out := s.run(t)
		wantEnding(t, out, NoEnvironment)
		if out.Unavailable == nil || len(s.model.Asked()) != 1 {
			t.Errorf("the model was asked to mend an environment: %s", purposes(s.model))
		}
	})
}

// TestInfrastructure: what is neither a domain outcome nor a model's failure is
// an error, wherever it comes.
func TestInfrastructure(t *testing.T) {
	broken := errors.New("disk full")
	for name, breaks := range map[string]func(s *stageSet){
		"workshop": func(s *stageSet) { s.workshop.err = broken },
		"checker":  func(s *stageSet) { s.checker.err = broken },
		"prover":   func(s *stageSet) { s.prover.err = broken },
	} {
		s := set(t, scripts(proved))
		breaks(s)
		if out, _, err := s.start(context.Background()); !errors.Is(err, broken) || out != nil {
			t.Errorf("%s: %v, %v", name, out, err)
		}
	}
}

func TestBadInput(t *testing.T) {
	good := set(t, scripts(proved))
	for name, change := range map[string]func(in *Input){
		"no report":        func(in *Input) { in.Report = nil },
		"no decision":      func(in *Input) { in.Decision = nil },
		"unknown strategy": func(in *Input) { in.Strategy = "luck" },
		"unknown part":     func(in *Input) { in.Without = []string{"thinking"} },
	} {
		s := *good
		change(&s.in)
		if _, err := s.Agent.Run(context.Background(), s.in); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if len(good.model.Asked()) != 0 {
		t.Error("the model was asked")
	}
}

// TestCanceledEverywhere cancels at every model call, every run and every
// environment: the error is that of the context, and nothing is left running.
func TestCanceledEverywhere(t *testing.T) {
	count := func(at int) (calls int, err error) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		tick := func() {
			if calls++; calls == at {
				cancel()
			}
		}
		by := scripts()
		for name, reply := range scripts(badNames, lead, hit, numbered(nothing, 1), numbered(nothing, 2), numbered(nothing, 3)) {
			by[name] = func(ctx context.Context, n int, r llm.Request) (llm.Response, error) {
				tick()
				if err := ctx.Err(); err != nil {
					return llm.Response{}, err
				}
				return reply(ctx, n, r)
			}
		}
		s := set(t, by)
		s.silent()
		s.prover.during = tick
		_, _, err = s.start(ctx)
		return calls, err
	}
	total, err := count(-1)
	if err != nil || total < 10 {
		t.Fatalf("%d steps, %v", total, err)
	}
	for at := 1; at <= total; at++ {
		if n, err := count(at); !errors.Is(err, context.Canceled) || n != at {
			t.Errorf("canceled at step %d of %d: went on to %d, error %v", at, total, n, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := set(t, scripts(proved)).start(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled before it began: %v", err)
	}
}

// BenchmarkAttempt is the loop's own time for one attempt that is checked and
// run; the aim is under 50 ms.
func BenchmarkAttempt(b *testing.B) {
	body := strings.Repeat("y = np.zeros(3)\n", 200)
	var attempts int
	began := time.Now()
	for n := 0; b.Loop(); n++ {
		by := scripts()
		by["generate"] = llmtest.Func(func(n int, _ llm.Request) string { return numbered(nothing+body, n) })
		s := set(b, by)
		s.in.Budget.Attempts = 3
		attempts += len(s.run(b).Attempts)
	}
	b.ReportMetric(float64(time.Since(began).Milliseconds())/float64(attempts), "ms/attempt")
}
