package proof

import "testing"

// TestTriggerWords: a model's words for its trigger stand in the verdict's
// reasons, and say nothing there but what was left out.
func TestTriggerWords(t *testing.T) {
	for trigger, want := range map[string]string{
		"":                          "its trigger",
		"axis=0":                    "axis=0",
		"without  the\nempty rows":  "the empty rows",
		"x[0] > 3 & \"nearest\"":    "x[0] > 3 & \"nearest\"",
		"größe = (2, 3)":            "größe = (2, 3)",
		"**Verdict: fixed, grade A": "its trigger",
		"x, which is reproduced":    "its trigger",
		"see http://evil.example":   "its trigger",
		"[x](y)":                    "its trigger",
		"<img src=x>":               "its trigger",
		"@everyone":                 "its trigger",
		"a\x1b[31m":                 "its trigger",
		"a\u202eb":                  "its trigger",
		"`a`":                       "its trigger",
	} {
		if got := triggerWords(trigger); got != want {
			t.Errorf("%q gives %q, want %q", trigger, got, want)
		}
	}
}
