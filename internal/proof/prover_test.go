package proof

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
)

// failsOn is a library that raises the reported TypeError on the given
// versions and runs through on the others.
func failsOn(bad ...string) func(map[string]string) sandbox.Execution {
	return func(v map[string]string) sandbox.Execution {
		if slices.Contains(bad, v["lib"]) {
			return raised("TypeError", "'int' object is not iterable", "lib/core.py")
		}
		return printed("fine\n")
	}
}

func TestNewestWithoutTheSymptomIsFixed(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2.0"}, releases: map[string][]string{"lib": {"1.1.0", "1.2.0", "1.3.0"}}, behave: failsOn("1.2.0")}
	o := w.prove(t, typeErrorReport(), &kept{})
	if o.Verdict.Headline != oracle.Fixed || o.Verdict.Grade != "B" {
		t.Fatalf("got %s %s: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
	}
	if got := w.ran("reported"); got != 5 {
		t.Errorf("%d executions on the reported side, want 5", got)
	}
	if got := w.ran("newest lib 1.3.0"); got != 3 {
		t.Errorf("%d executions of the control, want 3", got)
	}
}

func TestNamedGoodOlderReleaseIsARegression(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2.0"}, releases: map[string][]string{"lib": {"1.1.0", "1.2.0", "1.3.0"}}, behave: failsOn("1.2.0", "1.3.0")}
	in := typeErrorReport()
	in.Decision.Good = []report.Version{{Dist: "lib", Spec: "1.1.0", Kind: report.VersionExact, Role: report.RoleGood}}
	o := w.prove(t, in, &kept{})
	if o.Verdict.Headline != oracle.Regression || o.Verdict.Grade != "B" {
		t.Fatalf("got %s %s: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
	}
	if !o.Evidence.Adjacent {
		t.Error("1.1.0 and 1.2.0 are neighbours on the index")
	}
	if o.Verdict.OnNewest != "yes" {
		t.Errorf("on newest %q, want yes", o.Verdict.OnNewest)
	}
}

func TestSearchFindsAnOlderControl(t *testing.T) {
	w := &world{
		base: map[string]string{"lib": "1.2.0"}, behave: failsOn("1.1.5", "1.2.0", "1.2.1", "1.3.0", "2.0"),
		releases: map[string][]string{"lib": {"0.9", "1.0", "1.1.4", "1.1.5", "1.2.0", "1.2.1", "1.3.0", "2.0"}},
	}
	o := w.prove(t, typeErrorReport(), &kept{})
	if o.Verdict.Headline != oracle.Regression {
		t.Fatalf("got %s: %v", o.Verdict.Headline, o.Verdict.Reasons)
	}
	if o.Evidence.Adjacent {
		t.Error("1.0 and 1.2.0 are not neighbours")
	}
}

func TestNoControlAnywhereIsGradeCForACrash(t *testing.T) {
	all := []string{"1.1", "1.2", "1.3"}
	w := &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": all}, behave: failsOn(all...)}
	o := w.prove(t, typeErrorReport(), &kept{})
	if o.Verdict.Headline != oracle.Reproduced || o.Verdict.Grade != "C" {
		t.Fatalf("got %s %s: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
	}
}

func TestSymptomThatNeverComes(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": {"1.2", "1.3"}}, behave: failsOn()}
	o := w.prove(t, typeErrorReport(), &kept{})
	if o.Verdict.Headline != oracle.NotReproduced {
		t.Fatalf("got %s: %v", o.Verdict.Headline, o.Verdict.Reasons)
	}
	if w.ran("newest") != 0 {
		t.Error("controls ran although there is nothing to control")
	}
}

func TestAnotherFailureIsACollision(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": {"1.2"}}, behave: func(map[string]string) sandbox.Execution {
		return raised("KeyError", "'weights'", "lib/other.py")
	}}
	if o := w.prove(t, typeErrorReport(), &kept{}); o.Verdict.Headline != oracle.DifferentFailure {
		t.Fatalf("got %s: %v", o.Verdict.Headline, o.Verdict.Reasons)
	}
}

// A control in which something moved that the report names gives no grade B;
// the search goes on to one in which it did not.
func TestNamedPackageThatMovedSpoilsTheControl(t *testing.T) {
	w := &world{
		base: map[string]string{"lib": "1.2", "numpy": "1.23.5"}, behave: failsOn("1.2"),
		releases:  map[string][]string{"lib": {"1.2", "1.3", "2.0"}},
		alsoMoves: map[string][2]string{"lib 2.0": {"numpy", "2.1"}},
	}
	in := typeErrorReport()
	in.Report.Versions = []report.Version{{Name: "numpy", Dist: "numpy", Spec: "1.23.5", Role: report.RoleStated}}
	o := w.prove(t, in, &kept{})
	if o.Verdict.Grade != "B" {
		t.Fatalf("got grade %q: %v", o.Verdict.Grade, o.Verdict.Reasons)
	}
	if g := o.Evidence.Groups[o.Verdict.Control]; g.Version != "1.3" {
		t.Errorf("the control is %s, want 1.3, which moves nothing else", g.Version)
	}
}

func TestMissingModuleIsAddedAndSaid(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": {"1.2", "1.3"}}, provides: map[string]string{"packaging": "24.0"}}
	w.behave = func(v map[string]string) sandbox.Execution {
		if v["packaging"] == "" {
			return raised("ModuleNotFoundError", "No module named 'packaging'", "lib/core.py")
		}
		return failsOn("1.2")(v)
	}
	o := w.prove(t, typeErrorReport(), &kept{})
	if o.Verdict.Headline != oracle.Fixed {
		t.Fatalf("got %s: %v", o.Verdict.Headline, o.Verdict.Reasons)
	}
	if !slices.ContainsFunc(o.Notes, func(n string) bool { return strings.Contains(n, "packaging") }) {
		t.Errorf("the added distribution is not said: %v", o.Notes)
	}
	if o.Lock.Version("packaging") != "24.0" {
		t.Error("the outcome's lock lacks the added distribution")
	}
}

func TestModuleThatNobodyProvides(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2"}, behave: func(map[string]string) sandbox.Execution {
		return raised("ModuleNotFoundError", "No module named 'my_private_code'", "lib/core.py")
	}}
	o := w.prove(t, typeErrorReport(), &kept{})
	if o.Unavailable == nil || !strings.Contains(o.Unavailable.Why, "my-private-code") {
		t.Fatalf("got %+v", o.Unavailable)
	}
}

