package sections_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/agent/agenttest"
	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/ask/sections"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
)

// has wants every word in a section, and none of those behind a "!".
func has(t *testing.T, s ask.Section, words ...string) {
	t.Helper()
	if s.Ours {
		t.Errorf("%s holds what others wrote and has no fence", s.Name)
	}
	for _, w := range words {
		if not, no := strings.CutPrefix(w, "!"); no {
			if strings.Contains(s.Text, not) {
				t.Errorf("%s holds %q:\n%s", s.Name, not, s.Text)
			}
		} else if !strings.Contains(s.Text, w) {
			t.Errorf("%s does not hold %q:\n%s", s.Name, w, s.Text)
		}
	}
}

const withDiff = "# it fails\n\nThe fix is\n\n```diff\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-secret old\n+secret new\n```\n\nand also\n\n```\ndiff --git a/y.py b/y.py\n@@ -1 +1 @@\n+secret too\n```\n\nend of it\n"

func TestReportHasNoFix(t *testing.T) {
	r := agenttest.Report(withDiff)
	has(t, sections.Report(r), "it fails", "[a diff was left out]", "end of it", "!secret")
	has(t, sections.NumberedReport(r), "1| # it fails", "| end of it", "!secret")
	has(t, sections.Blocks(r), "!secret")
}

// TestReportMadeByHand: the spans of a report made by hand may be any.
func TestReportMadeByHand(t *testing.T) {
	for _, s := range []report.Span{{Start: 3, End: 1}, {Start: -1, End: 2}, {Start: 90, End: 5}, {Start: 0, End: 90}} {
		r := &report.Report{Text: "it fails\n", Blocks: []report.Block{{Kind: report.BlockDiff, Span: s}}}
		has(t, sections.Report(r), "it fails")
		has(t, sections.NumberedReport(r), "1| it fails")
	}
}

func TestReportWithoutDiffIsWhole(t *testing.T) {
	r := agenttest.Report(agenttest.Crash)
	if got := sections.Report(r).Text; got != r.Text {
		t.Errorf("the report is changed:\n%s", got)
	}
	titled := &report.Report{Title: "of the tracker", Text: "body only"}
	has(t, sections.Report(titled), "of the tracker\n\nbody only")
}

func TestNumbered(t *testing.T) {
	has(t, sections.NumberedScript("a = 1\n\nb = 2\n"), "1| a = 1\n2| \n3| b = 2\n", "!4|")
	has(t, sections.NumberedScript(""), "!|")
	r := agenttest.Report(agenttest.Crash)
	lines := sections.Lines(r.Text)
	for i, l := range lines {
		has(t, sections.NumberedReport(r), fmt.Sprintf("%d| %s\n", i+1, l))
	}
}

func TestNumberedReportHidesComments(t *testing.T) {
	r := agenttest.Report("# it fails\n\na <!-- psst\nsecret --> b\n\n```html\n<!-- shown -->\n```\n")
	has(t, sections.NumberedReport(r), "3| a ", " b\n5|", "7| <!-- shown -->", "!secret", "!psst")
}

func TestTold(t *testing.T) {
	r := agenttest.Report(agenttest.Crash)
	if got := sections.Told(r, nil); len(got) != 1 || got[0].Text != r.Text {
		t.Errorf("without an order: %+v", got)
	}
	ordered := &task.Report{
		Title:    "it crashes",
		Observed: []task.Said{{Text: "IndexError", Span: &report.Span{Start: 1, End: 2}}, {Text: "the index is empty"}},
		Steps:    []task.Said{{Text: "call resample", Span: &report.Span{Start: 1, End: 2}}},
	}
	got := sections.Told(r, ordered)
	if len(got) != 2 {
		t.Fatalf("%d sections", len(got))
	}
	has(t, got[0], "Title: it crashes", "- IndexError\n", "- (a guess, not the reporter's words) the index is empty", "Steps:", "!Expected")
	has(t, got[1], "[python]\nimport numpy", "[traceback]\nTraceback", "n_cells=37")
}

