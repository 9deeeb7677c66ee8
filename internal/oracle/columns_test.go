package oracle

import "testing"

// TestColumnsThatStay: lines that should be equal and hold numbers that are equal
// beside those that are not.
func TestColumnsThatStay(t *testing.T) {
	for _, c := range []struct {
		name, first, second, out string
		want                     Finding
	}{
		{"shapes, as reported", "(1, 2, 8, 4)", "(1, 2, 6, 8)", "(1, 2, 8, 4)\n(1, 2, 6, 8)\n", Hit},
		{"shapes, repaired", "(1, 2, 8, 4)", "(1, 2, 6, 8)", "(1, 2, 6, 8)\n(1, 2, 6, 8)\n", Clean},
		{"counted lines, as reported", "batch 1: 0.5", "batch 2: 0.7", "batch 1: 0.5\nbatch 2: 0.7\n", Hit},
		{"counted lines, repaired", "batch 1: 0.5", "batch 2: 0.7", "batch 1: 0.5\nbatch 2: 0.5\n", Clean},
		{"counted shapes, repaired", "run 1 (1, 2)", "run 2 (1, 3)", "run 1 (1, 2)\nrun 2 (1, 2)\n", Clean},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Expectation{Oracle: OraclePrinted, ReporterScript: true, Printed: &Printed{
				Actual: []Line{{Text: c.first, Replaces: -1}, {Text: c.second, Replaces: -1}}, Relation: relEqual,
			}}
			if j := Judge(e, finished(c.out)); j.Finding != c.want {
				t.Errorf("%s, want %s: %v", j.Finding, c.want, j.Reasons)
			}
		})
	}
}