// A report without a date: the symptom comes with a later release of a package
// in its traceback that nobody pinned.
func TestSweepForward(t *testing.T) {
	w := &world{
		base: map[string]string{"lib": "1.2", "proto": "3.19.4"}, words: map[string]environment.Word{"proto": environment.WordResolver},
		releases: map[string][]string{"lib": {"1.2"}, "proto": {"3.19.4", "3.20.0", "3.20.1", "4.21.0", "4.21.1", "5.0"}},
	}
	w.behave = func(v map[string]string) sandbox.Execution {
		if strings.HasPrefix(v["proto"], "3.") {
			return printed("2.7\n")
		}
		return raised("TypeError", "Descriptors cannot be created directly.", "proto/descriptor.py")
	}
	in := typeErrorReport()
	in.Spec.AsOfSource = "release lib 1.2 + 7 days"
	in.Decision.Expectation.Symptom.Message = "Descriptors cannot not be created directly."
	in.Decision.Expectation.Symptom.Frames[0].File = "proto/descriptor.py"
	in.Decision.Expectation.Symptom.Frames[0].Package = "proto"
	o := w.prove(t, in, &kept{})
	if o.Verdict.Headline != oracle.Regression || o.Verdict.Grade != "B" {
		t.Fatalf("got %s %s: %v %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons, o.Notes)
	}
	if o.Subject.Name != "proto" || o.Subject.Version != "4.21.0" {
		t.Errorf("subject %s %s, want proto 4.21.0", o.Subject.Name, o.Subject.Version)
	}
	if !strings.HasPrefix(o.Spec.AsOfSource, "sweep") {
		t.Errorf("as of source %q does not say that the day moved", o.Spec.AsOfSource)
	}
}

func TestDayThatTheReportStatesIsNotSwept(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2", "proto": "3.19.4"}, words: map[string]environment.Word{"proto": environment.WordResolver},
		releases: map[string][]string{"proto": {"3.19.4", "4.21.0"}}, behave: failsOn()}
	in := typeErrorReport()
	in.Spec.AsOfSource = "report"
	in.Decision.Expectation.Symptom.Frames[0].Package = "proto"
	if o := w.prove(t, in, &kept{}); o.Verdict.Headline != oracle.NotReproduced || w.ran("reported proto") != 0 {
		t.Fatalf("got %s after %v", o.Verdict.Headline, w.runs)
	}
}

