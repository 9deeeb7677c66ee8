package report

import "testing"

// TestVersionsBehindAPrompt: the line that a form asks for, with the command
// that printed it.
func TestVersionsBehindAPrompt(t *testing.T) {
	r := Parse([]byte("# minimize hangs\n\nIt never ends.\n\n### Versions:\n```\n>>> import sys, scipy, numpy as np; print(scipy.__version__, np.__version__, sys.version_info)\n1.2.3 1.16.4 sys.version_info(major=3, minor=7, micro=2, releaselevel='final', serial=0)\n```\n"), Source{})
	want := map[string]string{"scipy": "1.2.3", "numpy": "1.16.4", "python": "3.7.2"}
	for _, v := range r.Versions {
		if want[v.Dist] == v.Spec && r.Text[v.Span.Start:v.Span.Start+len("1")] == v.Spec[:1] {
			delete(want, v.Dist)
		}
	}
	if len(want) > 0 {
		t.Errorf("not read: %v, in %+v", want, r.Versions)
	}
}

// TestVersionInQuotes: "numba version '0.43.1'".
func TestVersionInQuotes(t *testing.T) {
	for text, spec := range map[string]string{
		"Python version 3.7.3, numba version '0.43.1'.": "0.43.1",
		"numba version \"0.43.1\" was used.":            "0.43.1",
		"I set the numba flag to '0.43.1'.":             "",
	} {
		found := ""
		for _, v := range Parse([]byte("# numba leaks\n\nIt leaks. "+text+"\n"), Source{}).Versions {
			if v.Dist == "numba" {
				found = v.Spec
			}
		}
		if found != spec {
			t.Errorf("%q: %q, want %q", text, found, spec)
		}
	}
}
