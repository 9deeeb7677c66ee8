package proof

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
)

func wheels(vs ...string) []environment.Release {
	var rs []environment.Release
	for _, v := range vs {
		rs = append(rs, environment.Release{Version: v, Wheel: true})
	}
	return rs
}

func TestForward(t *testing.T) {
	got := forward(wheels("3.19.3", "3.19.4", "3.20.0", "3.20.1", "4.21.0", "4.21.1", "5.26.0", "5.26.1"), "3.19.4")
	want := []string{"3.20.0", "4.21.0", "5.26.0", "5.26.1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Whatever the index lists, a search never proposes the version it starts
// from, a version twice, or a pre-release.
func TestSearchOrderProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rs []environment.Release
		n := rapid.IntRange(0, 9).Draw(t, "n")
		for major := range n {
			for minor := range rapid.IntRange(1, 4).Draw(t, "minors") {
				v := string(rune('0'+major)) + "." + string(rune('0'+minor)) + ".0"
				rs = append(rs, environment.Release{Version: v, Wheel: true, Pre: rapid.Bool().Draw(t, "pre")})
			}
		}
		from := "1.0.0"
		up, down := around(rs, from)
		for _, list := range [][]string{up, down, forward(rs, from)} {
			seen := map[string]bool{}
			for _, v := range list {
				if v == from || seen[v] {
					t.Fatalf("%v proposes %s", list, v)
				}
				seen[v] = true
				for _, r := range rs {
					if r.Version == v && r.Pre {
						t.Fatalf("%v proposes the pre-release %s", list, v)
					}
				}
			}
		}
	})
}

func TestMatcher(t *testing.T) {
	for _, c := range []struct {
		v    report.Version
		want string
	}{
		{report.Version{Spec: "0.6.1", Kind: report.VersionExact}, "==0.6.1"},
		{report.Version{Spec: "3.20.x", Kind: report.VersionPartial}, "==3.20.*"},
		{report.Version{Spec: "2.15", Kind: report.VersionPartial}, "==2.15.*"},
		{report.Version{Spec: "<1.6", Kind: report.VersionRange}, "<1.6"},
	} {
		if got := matcher(c.v); got != c.want {
			t.Errorf("%q: got %q, want %q", c.v.Spec, got, c.want)
		}
	}
}

// The newest release has it fixed: with the patience that is left the pair of
// neighbours is named.
func TestPairIsNamed(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2.0"}, behave: failsOn("1.2.0", "1.2.1", "1.3.0", "1.3.1"),
		releases: map[string][]string{"lib": {"1.1.0", "1.2.0", "1.2.1", "1.3.0", "1.3.1", "1.4.0", "1.5.0", "2.0.0"}}}
	o := w.prove(t, typeErrorReport(), &kept{})
	if o.Verdict.FirstFixed != "1.4.0" || !slices.Contains(o.Notes, "it went with lib 1.4.0: the release before it, 1.3.1, still shows it") {
		t.Errorf("first fixed %q: %v", o.Verdict.FirstFixed, o.Notes)
	}
	if w.ran("release lib 1.1.0") > 0 {
		t.Error("the other side was searched although a control is there")
	}
}

// Every release shows it but old ones: the search bisects towards the pair.
func TestRegressionPairIsNamed(t *testing.T) {
	var all, bad []string
	for i := range 30 {
		v := fmt.Sprintf("1.%d.0", i)
		if all = append(all, v); i >= 11 {
			bad = append(bad, v)
		}
	}
	w := &world{base: map[string]string{"lib": "1.28.0"}, behave: failsOn(bad...), releases: map[string][]string{"lib": all}}
	o := w.prove(t, typeErrorReport(), &kept{})
	if o.Verdict.Headline != oracle.Regression || o.Verdict.GoodBefore != "1.10.0" {
		t.Fatalf("got %s, good before %q: %v", o.Verdict.Headline, o.Verdict.GoodBefore, o.Verdict.Reasons)
	}
	if !slices.Contains(o.Notes, "it came with lib 1.11.0: the release before it, 1.10.0, is without it") {
		t.Errorf("the pair is not named: %v", o.Notes)
	}
	if n := len(o.Evidence.Groups) - 2; n > bound(28) { // but for the reported and the neutral one
		t.Errorf("%d probes, the bound is %d", n, bound(28))
	}
}

