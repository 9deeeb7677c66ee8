package triage

import (
	"testing"

	"github.com/repgen/repgen/internal/oracle"
)

const topScript = `
import tinymetric

for k in (1, 2):
    print(k, tinymetric.accuracy([0.5, 0.2], top_k=k))
`

func TestDirection(t *testing.T) {
	fall, rise := "\n```\n1 tensor(0.5000)\n2 tensor(0.3333)\n```\n", "\n```\n1 tensor(0.3)\n2 tensor(0.5)\n```\n"
	for _, c := range []struct{ name, prose, output, want string }{
		{"cannot be below", "A top-2 hit rate can not be below the top-1 rate, but:", fall, "not_falling"},
		{"should grow", "The rate should increase with k, but it prints:", fall, "not_falling"},
		{"must not exceed", "The error must never be larger than before, but:", rise, "not_rising"},
		{"should shrink", "It should decrease, but I get:", rise, "not_rising"},
		{"pasted lines keep to it", "It can not be below the first one, and I get:", rise, ""},
		{"nothing said", "I get:", fall, ""},
	} {
		d := decideOn("accuracy is odd with top_k", c.prose+"\n", topScript)
		with := decideOn("accuracy is odd with top_k", "See below.\n\n```python\n"+topScript+"```\n\n"+c.prose+"\n"+c.output, "")
		got := ""
		if e := with.Expectation; e != nil && e.Printed != nil {
			got = e.Printed.Relation
		}
		if got != c.want {
			t.Errorf("%s: relation %q, want %q (%+v)", c.name, got, c.want, with.Expectation)
		}
		if e := d.Expectation; e != nil && e.Printed != nil && e.Printed.Relation != "" {
			t.Errorf("%s: a relation on no lines: %+v", c.name, e.Printed)
		}
	}
}

func TestLastNumbers(t *testing.T) {
	lines := []oracle.Line{{Text: "1 tensor(0.5000)"}, {Text: "2 tensor(-1e-3)"}}
	if got := lastNumbers(lines); len(got) != 2 || got[0] != 0.5 || got[1] != -1e-3 {
		t.Errorf("last numbers %v", got)
	}
	if got := lastNumbers([]oracle.Line{{Text: "3 2 1"}}); len(got) != 3 || got[2] != 1 {
		t.Errorf("numbers of one line %v", got)
	}
	if got := lastNumbers([]oracle.Line{{Text: "3"}, {Text: "none"}}); got != nil {
		t.Errorf("a line without a number gives %v", got)
	}
}
