package report

import "testing"

// TestSaidPrinted takes the words behind "prints" for output when the script
// prints that label, and only then.
func TestSaidPrinted(t *testing.T) {
	const code = "\n\n```python\nprint(\"calls_of_handler\", n)\nprint(f\"left over: {m}\")\n```\n\n"
	for text, want := range map[string]string{
		"Actual behavior:\nThe script prints calls_of_handler 2.": "actual output: calls_of_handler 2",
		"It prints left over: 0.5":                                "actual output: left over: 0.5",
		"Expected behavior:\n\nThe script prints left over: 0":    "expected output: left over: 0",
		"It should print calls_of_handler 1.":                     "expected output: calls_of_handler 1",
		"It never prints calls_of_handler 1.":                     "",
		"It prints calls_of_handler twice.":                       "",
		"It prints the loss 3 times.":                             "",
		"The script prints another label 2.":                      "",
	} {
		r := Parse([]byte("# t"+code+text+"\n"), Source{})
		got := ""
		for _, s := range r.Statements {
			if s.Where == "prose" {
				got += string(s.Role) + " " + string(s.Kind) + ": " + s.Text
			}
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
