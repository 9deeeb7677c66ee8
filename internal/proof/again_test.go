package proof

import (
	"slices"
	"testing"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
)

// again proves on one world and verifies on another.
func again(t *testing.T, then, now func(map[string]string) sandbox.Execution) []Difference {
	t.Helper()
	w := &world{base: map[string]string{"lib": "1.2.0"}, releases: map[string][]string{"lib": {"1.2.0", "1.3.0"}}, behave: then}
	in := typeErrorReport()
	o := w.prove(t, in, &kept{})
	w.behave = now
	p := &Prover{Solver: w, Builder: w, Sandbox: w, Journal: NoJournal{}, WorkRoot: t.TempDir(), Parallel: 1}
	r, err := p.Again(t.Context(), in.Candidate, o)
	if err != nil || r.Unavailable != nil {
		t.Fatal(err, r)
	}
	return r.Differences
}

func TestAgainIsTheSame(t *testing.T) {
	if diffs := again(t, failsOn("1.2.0"), failsOn("1.2.0")); len(diffs) > 0 {
		t.Errorf("got %v", diffs)
	}
}

func TestAgainSeesThatTheSymptomIsGone(t *testing.T) {
	diffs := again(t, failsOn("1.2.0"), failsOn())
	if !slices.ContainsFunc(diffs, func(d Difference) bool { return d.Field == "headline" && d.After == string(oracle.NotReproduced) }) {
		t.Errorf("got %v", diffs)
	}
}

func TestAgainSeesThatTheControlShowsIt(t *testing.T) {
	diffs := again(t, failsOn("1.2.0"), failsOn("1.2.0", "1.3.0"))
	if !slices.ContainsFunc(diffs, func(d Difference) bool { return d.Field == "newest lib 1.3.0 findings" }) {
		t.Errorf("got %v", diffs)
	}
}

// TestAgainAddsNothingRecorded: who forges records of a symptom that comes now
// and then has none of them counted beside what was run anew.
func TestAgainAddsNothingRecorded(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2.0"}, releases: map[string][]string{"lib": {"1.2.0", "1.3.0"}}, behave: sometimes(6)}
	in := typeErrorReport()
	o := w.prove(t, in, &kept{})
	if !Positive(o.Verdict.Headline) {
		t.Fatalf("no claim to forge: %s", o.Verdict.Headline)
	}
	control := &o.Evidence.Groups[o.Verdict.Control]
	for range 30 {
		control.Executions = append(control.Executions, control.Executions[0])
	}
	o.Verdict = Rejudge(*o.Expectation, o.Evidence)
	w.behave = failsOn() // there is no bug
	p := &Prover{Solver: w, Builder: w, Sandbox: w, Journal: NoJournal{}, WorkRoot: t.TempDir(), Parallel: 1}
	r, err := p.Again(t.Context(), in.Candidate, o)
	if err != nil || !slices.ContainsFunc(r.Differences, func(d Difference) bool { return d.Field == "headline" }) {
		t.Fatalf("%+v: %v", r, err)
	}
}

// sometimes fails in n of every ten executions of 1.2.0.
func sometimes(n int) func(map[string]string) sandbox.Execution {
	i := 0
	return func(v map[string]string) sandbox.Execution {
		if v["lib"] != "1.2.0" {
			return failsOn()(v)
		}
		i++
		if i*7%10 < n { // hits and misses mixed
			return failsOn("1.2.0")(v)
		}
		return failsOn()(v)
	}
}

// A rate is compared as a rate: five of ten and four of ten are the same bug,
// nine of ten and none are not.
func TestAgainComparesRates(t *testing.T) {
	if diffs := again(t, sometimes(6), sometimes(5)); len(diffs) > 0 {
		t.Errorf("six and five of ten: %v", diffs)
	}
	if diffs := again(t, sometimes(8), sometimes(0)); len(diffs) == 0 {
		t.Error("eight of ten and none were called the same")
	}
}

// What comes and goes has no rate of its own: more often on a machine at rest is
// the same bug; so rarely that the new executions alone would be no proof is not.
func TestAgainLeavesRatesToTheMachine(t *testing.T) {
	if diffs := again(t, sometimes(6), sometimes(10)); len(diffs) > 0 {
		t.Errorf("six of ten, then all: %v", diffs)
	}
	for _, n := range []int{0, 1, 2} {
		if diffs := again(t, sometimes(6), sometimes(n)); len(diffs) == 0 {
			t.Errorf("six of ten and %d of ten were called the same", n)
		}
	}
}

// Five hits of five happen to a symptom that comes three times in five: a new
// sample with misses is made larger before it is called different, and one that
// refutes the record still is.
func TestAgainBelievesALuckyRecord(t *testing.T) {
	if diffs := again(t, sometimes(10), sometimes(6)); len(diffs) > 0 {
		t.Errorf("five of five, then three of five: %v", diffs)
	}
	if diffs := again(t, sometimes(10), sometimes(3)); len(diffs) == 0 {
		t.Error("five of five, then three in ten, were called the same")
	}
}

