package oracle

import (
	"strings"
	"testing"
)

// TestPartOfTheClaimIsNoDenial: the line that the report calls wrong came, and
// another one that it states did not (it may have been said of a variant).
func TestPartOfTheClaimIsNoDenial(t *testing.T) {
	claim := Printed{
		Actual:   []Line{{Text: "-1.9e-09", Replaces: -1}, {Text: "0.0", Replaces: -1}},
		Expected: []Line{{Text: "0.0", Replaces: 0}},
	}
	e := Expectation{Oracle: OraclePrinted, Printed: &claim, ReporterScript: true}
	for _, c := range []struct {
		name, printed string
		headline      Headline
	}{
		{"the wrong line alone", "-1.9e-09\n", Lead},
		{"another line", "7.5\n", Undecided},
	} {
		g := Group{Side: SideReported, Subject: "lib", Version: "1.0"}
		for range 5 {
			ex := finished(c.printed)
			g.Executions = append(g.Executions, ex)
			g.Judgements = append(g.Judgements, Judge(e, ex))
		}
		v := Decide(e, Evidence{Certified: true, Groups: []Group{g}})
		if v.Headline != c.headline {
			t.Errorf("%s: %s, want %s: %v", c.name, v.Headline, c.headline, v.Reasons)
		}
		if c.headline == Lead && !strings.Contains(strings.Join(v.Reasons, " "), "did not come") {
			t.Errorf("%s: %v", c.name, v.Reasons)
		}
	}
}

// TestBothSidesCameIsNoDenial: the wrong value came, and the right one stands
// in another line of the same output, where it is right on every release.
func TestBothSidesCameIsNoDenial(t *testing.T) {
	e := Expectation{Oracle: OraclePrinted, ReporterScript: true, Printed: &Printed{
		Actual:   []Line{{Text: "1.25e-08", Replaces: -1}},
		Expected: []Line{{Text: "0", Replaces: 0}},
	}}
	for printed, want := range map[string]Headline{
		"1.25e-08\n0.0\n": Lead,          // as the report shows it
		"0.0\n0.0\n":      NotReproduced, // right in both
		"7.5\n7.5\n":      Undecided,     // neither
	} {
		g := Group{Side: SideReported, Subject: "lib", Version: "1.0"}
		for range 5 {
			ex := finished(printed)
			g.Executions = append(g.Executions, ex)
			g.Judgements = append(g.Judgements, Judge(e, ex))
		}
		if v := Decide(e, Evidence{Certified: true, Groups: []Group{g}}); v.Headline != want || v.Grade != "" {
			t.Errorf("%q: %s %s, want %s: %v", printed, v.Headline, v.Grade, want, v.Reasons)
		}
	}
}

// TestDrawnNumbersAreNoDenial: stated numbers that a script draws anew each time
// need not come again, but where what is expected came something was seen.
func TestDrawnNumbersAreNoDenial(t *testing.T) {
	for _, c := range []struct {
		chance   bool
		expected []Line
		printed  string
		want     Headline
	}{
		{true, nil, "0.31\n", Lead},
		{false, nil, "0.31\n", Undecided},
		{true, []Line{{Text: "1.0", Replaces: 0}}, "1.0\n", NotReproduced},
		{true, []Line{{Text: "1.0", Replaces: 0}}, "0.31\n", Lead},
	} {
		e := Expectation{Oracle: OraclePrinted, ReporterScript: true, Printed: &Printed{
			Actual: []Line{{Text: "0.0597", Replaces: -1}}, Expected: c.expected, Chance: c.chance,
		}}
		g := Group{Side: SideReported, Subject: "lib", Version: "1.0"}
		for range 5 {
			ex := finished(c.printed)
			g.Executions = append(g.Executions, ex)
			g.Judgements = append(g.Judgements, Judge(e, ex))
		}
		if v := Decide(e, Evidence{Certified: true, Groups: []Group{g}}); v.Headline != c.want {
			t.Errorf("%+v: %s, want %s: %v", c, v.Headline, c.want, v.Reasons)
		}
	}
}

// TestDrawnNumbersAreRelated: where a script draws its numbers and they should
// be equal, those of each execution are compared; a series is not.
func TestDrawnNumbersAreRelated(t *testing.T) {
	for _, c := range []struct {
		relation, printed string
		chance            bool
		want              Finding
	}{
		{relEqual, "tensor([[1.25]])\ntensor([[-7.5]])\n", true, Hit},
		{relEqual, "tensor([[1.25]])\ntensor([[nan]])\n", true, Hit},
		{relEqual, "tensor([[1.25]])\ntensor([[1.25]])\n", true, Clean},
		{relEqual, "tensor([[1.25]])\ntensor([[-7.5]])\n", false, Absent},
		{relEqual, "tensor([[1.25]])\n", true, Absent},
		{relEqual, "mean 1.25\nmean -7.5\n", true, Absent},
		{relAllFinite, "tensor([[1.25]])\ntensor([[nan]])\n", true, Hit},
		{relNotRising, "tensor([[1.25]])\ntensor([[7.5]])\n", true, Absent},
	} {
		e := Expectation{Oracle: OraclePrinted, ReporterScript: true, Printed: &Printed{
			Actual: []Line{{Text: "tensor([[0.0597]])", Replaces: -1}, {Text: "tensor([[-4.8402]])", Replaces: -1}}, Relation: c.relation, Chance: c.chance,
		}}
		if j := Judge(e, finished(c.printed)); j.Finding != c.want {
			t.Errorf("%+v: %s: %v", c, j.Finding, j.Reasons)
		}
	}
}
