package proof

import (
	"encoding/json"
	"testing"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/triage"
)

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		headline oracle.Headline
		grade    oracle.Grade
		want     int
	}{
		{oracle.Reproduced, "B", 0}, {oracle.Fixed, "A", 0}, {oracle.Regression, "B", 0},
		{oracle.Flaky, "C", 0}, {oracle.Flaky, "D", 4}, {oracle.Flaky, "", 4},
		{oracle.Lead, "D", 4}, {oracle.DifferentFailure, "", 4}, {oracle.Exhausted, "", 4},
		{oracle.NotReproduced, "", 3},
		{oracle.NeedsInfo, "", 5}, {oracle.NeedsModel, "", 5}, {oracle.NeedsHardware, "", 5},
		{oracle.EnvUnavailable, "", 5}, {oracle.NotABug, "", 5}, {oracle.Hostile, "", 5},
		{oracle.Failed, "", 1}, {"", "", 1},
	} {
		if got := ExitCode(&Result{Headline: c.headline, Grade: c.grade}); got != c.want {
			t.Errorf("%s %s: got %d, want %d", c.headline, c.grade, got, c.want)
		}
	}
}

// A report that ends at triage still gives the whole object, with lists and
// not nulls.
func TestViewOfTriageEnd(t *testing.T) {
	d := &triage.Decision{Route: triage.NeedsInfo, Missing: []string{"the class"}, Reply: "Which class?", Reasons: []triage.Reason{{Text: "a class is missing", Span: &report.Span{}}}}
	r := View(d, nil, nil)
	if r.Headline != oracle.NeedsInfo || r.Missing[0] != "the class" || r.Reasons[0] != "a class is missing" {
		t.Errorf("got %+v", r)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"also", "versions", "isolation", "edits", "reasons", "missing"} {
		if len(raw[list]) == 0 || raw[list][0] != '[' {
			t.Errorf("%s is %s, want a list", list, raw[list])
		}
	}
}

func TestEveryRouteHasAHeadline(t *testing.T) {
	for _, r := range []triage.Route{triage.NeedsInfo, triage.NeedsModel, triage.NeedsHardware, triage.NotABug, triage.Hostile} {
		if h := headlineOf(r); string(h) != string(r) {
			t.Errorf("%s gives %s", r, h)
		}
	}
}

// Only this package makes a Reproduction, and only from evidence that says so
// when it is judged again.
func TestVerifiedJudgesAgain(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2.0"}, releases: map[string][]string{"lib": {"1.2.0", "1.3.0"}}, behave: failsOn("1.2.0")}
	in := typeErrorReport()
	o := w.prove(t, in, &kept{})
	if r, err := Verified(in.Candidate, o); err != nil || r.Verdict().Headline != oracle.Fixed || r.Script() != in.Candidate.Script {
		t.Fatal(err)
	}
	forged := *o
	forged.Verdict.Grade = "A"
	if _, err := Verified(in.Candidate, &forged); err == nil {
		t.Error("a grade that the evidence does not give was accepted")
	}
	forged = *o
	forged.Evidence.Groups = forged.Evidence.Groups[:1]
	if _, err := Verified(in.Candidate, &forged); err == nil {
		t.Error("evidence without its control was accepted")
	}
	forged.Verdict = oracle.Verdict{Headline: oracle.Lead}
	if _, err := Verified(in.Candidate, &forged); err == nil {
		t.Error("a lead was accepted as a reproduction")
	}
}

func TestExpectedViewShowsWhatWasStated(t *testing.T) {
	e := &oracle.Expectation{Symptom: symptom.Symptom{Kind: symptom.WrongValue}, Printed: &oracle.Printed{Actual: []oracle.Line{{Text: "a 1"}, {Text: "b 2"}}}}
	if got := expectedView(e); got.Message != "a 1\nb 2" || e.Symptom.Message != "" {
		t.Errorf("got %q, and %q was written into the expectation", got.Message, e.Symptom.Message)
	}
}

// Plumbing that no script can show is handed to a person, and is no failure of
// ours.
func TestHumanFirst(t *testing.T) {
	r := View(&triage.Decision{Route: triage.HumanFirst, Reasons: []triage.Reason{{Text: "the launch of several hosts is at fault"}}}, nil, nil)
	if r.Headline != oracle.HumanFirst || ExitCode(r) != 5 || len(r.Reasons) != 1 {
		t.Errorf("got %s, exit code %d, %v", r.Headline, ExitCode(r), r.Reasons)
	}
}

// Where the time went is part of the cost, in named parts that do not overlap.
func TestStagesAreTold(t *testing.T) {
	w := &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": {"1.2", "1.3"}}, behave: failsOn("1.2")}
	in := typeErrorReport()
	o := w.prove(t, in, &kept{})
	r := View(in.Decision, in.Candidate, o)
	for _, part := range []string{StageSolve, StageBuild, StageRuns, StageControls, StageAudit} {
		if _, ok := r.Cost.Stages[part]; !ok {
			t.Errorf("no %s in %v", part, r.Cost.Stages)
		}
	}
	if len(r.Cost.Stages) != 5 {
		t.Errorf("parts without a name: %v", r.Cost.Stages)
	}
}

// TestUnjudgedIsNoNo: a script that was run without anything to judge it by
// shows on no release that the symptom is absent.
func TestUnjudgedIsNoNo(t *testing.T) {
	for name, want := range map[oracle.Name]string{oracle.OracleNone: "inconclusive", oracle.OracleException: "no"} {
		o := &Outcome{Expectation: &oracle.Expectation{Oracle: name}, Lock: &environment.Lock{}}
		o.Evidence.Groups = []oracle.Group{{Side: oracle.SideReported, Subject: "widgets", Version: "1.0", Judgements: []oracle.Judgement{{Finding: oracle.Clean}}}}
		r := &Result{}
		r.outcome(o)
		if len(r.Versions) != 1 || r.Versions[0].Symptom != want {
			t.Errorf("%s: %+v, want %q", name, r.Versions, want)
		}
	}
}
