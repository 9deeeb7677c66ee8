package triage

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/report"
)

// TestDump prints decisions when asked to (REPGEN_DUMP is a glob of names).
func TestDump(t *testing.T) {
	glob := os.Getenv("REPGEN_DUMP")
	if glob == "" {
		t.Skip("set REPGEN_DUMP to a glob of report names to see their decisions")
	}
	files, err := filepath.Glob(filepath.Join("testdata", "reports", glob+".md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		r := report.Parse(raw, report.Source{Kind: "file", Name: f})
		d := Decide(r, Options{})
		fmt.Printf("######## %s\n", f)
		for _, st := range r.Statements {
			fmt.Printf("   st %s %s %q rel=%s where=%s block=%d line=%d approx=%v v=%v\n", st.Role, st.Kind, st.Text, st.Relation, st.Where, st.Block, st.Line, st.Approximate, st.Version != nil)
		}
		for i, b := range r.Blocks {
			fmt.Printf("   block %d %s role=%s lead=%q\n", i, b.Kind, b.Role, b.Lead)
		}
		for _, tb := range r.Tracebacks {
			fmt.Printf("   tb block=%d %s %s %q sig=%s fatal=%q frames=%d\n", tb.Block, tb.Symptom.Kind, tb.Symptom.Exception, tb.Symptom.Message, tb.Symptom.Signal, tb.Symptom.FatalLine, len(tb.Symptom.Frames))
		}
		for _, v := range r.Versions {
			if !listed(v) {
				fmt.Printf("   v %s %s %s %s %s\n", v.Dist, v.Spec, v.Kind, v.Role, v.Where)
			}
		}
		fmt.Printf("  %s | %s | blocks %v | subjects %v (%s) | lower %v\n", d.Route, d.Summary, d.Blocks, d.Subjects, d.SubjectSource, d.Lower)
		for _, g := range d.Good {
			fmt.Printf("  good %s %s\n", g.Dist, g.Spec)
		}
		for _, g := range d.Bad {
			fmt.Printf("  bad %s %s\n", g.Dist, g.Spec)
		}
		for _, re := range d.Reasons {
			fmt.Printf("  reason: %s [%s]\n", re.Text, quote(r.Text, re.Span))
		}
		for _, re := range d.Steering {
			fmt.Printf("  steering: %s [%s]\n", re.Text, quote(r.Text, re.Span))
		}
		fmt.Printf("  missing: %s\n", strings.Join(d.Missing, " | "))
		if d.Expectation != nil {
			j, err := json.Marshal(d.Expectation)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Printf("  expectation: %s\n", j)
		}
	}
}
