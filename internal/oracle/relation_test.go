package oracle

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox/probe"
	"pgregory.net/rapid"
)

func lines(texts ...string) []Line {
	var out []Line
	for _, s := range texts {
		out = append(out, Line{Text: s, Replaces: -1})
	}
	return out
}

func fragments(texts ...string) []Line {
	out := lines(texts...)
	for i := range out {
		out[i].Fragment = true
	}
	return out
}

// TestDirections: a series that should not fall, or not rise. The number that
// leads a line is its label, the last one is the series.
func TestDirections(t *testing.T) {
	topK := lines("1 tensor(0.5000)", "2 tensor(0.3333)")
	losses := lines("loss 0.1", "loss 0.2", "loss 0.4")
	for _, c := range []struct {
		name     string
		stated   []Line
		relation string
		printed  string
		want     Finding
	}{
		{"it falls, as reported", topK, "not_falling", "1 tensor(0.5000)\n2 tensor(0.3333)\n", Hit},
		{"it stays", topK, "not_falling", "1 tensor(0.5000)\n2 tensor(0.5000)\n", Clean},
		{"it rises", topK, "not_falling", "1 tensor(0.5000)\n2 tensor(1.)\n", Clean},
		{"it falls otherwise: not the stated numbers", topK, "not_falling", "1 tensor(0.9000)\n2 tensor(0.3333)\n", Absent},
		{"a line is missing", topK, "not_falling", "1 tensor(0.5000)\n", Absent},
		{"nan is no order", topK, "not_falling", "1 tensor(0.5000)\n2 tensor(nan)\n", Absent},
		{"one last digit is no fall", topK, "not_falling", "1 tensor(0.5000)\n2 tensor(0.4999)\n", Clean},
		{"losses rise, as reported", losses, "not_rising", "loss 0.1\nloss 0.2\nloss 0.4\n", Hit},
		{"losses fall", losses, "not_rising", "loss 0.4\nloss 0.3\nloss 0.1\n", Clean},
		{"losses rise once", losses, "not_rising", "loss 0.4\nloss 0.1\nloss 0.2\n", Absent},
		{"one line with its series", lines("[0.5, 0.4, 0.2]"), "not_falling", "[0.5, 0.6, 0.6]\n", Clean},
		{"one line with one number", lines("0.5"), "not_falling", "0.6\n", Absent},
		{"infinite values are ordered", lines("a 1.5", "a 1.0"), "not_falling", "a 1.5\na inf\n", Clean},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Expectation{Oracle: OraclePrinted, ReporterScript: true, Printed: &Printed{Actual: c.stated, Relation: c.relation}}
			if j := Judge(e, finished(c.printed)); j.Finding != c.want {
				t.Errorf("%s, want %s: %v", j.Finding, c.want, j.Reasons)
			}
		})
	}
}

// TestShouldBeEqual: two printed labelled values that should be the same. What
// rounding alone explains is neither right nor wrong (rule 2).
func TestShouldBeEqual(t *testing.T) {
	labels := fragments("eager", "compiled")
	for _, c := range []struct {
		name    string
		printed string
		arrays  []probe.Observation
		want    Finding
	}{
		{"apart", "eager 0.3125\ncompiled 0.3245\n", nil, Hit},
		{"equal", "eager 0.3125\ncompiled 0.3125\n", nil, Clean},
		{"equal as integers and floats are", "eager 3\ncompiled 3.0\n", nil, Clean},
		{"the last digits of float32", "eager 0.31250012\ncompiled 0.31249999\n", nil, Within},
		{"a long float32 sum", "eager 1645.3214\ncompiled 1645.40\n", []probe.Observation{{Kind: "array", DType: "float32", Size: 16448}}, Within},
		{"too far for a short one", "eager 1645.3214\ncompiled 1645.40\n", []probe.Observation{{Kind: "array", DType: "float32", Size: 4}}, Hit},
		{"integers have no rounding", "eager 100000\ncompiled 100001\n", nil, Hit},
		{"one is nan", "eager 0.5\ncompiled nan\n", nil, Hit},
		{"both are nan", "eager nan\ncompiled nan\n", nil, Clean},
		{"a label is missing", "eager 0.5\n", nil, Absent},
		{"vectors, one number within", "eager [0.5, 1.0]\ncompiled [0.5, 1.0000001]\n", nil, Within},
		{"vectors, one number apart", "eager [0.5, 1.0]\ncompiled [0.50000001, 1.1]\n", nil, Hit},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Expectation{Oracle: OraclePrinted, ReporterScript: true, Printed: &Printed{Actual: labels, Relation: "equal"}}
			ex := finished(c.printed)
			ex.Record.Arrays = c.arrays
			j := Judge(e, ex)
			if j.Finding != c.want {
				t.Errorf("%s, want %s: %v", j.Finding, c.want, j.Reasons)
			}
			if (j.Finding == Within) != (j.Tolerance != "") {
				t.Errorf("%s with tolerance %q", j.Finding, j.Tolerance)
			}
		})
	}
}

