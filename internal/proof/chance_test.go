package proof

import (
	"testing"

	"github.com/repgen/repgen/internal/oracle"
)

// TestSearchedControlsRunAsOften: a release that was searched for is one of
// many, so that three clean runs of it may be chance; a release that was asked
// for beforehand is not.
func TestSearchedControlsRunAsOften(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2.0"}, releases: map[string][]string{"lib": {"1.1.0", "1.2.0", "1.3.0"}}, behave: failsOn("1.2.0", "1.3.0")}
	o := w.prove(t, typeErrorReport(), NoJournal{})
	if o.Verdict.Headline != oracle.Regression {
		t.Fatalf("%s: %v", o.Verdict.Headline, o.Verdict.Reasons)
	}
	if n := w.ran("release lib 1.1.0"); n != defaultRuns {
		t.Errorf("the searched control ran %d times, want %d", n, defaultRuns)
	}
	w = &world{base: map[string]string{"lib": "1.2.0"}, releases: map[string][]string{"lib": {"1.2.0", "1.3.0"}}, behave: failsOn("1.2.0")}
	w.prove(t, typeErrorReport(), NoJournal{})
	if n := w.ran("newest lib 1.3.0"); n != controlRuns {
		t.Errorf("the newest release ran %d times, want %d", n, controlRuns)
	}
}
