package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/repgen/repgen/internal/agent/generate"
	"github.com/repgen/repgen/internal/agent/refine"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/sandbox"
)

// TestOrder is what each strategy asks when nothing ever shows: the scripts fail
// in three ways, so that every scene takes its whole budget of three attempts.
func TestOrder(t *testing.T) {
	never := func() map[string]llmtest.Reply {
		by := scripts()
		by["generate"] = llmtest.Func(func(n int, _ llm.Request) string {
			return numbered([]string{nothing, badNames, "import numpy as np\nnp.off_topic()\n"}[n%3], n)
		})
		return by
	}
	tests := []struct {
		strategy Strategy
		silent   bool
		modules  int
		want     string
	}{
		{Auto, false, 0, "generate*3 restructure plan generate*4"},
		{Auto, true, 0, "restructure propose generate*3 plan generate*4"},
		{Auto, false, 2, "generate*3 restructure plan generate*3 plan generate*4"},
		{RepGen, false, 0, "restructure plan generate*3"},
		{RepGen, true, 9, "restructure propose plan generate*3 plan generate*3"},
		{ZeroShot, true, 3, "generate"},
		{FewShot, false, 0, "generate"},
		{CoT, false, 0, "generate"},
		{Sample, true, 2, "restructure propose plan generate*4"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s silent=%t %d modules", tt.strategy, tt.silent, tt.modules), func(t *testing.T) {
			s := set(t, never())
			s.in.Strategy, s.in.Budget = tt.strategy, Budget{Attempts: 3, Contexts: 2, Samples: 4}
			if tt.silent {
				s.silent()
			}
			if tt.modules > 0 {
				s.modules(tt.modules)
			}
			out := s.run(t)
			wantEnding(t, out, DeadEnd)
			if got := purposes(s.model); got != tt.want {
				t.Errorf("asked %q, want %q", got, tt.want)
			}
			for i, a := range out.Attempts {
				if a.Number != i+1 {
					t.Errorf("attempt %d has number %d", i+1, a.Number)
				}
			}
			if out.Strategy != tt.strategy {
				t.Errorf("the result names %q", out.Strategy)
			}
		})
	}
}

// TestBaselinesSeeNothing: one prompt, no project, no plan, no facts.
func TestBaselinesSeeNothing(t *testing.T) {
	for strategy, variant := range map[Strategy]generate.Variant{ZeroShot: generate.ZeroShot, FewShot: generate.FewShot, CoT: generate.CoT} {
		s := set(t, scripts(lonely))
		s.in.Strategy = strategy
		s.modules(3)
		s.in.Own, s.in.OwnScript = &proof.Outcome{}, &candidate.Candidate{Script: "own"}
		out := s.run(t)
		wantEnding(t, out, Proved) // by another release, with the only attempt
		in := s.writer.asked[0]
		if in.Variant != variant || in.Plan != nil || in.Module != nil || in.Ordered != nil || len(in.Attempts) > 0 || in.Facts.Python != "" || in.Script != "" {
			t.Errorf("%s is asked with %+v", strategy, in)
		}
	}
}

// TestDeadEnds: each of the four is noticed within three attempts and leads to
// the next context.
func TestDeadEnds(t *testing.T) {
	one := func(n int) string { return numbered(badNames, n) }
	tests := []struct {
		name   string
		script func(n int) string
		most   int // attempts a context
		in     int // contexts
		why    string
	}{
		{"identical candidate", func(int) string { return badNames + "# again\n" }, 2, 2, "brought no script that was not tried"},
		{"identical failure", one, 3, 3, "failed alike"},
		{"alternating pair", func(n int) string {
			if n%2 == 0 {
				return one(n)
			}
			return numbered(nothing, n)
		}, 3, 3, "back and forth"},
		{"no script at all", func(int) string { return "" }, 3, 3, "failed alike"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			by := scripts()
			by["generate"] = llmtest.Func(func(n int, _ llm.Request) string { return tt.script(n) })
			s := set(t, by)
			s.in.Strategy = RepGen
			s.modules(3)
			out := s.run(t)
			wantEnding(t, out, DeadEnd)
			per := map[int]int{}
			for _, a := range out.Attempts {
				per[a.Context]++
			}
			for context := 1; context <= tt.in; context++ {
				if n := per[context]; n == 0 || n > tt.most {
					t.Errorf("context %d took %d attempts, want 1 to %d", context, n, tt.most)
				}
			}
			if len(per) != tt.in {
				t.Errorf("attempts by context %v, want %d contexts", per, tt.in)
			}
			if all := strings.Join(out.Why, "\n"); !strings.Contains(all, tt.why) {
				t.Errorf("%q is not among the reasons:\n%s", tt.why, all)
			}
		})
	}
}

