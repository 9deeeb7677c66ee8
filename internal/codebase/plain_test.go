package codebase

import (
	"fmt"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/codebase/query"
)

func TestMostlyWords(t *testing.T) {
	for text, want := range map[string]bool{
		"# a licence\n#\n# of many lines\n":             true,
		"# a\n\n\"\"\"How to swim.\"\"\"\n# end":        true,
		"r'''It's a \\''' quote.'''":                    true,
		"\"\"\"A \"\"quoted\" word.\"\"\"":              true,
		"\"\"\"How to swim.\"\"\"\nPONDS = 3\nFISH = 4": false,
		"\"\"\"two\"\"\"\n\"\"\"strings\"\"\"":          false,
		"\"\"\"not closed":                              false,
		"import pond":                                   false,
		"\"\"\"a\"\"\".join(x)":                         false,
	} {
		if got := mostlyWords(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestDeclaration(t *testing.T) {
	for text, want := range map[string]bool{
		"    rate: float\n":             true,
		"owner: ...":                    true,
		"fish : Dict[str, int]":         true,
		"rate: float = 0.5":             false,
		"rate = 0.5":                    false,
		"def swim(self): return 1":      false,
		"class Fish: pass":              false,
		"with pond: swim()":             false,
		"lambda_: Callable[[int], int]": true,
		"x: int\ny: int":                false,
		"":                              false,
	} {
		if got := declaration(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestContextPlain: what only declares a name is no dependency, and a module's
// docstring comes behind its code, however many of the report's words it has.
func TestContextPlain(t *testing.T) {
	const manual = "Accumulated gradients of the swimmer: accumulate gradients over batches before the swimmer steps."
	lines := ""
	for i := range 12 {
		lines += fmt.Sprintf("Gradients accumulate for batch %d of the swimmer.\n", i)
	}
	x := open(t, map[string]string{
		"pond/swim.py": "\"\"\"" + manual + "\n\n" + lines + "\"\"\"\n\n" +
			"from pond.base import clip\n\n\nclass Swimmer:\n    accumulate: int\n    pace: ...\n\n    def accumulate_gradients(self, batch):\n" +
			"        if batch % self.accumulate == 0:\n            return clip(self.pace)\n        return None\n",
		"pond/base.py": "def clip(value):\n    return min(value, 1.0)\n",
	}, Options{Static: &bag{name: "s"}})
	c := gather(t, x, query.FromText("The swimmer does not step: accumulate_gradients of the last batches of Swimmer"), ContextOptions{})
	if len(c.Modules) == 0 || len(c.Modules[0].Chunks) < 2 {
		t.Fatalf("context %+v", c)
	}
	m := c.Modules[0]
	if strings.Contains(m.Chunks[0].Text, manual) || !strings.Contains(m.Chunks[0].Text, "accumulate") {
		t.Errorf("the words come first: %s", m.Chunks[0].Text)
	}
	for _, d := range m.Dependencies {
		if d.Name != "clip" {
			t.Errorf("needed: %s %q", d.Name, d.Text)
		}
	}
}
