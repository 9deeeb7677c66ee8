package candidate

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

// BenchmarkFromReport makes a candidate of a script of 200 lines, which is
// long for a report.
func BenchmarkFromReport(b *testing.B) {
	code := "import numpy as np\nimport torch\n" + strings.Repeat("x = np.zeros((2, 3))\nprint(x.sum())\n", 100)
	r := report.Parse([]byte("# Sum is wrong\n\n```python\n"+code+"```\n"), report.Source{})
	d := triage.Decide(r, triage.Options{})
	if len(d.Blocks) == 0 {
		b.Fatal("the report has no script")
	}
	for b.Loop() {
		if _, err := FromReport(r, d); err != nil {
			b.Fatal(err)
		}
	}
}
