package candidate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/triage"
)

// seeds are all scripts kept in testdata.
func seeds(f *testing.F) {
	f.Helper()
	files, err := filepath.Glob("testdata/*/*.py")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(">>> x = 1\n>>> x\n1\n>>> if x:\n...   y\n")
	f.Add("    !pip install a==1\n  %time x\n\u201cq\u201d\u00a0\ndevice='cuda:{i}'\nx.cuda()\n")
	f.Add("exec(\"exec('os.abort()')\")\n__import__('os').system\n")
}

// FuzzFromScript: a script that is only judged is never changed, and every
// reason names a line of it.
func FuzzFromScript(f *testing.F) {
	seeds(f)
	e := &oracle.Expectation{Oracle: oracle.OraclePrinted, Symptom: symptom.Symptom{Exception: "a.B("}, Modules: []string{"keras"}}
	f.Fuzz(func(t *testing.T, src string) {
		c := FromScript(src)
		if c.Script != src || len(c.Edits) > 0 {
			t.Error("a given script was edited")
		}
		if len(c.RefusalsFor(e)) < len(c.Refusals) {
			t.Error("an expectation took a refusal away")
		}
		for _, r := range c.Raises {
			if r.Line < 1 || r.Line > strings.Count(src, "\n")+1 {
				t.Errorf("a raise at line %d", r.Line)
			}
		}
	})
}

// FuzzFromReport: whatever stands in a block, there is a candidate, what was
// changed is recorded, and no shell syntax gets into a requirement.
func FuzzFromReport(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		r := &report.Report{Blocks: []report.Block{
			{Kind: report.BlockPython, Text: text},
			{Kind: report.BlockREPL, Text: ">>> " + text, Cells: []report.Cell{
				{Code: text, Output: "Traceback (most recent call last):\nTypeError: x"}, {Code: text},
			}},
			{Kind: report.BlockShell, Text: text},
		}}
		c, err := FromReport(r, &triage.Decision{Blocks: []int{0, 1}, Lower: true})
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Count(c.Script, "\n") + 1
		for _, e := range c.Edits {
			if e.Line < 0 || e.Line > lines {
				t.Errorf("%s at line %d of %d", e.Kind, e.Line, lines)
			}
		}
		if len(c.Edits) == 0 {
			t.Error("two blocks were joined without a record")
		}
		for _, req := range c.Requirements {
			if strings.ContainsAny(req, " \t\n;&|$`'\"()/\\@") || strings.HasPrefix(req, "-") {
				t.Errorf("requirement %q", req)
			}
		}
	})
}