func TestCertificateThatFailsWithTheSymptomIsAHit(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": {"1.1", "1.2", "1.3"}}, behave: failsOn("1.2"), certificate: failsOn("1.2")}
	o := w.prove(t, typeErrorReport(), &kept{})
	if !o.Evidence.CertificateHit || o.Verdict.Headline != oracle.Fixed {
		t.Fatalf("certificate hit %v, got %s: %v", o.Evidence.CertificateHit, o.Verdict.Headline, o.Verdict.Reasons)
	}
}

func TestCertificateThatFailsOtherwiseIsNoVerdict(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2"}, behave: failsOn("1.2"), certificate: func(map[string]string) sandbox.Execution {
		return raised("AttributeError", "module 'jax.core' has no attribute 'Primitive'", "lib/core.py")
	}}
	o := w.prove(t, typeErrorReport(), &kept{})
	if o.Unavailable == nil {
		t.Fatalf("got %s", o.Verdict.Headline)
	}
	if w.ran("reported") != 0 {
		t.Error("the candidate ran in an environment without a certificate")
	}
}

func TestFinishedExecutionsAreNotRunAgain(t *testing.T) {
	j := &kept{}
	w := &world{base: map[string]string{"lib": "1.2.0"}, releases: map[string][]string{"lib": {"1.1.0", "1.2.0", "1.3.0"}}, behave: failsOn("1.2.0")}
	first := w.prove(t, typeErrorReport(), j)
	before := len(w.runs)
	second := w.prove(t, typeErrorReport(), j)
	if len(w.runs) != before {
		t.Errorf("%d executions were run again", len(w.runs)-before)
	}
	if first.Verdict.Headline != second.Verdict.Headline || first.Verdict.Grade != second.Verdict.Grade {
		t.Errorf("verdicts differ: %s %s, %s %s", first.Verdict.Headline, first.Verdict.Grade, second.Verdict.Headline, second.Verdict.Grade)
	}
}

func TestDeadlineKeepsWhatWasFound(t *testing.T) {
	all := []string{"1.1", "1.2", "1.3"}
	w := &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": all}, behave: failsOn(all...)}
	in := typeErrorReport()
	in.Deadline = time.Now().Add(-time.Second)
	o := w.prove(t, in, &kept{})
	if !o.Evidence.BudgetEnded || o.Verdict.Hits != 5 {
		t.Fatalf("budget ended %v, hits %d", o.Evidence.BudgetEnded, o.Verdict.Hits)
	}
	if w.ran("release") != 0 {
		t.Error("a control was started after the deadline")
	}
}

func TestCancelIsAnErrorAndNoVerdict(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2"}, behave: failsOn("1.2")}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := &Prover{Solver: w, Builder: w, Sandbox: w, Journal: &kept{}, WorkRoot: t.TempDir()}
	if o, err := p.Prove(ctx, typeErrorReport()); !errors.Is(err, context.Canceled) || o != nil {
		t.Fatalf("got %v, %v", o, err)
	}
}

func TestUnavailableEnvironment(t *testing.T) {
	w := &world{}
	o := w.prove(t, typeErrorReport(), &kept{})
	if o.Unavailable == nil {
		t.Fatal("no reason given")
	}
	r := View(typeErrorReport().Decision, typeErrorReport().Candidate, o)
	if r.Headline != oracle.EnvUnavailable || ExitCode(r) != 5 || r.Error == nil {
		t.Errorf("headline %s, exit code %d, error %v", r.Headline, ExitCode(r), r.Error)
	}
}

func TestUnbuildableControlProvesNothing(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": {"1.2", "1.3"}}, behave: failsOn("1.2"), unbuildable: map[string]bool{"lib 1.3": true}}
	o := w.prove(t, typeErrorReport(), &kept{})
	if o.Verdict.Grade == "B" || o.Verdict.Headline == oracle.Fixed {
		t.Fatalf("got %s %s from a control that was never built", o.Verdict.Headline, o.Verdict.Grade)
	}
}

