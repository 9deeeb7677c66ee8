package triage

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/report"
)

// TestOutputInComments: where the output stands in the comments below the code,
// a value that the prose repeats is no line before it.
func TestOutputInComments(t *testing.T) {
	for _, c := range []struct{ name, prose, comments, want string }{
		{"an output of several lines", "I get a `nan` loss with this.", "\n# Output:\n# 0.25\n# 0.5\n# nan\n", "0.25|0.5|nan"},
		{"one comment says no more than the prose", "It prints `0.5` for the second.", "\n", "0.5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "# nan in keras\n\n" + c.prose + "\n\n```python\nimport keras\nfor n in (1, 2, 3):\n    print(keras.f(n))\n" + c.comments + "```\n\nkeras 3.6.0\n"
			d := Decide(report.Parse([]byte(text), report.Source{}), Options{})
			if d.Expectation == nil || d.Expectation.Printed == nil {
				t.Fatalf("no printed claim: %+v", d.Expectation)
			}
			var got []string
			for _, l := range d.Expectation.Printed.Actual {
				got = append(got, l.Text)
			}
			if strings.Join(got, "|") != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestPrintedVersion: the version that a script prints is no part of the claim,
// else no other release could satisfy it.
func TestPrintedVersion(t *testing.T) {
	for _, c := range []struct{ last, want string }{
		{"print(keras.__version__)", "(1, 2)|(2, 1)"},
		{"print(keras.g())", "(1, 2)|(2, 1)|3.0.5"},
	} {
		text := "# shapes differ in keras\n\n```python\nimport keras\nprint(keras.f().shape)\nprint(keras.f().T.shape)\n" + c.last + "\n```\n\nThe output is:\n\n```\n(1, 2)\n(2, 1)\n3.0.5\n```\nThey should be the same shape.\n"
		d := Decide(report.Parse([]byte(text), report.Source{}), Options{})
		if d.Expectation == nil || d.Expectation.Printed == nil {
			t.Fatalf("no printed claim: %+v", d.Expectation)
		}
		var got []string
		for _, l := range d.Expectation.Printed.Actual {
			got = append(got, l.Text)
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: %q, want %q", c.last, got, c.want)
		}
	}
}