func TestFacts(t *testing.T) {
	has(t, sections.Facts(agenttest.Facts()), "Python 3.11.9", "gridlib 1.4.2", "numpy 1.26.4",
		"function gridlib.resample(points, cells, method='mean', radius=1.0)  # Resample", "gridlib.regrid does not exist here; there is gridlib.resample")
	if got := sections.Facts(task.Facts{}); got.Text != "" {
		t.Errorf("of nothing: %q", got.Text)
	}
	many := task.Facts{}
	for i := range 300 {
		many.Packages = append(many.Packages, task.Installed{Name: fmt.Sprintf("p%d", i), Version: "1"})
		many.Signatures = append(many.Signatures, task.Signature{Name: fmt.Sprintf("s%d", i), Why: "not importable"})
	}
	has(t, sections.Facts(many), "p39 1, and 260 more", "!p40", "s39 does not exist here: not importable", "!s40")
	unsure := task.Facts{Signatures: []task.Signature{{Name: "gridlib", Unsure: true, Why: "importing gridlib fails with ValueError: x"}}}
	has(t, sections.Facts(unsure), "gridlib could not be looked up: importing gridlib fails", "!does not exist")
	if got := sections.Missing(unsure.Signatures); len(got) != 0 {
		t.Errorf("missing of what could not be looked up: %+v", got)
	}
	if got := sections.Missing(agenttest.Facts().Signatures); len(got) != 1 || got[0].Name != "gridlib.regrid" {
		t.Errorf("missing: %+v", got)
	}
}

func TestModule(t *testing.T) {
	has(t, sections.Module(agenttest.Module(1000)), "# gridlib/resample.py", "# lines 20-24, a training loop", "# lines 30-51, _part_1", "# ... its end is left out")
	if got := sections.Module(nil); got.Text != "" {
		t.Errorf("of nothing: %q", got.Text)
	}
}

func TestExpectation(t *testing.T) {
	for _, c := range []struct {
		name string
		e    *oracle.Expectation
		want []string
	}{
		{"exception", agenttest.Expectation(), []string{"IndexError: index 0 is out of bounds", "gridlib/resample.py, function _nearest", "must come from the package gridlib"}},
		{"import error", &oracle.Expectation{Oracle: oracle.OracleImportError, Symptom: symptom.Symptom{Exception: "ImportError"}}, []string{"uncaught:\nImportError", "!raised in"}},
		{"missing exception", &oracle.Expectation{Oracle: oracle.OracleMissingException, Wanted: "ValueError"}, []string{"should raise ValueError"}},
		{"any exception", &oracle.Expectation{Oracle: oracle.OracleMissingException}, []string{"should raise an exception"}},
		{"signal", &oracle.Expectation{Oracle: oracle.OracleSignal, Symptom: symptom.Symptom{Signal: "SIGABRT", FatalLine: "Check failed: d < 3"}, Wanted: "ValueError"}, []string{"SIGABRT", "Check failed", "should raise ValueError"}},
		{"a signal", &oracle.Expectation{Oracle: oracle.OracleSignal}, []string{"dies of a signal"}},
		{"warning", &oracle.Expectation{Oracle: oracle.OracleWarning, Symptom: symptom.Symptom{Exception: "UserWarning", Message: "odd"}}, []string{"UserWarning: odd"}},
		{"printed", &oracle.Expectation{Oracle: oracle.OraclePrinted, Printed: &oracle.Printed{Actual: []oracle.Line{{Text: "shape 8"}}, Expected: []oracle.Line{{Text: "shape 10"}}}}, []string{"got this output:\n  shape 8", "expected this:\n  shape 10"}},
		{"assert", &oracle.Expectation{Oracle: oracle.OracleAssert, Compare: []oracle.Compare{{Left: "a.shape", Right: "b.shape"}}}, []string{"compares a.shape with b.shape"}},
		{"hang", &oracle.Expectation{Oracle: oracle.OracleHang}, []string{"does not return"}},
		{"slow", &oracle.Expectation{Oracle: oracle.OracleSlow}, []string{"longer"}},
		{"memory", &oracle.Expectation{Oracle: oracle.OracleMemory}, []string{"Memory grows"}},
		{"spread", &oracle.Expectation{Oracle: oracle.OracleSpread}, []string{"different results"}},
		{"twice", &oracle.Expectation{Oracle: oracle.OracleDuplicates}, []string{"twice"}},
		{"not finite", &oracle.Expectation{Oracle: oracle.OracleNonFinite, Value: &oracle.Value{Target: "loss", Property: "finite"}}, []string{"loss is not finite"}},
		{"dtype", &oracle.Expectation{Oracle: oracle.OracleShape, Value: &oracle.Value{Property: "dtype", Actual: "float64", Expected: "float32"}}, []string{"The dtype of a result is wrong: it is float64, it should be float32."}},
		{"no learning", &oracle.Expectation{Oracle: oracle.OracleLearning, Series: &oracle.Series{Label: "loss", Want: "falls"}}, []string{"loss does not do what it should (falls)"}},
		// How a proposed symptom is judged is nothing to write a script from.
		{"observed", &oracle.Expectation{Oracle: oracle.OracleObserved, Observed: &oracle.Observed{Bad: "x == 8", Good: "x == 10"}}, []string{"!x =="}},
		{"no claim", &oracle.Expectation{Oracle: oracle.OracleShape}, nil},
		{"none", &oracle.Expectation{Oracle: oracle.OracleNone}, nil},
		{"nil", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) { has(t, sections.Expectation(c.e), c.want...) })
	}
}