// TestIrrelevantMovesOn: the published order leaves a context at once.
func TestIrrelevantMovesOn(t *testing.T) {
	s := set(t, scripts("import numpy as np\nnp.off_topic()\n", proved))
	s.in.Strategy = RepGen
	s.modules(2)
	out := s.run(t)
	wantEnding(t, out, Proved)
	if out.Attempts[0].Context != 1 || out.Attempts[1].Context != 2 {
		t.Errorf("attempts %+v", out.Attempts)
	}
}

// TestRelevanceIsOfOnePlan: a script that missed the point of one plan is looked
// at again under another, where any other result stands.
func TestRelevanceIsOfOnePlan(t *testing.T) {
	s := set(t, nil)
	_, r, err := s.start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r.attempts = []task.Attempt{{Number: 1, Script: nothing, Reached: task.StageRelevance}, {Number: 2, Script: hit, Reached: task.StageControl, Hit: true}}
	if got := r.again(&made{attempt: task.Attempt{Script: nothing}}); got != nil {
		t.Errorf("attempt %d stands for it", got.Number)
	}
	m := &made{attempt: task.Attempt{Script: hit + "# again"}}
	if got := r.again(m); got == nil || got.Number != 2 || !m.attempt.Hit {
		t.Errorf("a script is run twice: %+v", m.attempt)
	}
}

// TestNextPromptKnowsTheLast: the next request carries the previous script and
// its feedback, and the reporter's own as attempt 0.
func TestNextPromptKnowsTheLast(t *testing.T) {
	s := set(t, scripts(badNames, proved))
	s.in.OwnScript = &candidate.Candidate{Script: "own()", Original: "own() # as written"}
	s.in.Own = &proof.Outcome{Verdict: oracle.Verdict{Headline: oracle.NotReproduced}}
	s.run(t)
	first, second := s.writer.asked[0], s.writer.asked[1]
	if first.Variant != generate.Complete || first.Script != "own() # as written" || len(first.Attempts) != 1 || first.Attempts[0].Number != 0 || first.Attempts[0].Headline != "not_reproduced" {
		t.Errorf("the first is asked with %+v", first)
	}
	if len(second.Attempts) != 2 || second.Attempts[1].Script != badNames || second.Attempts[1].Feedback[0].Text != "no such name" {
		t.Errorf("the second is asked with %+v", second.Attempts)
	}
}

// TestPlanIsRevisedOnce: after two runs that refute it, with what they said.
func TestPlanIsRevisedOnce(t *testing.T) {
	by := scripts()
	by["generate"] = llmtest.Func(func(n int, _ llm.Request) string {
		return numbered([]string{nothing, badNames, nothing, "import numpy as np\nnp.off_topic()\n", nothing}[n%5], n)
	})
	s := set(t, by)
	s.in.Strategy = RepGen
	s.modules(1)
	s.in.Without = nil
	s.in.Budget.Attempts = 5
	s.run(t)
	if len(s.writer.plans) > 2 {
		t.Fatalf("planned %d times", len(s.writer.plans))
	}
	for _, in := range s.writer.plans[1:] {
		if in.Previous == nil || len(in.Feedback) == 0 {
			t.Errorf("revised without the reason: %+v", in)
		}
	}
	two := set(t, scripts(numbered(nothing, 1), numbered(nothing, 2), proved))
	two.in.Strategy = RepGen
	two.run(t)
	if got := purposes(two.model); got != "restructure plan generate*2 plan generate" {
		t.Errorf("asked %q", got)
	}
}

// TestExpectation is what scripts are judged by.
func TestExpectation(t *testing.T) {
	judgedBy := func(t *testing.T, change func(s *stageSet)) *oracle.Expectation {
		s := set(t, scripts(proved))
		change(s)
		before := *s.in.Decision
		s.run(t)
		if before.Expectation != s.in.Decision.Expectation {
			t.Error("the caller's decision was changed")
		}
		return s.prover.tried[0].Decision.Expectation
	}
	if e := judgedBy(t, func(*stageSet) {}); e.Oracle != oracle.OracleException {
		t.Errorf("an exception is judged by %s", e.Oracle)
	}
	e := judgedBy(t, func(s *stageSet) { s.silent(); s.in.Decision.Expectation.Asks = true })
	if e.Oracle != oracle.OracleObserved || e.Observed == nil || e.Observed.Bad != "x > 1" || !e.Asks || e.Subject != "numpy" || !slices.Contains(e.Modules, "numpy") {
		t.Errorf("a silent symptom is judged by %+v", e)
	}
	if e := judgedBy(t, func(s *stageSet) {
		s.silent()
		s.model = llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Text(""), "generate": llmtest.Text(proved)})
		s.Model = s.model
	}); e.Oracle != oracle.OracleNonFinite {
		t.Errorf("without a proposal it is judged by %s", e.Oracle)
	}
	if e := judgedBy(t, func(s *stageSet) {
		s.in.Decision.Expectation = nil
		s.model = llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Text(""), "generate": llmtest.Text(proved)})
		s.Model = s.model
	}); e != nil {
		t.Errorf("without any it is judged by %+v", e)
	}
}