// One recorded hit is refuted by no hit in twenty, though not by none in five.
func TestAgainRefutesOneLuckyHit(t *testing.T) {
	if oracle.FisherOneSided(1, 1, 0, 5) < chance || oracle.FisherOneSided(1, 1, 0, doubtRuns) >= chance {
		t.Errorf("%d executions do not refute one hit", doubtRuns)
	}
}

// Another failure beside what comes and goes is no matter of rates.
func TestAgainSeesAnotherFailureAmongRates(t *testing.T) {
	i := 0
	other := func(v map[string]string) sandbox.Execution {
		ex := failsOn()(v)
		if v["lib"] != "1.2.0" {
			return ex
		}
		if i++; i%10 < 6 {
			return failsOn("1.2.0")(v)
		}
		ex = failsOn("1.2.0")(v)
		for k := range ex.Record.Exceptions {
			ex.Record.Exceptions[k].Type, ex.Record.Exceptions[k].Message = "MemoryError", "no room"
		}
		return ex
	}
	if diffs := again(t, sometimes(6), other); len(diffs) == 0 {
		t.Error("another failure in four of ten was called the same")
	}
}

// TestAgainSaysWhatItRan: the same is a word about fresh executions, and where
// there is nothing to be run, nothing is the same.
func TestAgainSaysWhatItRan(t *testing.T) {
	prove := func(t *testing.T) (*world, Input, *Outcome, *Prover) {
		w := &world{base: map[string]string{"lib": "1.2.0"}, releases: map[string][]string{"lib": {"1.1.0", "1.2.0", "1.3.0"}}, behave: failsOn("1.2.0")}
		in := typeErrorReport()
		in.Decision.Good = []report.Version{{Dist: "lib", Spec: "1.1.0", Kind: report.VersionExact, Role: report.RoleGood}}
		o := w.prove(t, in, &kept{})
		if o.Verdict.Headline != oracle.Regression || o.Verdict.Control < 0 {
			t.Fatalf("got %s %s: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
		}
		return w, in, o, &Prover{Solver: w, Builder: w, Sandbox: w, Journal: NoJournal{}, WorkRoot: t.TempDir(), Parallel: 1}
	}
	t.Run("each side that the claim rests on", func(t *testing.T) {
		w, in, o, p := prove(t)
		before := map[string]int{"reported": w.ran("reported"), "named_good": w.ran("named_good")}
		r, err := p.Again(t.Context(), in.Candidate, o)
		if err != nil || len(r.Differences) > 0 {
			t.Fatal(r, err)
		}
		for side, had := range before {
			i := slices.IndexFunc(r.Ran, func(g Ran) bool { return g.Side == side })
			if i < 0 || r.Ran[i].Executions != w.ran(side)-had || r.Ran[i].Executions == 0 {
				t.Errorf("%s ran %d times, told is %+v", side, w.ran(side)-had, r.Ran)
			}
		}
	})
	t.Run("an older release that never ran", func(t *testing.T) {
		_, in, o, p := prove(t)
		// The newest release first, so that it is the one that gave the grade.
		slices.Reverse(o.Evidence.Groups)
		slices.Reverse(o.Locks)
		o.Verdict = Rejudge(*o.Expectation, o.Evidence)
		if side := o.Evidence.Groups[o.Verdict.Control].Side; side == oracle.SideNamed || o.Verdict.Headline != oracle.Regression {
			t.Fatal("the older release is the control itself, which always ran again")
		}
		for i, g := range o.Evidence.Groups {
			// What the record says of it is made up: here it fails, too.
			if g.Side == oracle.SideNamed {
				o.Evidence.Groups[i].Executions = slices.Repeat([]sandbox.Execution{printed("fine\n")}, 3)
			}
		}
		w := &world{base: map[string]string{"lib": "1.2.0"}, releases: map[string][]string{"lib": {"1.1.0", "1.2.0", "1.3.0"}}, behave: failsOn("1.1.0", "1.2.0")}
		p.Builder, p.Sandbox = w, w
		r, err := p.Again(t.Context(), in.Candidate, o)
		if err != nil || len(r.Differences) == 0 {
			t.Errorf("a regression without its older release is the same: %+v %v", r, err)
		}
	})
	t.Run("nothing", func(t *testing.T) {
		_, in, o, p := prove(t)
		o.Locks = make([]*environment.Lock, len(o.Evidence.Groups))
		if r, err := p.Again(t.Context(), in.Candidate, o); err != nil || len(r.Ran) > 0 {
			t.Errorf("%+v %v", r, err)
		}
	})
}
