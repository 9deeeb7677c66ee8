package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCorpus compares the parse of every report of the corpus with the short
// text beside it. The reports are written for this purpose, one shape of real
// reports each; go test -run Corpus -update writes the parses anew, and a
// reader has to look at each line that changes.
func TestCorpus(t *testing.T) {
	files := corpusFiles(t)
	if len(files) < 60 {
		t.Fatalf("only %d reports in the corpus", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			r := parseFile(t, file)
			check(t, r)
			got := compact(r)
			golden := strings.TrimSuffix(file, filepath.Ext(file)) + ".parse"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if string(want) != got {
				t.Errorf("%s differs from its golden parse (go test -run Corpus -update writes it anew):\n%s", file, firstDifference(string(want), got))
			}
		})
	}
}

// TestCorpusHasNoStrays: a golden parse whose report is gone proves nothing.
func TestCorpusHasNoStrays(t *testing.T) {
	have := map[string]bool{}
	for _, f := range corpusFiles(t) {
		have[strings.TrimSuffix(f, filepath.Ext(f))] = true
	}
	goldens, err := filepath.Glob("testdata/corpus/*.parse")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range goldens {
		if !have[strings.TrimSuffix(g, ".parse")] {
			t.Errorf("%s belongs to no report", g)
		}
	}
}

func corpusFiles(t testing.TB) []string {
	t.Helper()
	var files []string
	for _, ext := range []string{"md", "txt", "json"} {
		found, err := filepath.Glob("testdata/corpus/*." + ext)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	return files
}

// compact is a parse as text, one item a line, so that a person can review it.
func compact(r *Report) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("title %q", r.Title)
	if !r.Created.IsZero() {
		line("created %s", r.Created.Format("2006-01-02"))
	}
	if r.Repo != "" || len(r.Labels) > 0 {
		line("repo %q labels %q", r.Repo, r.Labels)
	}
	for i, s := range r.Sections {
		line("section %d %s level %d %q: %s", i, s.Role, s.Level, s.Heading, clipped(s.Body))
	}
	for i, blk := range r.Blocks {
		line("block %d %s role %s section %d lang %q lead %q%s", i, blk.Kind, blk.Role, blk.Section, blk.Lang, blk.Lead, extras(blk))
		line("    %s", clipped(blk.Text))
		for _, c := range blk.Cells {
			line("    cell %s => %s", clipped(c.Code), clipped(c.Output))
		}
	}
	for _, tb := range r.Tracebacks {
		line("trace block %d %s %q", tb.Block, tb.Symptom.Kind, tb.Symptom.Exception+tb.Symptom.Signal) // what else it holds is the recogniser's to test
	}
	for _, v := range r.Versions {
		local := ""
		if v.Local {
			local = " local"
		}
		line("version %s %q %s %s %s %q%s", v.Dist, v.Spec, v.Kind, v.Role, v.Where, r.Text[v.Span.Start:v.Span.End], local)
	}
	for _, e := range r.Env {
		line("env %s=%q %s", e.Name, e.Value, e.Where)
	}
	for _, f := range r.Platform {
		line("platform %s=%q", f.Name, f.Value)
	}
	for _, s := range r.Statements {
		line("%s", compactStatement(s))
	}
	for _, n := range r.Notes {
		line("note %s", n)
	}
	return b.String()
}

func compactStatement(s Statement) string {
	out := fmt.Sprintf("says %s %s %s", s.Role, s.Kind, s.Where)
	if s.Block >= 0 {
		out += fmt.Sprintf(" %d:%d", s.Block, s.Line)
	}
	if s.Relation != "" {
		out += " " + s.Relation
	}
	out += fmt.Sprintf(" %q", s.Text)
	if s.Approximate {
		out += " approximate"
	}
	if s.Version != nil {
		out += fmt.Sprintf(" of %s %s (%s)", s.Version.Dist, s.Version.Spec, s.Version.Role)
	}
	return out
}

func extras(b Block) string {
	out := ""
	if len(b.Magics) > 0 {
		out += fmt.Sprintf(" magics %q", b.Magics)
	}
	if b.Approximate {
		out += " approximate"
	}
	if b.After != nil {
		out += fmt.Sprintf(" after %s %s", b.After.Dist, b.After.Spec)
	}
	return out
}

// clipped shows the beginning and the end of a longer text on one line.
func clipped(s string) string {
	if len(s) > 90 {
		s = strings.ToValidUTF8(s[:50], "") + " ... " + strings.ToValidUTF8(s[len(s)-35:], "")
	}
	return fmt.Sprintf("%q", s)
}
