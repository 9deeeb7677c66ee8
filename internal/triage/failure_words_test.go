package triage

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
)

// TestExceptionOfAnotherCall: what a neighbour raises is what should come, and
// looking for it would call the release with the fix the one with the bug.
func TestExceptionOfAnotherCall(t *testing.T) {
	d := decideText(t, "# tinynet.convert silently accepts a negative size\n\n```python\nimport tinynet\nx = tinynet.convert(-1)\nprint(x)\n```\n\n"+
		"`tinynet.build(-1)` raises `ValueError: size -1 is below 0`, so convert misses a check.\n\n### Expected behavior\n\n`convert` should raise the same `ValueError`.\n")
	e := d.Expectation
	if e == nil || strings.Contains(e.Symptom.Message, "below 0") {
		t.Errorf("the exception of the other call is taken for the symptom: %+v", e)
	}
	d = decideText(t, "# tinynet.convert raises an error for a size of 0\n\n```python\nimport tinynet\nx = tinynet.convert(0)\n```\n\n"+
		"It raises `ValueError: size 0 is below 1`.\n")
	if e := d.Expectation; e == nil || e.Oracle != oracle.OracleException || !strings.Contains(e.Symptom.Message, "below 1") {
		t.Errorf("the exception that came is not the symptom: %+v", e)
	}
}

const cutTrace = "```python\nimport tinynet\ntinynet.cut(3)\n```\n\n```\nTraceback (most recent call last):\n  File \"a.py\", line 2, in <module>\n    tinynet.cut(3)\n" +
	"  File \"/lib/site-packages/tinynet/core.py\", line 9, in cut\n    return _native(n)\n```\n"

// TestCutTraceback: a traceback without its last line names no failure. The
// message is taken from the prose, and without one nothing is looked for.
func TestCutTraceback(t *testing.T) {
	d := decideText(t, "# tinynet.cut emits an error\n\nIt ends in an error with `Invalid node kind: 1` here.\n\n"+cutTrace)
	if e := d.Expectation; e == nil || e.Oracle != oracle.OracleException || e.Symptom.Message != "Invalid node kind: 1" || len(e.Symptom.Frames) == 0 {
		t.Errorf("the message of the prose is not used: %+v", e)
	}
	d = decideText(t, "# tinynet.cut emits an error\n\nIt fails with `tinynet.cut(3)` here.\n\n"+cutTrace)
	if e := d.Expectation; e != nil && e.Oracle == oracle.OracleException {
		t.Errorf("a failure without a name is looked for: %+v", e.Symptom)
	}
}

// TestAsksWhetherBug: asking whether it is one says of nothing that it failed,
// but a script is looked at.
func TestAsksWhetherBug(t *testing.T) {
	const ask = "# [Question] Why does tinynet.scale divide by the returns?\n\nI had assumed the mean. I wanted to ask if this is a bug or intended behaviour, since it is surprising to me.\n"
	if d := decideText(t, ask); d.Route != NotABug {
		t.Errorf("a question is %s: %v", d.Route, d.Reasons)
	}
	if d := decideText(t, ask+"\nIt fails for zeros.\n"); d.Route == NotABug {
		t.Error("a failure is no question")
	}
	if d := decideText(t, ask+"\n```python\nimport tinynet\nprint(tinynet.scale(2))\n```\n"); d.Route == NotABug {
		t.Error("a script is not looked at")
	}
}

// TestSaidOutput: words that the script prints, in a sentence or in an unused
// string of the script, are what it should show.
func TestSaidOutput(t *testing.T) {
	for text, want := range map[string]string{
		"```python\nimport tinynet\nprint(\"calls_of_handler\", tinynet.calls())\n```\n\nThe script prints calls_of_handler 2.\n": "calls_of_handler 2",
		"```python\nimport tinynet\nprint(tinynet.spans(\"ab\"))\n\n# Output\n\"\"\"\n[(0, 1), (1, 2)]\n\"\"\"\n```\n":            "[(0, 1), (1, 2)]",
		"```python\nimport tinynet\nc = tinynet.Counter()\nprint(c.steps)\n\n# Prints [1] and not [0] as expected\n```\n":         "[1]",
	} {
		e := decideText(t, "# tinynet counts wrongly\n\n"+text).Expectation
		if e == nil || e.Printed == nil || len(e.Printed.Actual) != 1 || e.Printed.Actual[0].Text != want {
			t.Errorf("%q: %+v", text, e)
		}
	}
	e := decideText(t, "# tinynet counts wrongly\n\n```python\nimport tinynet\nc = tinynet.Counter()\nprint(c.steps)\n\n# Prints [1] and not [0] as expected\n```\n").Expectation
	if e == nil || e.Printed == nil || len(e.Printed.Expected) != 1 || e.Printed.Expected[0].Text != "[0]" || e.Printed.Expected[0].Replaces != 0 {
		t.Errorf("expected: %+v", e)
	}
}
