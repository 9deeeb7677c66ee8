package proof

import (
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
)

// fixedAt is a report whose subject is built from a project, and whose fix the
// user names.
func fixedAt() Input {
	in := typeErrorReport()
	in.Spec.Project = &environment.ProjectSource{
		Name: "lib", Version: "1.2.0", Fixed: "main",
		At: environment.ProjectState{Commit: "bbbbbbbbbb"}, FixedAt: environment.ProjectState{Commit: "9999999999"},
	}
	return in
}

func groupOf(o *Outcome, side oracle.Side) *oracle.Group {
	i := slices.IndexFunc(o.Evidence.Groups, func(g oracle.Group) bool { return g.Side == side })
	if i < 0 {
		return nil
	}
	return &o.Evidence.Groups[i]
}

// The fixed revision is the first control and gives grade A, and no release is
// searched for; the newest one is still the second axis.
func TestFixedRevisionGivesGradeA(t *testing.T) {
	w := &world{
		base: map[string]string{"lib": "1.2.0"}, fixed: map[string]string{"lib": "1.2.1"}, behave: failsOn("1.1.0", "1.2.0", "1.3.0"),
		releases: map[string][]string{"lib": {"1.1.0", "1.2.0", "1.3.0"}},
	}
	o := w.prove(t, fixedAt(), &kept{})
	if o.Verdict.Headline != oracle.Reproduced || o.Verdict.Grade != "A" || o.Verdict.OnNewest != "yes" {
		t.Fatalf("got %s %s, newest %s: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.OnNewest, o.Verdict.Reasons)
	}
	g := groupOf(o, oracle.SideFix)
	if g == nil || g.Version != "1.2.1@9999999" || len(g.Executions) != 3 || g.Older {
		t.Errorf("the fix: %+v", g)
	}
	if groupOf(o, oracle.SideRelease) != nil {
		t.Error("a release was searched for beside the real fix")
	}
	if o.Evidence.Groups[1].Side != oracle.SideFix {
		t.Errorf("the first control is %s", o.Evidence.Groups[1].Side)
	}
}

// A fix that shows the symptom too, or cannot be built, gives nothing, and the
// releases of the index are asked as ever.
func TestFixThatIsNone(t *testing.T) {
	for name, fixed := range map[string]map[string]string{"shows it too": {"lib": "1.1.0"}, "does not build": nil} {
		w := &world{
			base: map[string]string{"lib": "1.2.0"}, fixed: fixed, behave: failsOn("1.1.0", "1.2.0"),
			releases: map[string][]string{"lib": {"1.1.0", "1.2.0", "1.3.0"}},
		}
		o := w.prove(t, fixedAt(), &kept{})
		if o.Verdict.Headline != oracle.Fixed || o.Verdict.Grade != "B" {
			t.Errorf("%s: got %s %s: %v", name, o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
		}
		g := groupOf(o, oracle.SideFix)
		if g == nil || fixed == nil && (g.Unavailable == "" || len(g.Executions) != 0) {
			t.Errorf("%s: %+v", name, g)
		}
	}
}

// What the fix drags along is said, and spoils the control when the report
// names it.
func TestFixThatMovesANamedPackage(t *testing.T) {
	w := &world{
		base: map[string]string{"lib": "1.2.0", "dep": "1"}, fixed: map[string]string{"lib": "1.2.1", "dep": "2"}, behave: failsOn("1.2.0"),
		releases: map[string][]string{"lib": {"1.2.0"}},
	}
	in := fixedAt()
	in.Report.Versions = append(in.Report.Versions, report.Version{Dist: "dep", Spec: "1", Kind: report.VersionExact, Role: report.RoleStated})
	o := w.prove(t, in, &kept{})
	g := groupOf(o, oracle.SideFix)
	if o.Verdict.Grade == "A" || g == nil || len(g.MovedNamed) != 1 || !strings.Contains(g.MovedNamed[0], "dep 1 -> 2") {
		t.Errorf("got %s: %+v", o.Verdict.Grade, g)
	}
}