func TestObservations(t *testing.T) {
	has(t, sections.Observations([]task.Observation{{Name: "rows", Type: "number", Means: "rows\nof the result"}, {Name: "ok", Type: "bool"}}),
		"observe(\"rows\", ...)  # number: rows of the result\n", "observe(\"ok\", ...)  # bool\n")
}

func TestPlanAndFeedback(t *testing.T) {
	has(t, sections.Plan(agenttest.Plan()), "1. make three points", "2. call gridlib.resample | values: method=\"nearest\", radius=0.25 | shows: IndexError", "Uses: gridlib.resample", "Trigger: a cell without points")
	has(t, sections.Plan(nil), "!1.")
	fb := sections.Feedback([]task.Feedback{
		{Stage: task.StageAnswer, Severity: task.SeverityWarning, Text: "a value changed"},
		{Stage: task.StageNames, Severity: task.SeverityError, Text: "no such name", Line: 3},
	})
	if want := "[names, error, line 3] no such name\n[answer, warning] a value changed\n"; fb.Text != want || !fb.Changing {
		t.Errorf("got %q, want %q", fb.Text, want)
	}
}

func TestEarlier(t *testing.T) {
	var all []task.Attempt
	for i := range 6 {
		all = append(all, task.Attempt{
			Number: i + 1, Script: strings.Repeat(fmt.Sprintf("x%d = 1\n", i+1), 300),
			Feedback: []task.Feedback{{Stage: task.StageRun, Severity: task.SeverityError, Text: fmt.Sprintf("came%d", i+1)}},
		})
	}
	s := sections.Earlier(all)
	has(t, s, "Attempt 5:", "Attempt 3:", "came4", "lines left out", "!Attempt 6", "!Attempt 2")
	if strings.Index(s.Text, "Attempt 5") > strings.Index(s.Text, "Attempt 4") {
		t.Error("the newest is not first")
	}
	for _, few := range [][]task.Attempt{nil, all[:1]} {
		if got := sections.Earlier(few); got.Text != "" {
			t.Errorf("of %d attempts: %q", len(few), got.Text)
		}
	}
}
