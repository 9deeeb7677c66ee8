package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/environment"
)

// solvedView is a Spec and its lock as the ladder leaves them: one pin that
// held, one that was loosened, one that nothing needs, one left out here.
func solvedView() *environmentView {
	spec := environment.Spec{
		Python: "3.10", PythonSource: "report", AsOf: time.Date(2024, 4, 1, 23, 59, 59, 0, time.UTC), AsOfSource: "report", Subject: "torch",
		Requirements: []environment.Requirement{
			{Name: "torch", Spec: "==2.2.1", Word: environment.WordReporter, Why: "imported"},
			{Name: "numpy", Spec: "==2.1.0", Word: environment.WordReporter},
			{Name: "scipy", Word: environment.WordImport, Why: "imported\nby the \x1b[31mscript"},
		},
		Constraints: []environment.Requirement{{Name: "pandas", Spec: "==1.0.0", Word: environment.WordReporter}},
		Edits:       []string{"torch+cu121 read as torch"},
	}
	lock := &environment.Lock{
		Python: "3.11.7", AsOf: spec.AsOf, Rung: 7,
		Packages: []environment.Package{
			{Name: "numpy", Version: "1.26.4", Word: environment.WordRelaxed, Why: "asked for ==2.1.0: conflict"},
			{Name: "scipy", Version: "1.12.0", Word: environment.WordImport, Why: spec.Requirements[2].Why},
			{Name: "torch", Version: "2.2.1", Word: environment.WordReporter, Why: "imported"},
			{Name: "triton", Version: "2.2.0", Word: environment.WordResolver, Why: "needed by torch"},
		},
		LeftOut: []string{"triton"},
		Rungs:   []environment.Rung{{Number: 1, Name: "exact pins as of the date", Result: "conflict", Detail: "torch and numpy"}, {Number: 7, Name: "contradicting pin loosened", Result: "solved"}},
		Changes: []environment.Change{{Name: "numpy", Rung: 7, Text: "numpy==2.1.0 no longer pinned"}},
		Asked:   []environment.Asked{{Name: "numpy", Asked: "==2.1.0", Installed: "1.26.4", Why: "conflict", Word: environment.WordReporter}},
		Edits:   []string{"numpy==2.1.0 no longer pinned"},
	}
	return &environmentView{Spec: spec, Lock: lock}
}

func TestExplainTable(t *testing.T) {
	var out bytes.Buffer
	x := explainView(solvedView())
	if err := x.tell(streams{out: &out}); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	// One line of words each, whatever the widths.
	lines := map[string]string{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) > 0 {
			lines[words[0]] = strings.Join(words, " ")
		}
	}
	for name, want := range map[string]string{
		"torch": "torch 2.2.1 ==2.2.1 reporter 1 exact pins as of the date imported",
		"numpy": "numpy 1.26.4 ==2.1.0 relaxed 7 ",
		"scipy": "scipy 1.12.0 - import 1 exact pins as of the date imported by the ",
		// In the lock, not on this machine.
		"triton": "triton 2.2.0 (stub) - resolver - needed by torch",
		"pandas": "pandas - ==1.0.0 reporter - nothing needs it",
		"python": "python 3.11.7 3.10 reporter ",
	} {
		if !strings.HasPrefix(lines[name], want) {
			t.Errorf("%s: %q, want %q", name, lines[name], want)
		}
	}
	for _, want := range []string{
		"as of 2024-04-01 23:59:59 UTC (report)", "numpy: reporter asked for ==2.1.0, installed 1.26.4: conflict",
		"torch+cu121 read as torch", "1 exact pins as of the date: conflict: torch and numpy", "7 contradicting pin loosened: solved\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
	if i := strings.IndexFunc(text, steers); i >= 0 {
		t.Errorf("steers a terminal at byte %d: %q", i, text)
	}
}

// Who reads the object finds lists, never null, and the same pins.
func TestExplainObject(t *testing.T) {
	for name, v := range map[string]*environmentView{
		"solved":      solvedView(),
		"unavailable": {Unavailable: &environment.Unavailable{Why: "gone", Rungs: []environment.Rung{{Number: 1, Result: "version missing"}}}},
	} {
		data, err := json.Marshal(explainView(v))
		if err != nil {
			t.Fatal(err)
		}
		var x struct {
			Pins, Asked, Rungs, Edits []any
			StandIns                  []any `json:"stand_ins"`
			Unavailable               *environment.Unavailable
		}
		if err := json.Unmarshal(data, &x); err != nil {
			t.Fatal(err)
		}
		if x.Pins == nil || x.Asked == nil || x.Rungs == nil || x.Edits == nil || x.StandIns == nil {
			t.Errorf("%s: a list is null: %s", name, data)
		}
		if (v.Unavailable != nil) != (x.Unavailable != nil) || len(x.Rungs) == 0 {
			t.Errorf("%s: %s", name, data)
		}
	}
	data, err := json.Marshal(explainView(solvedView()).Pins)
	if err != nil || !strings.Contains(string(data), `"name":"triton","version":"2.2.0","word":"resolver","why":"needed by torch","stub":true`) {
		t.Errorf("%s %v", data, err)
	}
}
