package triage

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
)

// want is the decision that a report of testdata/reports must get. Subject,
// kind, good and bad are not looked at when empty; actual and expected lines are
// written as the oracle gets them, "~" before a fragment and "?" before an
// approximate one.
type want struct {
	file     string
	route    Route
	blocks   []int
	oracle   oracle.Name // "" for no expectation
	kind     symptom.Kind
	subject  string
	actual   []string
	expected []string
	relation string
	wanted   string // the class that should have been raised
	good     []string
	bad      []string
	reason   string // part of one reason
	missing  string // part of one missing fact
}

// parsed keeps the reports that several tests share: Decide only reads them.
var parsed sync.Map

func readReport(t testing.TB, name string) *report.Report {
	t.Helper()
	if r, ok := parsed.Load(name); ok {
		return r.(*report.Report)
	}
	file := filepath.Join("testdata", "reports", name+".md")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := report.Parse(raw, report.Source{Kind: "file", Name: name + ".md"})
	parsed.Store(name, r)
	return r
}

func TestDecideReports(t *testing.T) {
	tested := map[string]bool{}
	for _, w := range wants {
		tested[w.file] = true
		t.Run(w.file, func(t *testing.T) {
			d := Decide(readReport(t, w.file), Options{})
			checkRoute(t, w, d)
			checkExpectation(t, w, d.Expectation)
			checkContrast(t, "good", w.good, d.Good)
			checkContrast(t, "bad", w.bad, d.Bad)
		})
	}
	files, err := filepath.Glob(filepath.Join("testdata", "reports", "*.md"))
	if err != nil || len(files) < 50 {
		t.Fatalf("found %d reports (%v)", len(files), err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".md"); !tested[name] {
			t.Errorf("%s has no asserted decision", name)
		}
	}
}

func checkRoute(t *testing.T, w want, d *Decision) {
	t.Helper()
	if d.Route != w.route {
		t.Errorf("route %s, want %s (%+v)", d.Route, w.route, d.Reasons)
	}
	if !reflect.DeepEqual(d.Blocks, w.blocks) {
		t.Errorf("blocks %v, want %v", d.Blocks, w.blocks)
	}
	if w.subject != "" && (len(d.Subjects) == 0 || d.Subjects[0] != w.subject) {
		t.Errorf("subjects %v, want %s first", d.Subjects, w.subject)
	}
	if d.Summary == "" || len(d.Reasons) == 0 {
		t.Errorf("summary %q and reasons %v must not be empty", d.Summary, d.Reasons)
	}
	if len(d.Missing) > maxMissing {
		t.Errorf("asks for %d facts", len(d.Missing))
	}
	var reasons []string
	for _, r := range d.Reasons {
		reasons = append(reasons, r.Text)
	}
	if !strings.Contains(strings.Join(reasons, "\n"), w.reason) {
		t.Errorf("no reason says %q: %q", w.reason, reasons)
	}
	if !strings.Contains(strings.Join(d.Missing, "\n"), w.missing) {
		t.Errorf("missing %q does not ask for %q", d.Missing, w.missing)
	}
	asks := d.Route == NeedsInfo || d.Route == NeedsModel
	if asks && d.Reply == "" {
		t.Error("no reply to paste")
	}
}

func checkExpectation(t *testing.T, w want, e *oracle.Expectation) {
	t.Helper()
	if w.oracle == "" {
		if e != nil {
			t.Errorf("expectation %+v, want none", e)
		}
		return
	}
	if e == nil {
		t.Fatalf("no expectation, want %s", w.oracle)
	}
	if w.wanted != "" && e.Wanted != w.wanted {
		t.Errorf("wants %q to be raised, want %q", e.Wanted, w.wanted)
	}
	if e.Oracle != w.oracle || w.kind != "" && e.Symptom.Kind != w.kind {
		t.Errorf("judged by %s as %s, want %s as %s", e.Oracle, e.Symptom.Kind, w.oracle, w.kind)
	}
	if w.subject != "" && (e.Subject != w.subject || len(e.Modules) == 0) {
		t.Errorf("expectation is about %q with modules %v", e.Subject, e.Modules)
	}
	if !e.ReporterScript {
		t.Error("the script is not marked as the reporter's")
	}
	p := e.Printed
	if p == nil {
		p = &oracle.Printed{}
	}
	if got := show(p.Actual); !reflect.DeepEqual(got, w.actual) {
		t.Errorf("actual %q, want %q", got, w.actual)
	}
	if got := show(p.Expected); !reflect.DeepEqual(got, w.expected) {
		t.Errorf("expected %q, want %q", got, w.expected)
	}
	if p.Relation != w.relation {
		t.Errorf("relation %q, want %q", p.Relation, w.relation)
	}
}

func show(lines []oracle.Line) []string {
	var shown []string
	for _, l := range lines {
		text := l.Text
		if l.Prefix {
			text += "..."
		}
		if l.Fragment {
			text = "~" + text
		}
		if l.Approximate {
			text = "?" + text
		}
		shown = append(shown, text)
	}
	return shown
}

