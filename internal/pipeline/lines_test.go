package pipeline

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

func TestReportLine(t *testing.T) {
	req := request("x")
	req.Report.Created = time.Date(2024, 3, 5, 10, 0, 0, 0, time.UTC)
	req.Report.Versions = []report.Version{
		{Name: "jax", Dist: "jax", Spec: "0.6.2", Role: report.RoleStated},
		{Name: "JAX", Dist: "jax", Spec: "0.6.2", Role: report.RoleStated},
		{Name: "jax", Dist: "jax", Spec: "0.6.1", Role: report.RoleGood},
		{Name: "numpy", Dist: "numpy", Spec: "2", Role: report.RoleMention},
		{Name: "mine", Dist: "mine", Local: true},
	}
	got := reportLine(req)
	want := `"Some Title: it fails!" · names jax 0.6.2, jax 0.6.1 (good) · filed 2024-03-05`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTriageLine(t *testing.T) {
	d := &triage.Decision{Route: triage.Attempt, Summary: "complete script, 3 lines"}
	if got := triageLine(d); !strings.Contains(got, "at best a lead") {
		t.Errorf("a report without a claim gives %q", got)
	}
	d.Expectation = &oracle.Expectation{Oracle: oracle.OraclePrinted}
	d.Expectation.Symptom.Kind = "wrong_value"
	if got := triageLine(d); got != "complete script, 3 lines · wrong value, judged by: printed output" {
		t.Errorf("got %q", got)
	}
}

func TestControlAndVerdictLines(t *testing.T) {
	hit, clean, other := oracle.Judgement{Finding: oracle.Hit}, oracle.Judgement{Finding: oracle.Clean}, oracle.Judgement{Finding: oracle.Collided}
	o := &proof.Outcome{Evidence: oracle.Evidence{Groups: []oracle.Group{
		{Side: oracle.SideReported, Judgements: []oracle.Judgement{hit}},
		{Side: oracle.SideNamed, Subject: "lib", Version: "1.0", Judgements: []oracle.Judgement{clean, clean, clean}},
		{Side: oracle.SideNewest, Subject: "lib", Version: "2.0", Judgements: []oracle.Judgement{other}},
		{Side: oracle.SideRelease, Subject: "lib", Version: "1.5", Unavailable: "no wheel"},
		{Side: oracle.SideNeutral, Judgements: []oracle.Judgement{clean}},
	}}}
	want := "0 of 3 on lib 1.0 · 0 of 1 on newest lib 2.0 (collision) · lib 1.5: could not be built"
	if got := controlLine(o); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	r := &proof.Result{Headline: oracle.Regression, Grade: "B", Also: []oracle.Headline{oracle.Fixed}}
	if got := verdictLine(r); got != "regression · grade B · also fixed" {
		t.Errorf("got %q", got)
	}
}

// Nothing judged is no rate of nothing.
func TestRunLine(t *testing.T) {
	o := &proof.Outcome{}
	if got := runLine(o); got != "no execution could be judged" {
		t.Errorf("got %q", got)
	}
	o.Verdict.Hits, o.Verdict.Runs, o.Verdict.Low, o.Verdict.High = 5, 5, 0.5655, 1
	if got := runLine(o); got != "5 of 5 show it (95 % interval 0.57-1.00)" {
		t.Errorf("got %q", got)
	}
}

func TestEnvironmentLine(t *testing.T) {
	o := &proof.Outcome{Unavailable: &environment.Unavailable{Why: "no such release"}}
	if got := environmentLine(o); got != "unavailable · no such release" {
		t.Errorf("got %q", got)
	}
	o = &proof.Outcome{Lock: &environment.Lock{Python: "3.11.7", Packages: make([]environment.Package, 6), Rung: 3, StandIns: []string{"jax"}},
		Spec: environment.Spec{AsOf: time.Date(2024, 3, 5, 23, 59, 59, 0, time.UTC), AsOfSource: "report"}}
	if got := environmentLine(o); got != "python 3.11.7, 6 packages as of 2024-03-05 (report) · rung 3 of "+strconv.Itoa(environment.Rungs)+" · stand-in for jax" {
		t.Errorf("got %q", got)
	}
	o.Lock.Index, o.Lock.StandIns = "UV_INDEX_URL", nil
	if got := environmentLine(o); !strings.HasSuffix(got, strconv.Itoa(environment.Rungs)+" · index of UV_INDEX_URL") {
		t.Errorf("got %q", got)
	}
}

// What nothing in the report can judge did not fail to show it.
func TestRunLineOfWhatWasNotJudged(t *testing.T) {
	o := &proof.Outcome{Verdict: oracle.Verdict{Runs: 5, High: .43}, Expectation: &oracle.Expectation{Oracle: oracle.OracleNone}}
	if got := runLine(o); got != "5 executions, recorded and not judged" {
		t.Errorf("got %q", got)
	}
	o.Expectation.Oracle = oracle.OracleException
	if got := runLine(o); !strings.HasPrefix(got, "0 of 5 show it") {
		t.Errorf("got %q", got)
	}
}

func TestVariantsOfTheScriptAreNamedByTheirChange(t *testing.T) {
	for _, c := range []struct {
		side oracle.Side
		f    oracle.Finding
		want string
	}{
		{oracle.SideContrast, oracle.Clean, "gone without skip=True: 0 of 1"},
		{oracle.SideRemoval, oracle.Hit, "without skip=True: 1 of 1"},
		{oracle.SideRemoval, oracle.Absent, "without skip=True: 0 of 1"},
		{oracle.SidePinned, oracle.Clean, "without skip=True: 0 of 1"},
	} {
		g := oracle.Group{Side: c.side, Subject: "lib", Version: "1.2", Change: "without skip=True", Judgements: []oracle.Judgement{{Finding: c.f}}}
		if got := controlText(g); got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.side, c.f, got, c.want)
		}
	}
}
