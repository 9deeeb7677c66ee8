package candidate

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
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

// BenchmarkVariants makes the controls of a script of 200 lines.
func BenchmarkVariants(b *testing.B) {
	c := FromScript("import numpy as np\nimport torch\n" + strings.Repeat("x = np.zeros((2, 3), dtype='f4')\nprint(x.sum(axis=0))\n", 100))
	d := &triage.Decision{
		Contrasts:   []triage.Contrast{{Kind: "argument", Target: "axis", Value: "1"}, {Kind: "without", Target: "dtype"}},
		Triggers:    []triage.Trigger{{Target: "axis=0"}},
		Expectation: &oracle.Expectation{},
	}
	for b.Loop() {
		if len(Variants(c, d))+len(Removals(c, d)) != 3 {
			b.Fatal("not all variants")
		}
	}
}
