package report

import (
	"strings"
	"testing"
)

// TestCodeBetweenSteps reads unfenced code whose parts are told about in a
// numbered list, and leaves a list of sentences alone.
func TestCodeBetweenSteps(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"between steps": {"from tinynet import Label\n\n1. Create the label with 3 values\nx = Label(3)\n\n2. Define a dictionary\nd = {\n    'a': [1, 2],\n}\n3. Print it\nprint(x(d))\n\nIt fails.\n",
			"from tinynet import Label|x = Label(3)|d = {|    'a': [1, 2],|}|print(x(d))"},
		"steps behind it": {"import tinynet\nprint(tinynet.f())\n\n1. Install the package\n2. Run it\n\nIt fails.\n", "import tinynet|print(tinynet.f())"},
		"steps alone":     {"import tinynet\n\n1. Install the package\n2. Run it\n", ""},
	} {
		r := Parse([]byte("# tinynet fails\n\n"+c.body), Source{})
		got := ""
		for _, b := range r.Blocks {
			if b.Kind == BlockPython {
				var lines []string
				for _, l := range strings.Split(b.Text, "\n") {
					if strings.TrimSpace(l) != "" {
						lines = append(lines, l)
					}
				}
				got += strings.Join(lines, "|")
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