// A release that moved what the report names is no end of a pair.
func TestPairOfAMovedPackageIsNotNamed(t *testing.T) {
	w := &world{
		base: map[string]string{"lib": "1.2", "numpy": "1.23.5"}, behave: failsOn("1.2"),
		releases:  map[string][]string{"lib": {"1.2", "1.3"}},
		alsoMoves: map[string][2]string{"lib 1.3": {"numpy", "2.1"}},
	}
	in := typeErrorReport()
	in.Report.Versions = []report.Version{{Name: "numpy", Dist: "numpy", Spec: "1.23.5", Role: report.RoleStated}}
	if o := w.prove(t, in, &kept{}); slices.ContainsFunc(o.Notes, func(n string) bool { return strings.HasPrefix(n, "it went") }) {
		t.Errorf("a pair is named: %v", o.Notes)
	}
}

// silentOn is failsOn, but for releases that die of something else.
func silentOn(dead []string, bad ...string) func(map[string]string) sandbox.Execution {
	return func(v map[string]string) sandbox.Execution {
		if slices.Contains(dead, v["lib"]) {
			return raised("AttributeError", "module 'lib' has no attribute 'call'", "lib/core.py")
		}
		return failsOn(bad...)(v)
	}
}

// Old releases have not the name that the script calls: they are no good
// releases, and the search goes on to nearer ones.
func TestSearchSkipsReleasesWithoutTheAPI(t *testing.T) {
	all := []string{"0.1", "0.2", "0.3", "0.4", "0.5", "1.0", "1.1", "1.2", "1.3"}
	w := &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": all},
		behave: silentOn([]string{"0.1", "0.2", "0.3", "0.4"}, "1.0", "1.1", "1.2", "1.3")}
	o := w.prove(t, typeErrorReport(), &kept{})
	if o.Verdict.Headline != oracle.Regression || o.Verdict.GoodBefore != "0.5" {
		t.Fatalf("got %s, good before %q: %v", o.Verdict.Headline, o.Verdict.GoodBefore, o.Verdict.Reasons)
	}
	for _, g := range o.Evidence.Groups {
		if g.Version < "0.5" && len(g.Executions) > 1 {
			t.Errorf("%s, which says nothing, ran %d times", g.Version, len(g.Executions))
		}
	}
}

// Where every release that could be good lacks the name, nothing is claimed of
// any release.
func TestOnlySilentReleasesAreNoControl(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": {"1.0", "1.1", "1.2", "1.3"}},
		behave: silentOn([]string{"1.0", "1.1", "1.3"}, "1.2")}
	if o := w.prove(t, typeErrorReport(), &kept{}); o.Verdict.Grade != "C" || o.Verdict.Headline != oracle.Reproduced {
		t.Fatalf("got %s %s: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
	}
}

// While a probe runs, the releases that may come next are being built.
func TestNextProbesAreBuiltAhead(t *testing.T) {
	all := []string{"1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8", "1.9"}
	w := &world{base: map[string]string{"lib": "1.8"}, releases: map[string][]string{"lib": all}, behave: failsOn(all[3:]...)}
	o := w.prove(t, typeErrorReport(), &kept{})
	if o.Verdict.GoodBefore != "1.2" {
		t.Fatalf("good before %q: %v", o.Verdict.GoodBefore, o.Verdict.Reasons)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	ran := len(o.Evidence.Groups) - 1 // the neutral one has the reported environment
	if len(w.built) < ran {
		t.Errorf("%d environments for %d sides", len(w.built), ran)
	}
	for _, g := range o.Evidence.Groups {
		if g.Unavailable != "" {
			t.Errorf("a cancelled guess became evidence: %+v", g)
		}
	}
}

// A budget ends the bisection, and what was found stands.
func TestSearchEndsWithItsBudget(t *testing.T) {
	all := []string{"1.0", "1.1", "1.2", "1.3"}
	w := &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": all}}
	in := typeErrorReport()
	in.Deadline = time.Now().Add(time.Hour)
	p := &proof{Prover: &Prover{Solver: w, Builder: w, Sandbox: w, Journal: &kept{}}, in: in, exp: *in.Decision.Expectation,
		out: &Outcome{}, releases: map[string][]environment.Release{"lib": wheels(all...)}}
	p.reported = &side{group: oracle.Group{Side: oracle.SideReported, Subject: "lib", Version: "1.2"}, lock: w.lock(w.base)}
	p.openYard(t.Context(), in.Spec, p.reported.lock)
	defer p.yard.stop()
	p.in.Deadline = time.Now().Add(-time.Second)
	good, err := p.search(t.Context(), p.yard, "lib", false)
	if err != nil || good || !p.out.Evidence.BudgetEnded || len(w.built) != 0 {
		t.Errorf("good %v, %v, budget ended %v, %d built", good, err, p.out.Evidence.BudgetEnded, len(w.built))
	}
}
