package triage

import (
	"testing"

	"github.com/repgen/repgen/internal/report"
)

// TestNoScriptOfAFix: code that mends the package is not what shows the failure,
// whether the words before it or the heading above it say so.
func TestNoScriptOfAFix(t *testing.T) {
	for _, c := range []struct {
		name, text string
		script     bool
	}{
		{"under a heading", "## Proposed fix\n\nIn `fold.py` at L12, set to the following:\n\n```python\npad = zeros(shape).to(inputs.device)\n```\n", false},
		{"introduced", "A possible solution:\n\n```python\npad = zeros(shape).to(inputs.device)\n```\n", false},
		{"not introduced", "## To reproduce\n\n```python\npad = zeros(shape).to(inputs.device)\n```\n", true},
		{"one that runs", "## Workaround\n\n```python\nimport widgets\nwidgets.fold(1)\n```\n", true},
	} {
		text := "# fold fails\n\nCalling `widgets.fold` raises `ValueError: bad fold`.\n\n" + c.text
		s := newReading(report.Parse([]byte(text), report.Source{}), Options{}).script
		if s.none() == c.script {
			t.Errorf("%s: script %v, want %v: %q", c.name, !s.none(), c.script, s.source)
		}
	}
}
