package pipeline

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/agent"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/triage"
)

var testTime = time.Unix(0, 0)

func TestBestScript(t *testing.T) {
	a := &agent.Result{Attempts: []task.Attempt{
		{Script: "first", Reached: task.StageNames},
		{Script: "ran", Reached: task.StageOracle},
		{Script: "shown", Reached: task.StageRun, Hit: true},
		{Script: " \n", Reached: task.StageProof},
		{Script: "later", Reached: task.StageParse},
	}}
	if got := Body(bestScript(a)); got != "shown" {
		t.Errorf("got %q", got)
	}
	a.Candidate = &candidate.Candidate{Script: "judged"}
	if got := bestScript(a); got != "judged" {
		t.Errorf("got %q", got)
	}
	if got := bestScript(&agent.Result{}); got != "" {
		t.Errorf("got %q of nothing", got)
	}
}

// A better script takes the place of an older one of the model's, never of a
// person's.
func TestEditedScriptIsKept(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), "run"), request("a"))
	path := filepath.Join(f.files.Dir, ScriptFile)
	keepOf := func(script string) string {
		t.Helper()
		if err := keepScript(f, &agent.Result{Candidate: &candidate.Candidate{Script: script}}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, script := range []string{"one\n", "two\n"} {
		if got := keepOf(script); got != script {
			t.Errorf("got %q", got)
		}
	}
	if err := os.WriteFile(path, []byte("two, better\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := keepOf("three\n"); got != "two, better\n" {
		t.Errorf("an edited script became %q", got)
	}
	if err := os.Remove(filepath.Join(f.files.Dir, writtenFile)); err != nil {
		t.Fatal(err)
	}
	if got := keepOf("four\n"); got != "two, better\n" {
		t.Errorf("a script of unknown origin became %q", got)
	}
}

// A person's edit is judged as the model's script was: by its words, with its
// symptom, and without our own lines twice.
func TestContinueByHand(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	q := withModel(t, partReport)
	q.With = []string{"numpy<2"}
	f := open(t, dir, q)
	claim := &oracle.Expectation{Oracle: oracle.OracleObserved, Observed: &oracle.Observed{Bad: "x > 1", Good: "x == 1"}}
	k := &keptAgent{Result: &agent.Result{
		Candidate: candidate.FromAgent("import tinynet\n", "the second argument"), Decision: &triage.Decision{Expectation: claim},
	}}
	if err := f.save(agentStage, "x", k); err != nil {
		t.Fatal(err)
	}
	f.close()
	got := stored(t, dir, someKey).Continue()
	if got.Edited == nil || got.Edited.Trigger != "the second argument" || got.Edited.Expectation == nil || got.Edited.Expectation.Observed.Bad != "x > 1" || got.With[0] != "numpy<2" {
		t.Errorf("got %+v", got.Edited)
	}
	if body := Body(candidate.FromAgent("import tinynet\n", "").Script); body != "import tinynet\n" {
		t.Errorf("body %q", body)
	}
	if body := Body("import tinynet\r\n"); body != "import tinynet\n" {
		t.Errorf("body %q", body)
	}
	if body := Body("# /// script\n# ///\n# --- the script, as it was run ---\n" + candidate.FromAgent("import tinynet\n", "").Script); body != "import tinynet\n" {
		t.Errorf("body of a bundle's script %q", body)
	}
	odd := "import tinynet\n" + candidate.FromAgent("", "").Script
	if body := Body(odd); body != odd {
		t.Errorf("code before our lines was taken off: %q", body)
	}
	h := &house{behave: product}
	got.Script, got.ScriptName = "import tinynet\n\nprint(\"sum:\", tinynet.add(2, 5))\n", "candidate.py"
	r := reproduced(t, h.pipeline(), got, filepath.Join(t.TempDir(), "judged"))
	if r.Candidate.Origin != "agent" || r.Candidate.Trigger != "the second argument" || strings.Count(r.Candidate.Script, "repgen_probe") != 1 {
		t.Errorf("judged as %+v", r.Candidate)
	}
	if r.Decision.Expectation.Observed == nil {
		t.Errorf("judged by %+v", r.Decision.Expectation)
	}
}

// A script that is the report's own word for word is the reporter's, unless its
// writer may have written the report as well: a made-up report with a script to
// it would claim what only a reporter may.
func TestNeverTheReportersOwn(t *testing.T) {
	for _, tc := range []struct {
		edited *Edited
		want   string
	}{{nil, "reporter"}, {&Edited{}, "reporter"}, {&Edited{NeverOwn: true}, "agent"}} {
		req := parsed(t, sumReport)
		own, err := candidate.FromReport(req.Report, triage.Decide(req.Report, triage.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		req.Script, req.ScriptName, req.Edited = own.Original, "script.py", tc.edited
		r := reproduced(t, (&house{behave: product}).pipeline(), req, filepath.Join(t.TempDir(), "run"))
		if r.Candidate.Origin != tc.want {
			t.Errorf("%+v: judged as the script of %q, want %q", tc.edited, r.Candidate.Origin, tc.want)
		}
		if positive := r.Result.Grade != "" && r.Result.Grade < "D"; positive != (tc.want == "reporter") {
			t.Errorf("%+v: %s, grade %q: %v", tc.edited, r.Result.Headline, r.Result.Grade, r.Result.Reasons)
		}
	}
}

// A run without a model's script is continued as anybody's.
func TestContinueWithoutAModel(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	open(t, dir, parsed(t, sumReport)).close()
	if got := stored(t, dir, someKey).Continue(); got.Edited != nil {
		t.Errorf("got %+v", got)
	}
	if _, err := OpenStored(t.TempDir(), someKey); !errors.Is(err, ErrNoRun) {
		t.Errorf("a folder without a run: %v", err)
	}
}
