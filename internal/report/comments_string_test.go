package report

import (
	"strings"
	"testing"
)

// TestPastedStrings reads output that stands in the script as an unused string.
func TestPastedStrings(t *testing.T) {
	for name, c := range map[string]struct{ code, want string }{
		"below a comment":  {"print(a)\nprint(b)\n\n### Outputs\n\"\"\"\n[1, 2]\n5\n\"\"\"", "1 actual output: [1, 2]|2 actual output: 5"},
		"label inside":     {"print(a)\n'''\nOutput:\n[1, 2]\n'''", "1 actual output: [1, 2]"},
		"wanted":           {"print(a)\n# Expected output:\n\"\"\"[1, 3]\"\"\"", "1 expected output: [1, 3]"},
		"other words":      {"# A tokenizer\n\"\"\"\nsplits the text\n\"\"\"\nprint(a)", ""},
		"a docstring":      {"def f():\n    # Output\n    \"\"\"\n    [1]\n    \"\"\"\nprint(f())", ""},
		"part of a string": {"x = \"\"\"\n# Output\n\"\"\"\nprint(x)\ny = \"\"\"\n\"\"\"", ""},
		"never closed":     {"print(a)\n# Output\n\"\"\"\n[1]", ""},
	} {
		r := Parse([]byte("# t\n\n```python\n"+c.code+"\n```\n"), Source{})
		if got := strings.Join(commentKeys(r), "|"); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// TestCommentAboveAPrint: with a print below as well, whose comment it is stays
// open.
func TestCommentAboveAPrint(t *testing.T) {
	r := Parse([]byte("# t\n\n```python\nprint(a)\n# prints 1, not 2\nprint(b)\n```\n"), Source{})
	if got, want := strings.Join(commentKeys(r), "|"), "2 actual value: 1|2 expected value: 2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestCommentBelowThePrint gives "prints 1 and not 0" to the print above it.
func TestCommentBelowThePrint(t *testing.T) {
	for comment, want := range map[string]string{
		"Prints [1] and not [0] as expected":  "4 actual value: [1]|4 expected value: [0]",
		"returns 3, not 4":                    "4 actual value: 3|4 expected value: 4",
		"gives nan rather than 0.5":           "4 actual value: nan|4 expected value: 0.5",
		"prints 3 times and not once":         "",
		"prints the mean and not the sum":     "",
		"should be 1 and not 0":               "",
		"is 2, not 3 as it should":            "4 actual value: 2|4 expected value: 3",
		"prints 2, not 3 as in the tutorial.": "",
	} {
		r := Parse([]byte("# t\n\n```python\nc = Counter()\nc.reset()\n\nprint(c.steps)\n\n# "+comment+"\n```\n"), Source{})
		if got := strings.Join(commentKeys(r), "|"); got != want {
			t.Errorf("%s: got %q, want %q", comment, got, want)
		}
	}
}
