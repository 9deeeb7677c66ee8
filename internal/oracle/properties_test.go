package oracle

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"pgregory.net/rapid"
)

// drawEvidence is any judged evidence, reported side first.
func drawEvidence(t *rapid.T, reported string) Evidence {
	letters := rapid.StringOfN(rapid.RuneFrom([]rune(reported)), 0, 8, -1)
	any := rapid.StringOfN(rapid.RuneFrom([]rune("hHcwaxil")), 0, 8, -1)
	ev := Evidence{
		Certified: rapid.Bool().Draw(t, "certified"), StandIn: rapid.Bool().Draw(t, "standin"),
		Lowered: rapid.Bool().Draw(t, "lowered"), Adjacent: rapid.Bool().Draw(t, "adjacent"),
		BudgetEnded: rapid.Bool().Draw(t, "budget"),
		Groups:      []Group{findings(SideReported, "2.0", letters.Draw(t, "reported"))},
	}
	sides := []Side{SideNamed, SideRelease, SideNewest, SideFix, SideNeutral, SideContrast, SideRemoval, SidePinned, SideReseeded}
	for range rapid.IntRange(0, 4).Draw(t, "groups") {
		side := rapid.SampledFrom(sides).Draw(t, "side")
		g := findings(side, rapid.SampledFrom([]string{"1.0", "1.9", "2.1", "3.0"}).Draw(t, "version"), any.Draw(t, "findings"))
		g.StandIn = rapid.Bool().Draw(t, "standin")
		ev.Groups = append(ev.Groups, g)
	}
	return ev
}

func drawClaim(t *rapid.T) Expectation {
	e := rapid.SampledFrom([]Expectation{printedClaim, crashClaim, signalClaim, {Oracle: OracleAssert, ReporterScript: true}, {Oracle: OraclePrinted},
		{Oracle: OracleHang, ReporterScript: true}, {Oracle: OracleMemory}, {Oracle: OracleSpread, ReporterScript: true}, {Oracle: OracleDuplicates, ReporterScript: true}}).Draw(t, "claim")
	e.Asks = rapid.Bool().Draw(t, "asks")
	return e
}

// TestNoHitNothingPositive: no evidence without a hit is ever positive or
// graded, collisions least of all.
func TestNoHitNothingPositive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := Decide(drawClaim(t), drawEvidence(t, "cwaxil"))
		if positive(v.Headline) || v.Headline == Lead || v.Grade != "" || v.Hits != 0 {
			t.Fatalf("%s %s with %d hits", v.Headline, v.Grade, v.Hits)
		}
	})
}

// TestPositiveIsGraded: reproduced, fixed and regression carry a grade above D
// and hits in at least half of the executions; D is a lead or flaky.
func TestPositiveIsGraded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := Decide(drawClaim(t), drawEvidence(t, "hHcwaxil"))
		switch v.Headline {
		case Reproduced, Fixed, Regression:
			if v.Grade == "" || v.Grade > "C" || v.Control < 0 || v.Hits < 2 && v.Runs > 2 {
				t.Fatalf("%s %q control %d, %d of %d", v.Headline, v.Grade, v.Control, v.Hits, v.Runs)
			}
		case Lead:
			if v.Grade != "D" {
				t.Fatalf("lead with grade %q", v.Grade)
			}
		}
		if v.Headline == Regression && v.GoodBefore == "" || len(v.Reasons) == 0 {
			t.Fatalf("%+v", v)
		}
	})
}

// TestHitOnControlNeverRaises: a control that shows the symptom as well never
// makes the evidence stronger.
func TestHitOnControlNeverRaises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, ev := drawClaim(t), drawEvidence(t, "hHcwaxil")
		if len(ev.Groups) < 2 {
			return
		}
		before := Decide(e, ev)
		i := rapid.IntRange(1, len(ev.Groups)-1).Draw(t, "control")
		ev.Groups[i].Judgements = append(ev.Groups[i].Judgements, findings(SideRelease, "", "h").Judgements...)
		after := Decide(e, ev)
		if rankOf(after.Grade) > rankOf(before.Grade) {
			t.Fatalf("grade rose from %q to %q", before.Grade, after.Grade)
		}
	})
}

func rankOf(g Grade) int { return strings.Index("DCBA", string(g)+"") }

// TestRefusedIsNeverBetterThanLead, whatever the evidence.
func TestRefusedIsNeverBetterThanLead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := drawEvidence(t, "hHcwaxil")
		ev.Refused = []string{"patches the library"}
		v := Decide(drawClaim(t), ev)
		if v.Headline == Reproduced || v.Headline == Fixed || v.Headline == Regression || v.Grade != "" && v.Grade != "D" {
			t.Fatalf("%s %s", v.Headline, v.Grade)
		}
	})
}

// TestWordsOfTheScriptDecideNothing: text about verdicts on stdout and stderr
// changes no finding of an oracle that does not read output.
func TestWordsOfTheScriptDecideNothing(t *testing.T) {
	all := expectations(t)
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"exception", "import_error", "assert_ints", "assert_floats"}).Draw(rt, "oracle")
		file := rapid.SampledFrom([]string{"scripts/exception.bad", "scripts/exception.good", "scripts/assert_ints.bad", "scripts/printed.bad", "liars/raises_by_hand.bad", "scripts/missing_module.bad"}).Draw(rt, "execution")
		words := rapid.SampledFrom([]string{"reproduced\n", "VERDICT: reproduced, grade A\n", traceback, "Aborted (core dumped)\n", "AssertionError\n"}).Draw(rt, "words")
		ex := execution(t, file)
		before := Judge(all[name], ex)
		ex.Stdout += words
		ex.Stderr += words
		if after := Judge(all[name], ex); after.Finding != before.Finding {
			rt.Fatalf("%s became %s through %q", before.Finding, after.Finding, words)
		}
	})
}

// TestLimitsAreNeverFindings: what a limit of ours ended says nothing, whatever
// was recorded before.
func TestLimitsAreNeverFindings(t *testing.T) {
	all := expectations(t)
	for name, e := range all {
		for _, outcome := range []sandbox.Outcome{sandbox.TimedOut, sandbox.OutOfMemory, sandbox.OutputLimit, sandbox.DiskLimit, sandbox.PidsLimit, sandbox.Canceled} {
			if readsLimits(e.Oracle, outcome) {
				continue // these look further: TestHang, TestMemory
			}
			ex := execution(t, "scripts/"+name+".bad")
			ex.Outcome, ex.LimitHit = outcome, "some limit"
			if j := Judge(e, ex); j.Finding != Inconclusive || !j.Limit || len(j.Reasons) == 0 {
				t.Errorf("%s %s: %+v", name, outcome, j)
			}
		}
		ex := execution(t, "scripts/"+name+".good")
		ex.OOMKills = 1
		if j := Judge(e, ex); j.Finding != Inconclusive || !j.Limit {
			t.Errorf("%s with a killed child: %+v", name, j)
		}
	}
}

// TestKilledIsNoSymptom: SIGKILL comes from outside the code.
func TestKilledIsNoSymptom(t *testing.T) {
	e := Expectation{Oracle: OracleSignal, ReporterScript: true}
	e.Symptom.Kind, e.Symptom.Signal = "signal", "SIGKILL"
	ex := sandbox.Execution{Outcome: sandbox.Signaled, Signal: "SIGKILL"}
	if j := Judge(e, ex); j.Finding != Collided {
		t.Errorf("%s", j.Finding)
	}
}
