package report

import (
	"fmt"
	"slices"
	"testing"
)

// TestLabelledOutput: a value behind "Output:" belongs to the heading that it
// stands under; a sentence does not.
func TestLabelledOutput(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"both sides", "## Expected Results\nOutput: array([1])\n\n## Actual Results\nOutput: array([0])\n", []string{"expected output array([1])", "actual output array([0])"}},
		{"below a sentence", "## Actual Results\nThis is on my laptop\nResult = [0.5, nan]\n", []string{"actual output [0.5, nan]"}},
		{"a sentence", "## Actual Results\nOutput: see below\nResults: 3 of 4 rows\n", nil},
		{"no side", "## Notes\nOutput: array([0])\n", nil},
	} {
		r := Parse([]byte("# The labels are off\n\n"+c.text), Source{})
		var got []string
		for _, st := range r.Statements {
			got = append(got, fmt.Sprintf("%s %s %s", st.Role, st.Kind, st.Text))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
