package report

import "testing"

// TestPastOfAChange: when a change came is no praise of the release it came in,
// and what "worked before" praises no version that is named.
func TestPastOfAChange(t *testing.T) {
	for _, c := range []struct {
		text string
		good bool
	}{
		{"This change was included in scipy 1.4.0. I propose to undo it in scipy 1.4.2.", false},
		{"That argument was silently added in scipy 1.4.0. It is in scipy 1.4.2, too.", false},
		{"In scipy 1.4.0 it was 3.0. I use scipy 1.4.2.", true},
	} {
		good := false
		for _, v := range Parse([]byte("# scipy.mean is odd\n\n"+c.text+"\n"), Source{}).Versions {
			good = good || v.Spec == "1.4.0" && v.Role == RoleGood
		}
		if good != c.good {
			t.Errorf("%s: good %v, want %v", c.text, good, c.good)
		}
	}
	for text, good := range map[string]bool{
		"which worked fine before (see below)": false,
		"it worked before.":                    false,
		"it worked fine before 1.4":            true,
		"it worked fine":                       true,
	} {
		if got := anyGood(moods(text)); got != good {
			t.Errorf("%s: good %v, want %v", text, got, good)
		}
	}
}
