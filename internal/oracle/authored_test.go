package oracle

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
)

// TestAuthoredGrades: what a control that the script's author wrote can carry.
func TestAuthoredGrades(t *testing.T) {
	bad, good := execution(t, "scripts/exception.bad"), execution(t, "scripts/exception.good")
	claim := expectations(t)["exception"]
	claim.ReporterScript = false
	change := func(f func(*Expectation)) Expectation { e := claim; f(&e); return e }
	signal := expectations(t)["signal"]
	signal.ReporterScript = false
	imports := expectations(t)["import_error"]
	imports.ReporterScript = false
	own := repeat(SideAuthored, "1.2.0", 3, good)
	own.Change = "without axis=3"
	for _, c := range []struct {
		name     string
		e        Expectation
		ev       Evidence
		headline Headline
		grade    Grade
		reason   string
	}{
		{"a full match", claim, Evidence{Groups: []Group{repeat(SideReported, "1.2.0", 5, bad), own}}, Reproduced, "C", "gone without axis=3"},
		{"a signal", signal, Evidence{Groups: []Group{repeat(SideReported, "1.2.0", 5, execution(t, "scripts/signal.bad")), own}}, Reproduced, "C", ""},
		{"an import error", imports, Evidence{Groups: []Group{repeat(SideReported, "1.2.0", 5, execution(t, "scripts/import_error.bad")), own}}, Reproduced, "C", ""},
		{"a release beats it", claim, Evidence{Groups: []Group{repeat(SideReported, "1.2.0", 5, bad), own, repeat(SideNewest, "1.3.0", 3, good)}}, Fixed, "B", ""},
		{"no frame was stated", change(func(e *Expectation) { e.Symptom.Frames = nil }), Evidence{Groups: []Group{repeat(SideReported, "1.2.0", 5, bad), own}}, Lead, "D", "not all those of the reporter's own log"},
		{"no message was stated", change(func(e *Expectation) { e.Symptom.Message = "" }), Evidence{Groups: []Group{repeat(SideReported, "1.2.0", 5, bad), own}}, Lead, "D", "not all those"},
		{"the report asks", change(func(e *Expectation) { e.Asks = true }), Evidence{Groups: []Group{repeat(SideReported, "1.2.0", 5, bad), own}}, Lead, "D", "asks whether this is expected"},
		{"unfit", claim, Evidence{ControlUnfit: []string{"it skips the call"}, Groups: []Group{repeat(SideReported, "1.2.0", 5, bad), own}}, Lead, "D", "it skips the call"},
		{"refused", claim, Evidence{Refused: []string{"it patches"}, Groups: []Group{repeat(SideReported, "1.2.0", 5, bad), own}}, Lead, "D", "it patches"},
		{"twice only", claim, Evidence{Groups: []Group{repeat(SideReported, "1.2.0", 5, bad), repeat(SideAuthored, "1.2.0", 2, good)}}, Lead, "D", "3 are asked for"},
		{"it dies otherwise", claim, Evidence{Groups: []Group{repeat(SideReported, "1.2.0", 5, bad), repeat(SideAuthored, "1.2.0", 3, execution(t, "scripts/sys_exit.bad"))}}, Lead, "D", "proves nothing"},
		{"it shows it too", claim, Evidence{Groups: []Group{repeat(SideReported, "1.2.0", 5, bad), repeat(SideAuthored, "1.2.0", 3, bad)}}, Lead, "D", "shows it too"},
		{"rarely, with an unfit control", claim, Evidence{ControlUnfit: []string{"no"}, Groups: []Group{mixed(t, bad, good, 2, 5), repeat(SideAuthored, "1.2.0", 9, good)}}, Lead, "D", ""},
		{"rarely, refused", claim, Evidence{Refused: []string{"no"}, Groups: []Group{mixed(t, bad, good, 2, 5), repeat(SideNewest, "1.3.0", 9, good)}}, Lead, "D", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.ev.Certified = true
			c.ev.Groups = append(c.ev.Groups, repeat(SideNeutral, "", 1, finished("")))
			JudgeGroups(c.e, &c.ev)
			v := Decide(c.e, c.ev)
			words := strings.Join(v.Reasons, "\n")
			if v.Headline != c.headline || v.Grade != c.grade || !strings.Contains(words, c.reason) {
				t.Errorf("%s %q, want %s %q with %q:\n%s", v.Headline, v.Grade, c.headline, c.grade, c.reason, words)
			}
			if v.GoodBefore != "" {
				t.Errorf("the script's own control named the release %s", v.GoodBefore)
			}
		})
	}
}

