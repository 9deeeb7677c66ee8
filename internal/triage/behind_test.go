package triage

import "testing"

// TestSaidBehind: what a script without a print gave is what the words right
// behind it say, and no other value of the report.
func TestSaidBehind(t *testing.T) {
	for _, c := range []struct {
		name, script, behind string
		want                 bool
	}{
		{"gives", "tinynet.area(2)", "gives `array(1.5e-314)`", true},
		{"it returns", "tinynet.area(2)", "It returns `4.5`", true},
		{"a sentence later", "tinynet.area(2)", "The unit is odd. It returns `4.5`", false},
		{"no expression", "x = tinynet.area(2)", "gives `4.5`", false},
		{"hidden on purpose", "tinynet.area(2);", "gives `4.5`", false},
	} {
		d := routed("# tinynet: area is gibberish\n\n```python\nimport tinynet\n" + c.script + "\n```\n\n" + c.behind + "\n\ntinynet 1.0\n")
		got := d.Expectation != nil && d.Expectation.Printed != nil && len(d.Expectation.Printed.Actual) == 1
		if d.Route != Attempt || got != c.want {
			t.Errorf("%s: route %s, expectation %+v", c.name, d.Route, d.Expectation)
		}
	}
}