func TestWithout(t *testing.T) {
	run := func(t *testing.T, part string) (*stageSet, *Result) {
		s := set(t, scripts(numbered(nothing, 1), numbered(nothing, 2), proved))
		s.in.Strategy, s.in.Without = RepGen, []string{part}
		var off []codebase.Part
		s.Contexts = func(_ context.Context, _ *environment.Environment, without []codebase.Part) (*codebase.CodeContext, error) {
			off = without
			return nil, nil
		}
		out := s.run(t)
		wantEnding(t, out, Proved)
		if !slices.Equal(out.Without, []string{part}) {
			t.Errorf("the result says without %v", out.Without)
		}
		if isRetrieval := slices.Contains(codebase.Parts, codebase.Part(part)); isRetrieval != (len(off) == 1) || isRetrieval && string(off[0]) != part {
			t.Errorf("the search is without %v", off)
		}
		return s, out
	}
	for _, p := range codebase.Parts {
		t.Run(string(p), func(t *testing.T) { run(t, string(p)) })
	}
	t.Run("restructure", func(t *testing.T) {
		s, _ := run(t, "restructure")
		if s.writer.asked[0].Ordered != nil || strings.Contains(purposes(s.model), "restructure") {
			t.Errorf("asked %s", purposes(s.model))
		}
	})
	t.Run("plan", func(t *testing.T) {
		s, _ := run(t, "plan")
		if s.writer.asked[0].Plan != nil || strings.Contains(purposes(s.model), "plan") {
			t.Errorf("asked %s", purposes(s.model))
		}
	})
	t.Run("runtime-feedback", func(t *testing.T) {
		s, out := run(t, "runtime-feedback")
		if len(s.prover.tried) != 3 || !refine.Ran(out.Attempts[1].Reached) || len(out.Attempts[1].Feedback) == 0 {
			t.Errorf("the runs are gone too: %+v", out.Attempts)
		}
		for _, in := range s.writer.asked {
			for _, a := range in.Attempts {
				if len(a.Feedback) > 0 || a.Reached != task.StageRefused {
					t.Errorf("the prompt is told of a run: %+v", a)
				}
			}
		}
		for _, p := range s.writer.plans[1:] {
			if len(p.Feedback) > 0 {
				t.Errorf("the plan is told of a run: %+v", p.Feedback)
			}
		}
	})
	for _, part := range []task.Part{task.PartCompilation, task.PartRelevance, task.PartStatic} {
		t.Run(string(part), func(t *testing.T) {
			run(t, string(part))
			room := &rooms{without: []string{string(part)}}
			if c := room.checker(nil); !slices.Equal(c.Without, []string{string(part)}) || c != room.checker(nil) {
				t.Errorf("the checker is without %v", c.Without)
			}
		})
	}
}

// TestNothingToJudgeBy: one script is written and run for whoever goes on by
// hand, and no budget is spent on more.
func TestNothingToJudgeBy(t *testing.T) {
	for _, d := range []*oracle.Expectation{nil, {Oracle: oracle.OracleNone}} {
		by := scripts(badNames, nothing)
		by["propose"] = llmtest.Text("")
		s := set(t, by)
		s.in.Decision.Expectation = d
		out := s.run(t)
		wantEnding(t, out, DeadEnd)
		if len(out.Attempts) != 2 || len(s.prover.tried) != 1 || len(s.prover.proved) != 0 || !strings.Contains(out.Why[0], "nothing says what a run must show") {
			t.Errorf("%d attempts, %d trials, %d proofs: %v", len(out.Attempts), len(s.prover.tried), len(s.prover.proved), out.Why)
		}
	}
}

