package report

import (
	"fmt"
	"os"
	"testing"
)

func TestDump(t *testing.T) {
	f := os.Getenv("DUMP")
	if f == "" {
		t.Skip()
	}
	r := parseFile(t, f)
	fmt.Printf("TITLE %q created=%v labels=%v repo=%s notes=%q\n", r.Title, r.Created, r.Labels, r.Repo, r.Notes)
	for i, s := range r.Sections {
		fmt.Printf("SEC %d %q L%d %s %.40q\n", i, s.Heading, s.Level, s.Role, s.Body)
	}
	for i, b := range r.Blocks {
		fmt.Printf("BLK %d %s lang=%q sec=%d role=%s lead=%q approx=%v after=%v cells=%d magics=%q %.50q\n", i, b.Kind, b.Lang, b.Section, b.Role, b.Lead, b.Approximate, b.After != nil, len(b.Cells), b.Magics, b.Text)
	}
	for _, v := range r.Versions {
		fmt.Printf("VER %q %s %q %s %s %s local=%v %q\n", v.Name, v.Dist, v.Spec, v.Kind, v.Where, v.Role, v.Local, r.Text[v.Span.Start:v.Span.End])
	}
	for _, v := range r.Tracebacks {
		fmt.Printf("TB %s %s %.60q sig=%s frames=%d blk=%d\n", v.Symptom.Kind, v.Symptom.Exception, v.Symptom.Message, v.Symptom.Signal, len(v.Symptom.Frames), v.Block)
	}
	for _, v := range r.Env {
		fmt.Printf("ENV %s=%s %s\n", v.Name, v.Value, v.Where)
	}
	for _, v := range r.Platform {
		fmt.Printf("PLAT %s=%s\n", v.Name, v.Value)
	}
	for _, s := range r.Statements {
		fmt.Printf("SAY %s %s %q rel=%s %s blk=%d line=%d approx=%v v=%v | %q\n", s.Role, s.Kind, s.Text, s.Relation, s.Where, s.Block, s.Line, s.Approximate, s.Version != nil, r.Text[s.Span.Start:s.Span.End])
	}
}
