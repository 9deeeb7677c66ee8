package proof

import (
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/triage"
)

// total is a report of a wrong sum, whose reporter names what brings it.
func total() Input {
	in := typeErrorReport()
	in.Candidate = &candidate.Candidate{
		Script: "import lib\n\nt = lib.total([3, 4], skip=True)\nprint(\"total:\", t)\n", Origin: "reporter", Imports: []string{"lib"},
	}
	in.Decision.Expectation = &oracle.Expectation{
		Oracle: oracle.OraclePrinted, Subject: "lib", Modules: []string{"lib"}, ReporterScript: true,
		Symptom: symptom.Symptom{Kind: symptom.WrongValue},
		Printed: &oracle.Printed{Actual: []oracle.Line{{Text: "total: 4", Replaces: -1}}, Expected: []oracle.Line{{Text: "total: 7", Replaces: 0}}},
	}
	return in
}

// skips is a library whose every release is wrong with skip=True.
func skips(script string, _ sandbox.Command, _ map[string]string) sandbox.Execution {
	if strings.Contains(script, "skip=True") {
		return printed("total: 4\n")
	}
	return printed("total: 7\n")
}

func oldWorld(run func(string, sandbox.Command, map[string]string) sandbox.Execution) *world {
	return &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": {"1.1", "1.2", "1.3"}}, scripted: run}
}