func checkContrast(t *testing.T, side string, want []string, got []report.Version) {
	t.Helper()
	if want == nil {
		return
	}
	var shown []string
	for _, v := range got {
		shown = append(shown, v.Dist+" "+v.Spec)
	}
	if !reflect.DeepEqual(shown, want) {
		t.Errorf("%s versions %q, want %q", side, shown, want)
	}
}

// TestDecideReportsWithModel: with a language model needs_model is no end, and
// nothing else changes.
func TestDecideReportsWithModel(t *testing.T) {
	for _, w := range wants {
		d := Decide(readReport(t, w.file), Options{HasModel: true})
		route := w.route
		if route == NeedsModel {
			route = Attempt
		}
		if d.Route != route {
			t.Errorf("%s: route %s with a model, want %s", w.file, d.Route, route)
		}
	}
}

// TestDecideGivenScript: where somebody else's script is judged, only a hostile
// report ends before it ran.
func TestDecideGivenScript(t *testing.T) {
	for _, w := range wants {
		d := Decide(readReport(t, w.file), Options{Script: true})
		route := Attempt
		if w.route == Hostile {
			route = Hostile
		}
		if d.Route != route {
			t.Errorf("%s: route %s for a given script, want %s", w.file, d.Route, route)
		}
	}
}

func TestDecideOptions(t *testing.T) {
	r := readReport(t, "own-expected-block")
	d := Decide(r, Options{Subject: "NumPy", Good: "1.24.0"})
	if d.Subjects[0] != "numpy" || d.SubjectSource != "flag" || d.Expectation.Subject != "numpy" {
		t.Errorf("subjects %v from %s, want numpy from the flag", d.Subjects, d.SubjectSource)
	}
	if len(d.Good) == 0 || d.Good[0].Spec != "1.24.0" || d.Good[0].Dist != "numpy" || d.Good[0].Where != "flag" {
		t.Errorf("good %+v, want the flag's", d.Good)
	}
}

func TestDecideNothing(t *testing.T) {
	for name, r := range map[string]*report.Report{
		"nil": nil, "zero": {}, "title": {Title: "x", Text: "x", TitleSpan: report.Span{End: 1}},
		"wild spans": {
			Text: "abc", TitleSpan: report.Span{Start: -5, End: 99},
			Blocks:     []report.Block{{Kind: report.BlockPython, Text: "print(1)", Span: report.Span{Start: 70, End: 2}, Section: 9}},
			Tracebacks: []report.Traceback{{Block: 44}},
			Statements: []report.Statement{{Kind: report.SaysValue, Role: report.RoleExpected, Text: "2", Span: report.Span{Start: -1, End: 88}, Block: 7}},
		},
	} {
		d := Decide(r, Options{})
		if d.Route == "" || d.Subjects == nil || d.Summary == "" {
			t.Errorf("%s: incomplete decision %+v", name, d)
		}
	}
}

// TestDecideCodeElsewhere: a picture or a link keeps nobody who can write from
// writing, where the words say enough; a link into the project's own source is
// no code of the reporter's.
func TestDecideCodeElsewhere(t *testing.T) {
	const front = "---\ntitle: Mistake in the divergence\nurl: https://github.com/PythonOT/POT/issues/1\n---\n\n"
	const words = "The weights are not used properly in the Sinkhorn divergence of two empirical samples: the result is wrong.\n"
	for name, w := range map[string]struct {
		text  string
		model bool
		want  Route
	}{
		"picture, no model":        {front + words + "![code](https://example.com/a.png)\n", false, NeedsInfo},
		"picture, model":           {front + words + "![code](https://example.com/a.png)\n", true, Attempt},
		"picture, few words":       {front + "It is wrong.\n![code](https://example.com/a.png)\n", true, NeedsInfo},
		"picture, no package":      {words + "![code](https://example.com/a.png)\n", true, NeedsInfo},
		"a gist, model":            {front + words + "https://gist.github.com/a/1\n", true, NeedsInfo},
		"own source":               {front + words + "https://github.com/pythonot/POT/blob/f613942/ot/bregman.py#L1872\n", false, NeedsModel},
		"own source, then a gist":  {front + words + "https://github.com/PythonOT/POT/blob/f613942/ot/bregman.py and https://gist.github.com/a/1\n", false, NeedsInfo},
		"another project's source": {front + words + "https://github.com/me/mine/blob/main/run.py\n", false, NeedsInfo},
		"own lines, no tracker":    {"# Mistake in POT 0.9.1\n\n" + words + "See [here](https://github.com/PythonOT/POT/blob/f613942/ot/bregman.py#L1872-L1880).\n", false, NeedsModel},
		"a fork, no tracker":       {"# Mistake in POT 0.9.1\n\n" + words + "https://github.com/me/POT/blob/main/run.py\n", false, NeedsInfo},
		"other lines, no tracker":  {"# Mistake in POT 0.9.1\n\n" + words + "https://github.com/me/mine/blob/main/run.py#L3\n", false, NeedsInfo},
	} {
		d := Decide(report.Parse([]byte(w.text), report.Source{}), Options{HasModel: w.model})
		if d.Route != w.want {
			t.Errorf("%s: %s, want %s (%+v)", name, d.Route, w.want, d.Reasons)
		}
	}
}
