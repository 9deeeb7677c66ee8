package output

import (
	"fmt"
	"html/template"
	"io"
	"strings"

	_ "embed"

	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system/inert"
)

//go:embed page.html
var pageText string

// Page is a run as one static page. Result is nil while the run has not ended.
type Page struct {
	Title  string
	Result *proof.Result
	// Stages are the lines of the pipeline that were reached.
	Stages []StageText
	Spans  []trace.Span
	// Script is the script of the verdict, or the model's best.
	Script string
	// Answers are the model's, by the name of their record.
	Answers map[string]string
}

// StageText is one line of the pipeline.
type StageText struct{ Stage, Text string }

// pageNode is a span laid out.
type pageNode struct {
	Name, Text, Took, Kind string
	Failed                 bool
	Detail, Answer         string
	Children               []pageNode
}

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"inert": inert.Text, "line": inert.Line, "word": word}).Parse(pageText))

// word is a headline or a grade: a string of a type of its own.
func word(v any) string { return inert.Line(fmt.Sprint(v)) }

// HTML writes the page: nothing is loaded, nothing runs, every text of the
// report, the programs and the model is escaped and inert.
func HTML(w io.Writer, p Page) error {
	view := struct {
		Page
		Cost  string
		Nodes []pageNode
	}{Page: p, Cost: costOf(p.Spans), Nodes: p.nodes(tree(p.Spans))}
	var b strings.Builder
	if err := pageTemplate.Execute(&b, view); err != nil {
		return fmt.Errorf("lay out the page: %w", err)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

func (p Page) nodes(list []*node) []pageNode {
	var out []pageNode
	for _, n := range list {
		v := pageNode{
			Name: nameOf(n.Span), Text: n.Text, Took: took(n.Span), Kind: string(n.Kind), Failed: n.Failed,
			Detail: n.Detail, Children: p.nodes(n.Children),
		}
		if n.Call != nil {
			v.Answer = p.Answers[n.Call.Record]
		}
		out = append(out, v)
	}
	return out
}
