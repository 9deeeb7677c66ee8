package oracle

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox/probe"
)

// TestObservedRounding: a claim that holds by rounding alone is no symptom, and
// a release that meets the wish but for rounding is right.
func TestObservedRounding(t *testing.T) {
	two := "a number, b number"
	arrays := "a array, b array"
	vector := func(name, dtype string, values ...string) probe.Observation {
		return probe.Observation{Name: name, Kind: "array", DType: dtype, Shape: []int{len(values)}, Size: len(values), Finite: len(values),
			Hash: name, Values: values, Min: "0.0", Max: "1.0", Mean: "0.5"}
	}
	large := func(name, mean string) probe.Observation {
		return probe.Observation{Name: name, Kind: "array", DType: "float32", Shape: []int{1000}, Size: 1000, Finite: 1000, Hash: name, Min: "0.0", Max: "1.0", Mean: mean}
	}
	integer := func(name, text string) probe.Observation {
		return probe.Observation{Name: name, Kind: "int", Type: "int", Text: text}
	}
	for _, c := range []struct {
		name, names, bad, good string
		seen                   []probe.Observation
		want                   Finding
		say                    string
	}{
		{"unequal by an ulp", two, "a != b", "a == b", []probe.Observation{float("a", "0.3"), float("b", "0.30000000000000004")}, Within, "by rounding alone"},
		{"unequal for good", two, "a != b", "a == b", []probe.Observation{float("a", "0.1025"), float("b", "0.0975")}, Hit, "a != b holds"},
		{"a bound below rounding", two, "abs(a - b) > 0.0000000000000001", "abs(a - b) <= 0.0000000000000001", []probe.Observation{float("a", "1.0"), float("b", "1.0000000000000002")}, Within, "allowed"},
		{"greater by an ulp", two, "a > b", "a <= b", []probe.Observation{float("a", "0.30000000000000004"), float("b", "0.3")}, Within, ""},
		{"integers are not rounded", two, "a != b", "a == b", []probe.Observation{integer("a", "9007199254740992"), integer("b", "9007199254740990")}, Hit, ""},
		{"the literal but for rounding", two, "a == 7 and b == 8", "a == 0.3 and b == 1", []probe.Observation{float("a", "0.30000000000000004"), float("b", "1.0")}, Clean, "but for rounding"},
		{"equal arrays but for rounding", arrays, "!same(a, b)", "same(a, b)", []probe.Observation{vector("a", "float32", "0.1", "0.2"), vector("b", "float32", "0.10000001", "0.2")}, Within, ""},
		{"different arrays", arrays, "!same(a, b)", "same(a, b)", []probe.Observation{vector("a", "float32", "0.1", "0.2"), vector("b", "float32", "0.2", "0.1")}, Hit, ""},
		{"arrays of another dtype", arrays, "!same(a, b)", "same(a, b)", []probe.Observation{vector("a", "float32", "0.1"), vector("b", "float64", "0.1")}, Hit, ""},
		{"an element by rounding", arrays, "a.values[0] != b.values[0]", "a.values[0] == b.values[0]", []probe.Observation{vector("a", "float64", "0.3", "5"), vector("b", "float64", "0.30000000000000004", "7")}, Within, ""},
		{"large and alike", arrays, "!same(a, b)", "same(a, b)", []probe.Observation{large("a", "0.5"), large("b", "0.50000001")}, Inconclusive, "observe what differs"},
		{"large and different", arrays, "!same(a, b)", "same(a, b)", []probe.Observation{large("a", "0.5"), large("b", "0.7")}, Hit, ""},
		{"NaN is no rounding", two, "isnan(a)", "a == b", []probe.Observation{float("a", "nan"), float("b", "1.0")}, Hit, ""},
		{"neither, and not by rounding", two, "a > 5", "a == b", []probe.Observation{float("a", "1.0"), float("b", "2.0")}, Absent, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Expectation{Oracle: OracleObserved, Observed: &Observed{Names: names(t, c.names), Bad: c.bad, Good: c.good}}
			ex := saw(c.seen...)
			j := Judge(e, ex)
			if j.Finding != c.want || !strings.Contains(strings.Join(j.Reasons, "\n"), c.say) {
				t.Errorf("%s: %q, want %s with %q", j.Finding, j.Reasons, c.want, c.say)
			}
			if (j.Finding == Within) != (j.Tolerance != "" && j.Finding != Clean) {
				t.Errorf("%s with the tolerance %q", j.Finding, j.Tolerance)
			}
			if len(ex.Record.Observations) != len(c.seen) {
				t.Error("the record was changed")
			}
		})
	}
}

// TestRoundingLeavesTheRecord: judging again what may be rounding changes no
// value of the record.
func TestRoundingLeavesTheRecord(t *testing.T) {
	ex := saw(probe.Observation{Name: "a", Kind: "array", DType: "float64", Shape: []int{1}, Size: 1, Finite: 1, Values: []string{"0.3"}, Hash: "x"})
	claim, why := compileClaim(&Observed{Names: names(t, "a array"), Bad: "a.values[0] == 1", Good: "a.values[0] == 0.30000000000000004"})
	if len(why) > 0 {
		t.Fatal(why)
	}
	seen := lastOf(claim, ex)
	env, _ := claim.environment(seen)
	before := env["a"].(array).Values[0]
	s := claim.snap(ex, seen, env)
	if env["a"].(array).Values[0] != before || s.env["a"].(array).Values[0] == before {
		t.Errorf("%v and %v, was %v", env["a"], s.env["a"], before)
	}
}
