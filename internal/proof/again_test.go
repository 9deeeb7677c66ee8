package proof

import (
	"slices"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
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
	diffs, un, err := p.Again(t.Context(), in.Candidate, o)
	if err != nil || un != nil {
		t.Fatal(err, un)
	}
	return diffs
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