// "without skip=True it is fine": the script without it is the control, in the
// reported environment, although every release shows the symptom.
func TestContrastOfTheReporterGivesGradeC(t *testing.T) {
	in := total()
	in.Decision.Contrasts = []triage.Contrast{{Kind: "without", Target: "skip=True", Words: "without skip=True it is fine"}}
	w := oldWorld(skips)
	o := w.prove(t, in, &kept{})
	if o.Verdict.Headline != oracle.Reproduced || o.Verdict.Grade != "C" {
		t.Fatalf("got %s %s: %v %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons, o.Notes)
	}
	g := groupOf(o, oracle.SideContrast)
	if g == nil || strings.Contains(g.Script, "skip") || len(g.Executions) != 3 || g.Version != "1.2" || g.Change == "" {
		t.Fatalf("the contrast is %+v", g)
	}
	if o.Evidence.Groups[o.Verdict.Control].Side != oracle.SideContrast {
		t.Errorf("the control is %+v", o.Evidence.Groups[o.Verdict.Control])
	}
	r := View(in.Decision, in.Candidate, o)
	if !slices.ContainsFunc(r.Versions, func(v ResultVersion) bool { return v.Side == "contrast" && v.Symptom == "no" && v.Change != "" }) {
		t.Errorf("the view does not show it: %+v", r.Versions)
	}
}

// A release pair is better than a contrast, and is still looked for.
func TestReleaseIsSearchedBesideAContrast(t *testing.T) {
	in := total()
	in.Decision.Contrasts = []triage.Contrast{{Kind: "without", Target: "skip=True", Words: "without skip=True it is fine"}}
	w := oldWorld(func(script string, c sandbox.Command, v map[string]string) sandbox.Execution {
		if v["lib"] == "1.3" {
			return printed("total: 7\n")
		}
		return skips(script, c, v)
	})
	if o := w.prove(t, in, &kept{}); o.Verdict.Grade != "B" || groupOf(o, oracle.SideContrast) == nil {
		t.Fatalf("got %s %s: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
	}
}

func TestContrastThatShowsItTooIsNoControl(t *testing.T) {
	in := total()
	in.Decision.Contrasts = []triage.Contrast{{Kind: "without", Target: "skip=True", Words: "without skip=True it is fine"}}
	w := oldWorld(func(string, sandbox.Command, map[string]string) sandbox.Execution { return printed("total: 4\n") })
	o := w.prove(t, in, &kept{})
	if o.Verdict.Headline != oracle.Lead || o.Verdict.Grade != "D" {
		t.Fatalf("got %s %s: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
	}
	if n := len(groupOf(o, oracle.SideContrast).Executions); n != 1 {
		t.Errorf("%d executions of a contrast that shows it", n)
	}
}

// A blamed part is taken out only when nothing else is a control, and never
// when an edit of ours may be the cause.
func TestRemovalIsTheLastResort(t *testing.T) {
	in := total()
	in.Decision.Triggers = []triage.Trigger{{Target: "skip=True", Words: "skip=True seems to be the culprit"}}
	o := oldWorld(skips).prove(t, in, &kept{})
	if o.Verdict.Headline != oracle.Reproduced || o.Verdict.Grade != "C" || groupOf(o, oracle.SideRemoval) == nil {
		t.Fatalf("got %s %s: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
	}

	risky := total()
	risky.Decision.Triggers = in.Decision.Triggers
	risky.Candidate.Edits = []candidate.Edit{{Kind: "stand_in_file", Why: "a file was made", Risky: true}}
	o = oldWorld(skips).prove(t, risky, &kept{})
	if o.Verdict.Grade != "D" || groupOf(o, oracle.SideRemoval) != nil || groupOf(o, oracle.SideNeutral) != nil {
		t.Fatalf("got %s: %v", o.Verdict.Grade, o.Verdict.Reasons)
	}

	w := oldWorld(func(script string, c sandbox.Command, v map[string]string) sandbox.Execution {
		if v["lib"] == "1.3" {
			return printed("total: 7\n")
		}
		return skips(script, c, v)
	})
	if o := w.prove(t, in, &kept{}); groupOf(o, oracle.SideRemoval) != nil {
		t.Error("a part was removed although a release is the control")
	}
}

// A report that asks whether this is expected gets no grade by a change of its
// script.
func TestQuestionNeedsARelease(t *testing.T) {
	in := total()
	in.Decision.Expectation.Asks = true
	in.Decision.Contrasts = []triage.Contrast{{Kind: "without", Target: "skip=True", Words: "without skip=True it is fine"}}
	in.Decision.Triggers = []triage.Trigger{{Target: "skip=True", Words: "skip=True seems to be the culprit"}}
	if o := oldWorld(skips).prove(t, in, &kept{}); o.Verdict.Grade != "D" {
		t.Fatalf("got %s %s: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
	}
}

// Journalled executions are told apart by the script that ran, though
// environment and number are the same.
func TestJournalKnowsTheVariantsApart(t *testing.T) {
	in := total()
	in.Decision.Contrasts = []triage.Contrast{{Kind: "without", Target: "skip=True", Words: "without skip=True it is fine"}}
	j, w := &kept{}, oldWorld(skips)
	first := w.prove(t, in, j)
	before := len(w.runs)
	second := w.prove(t, in, j)
	if len(w.runs) != before {
		t.Errorf("%d executions were run again", len(w.runs)-before)
	}
	if first.Verdict.Grade != second.Verdict.Grade || len(groupOf(second, oracle.SideContrast).Executions) != 3 {
		t.Errorf("got %s, then %s", first.Verdict.Grade, second.Verdict.Grade)
	}
}

// A verification runs the variant that gave the grade again, with its own
// script.
func TestAgainRunsTheVariant(t *testing.T) {
	in := total()
	in.Decision.Contrasts = []triage.Contrast{{Kind: "without", Target: "skip=True", Words: "without skip=True it is fine"}}
	w := oldWorld(skips)
	o := w.prove(t, in, &kept{})
	p := &Prover{Solver: w, Builder: w, Sandbox: w, Journal: NoJournal{}, WorkRoot: t.TempDir(), Parallel: 1}
	r, err := p.Again(t.Context(), in.Candidate, o)
	if err != nil || r.Unavailable != nil || len(r.Differences) > 0 {
		t.Fatal(r, err)
	}
	if n := w.ran("contrast"); n != 6 {
		t.Errorf("%d executions of the contrast in two proofs, want 6", n)
	}
	w.scripted = func(string, sandbox.Command, map[string]string) sandbox.Execution { return printed("total: 4\n") }
	if r, err = p.Again(t.Context(), in.Candidate, o); err != nil || len(r.Differences) == 0 {
		t.Error("a contrast that now shows the symptom is the same")
	}
}

func TestUnfit(t *testing.T) {
	script := "import lib\n\nm = lib.Model(8, fast=True)\nx = lib.data()\nout = m.fit(x, steps=3)\nprint(out)\n"
	c := candidate.Reread(&candidate.Candidate{Script: script, Original: script, Origin: "reporter"})
	e := &oracle.Expectation{Oracle: oracle.OracleException, Subject: "lib", Modules: []string{"lib"}}
	judged := "out = m.fit(x, steps=3)"
	swap := func(old, new string) string { return strings.ReplaceAll(script, old, new) }
	for _, v := range []struct {
		name, script string
		removal      bool
		want         string // "" : fit
	}{
		{"an argument back to its default", swap(", fast=True", ""), true, ""},
		{"an argument of the judged call itself", swap(", steps=3", ""), true, ""},
		{"the judged call is gone", swap(judged+"\n", "out = 1\n"), true, "went with it"},
		{"a contrast may change the judged call", swap("m.fit(x, steps=3)", "m.slow_fit(x)"), false, ""},
		{"another script", "print('fine')\n", false, "another script"},
		{"no script at all", swap("lib.data()", "lib.data("), false, "does not parse"},
		{"a name is lost", swap("x = lib.data()\n", ""), false, "nothing defines"},
		{"it patches the library", swap("x = lib.data()", "lib.Model.fit = lambda *a, **k: 1; x = lib.data()"), false, "patch"},
	} {
		got := Unfit(c, v.script, e, v.removal, judged)
		if v.want == "" && got != "" || v.want != "" && !strings.Contains(got, v.want) {
			t.Errorf("%s: got %q, want %q", v.name, got, v.want)
		}
	}
}

func TestVariantMayNotSetWhatNoReportMay(t *testing.T) {
	in := total()
	p := &proof{in: in, exp: *in.Decision.Expectation, out: &Outcome{}}
	for name, want := range map[string]bool{"LD_PRELOAD": true, "PYTHONPATH": true, "LIB_FAST": false} {
		v := candidate.Variant{Script: in.Candidate.Script, Env: map[string]string{name: "1"}}
		if got := p.unfit(v) != ""; got != want {
			t.Errorf("%s: unfit %v, want %v", name, got, want)
		}
	}
	if p.unfit(candidate.Variant{Script: in.Candidate.Script}) == "" {
		t.Error("the script itself is a variant of itself")
	}
}

func TestOneWorker(t *testing.T) {
	vs := oneWorker("loader = DataLoader(ds, num_workers=4)\n")
	if len(vs) != 2 || vs[0].Script != "loader = DataLoader(ds, num_workers=0)\n" || vs[1].Env["OMP_NUM_THREADS"] != "1" {
		t.Errorf("got %+v", vs)
	}
	if vs = oneWorker("study.optimize(f, n_jobs = -1)\n"); len(vs) != 2 || vs[0].Script != "study.optimize(f, n_jobs = 1)\n" {
		t.Errorf("got %+v", vs)
	}
	if vs = oneWorker("fit(num_workers=0)\n"); len(vs) != 1 {
		t.Errorf("got %+v", vs)
	}
}