func TestNothingToJudgeIsALead(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": {"1.2", "1.3"}}, behave: func(map[string]string) sandbox.Execution { return printed("4.9\n") }}
	in := typeErrorReport()
	in.Decision.Expectation = nil
	o := w.prove(t, in, &kept{})
	if o.Verdict.Headline != oracle.Lead || o.Verdict.Grade != "" {
		t.Fatalf("got %s %q: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
	}
}

// Only "it differs from 1.1" is said: both samples are taken, and the verdict
// rests on both.
func TestDifferentialRunsTheNamedRelease(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": {"1.1", "1.2", "1.3"}}}
	w.behave = func(v map[string]string) sandbox.Execution {
		if v["lib"] == "1.1" {
			return printed("score 0.91\n")
		}
		return printed("score 0.13\n")
	}
	in := typeErrorReport()
	in.Decision.Expectation = &oracle.Expectation{Oracle: oracle.OracleDifferential, Subject: "lib", ReporterScript: true, Symptom: symptom.Symptom{Kind: symptom.WrongValue}}
	in.Decision.Good = []report.Version{{Dist: "lib", Spec: "1.1", Kind: report.VersionExact, Role: report.RoleGood}}
	o := w.prove(t, in, &kept{})
	if w.ran("named_good lib 1.1") != 5 {
		t.Errorf("%d executions of the named release", w.ran("named_good lib 1.1"))
	}
	if o.Verdict.Hits != 5 {
		t.Errorf("got %s, %d hits: %v", o.Verdict.Headline, o.Verdict.Hits, o.Verdict.Reasons)
	}
}

// Two releases that print the same, or that vary so that they cannot be told
// apart, prove neither that the symptom is there nor that it is not.
func TestDifferentialWithoutADifferenceIsNoVerdict(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": {"1.1", "1.2"}}, behave: func(map[string]string) sandbox.Execution { return printed("score 0.91\n") }}
	in := typeErrorReport()
	in.Decision.Expectation = &oracle.Expectation{Oracle: oracle.OracleDifferential, Subject: "lib", ReporterScript: true, Symptom: symptom.Symptom{Kind: symptom.WrongValue}}
	in.Decision.Good = []report.Version{{Dist: "lib", Spec: "1.1", Kind: report.VersionExact, Role: report.RoleGood}}
	if o := w.prove(t, in, &kept{}); o.Verdict.Headline != oracle.Lead || o.Verdict.Grade != "" {
		t.Fatalf("got %s %q: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
	}
}

// TestNoSecondSuspectWithoutAWish: nothing says what should be printed, so that
// no release of anything can be called good, and only the subject's are told.
func TestNoSecondSuspectWithoutAWish(t *testing.T) {
	w := &world{
		base:     map[string]string{"lib": "1.2", "backend": "5.0"},
		releases: map[string][]string{"lib": {"1.1", "1.2"}, "backend": {"4.0", "5.0"}},
		behave:   func(map[string]string) sandbox.Execution { return printed("spans 7\n") },
	}
	in := typeErrorReport()
	in.Decision.Subjects = []string{"lib", "backend"}
	in.Decision.Expectation = &oracle.Expectation{
		Oracle: oracle.OraclePrinted, Subject: "lib", Modules: []string{"lib"}, ReporterScript: true,
		Symptom: symptom.Symptom{Kind: symptom.WrongValue},
		Printed: &oracle.Printed{Actual: []oracle.Line{{Text: "spans 7", Replaces: -1}}},
	}
	o := w.prove(t, in, &kept{})
	if o.Verdict.Headline != oracle.Lead || w.ran("release lib") == 0 || w.ran("release backend") > 0 {
		t.Errorf("%s after %v", o.Verdict.Headline, w.runs)
	}
}

// Of two named packages the one whose move alone removes the symptom is the
// subject, and only its releases are spoken of.
func TestSecondSuspectBecomesTheSubject(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2", "backend": "3.1"}, releases: map[string][]string{"lib": {"1.1", "1.2", "1.3"}, "backend": {"3.0", "3.1"}}}
	w.behave = func(v map[string]string) sandbox.Execution {
		if v["backend"] == "3.0" {
			return printed("fine\n")
		}
		return raised("TypeError", "'int' object is not iterable", "lib/core.py")
	}
	in := typeErrorReport()
	in.Decision.Subjects = []string{"lib", "backend"}
	o := w.prove(t, in, &kept{})
	if o.Verdict.Headline != oracle.Regression || o.Verdict.GoodBefore != "3.0" || !o.Evidence.Adjacent {
		t.Fatalf("got %s, good before %q: %v", o.Verdict.Headline, o.Verdict.GoodBefore, o.Verdict.Reasons)
	}
	if o.Subject.Name != "backend" || o.Subject.Version != "3.1" {
		t.Errorf("the subject is %s %s, want backend 3.1", o.Subject.Name, o.Subject.Version)
	}
}

// The only version that the report names is one it calls good: a clean run of
// it refutes nothing.
func TestReleaseCalledGoodIsNoReportedSide(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.1"}, releases: map[string][]string{"lib": {"1.1", "1.2"}}, behave: failsOn("1.2")}
	in := typeErrorReport()
	in.Decision.Good = []report.Version{{Dist: "lib", Spec: "1.1", Kind: report.VersionExact, Role: report.RoleGood}}
	if o := w.prove(t, in, &kept{}); o.Verdict.Headline != oracle.NeedsInfo {
		t.Fatalf("got %s: %v", o.Verdict.Headline, o.Verdict.Reasons)
	}
}

func TestGoodReleaseThatIsNoneIsSaid(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": {"1.2", "1.3"}}, behave: failsOn("1.2")}
	in := typeErrorReport()
	in.Decision.Good = []report.Version{{Dist: "lib", Spec: "99.0", Kind: report.VersionExact, Role: report.RoleGood}}
	o := w.prove(t, in, &kept{})
	if !slices.ContainsFunc(o.Notes, func(n string) bool { return strings.Contains(n, "99.0") }) {
		t.Errorf("a good release that does not exist was dropped without a word: %v", o.Notes)
	}
}

// Fifty-nine of sixty needs no sixty more.
func TestNearlyAlwaysIsEnough(t *testing.T) {
	i := 0
	w := &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": {"1.2", "1.3"}}}
	w.behave = func(v map[string]string) sandbox.Execution {
		if i++; i == 7 {
			return printed("fine\n")
		}
		return failsOn("1.2")(v)
	}
	in := typeErrorReport()
	in.Runs = 20
	o := w.prove(t, in, &kept{})
	if got := w.ran("reported"); got != 20 || o.Verdict.Headline != oracle.Fixed {
		t.Errorf("%d executions, %s", got, o.Verdict.Headline)
	}
}

// Who asks for one execution gets one, when it shows the symptom.
func TestOneExecutionIsOne(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": {"1.2"}}, behave: failsOn("1.2")}
	in := typeErrorReport()
	in.Runs = 1
	w.prove(t, in, &kept{})
	if got := w.ran("reported"); got != 1 {
		t.Errorf("%d executions, want 1", got)
	}
}

// Two values that should be equal are so on the control but for rounding: that
// is what the reporter wants, and a control.
func TestControlInsideTheToleranceCounts(t *testing.T) {
	in := typeErrorReport()
	in.Decision.Expectation = &oracle.Expectation{
		Oracle: oracle.OraclePrinted, Subject: "lib", Modules: []string{"lib"}, ReporterScript: true,
		Symptom: symptom.Symptom{Kind: symptom.WrongValue},
		Printed: &oracle.Printed{Relation: "equal", Actual: []oracle.Line{{Text: "outer: 12.0", Replaces: -1}, {Text: "inner: 9.0", Replaces: -1}}},
	}
	w := &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": {"1.2", "1.3"}}}
	w.behave = func(v map[string]string) sandbox.Execution {
		if v["lib"] == "1.2" {
			return printed("outer: 12.0\ninner: 9.0\n")
		}
		return printed("outer: 9.000000000000002\ninner: 9.0\n")
	}
	o := w.prove(t, in, &kept{})
	if o.Verdict.Headline != oracle.Fixed || o.Verdict.Grade != "B" {
		t.Fatalf("got %s %s: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
	}
}
