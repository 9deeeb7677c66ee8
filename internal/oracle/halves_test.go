package oracle

import "testing"

// TestSameHalves: two prints that should agree, of values that are no numbers on
// one side.
func TestSameHalves(t *testing.T) {
	bools := lines("[[ True  True]", "[False  True]]", "[[1. 2.]", "[0. 1.]]")
	for _, c := range []struct {
		name    string
		stated  []Line
		printed string
		want    Finding
	}{
		{"as reported", bools, "[[ True  True]\n [False  True]]\n[[1. 2.]\n [0. 1.]]\n", Hit},
		{"the second is the first", bools, "[[ True  True]\n [False  True]]\n[[ True  True]\n [False  True]]\n", Clean},
		{"the spaces differ", bools, "[[ True  True]\n [False  True]]\n[[True True]\n [False True]]\n", Clean},
		{"with a warning below", bools, "[[ True  True]\n [False  True]]\n[[ True  True]\n [False  True]]\nno accelerator\n", Clean},
		{"wrong otherwise", bools, "[[ True  True]\n [False  True]]\n[[1 1]\n [0 1]]\n", Absent},
		{"both halves changed", bools, "[[1 1]\n [0 1]]\n[[1 1]\n [0 1]]\n", Absent},
		{"half of it", bools, "[[ True  True]\n [False  True]]\n", Absent},
		{"an odd number of lines", lines("a True", "b True", "c False"), "a True\na True\na True\n", Absent},
		{"nothing differs in what was stated", lines("True", "True"), "True\nTrue\n", Hit},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Expectation{Oracle: OraclePrinted, ReporterScript: true, Printed: &Printed{Actual: c.stated, Relation: relEqual}}
			if j := Judge(e, finished(c.printed)); j.Finding != c.want {
				t.Errorf("%s, want %s: %v", j.Finding, c.want, j.Reasons)
			}
		})
	}
}

// TestSatisfiable: what no release can show is not worth a search.
func TestSatisfiable(t *testing.T) {
	came := Printed{Actual: lines("3")}
	for name, c := range map[string]struct {
		e    Expectation
		want bool
	}{
		"only what came":     {Expectation{Oracle: OraclePrinted, Printed: &came}, false},
		"what should come":   {Expectation{Oracle: OraclePrinted, Printed: &Printed{Actual: lines("3"), Expected: lines("4")}}, true},
		"a relation":         {Expectation{Oracle: OraclePrinted, Printed: &Printed{Actual: lines("3"), Relation: relAllFinite}}, true},
		"an exception":       {Expectation{Oracle: OracleException, Printed: &came}, true},
		"nothing was stated": {Expectation{Oracle: OraclePrinted}, true},
	} {
		if got := c.e.Satisfiable(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
