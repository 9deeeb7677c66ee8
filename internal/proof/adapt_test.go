package proof

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
)

// every returns a library that fails in one of n executions on 1.2 and never
// on others.
func every(n int) func(map[string]string) sandbox.Execution {
	i := 0
	return func(v map[string]string) sandbox.Execution {
		if v["lib"] != "1.2" {
			return printed("fine\n")
		}
		if i++; i%n == 0 {
			return raised("TypeError", "'int' object is not iterable", "lib/core.py")
		}
		return printed("fine\n")
	}
}

func mixedWorld(n int) *world {
	return &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": {"1.1", "1.2", "1.3"}}, behave: every(n)}
}

// A symptom of one in three executions: the counts decide within the cap, and
// the control runs as often.
func TestMixedExecutionsGoOn(t *testing.T) {
	w := mixedWorld(3)
	o := w.prove(t, typeErrorReport(), &kept{})
	if o.Verdict.Runs <= defaultRuns || o.Verdict.Runs > maxRuns {
		t.Fatalf("%d executions", o.Verdict.Runs)
	}
	if o.Verdict.Headline != oracle.Fixed || !slices.Contains(o.Verdict.Also, oracle.Flaky) {
		t.Errorf("got %s, also %v: %v", o.Verdict.Headline, o.Verdict.Also, o.Verdict.Reasons)
	}
	if n := len(groupOf(o, oracle.SideNewest).Executions); n < o.Verdict.Runs {
		t.Errorf("%d executions of the control of a rare symptom, want %d", n, o.Verdict.Runs)
	}
	if g := groupOf(o, oracle.SidePinned); g == nil || len(g.Executions) != pinnedRuns {
		t.Errorf("mixed executions were not run with pinned seeds: %+v", g)
	}
}

// A report that says "sometimes" is believed that far: more executions before
// the no.
func TestSometimesIsLookedForLonger(t *testing.T) {
	in := typeErrorReport()
	in.Report.Text = "It fails sometimes, maybe one in ten."
	w := mixedWorld(1000)
	o := w.prove(t, in, &kept{})
	if o.Verdict.Headline != oracle.NotReproduced || w.ran("reported") != rareRuns {
		t.Fatalf("got %s after %d executions", o.Verdict.Headline, w.ran("reported"))
	}
	w = mixedWorld(7)
	if o := w.prove(t, in, &kept{}); o.Verdict.Hits == 0 {
		t.Errorf("one in seven was not found in %d executions", o.Verdict.Runs)
	}
	in.Report.Text = "It fails.\n"
	w = mixedWorld(1000)
	if w.prove(t, in, &kept{}); w.ran("reported") != defaultRuns {
		t.Errorf("%d executions although nobody says sometimes", w.ran("reported"))
	}
}

// Whoever asks for a single execution of a claim that only several can show
// gets five.
func TestStartRuns(t *testing.T) {
	for _, c := range []struct {
		oracle oracle.Name
		asked  int
		want   int
	}{
		{oracle.OracleException, 1, 1}, {oracle.OracleException, 9, 9},
		{oracle.OracleDuplicates, 1, 5}, {oracle.OracleSpread, 3, 5}, {oracle.OracleSpread, 8, 8},
		{oracle.OracleHang, 5, 4}, {oracle.OracleHang, 2, 2},
	} {
		p := &proof{in: Input{Runs: c.asked}, exp: oracle.Expectation{Oracle: c.oracle}}
		if got := p.startRuns(); got != c.want {
			t.Errorf("%s, %d asked for: %d, want %d", c.oracle, c.asked, got, c.want)
		}
	}
}

// Values that differ between equal executions: nothing is pinned, the hash seed
// included, and a release on which they agree is the control.
func TestSpreadRunsWithNothingPinned(t *testing.T) {
	in := typeErrorReport()
	in.Candidate.Script = "import lib\n\nprint(\"loss:\", lib.train(seed=1))\n"
	in.Decision.Expectation = &oracle.Expectation{
		Oracle: oracle.OracleSpread, Subject: "lib", Modules: []string{"lib"}, ReporterScript: true,
		Symptom: symptom.Symptom{Kind: symptom.Nondeterminism}, Spread: &oracle.Spread{Labels: []string{"loss:"}},
	}
	n, seeds := 0, map[string]bool{}
	w := oldWorld(func(_ string, c sandbox.Command, v map[string]string) sandbox.Execution {
		if strings.HasPrefix(c.Label, "reported") {
			seeds[c.Env["PYTHONHASHSEED"]] = true
		}
		if n++; v["lib"] == "1.2" {
			return printed(fmt.Sprintf("loss: %d.5\n", n))
		}
		return printed("loss: 3.5\n")
	})
	o := w.prove(t, in, &kept{})
	if len(seeds) != 1 || !seeds["random"] {
		t.Errorf("the hash seeds were %v", seeds)
	}
	if o.Verdict.Headline != oracle.Fixed || o.Verdict.Grade != "B" {
		t.Errorf("got %s %s: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
	}
}

// Equal executions that agree are no nondeterminism, and five are run to see it.
func TestNoSpreadIsNotReproduced(t *testing.T) {
	in := typeErrorReport()
	in.Runs = 1
	in.Decision.Expectation = &oracle.Expectation{
		Oracle: oracle.OracleSpread, Subject: "lib", Modules: []string{"lib"}, ReporterScript: true,
		Symptom: symptom.Symptom{Kind: symptom.Nondeterminism}, Spread: &oracle.Spread{},
	}
	w := oldWorld(func(string, sandbox.Command, map[string]string) sandbox.Execution { return printed("loss: 3.5\n") })
	if o := w.prove(t, in, &kept{}); o.Verdict.Headline != oracle.NotReproduced || w.ran("reported") < 5 {
		t.Fatalf("got %s after %d executions: %v", o.Verdict.Headline, w.ran("reported"), o.Verdict.Reasons)
	}
}

// Executions that take long are repeated only as far as chance asks for it.
func TestSlowExecutionsAreRepeatedLess(t *testing.T) {
	world := func(wall float64) *world {
		w, i := mixedWorld(1), 0
		w.behave = func(v map[string]string) sandbox.Execution {
			ex := printed("fine\n")
			if i++; v["lib"] == "1.2" && i%3 != 0 { // seven of ten: beyond chance, perhaps every second one
				ex = raised("TypeError", "'int' object is not iterable", "lib/core.py")
			}
			ex.WallSeconds = wall
			return ex
		}
		return w
	}
	fast, slow := world(1), world(60)
	in := typeErrorReport()
	in.Runs = 10
	a, b := fast.prove(t, in, &kept{}), slow.prove(t, in, &kept{})
	if a.Verdict.Runs <= b.Verdict.Runs || b.Verdict.Runs != 10 {
		t.Errorf("%d fast and %d slow executions", a.Verdict.Runs, b.Verdict.Runs)
	}
}

// Words for what does not always come, and words that only look like it.
func TestNowAndThen(t *testing.T) {
	for text, want := range map[string]bool{
		"It sometimes prints the wrong sum.":          true,
		"The test is flaky on my machine.":            true,
		"It crashes randomly, about once in ten runs": true,
		"Fails intermittently":                        true,
		"Looks like a race condition":                 true,
		"The weights are randomly initialised.":       false,
		"It always prints the wrong sum.":             false,
		"":                                            false,
	} {
		in := typeErrorReport()
		in.Report.Text = text
		p := &proof{in: in, exp: *in.Decision.Expectation}
		if got := p.nowAndThen(); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