// mixed are hits and others of one side.
func mixed(t *testing.T, bad, good sandbox.Execution, hits, others int) Group {
	t.Helper()
	g := repeat(SideReported, "1.2.0", hits, bad)
	g.Executions = append(g.Executions, repeat(SideReported, "1.2.0", others, good).Executions...)
	return g
}

// TestObservedGrades: a claim of the script's author, anchored or not.
func TestObservedGrades(t *testing.T) {
	e := Expectation{Oracle: OracleObserved, Symptom: symptom.Symptom{Kind: symptom.NonFinite}, Observed: &Observed{
		Names: names(t, "loss number"), Bad: "isnan(loss)", Good: "loss < 0.5"}}
	bad, good, other := saw(float("loss", "nan")), saw(float("loss", "0.1")), saw(float("loss", "3"))
	for _, c := range []struct {
		name     string
		anchored bool
		side     Side
		control  sandbox.Execution
		headline Headline
		grade    Grade
	}{
		{"good on the newest", true, SideNewest, good, Fixed, "B"},
		{"good on the fix", true, SideFix, good, Reproduced, "A"},
		{"good where the reporter says", true, SideNamed, good, Reproduced, "B"},
		{"not anchored", false, SideNewest, good, Lead, "D"},
		{"not anchored, on the fix", false, SideFix, good, Lead, "D"},
		{"only not bad", true, SideNewest, other, Lead, "D"},
		{"only not bad on the fix", true, SideFix, other, Lead, "D"},
		{"only not bad where the reporter says", true, SideNamed, other, Lead, "D"},
		{"with its own control", true, SideAuthored, good, Lead, "D"},
		{"with a part taken out", true, SideRemoval, good, Lead, "D"},
		{"with a change", true, SideContrast, good, Lead, "D"},
		{"with the certificate", true, SideNeutral, finished(""), Lead, "D"},
		{"with pinned seeds", true, SidePinned, good, Lead, "D"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ev := Evidence{Certified: true, Groups: []Group{repeat(SideReported, "1.2.0", 5, bad), repeat(c.side, "1.3.0", 5, c.control)}}
			if !c.anchored {
				ev.Unanchored = []string{"the report has no 0.5"}
			}
			JudgeGroups(e, &ev)
			if v := Decide(e, ev); v.Headline != c.headline || v.Grade != c.grade {
				t.Errorf("%s %q, want %s %q: %q", v.Headline, v.Grade, c.headline, c.grade, v.Reasons)
			}
		})
	}
}

// TestNeverPositive: no findings of whatever sides make anything of a claim that
// is not anchored, of a control alone that is unfit, or of one for a claim.
func TestNeverPositive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := drawEvidence(t, "hHcwaxil")
		e := crashClaim
		e.ReporterScript = false
		switch rapid.SampledFrom([]string{"unanchored", "authored of a claim", "unfit"}).Draw(t, "what") {
		case "unanchored":
			e.Oracle, ev.Unanchored = OracleObserved, []string{"no"}
		case "unfit":
			ev.ControlUnfit = []string{"no"}
			authoredOnly(t, &ev)
		default:
			e.Oracle = OracleObserved
			authoredOnly(t, &ev)
		}
		if v := Decide(e, ev); positive(v.Headline) {
			t.Fatalf("%s %s: %q", v.Headline, v.Grade, v.Reasons)
		}
	})
}

func authoredOnly(t *rapid.T, ev *Evidence) {
	for i := range ev.Groups {
		if ev.Groups[i].Side != SideReported {
			ev.Groups[i].Side = rapid.SampledFrom([]Side{SideAuthored, SideContrast, SideRemoval, SidePinned, SideNeutral}).Draw(t, "side")
		}
	}
}
