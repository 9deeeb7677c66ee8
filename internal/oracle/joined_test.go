package oracle

import (
	"strings"
	"testing"
)

// TestValueOverLines: a value in brackets is the same however its lines are
// broken; lines that are no part of one value are not joined.
func TestValueOverLines(t *testing.T) {
	for _, c := range []struct {
		stated, printed string
		want            bool
	}{
		{"{'mean': 1.5,\n 'all': tensor([1., nan])}", "{'mean': 1.5, 'all': tensor([1., nan])}", true},
		{"{'mean': 1.5, 'all': [1, 2]}", "start\n{'mean': 1.5,\n 'all': [1, 2]}\nend", true},
		{"[[1, 2],\n [3, 4]]\ndone", "[[1,\n  2], [3,\n  4]]\ndone", true},
		{"{'mean': 1.5,\n 'all': tensor([1., nan])}", "{'mean': 1.5, 'all': tensor([1., 2.])}", false},
		{"{'mean': 1.5,\n 'all': 2}", "{'all': 2, 'mean': 1.5}", false},
		{"[1, 2]\n[3, 4]", "[1, 2] [3, 4]", false},
		{"f(1\n2", "f(1 2", false},
		{"a 1\nb 2", "a 1 b 2", false},
	} {
		var stated []Line
		for _, l := range strings.Split(c.stated, "\n") {
			stated = append(stated, Line{Text: l})
		}
		_, missing := findLines(stated, outputLines(finished(c.printed+"\n")))
		if got := missing < 0; got != c.want {
			t.Errorf("%q in %q: %v", c.stated, c.printed, got)
		}
	}
}