// TestSample: the scripts are tried side by side, clustered, and the best ones
// proved.
func TestSample(t *testing.T) {
	by := scripts()
	by["generate"] = func(_ context.Context, _ int, r llm.Request) (llm.Response, error) {
		return llmtest.Answer(r, []string{nothing, badNames, hit, nothing + "# a twin\n", lead, "", lonely, numbered(nothing, 9)}[r.Sample]), nil
	}
	s := set(t, by)
	s.in.Strategy, s.in.Budget.Samples = Sample, 8
	var at, most atomic.Int32
	s.prover.during = func() {
		most.Store(max(most.Load(), at.Add(1)))
		at.Add(-1)
	}
	out := s.run(t)
	wantEnding(t, out, Proved)
	if len(out.Attempts) != 8 || len(s.prover.tried) != 5 {
		t.Errorf("%d attempts, %d trials (a twin runs once, what fails a check never)", len(out.Attempts), len(s.prover.tried))
	}
	if a := out.Attempts[4]; a.Headline != "lead" {
		t.Errorf("the one with a clean control is not proved first: %+v", a)
	}
	for i, a := range out.Attempts {
		if a.Number != i+1 || a.Strategy != "sample" {
			t.Errorf("attempt %d: %+v", i+1, a)
		}
	}
	if all := strings.Join(out.Why, "\n"); !strings.Contains(all, "3 of 8 scripts") {
		t.Errorf("the clusters: %s", all)
	}
	if a, b := out.Attempts[0], out.Attempts[3]; a.Reached != b.Reached || b.Script != nothing+"# a twin\n" {
		t.Errorf("a twin has another result: %+v", b)
	}
	samples := map[int]bool{}
	for _, r := range s.model.Asked() {
		if r.Purpose == "generate" {
			samples[r.Sample] = true
		}
	}
	if len(samples) != 8 {
		t.Errorf("%d different samples were asked for", len(samples))
	}
}

func TestSampleProvesAFew(t *testing.T) {
	by := scripts()
	by["generate"] = func(_ context.Context, _ int, r llm.Request) (llm.Response, error) {
		return llmtest.Answer(r, numbered(lead, r.Sample)), nil
	}
	s := set(t, by)
	s.in.Strategy = Sample
	out := s.run(t)
	wantEnding(t, out, LeadOnly)
	if len(s.prover.proved) != provedSamples || len(out.Attempts) != DefaultBudget().Samples {
		t.Errorf("%d proofs of %d attempts", len(s.prover.proved), len(out.Attempts))
	}
}

// TestTwinsCount: the same script several times speaks for its failure, and is
// run and proved once.
func TestTwinsCount(t *testing.T) {
	by := scripts()
	by["generate"] = func(_ context.Context, _ int, r llm.Request) (llm.Response, error) {
		return llmtest.Answer(r, lead), nil
	}
	s := set(t, by)
	s.in.Strategy, s.in.Budget.Samples = Sample, 5
	out := s.run(t)
	wantEnding(t, out, LeadOnly)
	if len(s.prover.tried) != 1 || len(s.prover.proved) != 1 || !strings.Contains(strings.Join(out.Why, "\n"), "5 of 5 scripts") {
		t.Errorf("%d trials, %d proofs: %v", len(s.prover.tried), len(s.prover.proved), out.Why)
	}
}

// TestSampleStopped: what one sample runs into does not undo the others.
func TestSampleStopped(t *testing.T) {
	for _, kind := range []llm.Kind{llm.Budget, llm.Connection} {
		by := scripts()
		by["generate"] = func(_ context.Context, _ int, r llm.Request) (llm.Response, error) {
			if r.Sample == 1 {
				return llm.Response{}, &llm.Error{Kind: kind, Why: "it ended"}
			}
			return llmtest.Answer(r, lonely), nil
		}
		s := set(t, by)
		s.in.Strategy = Sample
		out := s.run(t)
		wantEnding(t, out, Proved)
		s = set(t, by)
		s.in.Strategy = Sample
		by["generate"] = func(_ context.Context, _ int, r llm.Request) (llm.Response, error) {
			return llm.Response{}, &llm.Error{Kind: kind, Why: "it ended"}
		}
		out = s.run(t)
		want := map[llm.Kind]Ending{llm.Budget: BudgetEnded, llm.Connection: ModelFailed}[kind]
		wantEnding(t, out, want)
	}
}

// TestRealProverIsGated: the real prover is put behind the gate, a copy of it.
func TestRealProverIsGated(t *testing.T) {
	own := &proof.Prover{Sandbox: noSandbox{t}, Journal: proof.NoJournal{}}
	g := newGate(newTicking().Now, 1e12, 1e12)
	behind, ok := g.behind(own).(*proof.Prover)
	if !ok || behind == own {
		t.Fatal("the caller's prover is used itself")
	}
	if _, ok := behind.Sandbox.(gated); !ok {
		t.Errorf("its sandbox is %T", behind.Sandbox)
	}
	if err := behind.Journal.Save("k", sandbox.Execution{LimitHit: budgetHit + "x"}); err != nil {
		t.Error(err)
	}
	if _, ok := own.Sandbox.(noSandbox); !ok {
		t.Error("the caller's prover was changed")
	}
}
