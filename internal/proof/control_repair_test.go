package proof

import (
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
)

// undeclared is a library whose 1.1 imports packaging without declaring it:
// moving there takes packaging away.
func undeclared() *world {
	w := &world{
		base:     map[string]string{"lib": "1.2", "packaging": "24.1"},
		releases: map[string][]string{"lib": {"1.1", "1.2"}}, provides: map[string]string{"packaging": "24.1"},
		alsoMoves: map[string][2]string{"lib 1.1": {"packaging", ""}},
	}
	w.behave = func(v map[string]string) sandbox.Execution {
		if v["packaging"] == "" {
			return raised("ModuleNotFoundError", "No module named 'packaging'", "lib/core.py")
		}
		return failsOn("1.2")(v)
	}
	return w
}

func TestControlKeepsWhatTheMoveTookAway(t *testing.T) {
	w := undeclared()
	in := typeErrorReport()
	in.Decision.Good = []report.Version{{Dist: "lib", Spec: "1.1", Kind: report.VersionExact, Role: report.RoleGood}}
	o := w.prove(t, in, &kept{})
	if o.Verdict.Headline != oracle.Regression || o.Verdict.Grade != "B" {
		t.Fatalf("got %s %s: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
	}
	g := o.Evidence.Groups[o.Verdict.Control]
	if g.Version != "1.1" || len(g.Moved) > 0 || len(g.Executions) != controlRuns {
		t.Errorf("the control is %+v", g)
	}
	if !slices.ContainsFunc(o.Notes, func(n string) bool { return strings.Contains(n, "packaging") }) {
		t.Errorf("the kept distribution is not said: %v", o.Notes)
	}
}

func TestControlWhoseLossNobodyProvides(t *testing.T) {
	w := undeclared()
	w.provides = nil
	o := w.prove(t, typeErrorReport(), &kept{})
	if o.Verdict.Grade == "B" {
		t.Fatalf("a control that died of a missing module gave grade B: %v", o.Verdict.Reasons)
	}
}

// TestControlGetsWhatItNeverDeclared: the reported side had no need of what the
// other release imports.
func TestControlGetsWhatItNeverDeclared(t *testing.T) {
	fresh := func() *world {
		w := undeclared()
		delete(w.base, "packaging")
		w.alsoMoves = nil
		w.behave = func(v map[string]string) sandbox.Execution {
			if v["lib"] == "1.1" && v["packaging"] == "" {
				return raised("ModuleNotFoundError", "No module named 'packaging'", "lib/core.py")
			}
			return failsOn("1.2")(v)
		}
		return w
	}
	good := []report.Version{{Dist: "lib", Spec: "1.1", Kind: report.VersionExact, Role: report.RoleGood}}
	w, in := fresh(), typeErrorReport()
	in.Decision.Good = good
	o := w.prove(t, in, &kept{})
	if o.Verdict.Headline != oracle.Regression || o.Verdict.Grade != "B" {
		t.Fatalf("got %s %s: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
	}
	if g := o.Evidence.Groups[o.Verdict.Control]; !slices.Equal(g.Moved, []string{"packaging none -> 24.1"}) {
		t.Errorf("what came with it is not said: %v", g.Moved)
	}

	// What the report names must not move.
	w, in = fresh(), typeErrorReport()
	in.Decision.Good = good
	in.Report.Versions = []report.Version{{Name: "packaging", Dist: "packaging", Spec: "23.0", Role: report.RoleStated}}
	if o := w.prove(t, in, &kept{}); o.Verdict.Grade == "B" {
		t.Errorf("a control that moved a named package gave grade B: %v", o.Verdict.Reasons)
	}

	// The script's own import is no business of the release.
	w, in = fresh(), typeErrorReport()
	in.Decision.Good = good
	w.behave = func(v map[string]string) sandbox.Execution {
		if v["lib"] == "1.1" {
			ex := raised("ModuleNotFoundError", "No module named 'packaging'", "lib/core.py")
			ex.Record.Exceptions[0].Frames = ex.Record.Exceptions[0].Frames[:1]
			return ex
		}
		return failsOn("1.2")(v)
	}
	if o := w.prove(t, in, &kept{}); slices.ContainsFunc(o.Notes, func(n string) bool { return strings.Contains(n, "packaging") }) {
		t.Errorf("added for the script: %v", o.Notes)
	}
}

func TestWithoutMove(t *testing.T) {
	moved := []string{"numpy 1.26 -> 2.0", "packaging 24.1 -> none"}
	if got := withoutMove(moved, "packaging", true); !slices.Equal(got, moved[:1]) {
		t.Errorf("%v", got)
	}
	if got := withoutMove(moved, "packaging", false); !slices.Equal(got, moved) {
		t.Errorf("%v", got)
	}
}
