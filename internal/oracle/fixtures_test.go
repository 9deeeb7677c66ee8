package oracle

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
)

// decoded executions by file: some are asked for a hundred times. Callers get a
// copy and replace fields of it, never what slices of it hold.
var decoded sync.Map

func execution(t testing.TB, file string) sandbox.Execution {
	t.Helper()
	if ex, ok := decoded.Load(file); ok {
		return ex.(sandbox.Execution)
	}
	text, err := os.ReadFile(filepath.Join("testdata", file+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var ex sandbox.Execution
	if err := json.Unmarshal(text, &ex); err != nil {
		t.Fatal(err)
	}
	decoded.Store(file, ex)
	return ex
}

func finished(stdout string) sandbox.Execution {
	return sandbox.Execution{Outcome: sandbox.Exited, Stdout: stdout, Record: probe.Record{Started: true, Ended: true}}
}

// traceback is what the reporter of the little library's crash pasted.
const traceback = `Traceback (most recent call last):
  File "<stdin>", line 1, in <module>
  File ".../shapelib/core.py", line 99, in total
    return sum(values[i] for i in axis)
TypeError: 'int' object is not iterable
`

func crash(t testing.TB, text string) symptom.Symptom {
	t.Helper()
	found := symptom.FromText(text)
	if len(found) != 1 {
		t.Fatalf("found %d symptoms in %q", len(found), text)
	}
	return found[0]
}

// expectations of the scripts of testdata, by their name.
func expectations(t testing.TB) map[string]Expectation {
	library := []string{"shapelib"}
	lines := func(texts ...string) []Line {
		var out []Line
		for _, s := range texts {
			out = append(out, Line{Text: s, Replaces: -1})
		}
		return out
	}
	all := map[string]Expectation{
		"exception":    {Oracle: OracleException, Symptom: crash(t, traceback)},
		"import_error": {Oracle: OracleImportError, Symptom: crash(t, "  File \".../shapelib/legacy.py\", line 3, in __new__\n    raise TypeError(\"x\")\nTypeError: Descriptors cannot not be created directly.\nIf this call came from a _pb2.py file, do it.\n")},
		"missing_exception": {
			Oracle: OracleMissingException, Wanted: "ValueError", Symptom: symptom.Symptom{Kind: symptom.MissingException},
			Printed: &Printed{Actual: []Line{{Text: "(3, 2)", Replaces: -1}}},
		},
		"signal":      {Oracle: OracleSignal, Symptom: crash(t, "F shapelib/core/shape.cc:12] Check failed: d < dims() (3 vs. 3)\nAborted (core dumped)\n")},
		"warning":     {Oracle: OracleWarning, Symptom: crash(t, ".../shapelib/core.py:420: UserWarning: X does not have valid names, but fit got 7 of them\n  warnings.warn(\n")},
		"printed":     {Oracle: OraclePrinted, Symptom: symptom.Symptom{Kind: symptom.WrongValue}, Printed: &Printed{Actual: lines("shapelib 1.1.9 argmax = 1", "python argmax = 2"), Expected: []Line{{Text: "2", Replaces: 0}}}},
		"printed_nan": {Oracle: OraclePrinted, Symptom: symptom.Symptom{Kind: symptom.NonFinite}, Printed: &Printed{Actual: lines("eager : nan", "jitted: 4.2e-310"), Relation: "all_nan"}},
		"assert_floats": {Oracle: OracleAssert, Symptom: symptom.Symptom{Kind: symptom.WrongValue}, Compare: []Compare{
			{Left: "before", Right: "after", Op: "==", Line: 7, Assert: true}}},
		"assert_ints": {Oracle: OracleAssert, Symptom: symptom.Symptom{Kind: symptom.WrongValue}, Compare: []Compare{
			{Left: "got", Right: "2", Op: "==", Line: 5, Assert: true}}},
		"compare_float32": {
			Oracle: OraclePrinted, Symptom: symptom.Symptom{Kind: symptom.WrongValue},
			Printed: &Printed{Actual: []Line{{Text: "False", Fragment: true, Replaces: -1}}, Expected: []Line{{Text: "True", Fragment: true, Replaces: 0}}},
			Compare: []Compare{{Left: "plain", Right: "fast", Op: "==", Line: 8}},
		},
		"non_finite":  {Oracle: OracleNonFinite, Symptom: symptom.Symptom{Kind: symptom.NonFinite}, Value: &Value{Target: "out", Property: "finite", Actual: "nan"}},
		"shape":       {Oracle: OracleShape, Symptom: symptom.Symptom{Kind: symptom.Shape}, Value: &Value{Property: "shape", Actual: "(3, 8)", Expected: "(3, 4)"}},
		"duplicates":  {Oracle: OracleDuplicates, Symptom: symptom.Symptom{Kind: symptom.Nondeterminism}, Repeats: &Repeats{Like: "x ="}},
		"no_learning": {Oracle: OracleLearning, Symptom: symptom.Symptom{Kind: symptom.NoLearning}, Series: &Series{Label: "loss", Want: "falls"}},
		"hang":        {Oracle: OracleHang, Symptom: symptom.Symptom{Kind: symptom.Hang}},
		"slow":        {Oracle: OracleSlow, Symptom: symptom.Symptom{Kind: symptom.Slow}, Cost: &Cost{Labels: []string{"crawl took"}, Ratio: 5}},
	}
	for k, e := range all {
		e.Subject, e.Modules, e.ReporterScript = "shapelib", library, true
		all[k] = e
	}
	return all
}

// TestRecorded judges what the scripts of testdata really did: a hit on the
// release with the defects, a clean control on the one without.
func TestRecorded(t *testing.T) {
	all := expectations(t)
	for _, c := range []struct {
		script, expectation string
		bad, good           Finding
		fault               string
	}{
		{"exception", "exception", Hit, Clean, ""},
		{"wrapped", "exception", Hit, Clean, ""},
		{"thread", "exception", Hit, Clean, ""},
		{"import_error", "import_error", Hit, Clean, ""},
		{"missing_module", "exception", Inconclusive, Inconclusive, FaultMissingModule},
		{"missing_module", "signal", Inconclusive, Inconclusive, FaultMissingModule},
		{"missing_module", "printed", Inconclusive, Inconclusive, FaultMissingModule},
		{"missing_module", "missing_exception", Inconclusive, Inconclusive, FaultMissingModule},
		{"missing_exception", "missing_exception", Hit, Clean, ""},
		{"signal", "signal", Hit, Clean, ""},
		{"warning", "warning", Hit, Clean, ""},
		{"printed", "printed", Hit, Clean, ""},
		{"printed_nan", "printed_nan", Hit, Clean, ""},
		{"assert_floats", "assert_floats", Hit, Within, ""},
		{"assert_ints", "assert_ints", Hit, Clean, ""},
		{"compare_float32", "compare_float32", Within, Within, ""},
		{"non_finite", "non_finite", Hit, Clean, ""},
		{"shape", "shape", Hit, Clean, ""},
		{"duplicates", "duplicates", Hit, Clean, ""},
		{"no_learning", "no_learning", Hit, Clean, ""},
		{"hang", "hang", Hit, Clean, ""},
		{"slow", "slow", Absent, Absent, ""}, // it takes both sides
		{"hang", "exception", Inconclusive, Clean, ""},
		{"missing_module", "non_finite", Inconclusive, Inconclusive, FaultMissingModule},
		{"missing_module", "hang", Inconclusive, Inconclusive, FaultMissingModule},
		{"exception", "duplicates", Collided, Absent, ""},
		{"exception", "printed", Collided, Absent, ""},
		{"printed", "exception", Clean, Clean, ""},
		{"signal", "exception", Collided, Collided, ""},
		{"exits_early", "printed", Inconclusive, Inconclusive, FaultNoRecord},
		{"exits_early", "exception", Inconclusive, Inconclusive, FaultNoRecord},
		{"exits_early", "missing_exception", Inconclusive, Inconclusive, FaultNoRecord},
		{"sys_exit", "exception", Collided, Collided, ""},
		{"sys_exit", "missing_exception", Collided, Collided, ""},
	} {
		t.Run(c.script+" by "+c.expectation, func(t *testing.T) {
			for release, want := range map[string]Finding{"bad": c.bad, "good": c.good} {
				j := Judge(all[c.expectation], execution(t, "scripts/"+c.script+"."+release))
				if j.Finding != want || j.Fault != c.fault {
					t.Errorf("%s: %s %q, want %s %q: %v", release, j.Finding, j.Fault, want, c.fault, j.Reasons)
				}
				if len(j.Reasons) == 0 {
					t.Errorf("%s: no reason", release)
				}
				if j.Finding == Hit && j.Match.Relation != symptom.Same {
					t.Errorf("%s: a hit whose match is %s", release, j.Match.Relation)
				}
			}
		})
	}
}

// TestMissingModuleNamed: the ladder acts on the name.
func TestMissingModuleNamed(t *testing.T) {
	j := Judge(expectations(t)["exception"], execution(t, "scripts/missing_module.bad"))
	if j.Detail != "packagingx" {
		t.Errorf("detail %q", j.Detail)
	}
}

// repeat builds a group of n equal executions.
func repeat(side Side, version string, n int, ex sandbox.Execution) Group {
	g := Group{Side: side, Subject: "shapelib", Version: version}
	for range n {
		g.Executions = append(g.Executions, ex)
	}
	return g
}

// TestWholeWay goes from recorded executions to the verdict.
func TestWholeWay(t *testing.T) {
	neutral := repeat(SideNeutral, "", 1, finished(""))
	for _, c := range []struct {
		script   string
		headline Headline
		grade    Grade
	}{
		{"exception", Fixed, "B"}, {"import_error", Fixed, "B"}, {"missing_exception", Fixed, "B"},
		{"signal", Fixed, "B"}, {"warning", Fixed, "B"}, {"printed", Fixed, "B"}, {"printed_nan", Fixed, "B"},
		{"assert_floats", Fixed, "B"}, {"assert_ints", Fixed, "B"}, {"compare_float32", NotABug, ""},
		{"non_finite", Fixed, "B"}, {"shape", Fixed, "B"}, {"duplicates", Fixed, "B"}, {"no_learning", Fixed, "B"},
		{"hang", Fixed, "B"}, {"slow", Fixed, "B"},
	} {
		t.Run(c.script, func(t *testing.T) {
			ev := Evidence{Certified: true, Groups: []Group{
				repeat(SideReported, "1.2.0", 5, execution(t, "scripts/"+c.script+".bad")),
				repeat(SideNewest, "1.3.0", 3, execution(t, "scripts/"+c.script+".good")), neutral,
			}}
			e := JudgeAll(expectations(t)[c.script], &ev)
			v := Decide(e, ev)
			if v.Headline != c.headline || v.Grade != c.grade {
				t.Errorf("%s %s, want %s %s: %s", v.Headline, v.Grade, c.headline, c.grade, strings.Join(v.Reasons, "\n"))
			}
		})
	}
}
