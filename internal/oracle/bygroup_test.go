package oracle

import (
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"pgregory.net/rapid"
)

// drawn is an execution of any ending and any output.
func drawn(t *rapid.T) sandbox.Execution {
	line := rapid.SampledFrom([]string{"loss 0.1\n", "loss 0.2\n", "loss nan\n", "x = 1\n", "x = 2\n", "(3, 8)\n", "(3, 4)\n", "took 3.0 s\n", "took 1.0 s\n"})
	out := ""
	for range rapid.IntRange(0, 5).Draw(t, "lines") {
		out += line.Draw(t, "line")
	}
	ex := finished(out)
	ex.WallSeconds = rapid.Float64Range(0, 20).Draw(t, "wall")
	ex.CPUSeconds = rapid.Float64Range(0, 20).Draw(t, "cpu")
	switch rapid.IntRange(0, 5).Draw(t, "ending") {
	case 0:
		ex.Outcome = sandbox.TimedOut
	case 1:
		return raised("ValueError", "x", inScript)
	}
	return ex
}

var silent = []Expectation{
	{Oracle: OracleNonFinite, Value: &Value{Property: "finite"}}, {Oracle: OracleSpread, Spread: &Spread{}},
	{Oracle: OracleShape, Value: &Value{Property: "shape", Actual: "(3, 8)", Expected: "(3, 4)"}},
	{Oracle: OracleDuplicates, Repeats: &Repeats{}}, {Oracle: OracleDuplicates, Repeats: &Repeats{Lines: true}},
	{Oracle: OracleSlow, Cost: &Cost{}}, {Oracle: OracleSlow, Cost: &Cost{Labels: []string{"took"}}},
	{Oracle: OracleMemory}, {Oracle: OracleHang}, {Oracle: OracleLearning, Series: &Series{Label: "loss", Want: "falls"}},
	{Oracle: OracleDifferential}, {Oracle: OraclePrinted, Printed: &Printed{Actual: fragments("loss"), Relation: "equal"}},
}

// TestJudgedAgain: evidence judged twice gives the same verdict, and judging
// changes nothing but judgements. Old evidence can be judged again.
func TestJudgedAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom(silent).Draw(t, "claim")
		e.ReporterScript = rapid.Bool().Draw(t, "own")
		ev := Evidence{Certified: true}
		for _, side := range []Side{SideReported, SideNewest, SideRemoval, SidePinned, SideNeutral} {
			g := Group{Side: side, Subject: "lib", Version: "1.0"}
			for range rapid.IntRange(0, 5).Draw(t, "n") {
				g.Executions = append(g.Executions, drawn(t))
			}
			ev.Groups = append(ev.Groups, g)
		}
		JudgeAll(e, &ev)
		first := Decide(e, ev)
		JudgeGroups(e, &ev)
		if second := Decide(e, ev); second.Headline != first.Headline || second.Grade != first.Grade || second.Hits != first.Hits {
			t.Fatalf("%s %s %d, then %s %s %d", first.Headline, first.Grade, first.Hits, second.Headline, second.Grade, second.Hits)
		}
		for _, g := range ev.Groups {
			if len(g.Judgements) != len(g.Executions) {
				t.Fatalf("%d judgements of %d executions", len(g.Judgements), len(g.Executions))
			}
			for _, j := range g.Judgements {
				if len(j.Reasons) == 0 || j.Oracle != e.Oracle {
					t.Fatalf("%+v", j)
				}
			}
		}
	})
}

// TestOneSideAloneIsNoProof: whatever one side shows, without a control it is at
// best a lead or flaky without a grade.
func TestOneSideAloneIsNoProof(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom(silent).Draw(t, "claim")
		e.ReporterScript = true
		g := Group{Side: SideReported, Subject: "lib", Version: "1.0"}
		for range rapid.IntRange(0, 6).Draw(t, "n") {
			g.Executions = append(g.Executions, drawn(t))
		}
		ev := Evidence{Certified: true, Groups: []Group{g, repeat(SideNeutral, "", 1, finished(""))}}
		JudgeAll(e, &ev)
		if v := Decide(e, ev); positive(v.Headline) || v.Grade != "" && v.Grade != "D" {
			t.Fatalf("%s %s: %v", v.Headline, v.Grade, v.Reasons)
		}
	})
}

// TestEqualSidesAreNoProof: a control that does the same as the reported side
// never makes a claim true.
func TestEqualSidesAreNoProof(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom(silent).Draw(t, "claim")
		e.ReporterScript = true
		var exs []sandbox.Execution
		for range rapid.IntRange(3, 6).Draw(t, "n") {
			exs = append(exs, drawn(t))
		}
		ev := Evidence{Certified: true, Groups: []Group{
			{Side: SideReported, Subject: "lib", Version: "1.0", Executions: exs},
			{Side: rapid.SampledFrom([]Side{SideNewest, SideNamed, SideFix, SideRemoval}).Draw(t, "side"), Subject: "lib", Version: "2.0", Executions: exs},
		}}
		JudgeAll(e, &ev)
		if v := Decide(e, ev); positive(v.Headline) {
			t.Fatalf("%s %s: %v", v.Headline, v.Grade, v.Reasons)
		}
	})
}

func TestWhoLooksTogether(t *testing.T) {
	for name, want := range map[Name][3]bool{
		OracleDifferential: {true, true, true}, OracleSlow: {true, true, true}, OracleSpread: {true, true, false},
		OracleDuplicates: {false, true, false}, OracleShape: {false, true, false}, OracleException: {}, OraclePrinted: {}, OracleHang: {}, OracleMemory: {},
	} {
		if got := [3]bool{ByGroup(name), Together(name), NeedsControl(name)}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
