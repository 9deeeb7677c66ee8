package candidate

import (
	"slices"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/triage"
)

func TestWhatAnEditCouldCause(t *testing.T) {
	exception := func(class string) *oracle.Expectation {
		return &oracle.Expectation{Oracle: oracle.OracleException, Symptom: symptom.Symptom{Exception: class}, Modules: []string{"matplotlib.pyplot"}}
	}
	values := &oracle.Expectation{Oracle: oracle.OracleNonFinite, Modules: []string{"keras"}}
	for _, tc := range []struct {
		kind  string
		risky bool
		e     *oracle.Expectation
		want  bool
	}{
		{"add_import", false, values, false},
		{"lower_device", true, exception("a.TypeError"), true},
		{"stand_in_file", true, values, true},
		{"stand_in_file", true, exception("ValueError"), true},
		{"stand_in_file", true, &oracle.Expectation{Oracle: oracle.OracleImportError}, false},
		{"stand_in_file", false, values, false},
		{"stand_in_weights", true, values, true},
		{"stand_in_weights", true, exception("torch.TypeError"), false},
		{"stand_in_weights", true, exception("ValueError"), true},
		{"stand_in_weights", true, nil, true},
		{"obsolete_argument", true, exception("TypeError"), true},
		{"python2", true, values, true},
		{"python2", false, values, false},
		{"headless", false, exception("TypeError"), true},
		{"headless", false, values, false},
	} {
		c := &Candidate{Edits: []Edit{{Kind: tc.kind, Why: "why", Risky: tc.risky}}}
		if got := c.RiskyFor(tc.e); (len(got) > 0) != tc.want || tc.want && got[0] != tc.kind+": why" {
			t.Errorf("%s (%v) for %+v: %q", tc.kind, tc.risky, tc.e, got)
		}
	}
}

func TestClaimedNamesAreWatched(t *testing.T) {
	code := "import torch\nm = torch.nn.Linear(1, 1)\nout = m(torch.ones(1))\ndef f():\n    inner = 1\nprint(m)\nnp = out.shape\n"
	d := &triage.Decision{Expectation: &oracle.Expectation{
		Value: &oracle.Value{Target: "out.dtype", Property: "dtype"}, Repeats: &oracle.Repeats{Name: "inner"},
		Spread: &oracle.Spread{Left: "np", Right: "torch"},
		Also:   []oracle.Expectation{{Value: &oracle.Value{Target: "m( torch.ones(1) )"}}, {Value: &oracle.Value{Target: "m.weight"}}},
	}}
	c := build(t, python(code), d)
	if want := []string{"m.weight", "out", "np", "out.dtype", "m"}; !slices.Equal(c.Watch, want) {
		t.Errorf("watched %q", c.Watch)
	}
	for range 2 * maxWatch {
		d.Expectation.Also = append(d.Expectation.Also, oracle.Expectation{Value: &oracle.Value{Target: "m.x" + string(rune('a'+len(d.Expectation.Also)%26))}})
	}
	if c.WatchFor(d.Expectation); len(c.Watch) > maxWatch {
		t.Errorf("%d names", len(c.Watch))
	}
	c.WatchFor(nil)
}

func TestAlternatives(t *testing.T) {
	r := &report.Report{Blocks: []report.Block{
		{Kind: report.BlockPython, Text: "import torch\n"}, {Kind: report.BlockPython, Text: "import keras\n"}, {Kind: report.BlockPython, Text: "import torch\n"},
	}}
	d := &triage.Decision{Blocks: []int{1}, Alternatives: [][]int{{0}, {2}, {9}, nil, {0, 1}}}
	got := Alternatives(r, d)
	if len(got) != 3 || got[0].Script != "import keras\n" || got[1].Script != "import torch\n" || len(got[2].Edits) != 1 {
		t.Errorf("%d: %+v", len(got), got)
	}
	if !slices.Equal(d.Blocks, []int{1}) {
		t.Error("the decision was changed")
	}
}