// TestRelationsToTheVerdict goes from printed lines to headlines.
func TestRelationsToTheVerdict(t *testing.T) {
	topK := Expectation{Oracle: OraclePrinted, ReporterScript: true, Printed: &Printed{Actual: lines("1 tensor(0.5000)", "2 tensor(0.3333)"), Relation: "not_falling"}}
	same := Expectation{Oracle: OraclePrinted, ReporterScript: true, Printed: &Printed{Actual: fragments("eager", "compiled"), Relation: "equal"}}
	for _, c := range []struct {
		name      string
		e         Expectation
		bad, good string
		want      Headline
		reason    string
	}{
		{"a later release has it right", topK, "1 tensor(0.5000)\n2 tensor(0.3333)\n", "1 tensor(0.5000)\n2 tensor(0.5000)\n", Fixed, "2 stated lines came"},
		{"a later release is merely different", topK, "1 tensor(0.5000)\n2 tensor(0.3333)\n", "1 tensor(0.7000)\n2 tensor(0.2000)\n", Lead, "proves nothing"},
		{"rounding", same, "eager 0.31250012\ncompiled 0.31249999\n", "eager 0.5\ncompiled 0.5\n", NotABug, "float32"},
		{"no rounding", same, "eager 0.3125\ncompiled 0.3245\n", "eager 0.3125\ncompiled 0.3125\n", Fixed, "stated lines came"},
		{"the control is within", same, "eager 0.3125\ncompiled 0.3245\n", "eager 0.3125\ncompiled 0.3125001\n", Fixed, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			ev := Evidence{Certified: true, Groups: []Group{repeat(SideReported, "1.2.0", 5, finished(c.bad)), repeat(SideNewest, "1.3.0", 3, finished(c.good))}}
			v := Decide(JudgeAll(c.e, &ev), ev)
			if words := strings.Join(v.Reasons, "\n"); v.Headline != c.want || !strings.Contains(words, c.reason) {
				t.Errorf("%s, want %s with %q:\n%s", v.Headline, c.want, c.reason, words)
			}
		})
	}
}

// TestToleranceReachesTheVerdict: whoever reads the verdict reads the bound.
func TestToleranceReachesTheVerdict(t *testing.T) {
	g := findings(SideReported, "2.0", "hhhhh")
	g.Judgements[1].Tolerance = "8 * eps(float32)"
	v := Decide(printedClaim, Evidence{Groups: []Group{g, findings(SideNewest, "3.0", "ccc")}})
	if words := strings.Join(v.Reasons, "\n"); strings.Count(words, "8 * eps(float32)") != 1 {
		t.Errorf("%s", words)
	}
}

// TestDirectionsExclude: what rises does not fall, and the reverse.
func TestDirectionsExclude(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		series := rapid.SliceOfN(rapid.IntRange(-50, 50), 2, 12).Draw(t, "series")
		var rows [][]token
		rises, falls := false, false
		for i, v := range series {
			n, _ := parseNumber(rapid.SampledFrom([]string{"1", "2"}).Draw(t, "label"))
			m := number{value: float64(v), class: classOf(float64(v)), integer: true, ulp: 0.5}
			rows = append(rows, []token{{number: &n}, {number: &m}})
			rises = rises || i > 0 && v > series[i-1]
			falls = falls || i > 0 && v < series[i-1]
		}
		up, _, _ := monotone(rows, +1, "falls")
		down, _, _ := monotone(rows, -1, "rises")
		if up == falls || down == rises {
			t.Fatalf("%v: not falling %v, not rising %v", series, up, down)
		}
	})
}
