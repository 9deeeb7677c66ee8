package candidate

import (
	"strings"
	"testing"
)

// TestVersionChecks: which release ran is the environment's business; an assert
// on a result stays, also where it speaks of a version.
func TestVersionChecks(t *testing.T) {
	for _, c := range []struct {
		code string
		gone bool
	}{
		{"assert nb.__version__ == \"0.55.1\"", true},
		{"assert version.parse(nb.__version__) >= version.parse(\"0.55\"), nb.__version__", true},
		{"assert total(nb.__version__) == 3", false},
		{"assert result == 3", false},
		{"if nb.__version__ == \"0.55.1\":\n    result = 4", false},
	} {
		cand := &Candidate{Origin: originReporter, Script: "import numba as nb\nfrom packaging import version\n\ndef total(x):\n    return 3\n\nresult = total(1)\n" + c.code + "\nassert result == 3\n"}
		cand.leaveVersionChecks()
		if gone := !strings.Contains(cand.Script, c.code); gone != c.gone || gone != (len(cand.Edits) == 1) {
			t.Errorf("%q: gone %v, want %v; %+v", c.code, gone, c.gone, cand.Edits)
		}
		if !strings.Contains(cand.Script, "assert result == 3") {
			t.Errorf("%q: the claim is gone", c.code)
		}
	}
}
