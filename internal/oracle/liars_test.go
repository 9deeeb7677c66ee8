package oracle

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
)

func positive(h Headline) bool {
	return h == Reproduced || h == Fixed || h == Regression || h == Flaky
}

// trusting are liars that fool an oracle when their script is taken for the
// reporter's own and nobody read it: the reader of scripts refuses these.
var trusting = map[string]bool{"aborts_by_hand": true, "silent_by_version": true}

// TestLiars: every seeded liar, recorded on both releases, judged by every
// oracle, is refused.
func TestLiars(t *testing.T) {
	files, err := filepath.Glob("testdata/liars/*.bad.json")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d liars: %v", len(files), err)
	}
	all := expectations(t)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".bad.json")
		for oracle, e := range all {
			for _, own := range []bool{false, true} {
				e.ReporterScript = own
				if own && trusting[name] {
					continue
				}
				t.Run(name+" by "+oracle, func(t *testing.T) { refuse(t, e, name) })
			}
		}
	}
}

func refuse(t *testing.T, e Expectation, liar string) {
	ev := Evidence{Certified: true, Adjacent: true, Groups: []Group{
		repeat(SideReported, "1.2.0", 5, execution(t, "liars/"+liar+".bad")),
		repeat(SideNewest, "1.3.0", 3, execution(t, "liars/"+liar+".good")),
		repeat(SideNeutral, "", 3, finished("")),
	}}
	e = JudgeAll(e, &ev)
	if v := Decide(e, ev); positive(v.Headline) {
		t.Errorf("%s, grade %s: %s", v.Headline, v.Grade, strings.Join(v.Reasons, "\n"))
	}
}

// TestRefusedNeverPositive: what the reader of scripts refuses stays a lead,
// however well it would be proved.
func TestRefusedNeverPositive(t *testing.T) {
	ev := Evidence{Certified: true, Refused: []string{"raises by hand in line 4"}, Groups: []Group{
		repeat(SideReported, "1.2.0", 5, execution(t, "scripts/exception.bad")),
		repeat(SideFix, "1.3.0", 5, execution(t, "scripts/exception.good")),
		repeat(SideNewest, "1.3.0", 5, execution(t, "scripts/exception.good")),
		repeat(SideNeutral, "", 1, finished("")),
	}}
	e := JudgeAll(expectations(t)["exception"], &ev)
	v := Decide(e, ev)
	if v.Headline != Lead || v.Grade != "D" || len(v.Also) > 0 || v.GoodBefore != "" || v.FirstFixed != "" {
		t.Errorf("%+v", v)
	}
}

// TestForgedRecordIsHostile: a script that writes to the observer's channel
// attacks the evidence.
func TestForgedRecordIsHostile(t *testing.T) {
	ev := Evidence{Certified: true, Groups: []Group{repeat(SideReported, "1.2.0", 5, execution(t, "liars/writes_a_fake_record.bad"))}}
	e := JudgeAll(expectations(t)["exception"], &ev)
	if v := Decide(e, ev); v.Headline != Hostile {
		t.Errorf("%s: %v", v.Headline, v.Reasons)
	}
}

// TestContradictions: a record that the outside contradicts is no evidence.
func TestContradictions(t *testing.T) {
	honest := execution(t, "scripts/exception.bad")
	for name, twist := range map[string]func(*sandbox.Execution){
		"exit code 0":        func(ex *sandbox.Execution) { ex.ExitCode = 0 },
		"beside sys.exit":    func(ex *sandbox.Execution) { ex.Record.SystemExit = "1" },
		"without a shutdown": func(ex *sandbox.Execution) { ex.Record.Ended = false },
		"forged":             func(ex *sandbox.Execution) { ex.Record.Forged = true },
		"no record at all":   func(ex *sandbox.Execution) { ex.Record.Started = false },
	} {
		ex := honest
		twist(&ex)
		if j := Judge(expectations(t)["exception"], ex); j.Finding != Inconclusive || j.Fault == "" {
			t.Errorf("%s: %s %q", name, j.Finding, j.Fault)
		}
	}
}
