package oracle

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
)

// FuzzSilent: whatever a script prints and a report claims, an oracle answers,
// and a script that ended has neither failed nor said nothing.
func FuzzSilent(f *testing.F) {
	f.Add("loss", "loss 0.5\nloss nan\nloss 0.1\n", "(3, 4)")
	f.Add("x =", "x = 0\nx = 2\nx = 0\n", "torch.float16")
	f.Add("", "isnan: True\n\x01n \x01time took 3.1 s torch.Size([3, 8]) f32[3,4]\n", "<class 'int'>")
	f.Fuzz(func(t *testing.T, label, printed, stated string) {
		for _, e := range []Expectation{
			{Oracle: OracleNonFinite, Value: &Value{Target: label, Property: "finite", Actual: stated}},
			{Oracle: OracleShape, Value: &Value{Target: label, Property: "shape", Actual: stated, Expected: label}},
			{Oracle: OracleShape, Value: &Value{Property: "dtype", Actual: stated, Expected: label}},
			{Oracle: OracleShape, Value: &Value{Property: "type", Actual: stated}},
			{Oracle: OracleDuplicates, Repeats: &Repeats{Like: label}},
			{Oracle: OracleDuplicates, Repeats: &Repeats{Like: label, Lines: true}},
			{Oracle: OracleLearning, Series: &Series{Label: label, Want: "falls"}},
			{Oracle: OracleSpread, Spread: &Spread{Within: true, Left: label, Right: stated}},
			{Oracle: OracleSpread, Spread: &Spread{Labels: []string{label}}},
			{Oracle: OracleSlow, Cost: &Cost{Labels: []string{label, stated}}},
			{Oracle: OraclePrinted, Printed: &Printed{Actual: fragments(label, stated), Relation: "not_falling"}},
		} {
			ex := finished(printed)
			for _, j := range JudgeSide(e, []sandbox.Execution{ex, ex, ex}) {
				if j.Finding == Collided || j.Finding == Inconclusive || len(j.Reasons) == 0 {
					t.Errorf("%s: %s %v", e.Oracle, j.Finding, j.Reasons)
				}
				if j.Finding == Hit && e.Oracle == OracleSpread && !e.Spread.Within {
					t.Errorf("three equal executions differ: %v", j.Reasons)
				}
			}
		}
	})
}

// TestFloods: hundreds of equal lines are answered like a few.
func TestFloods(t *testing.T) {
	flood := finished(strings.Repeat("loss 0.5 x = 1 (3, 4) nan\n", 600))
	for _, e := range silent {
		js := JudgeSide(e, []sandbox.Execution{flood, flood})
		if len(js) != 2 {
			t.Errorf("%s: %d judgements", e.Oracle, len(js))
		}
	}
}
