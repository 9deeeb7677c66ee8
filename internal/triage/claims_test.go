package triage

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/report"
)

// TestOtherSessions: of two sessions of the interpreter, only the output of the
// one that is run is expected of it; sessions that go on from each other are one.
func TestOtherSessions(t *testing.T) {
	const wrong = "Wrong:\n\n```\n>>> import widgets\n>>> widgets.fold(1)\n[nan]\n```\n"
	for _, c := range []struct{ name, text, has, hasNot string }{
		{"the good one first", "This works:\n\n```\n>>> import widgets\n>>> widgets.fold(2)\n[0.25]\n```\n\n" + wrong, "[nan]", "[0.25]"},
		{"one goes on from the other", "```\n>>> import widgets\n>>> a = widgets.fold(2)\n>>> a\n[0.25]\n```\n\nbut:\n\n```\n>>> widgets.more(a)\n[nan]\n```\n", "[0.25]", "never"},
	} {
		rd := newReading(report.Parse([]byte("# fold gives NaN\n\n"+c.text), report.Source{}), Options{})
		var lines []string
		for _, st := range readClaims(rd).actual {
			lines = append(lines, st.Text)
		}
		if got := strings.Join(lines, "\n"); !strings.Contains(got, c.has) || strings.Contains(got, c.hasNot) {
			t.Errorf("%s: actual lines %q, want %q and not %q", c.name, got, c.has, c.hasNot)
		}
	}
}
