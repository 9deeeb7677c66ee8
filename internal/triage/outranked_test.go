package triage

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
)

// TestBlockOutranksWords: a pasted output of what should come is what is right;
// values in the sentence that leads to it correct no line of what came.
func TestBlockOutranksWords(t *testing.T) {
	text := "# scale turns a half into one\n\n```python\nimport lib\nprint(\"[Before]\")\nprint(lib.half(2, 3))\nprint(\"[After]\")\nprint(lib.scale(lib.half(2, 3), 0))\n```\n\n" +
		"Output:\n```shell\n[Before]\n[[0.5 0.5 0.5]\n [0.5 0.5 0.5]]\n[After]\n[[1. 1. 1.]\n [1. 1. 1.]]\n```\n\n" +
		"## Expected behavior\n\nSince the factor is `0`, the result should be the mean.\nHere the mean is `0.5`, so the expected output is\n" +
		"```shell\n[After]\n[[0.5 0.5 0.5]\n [0.5 0.5 0.5]]\n```\n"
	e := Decide(report.Parse([]byte(text), report.Source{}), Options{}).Expectation
	if e == nil || e.Printed == nil || len(e.Printed.Actual) != 6 {
		t.Fatalf("%+v", e)
	}
	var got []string
	for _, l := range e.Printed.Expected {
		got = append(got, l.Text)
		if l.Replaces >= 0 {
			t.Errorf("%q replaces line %d", l.Text, l.Replaces)
		}
	}
	if want := "[After] / [[0.5 0.5 0.5] / [0.5 0.5 0.5]]"; strings.Join(got, " / ") != want {
		t.Errorf("expected %q, want %s", got, want)
	}
}

// TestWordsCorrectWhatNoBlockHolds: a value stands where the block is of other lines.
func TestWordsCorrectWhatNoBlockHolds(t *testing.T) {
	p := &oracle.Printed{Actual: []oracle.Line{newLine("count: 4", false), newLine("names b", false)}}
	said, other := newLine("count: 5", false), newLine("names a", false)
	said.Replaces, other.Replaces = 0, 1
	p.Expected = []oracle.Line{said, other}
	dropOutranked(p, []oracle.Line{other})
	if len(p.Expected) != 2 {
		t.Errorf("left %+v", p.Expected)
	}
	dropOutranked(p, nil)
	if len(p.Expected) != 2 {
		t.Errorf("without a block: left %+v", p.Expected)
	}
}
