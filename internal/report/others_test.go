package report

import "testing"

// TestFailuresOfOthers: what neighbours of the reported call raise is not what
// it raises.
func TestFailuresOfOthers(t *testing.T) {
	for text, came := range map[string]bool{
		"lib.trim raises ValueError on this input.":                                  true,
		"Every neighbouring function raises a clear `ValueError` on the same input.": false,
		"All other functions raise ValueError here.":                                 false,
		"But the other two got a ValueError.":                                        false,
		"In contrast, most similar calls end with ValueError.":                       false,
		"Each call raises ValueError.":                                               true,
		"On the other machine it raises ValueError.":                                 true,
	} {
		r := Parse([]byte("# lib.trim returns nothing\n\n"+text+"\n\n```python\nimport lib\nlib.trim(1)\n```\n"), Source{})
		got := false
		for _, s := range r.Statements {
			got = got || s.Kind == SaysException && s.Role == RoleActual
		}
		if got != came {
			t.Errorf("%q: came %t", text, got)
		}
	}
}
