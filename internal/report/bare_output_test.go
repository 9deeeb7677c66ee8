package report

import (
	"strings"
	"testing"
)

// saidLines reads what a report says came and should have come: "actual 0 [1]".
func saidLines(below string) string {
	r := Parse([]byte("# lib.walk gives every other number\n\n```python\nimport lib\nfor i in range(2):\n    print(i, lib.walk(i))\n```\n\n"+below+"\n"), Source{})
	var out []string
	for _, s := range r.Statements {
		if s.Kind == SaysOutput && s.Where == "block" {
			out = append(out, string(s.Role)+" "+s.Text)
		}
	}
	return strings.Join(out, "; ")
}

// TestOutputWithoutAFence: values below a line that announces them are what was
// printed, and words are not.
func TestOutputWithoutAFence(t *testing.T) {
	for below, want := range map[string]string{
		"The output is:\n0 [2.5]\n1 [4.5]\n\nWhile the correct output should be:\n0 [2.5]\n1 [3.5]": "actual 0 [2.5]; actual 1 [4.5]; expected 0 [2.5]; expected 1 [3.5]",
		"I get:\n\ntensor([1., nan], grad_fn=<MulBackward0>)\n\n### Versions\n\nlib 1.0":            "actual tensor([1., nan], grad_fn=<MulBackward0>)",
		"**Expected output:**\nTrue\nFalse\nActual output:\nTrue\nTrue":                             "expected True; expected False; actual True; actual True",
		"The results are:\n0.5 is far too much, I think.":                                           "",
		"It returns:\n0.5\nand that is not what the page says.":                                     "",
		"The versions that I got:\n1.2\n1.3":                                                        "",
		"What I got:\n- 1\n- 2":                                                                     "",
		"I have these numbers:\n1\n2":                                                               "",
	} {
		if got := saidLines(below); got != want {
			t.Errorf("%q:\n got %q\nwant %q", below, got, want)
		}
	}
}
