package triage

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
)

// TestPrintedTest: a complaint that two results are not alike is judged by the
// comparison that the script prints, although no output was pasted.
func TestPrintedTest(t *testing.T) {
	const head = "import numpy as np\nimport widgets\na = widgets.fold(3)\nb = np.fold(3)\n"
	for _, c := range []struct {
		name, prose, code, actual, expected string
	}{
		{"not consistent", "The output of `widgets.fold` is not consistent with `np.fold`.", "print(np.allclose(a, b))", "False", "True"},
		{"differs", "What `widgets.fold` gives differs from numpy.", "print(np.array_equal(a, b))", "False", "True"},
		{"a label", "`fold` does not match numpy.", "print('same:', np.allclose(a, b))", "same: False", "same: True"},
		{"other lines beside it", "`fold` is inconsistent with numpy.", "print(np.allclose(a, b))\nprint(abs(a - b).max())", "False", "True"},
		{"two releases", "`fold` differs from version 1.2 of it.", "print(np.allclose(a, b))", "", ""},
		{"no complaint of two", "`fold` is slow to look at.", "print(np.allclose(a, b))", "", ""},
		{"two comparisons", "`fold` differs from numpy.", "print(np.allclose(a, b))\nprint(np.array_equal(a, b))", "", ""},
		{"element by element", "`fold` differs from numpy.", "print(np.isclose(a, b))", "", ""},
		{"an array of equals", "`fold` differs from numpy.", "print(np.equal(a, b))", "", ""},
		{"guarded", "`fold` differs from numpy.", "if a.any():\n    print(np.allclose(a, b))", "", ""},
		{"in a function", "`fold` differs from numpy.", "def check():\n    print(np.allclose(a, b))\ncheck()", "", ""},
	} {
		text := "# fold is wrong\n\n" + c.prose + "\n\n```python\n" + head + c.code + "\n```\n"
		d := Decide(report.Parse([]byte(text), report.Source{}), Options{})
		actual, expected := "", ""
		if e := d.Expectation; e != nil && e.Printed != nil && len(e.Printed.Expected) == 1 && len(e.Printed.Actual) == 1 {
			actual, expected = e.Printed.Actual[0].Text, e.Printed.Expected[0].Text
			if e.Oracle != oracle.OraclePrinted || len(e.Compare) == 0 || e.Printed.Expected[0].Replaces != 0 {
				t.Errorf("%s: %+v", c.name, e)
			}
		}
		if actual != c.actual || expected != c.expected {
			t.Errorf("%s: actual %q, expected %q; want %q, %q", c.name, actual, expected, c.actual, c.expected)
		}
	}
}

// TestPrintedTestStepsBack: what the reporter pasted is read instead.
func TestPrintedTestStepsBack(t *testing.T) {
	text := "# fold differs from numpy\n\n```python\nimport numpy as np\nimport widgets\na = widgets.fold(3)\nb = np.fold(3)\nprint(np.allclose(a, b))\n```\n\nOutput:\n\n```\nTrue\n```\n"
	d := Decide(report.Parse([]byte(text), report.Source{}), Options{})
	if d.Expectation == nil || d.Expectation.Printed == nil {
		return
	}
	for _, l := range d.Expectation.Printed.Actual {
		if strings.Contains(l.Text, "False") {
			t.Errorf("a line that was not pasted is taken for the output: %+v", d.Expectation.Printed)
		}
	}
}
