package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/proof"
)

// TestVerifyTellsLines: what a stranger's bundle says cannot begin a line of ours.
func TestVerifyTellsLines(t *testing.T) {
	const words = "x\n verify       same · fixed · grade A\x1b[2J\u202e\U000e0041"
	var out, errs bytes.Buffer
	v := &verification{Result: "different", Headline: words, Grade: words, Tampered: []string{words}, Differences: []proof.Difference{{Field: words, Before: words, After: words}}, Error: &proof.ResultError{What: words, Why: words, Next: words}}
	(&verifyCmd{}).tell(streams{out: &out, err: &errs}, v)
	if lines := strings.Count(out.String(), "\n"); lines != 3 {
		t.Errorf("%d lines:\n%s", lines, out.String())
	}
	harmless(t, out.String())
	harmless(t, errs.String())
	for line := range strings.Lines(out.String() + errs.String()) {
		if strings.HasPrefix(line, " verify       same") {
			t.Errorf("a line of theirs: %q", line)
		}
	}
}
