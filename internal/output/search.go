package output

import (
	"fmt"
	"io"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/system/inert"
)

// SearchView says what of a search is shown.
type SearchView struct {
	// Files lists files instead of chunks; Explain takes each score apart.
	Files   bool
	Explain bool
}

// maxTests is how many test files a terminal shows beside the others.
const maxTests = 5

// Search writes the ranking for people.
func Search(w io.Writer, r *codebase.Result, v SearchView, st Style) {
	p := printer{w, st}
	p.line("searched", r.Project)
	p.line("mode", r.Mode)
	for _, n := range r.Notices {
		p.line("notice", n)
	}
	if v.Explain {
		p.query(r)
	}
	if len(r.Hits) == 0 {
		p.line("found", "nothing")
	}
	if v.Files {
		p.files(r.Files, r.Hits, v)
	} else {
		p.hits(r.Hits, v)
	}
	if len(r.TestFiles) > 0 {
		p.printf("\n tests, ranked apart\n")
		p.files(r.TestFiles[:min(len(r.TestFiles), maxTests)], nil, v)
	}
	if v.Explain {
		p.timings(r.Timings)
	}
}

// printer writes lines that cannot steer a terminal.
type printer struct {
	w  io.Writer
	st Style
}

func (p printer) printf(format string, args ...any) { _, _ = fmt.Fprintf(p.w, format, args...) }

func (p printer) line(name, text string) {
	if text != "" {
		_, _ = fmt.Fprintln(p.w, StageLine(name, text, p.st))
	}
}

func (p printer) bold(text string) string {
	if !p.st.Color {
		return text
	}
	return lipgloss.NewStyle().Bold(true).Render(text)
}

func (p printer) faint(text string) string {
	if !p.st.Color {
		return text
	}
	return lipgloss.NewStyle().Faint(true).Render(text)
}

// query shows what was taken from the report.
func (p printer) query(r *codebase.Result) {
	q := r.Query
	p.line("title", q.Title)
	p.line("failure", strings.TrimPrefix(q.Exception+": "+q.Message, ": "))
	var names []string
	for _, n := range q.Names[:min(len(q.Names), 12)] {
		names = append(names, fmt.Sprintf("%s (%s, %.2g)", n.Text, n.Origin, n.Weight))
	}
	p.line("names", strings.Join(names, ", "))
	for _, f := range q.Frames[:min(len(q.Frames), 8)] {
		p.line("frame", fmt.Sprintf("%s, line %d, in %s", f.File, f.Line, f.Function))
	}
}

func (p printer) hits(hits []codebase.Hit, v SearchView) {
	for i, h := range hits {
		p.printf("%3d. %.3f  %s%s\n", i+1, h.Score, p.bold(place(h.Chunk)), name(h.Chunk))
		if v.Explain {
			p.terms(h)
		}
	}
}

// place is where a chunk stands, as editors take it.
func place(c chunk.Chunk) string { return lines(c.Path, c.StartLine, c.EndLine) }

func lines(path string, from, to int) string {
	return fmt.Sprintf("%s:%d-%d", inert.Line(path), from, to)
}

func name(c chunk.Chunk) string {
	text := string(c.Kind)
	if c.Name != "" {
		text = inert.Line(c.Name)
		if c.Kind == chunk.Class {
			text = "class " + text
		}
	}
	if c.Parts > 1 {
		text += fmt.Sprintf(" (part %d of %d)", c.Part, c.Parts)
	}
	return "  " + text
}

// terms are the addends of one score; they sum up to it.
func (p printer) terms(h codebase.Hit) {
	for _, t := range h.Terms {
		text := fmt.Sprintf("       %+.3f  %-10s = %.2f x %.3f  (%s)", t.Value, t.Name, t.Weight, t.Norm, rawText(t))
		p.printf("%s\n", p.faint(text))
	}
}

func rawText(t codebase.Term) string {
	text := fmt.Sprintf("raw %.4g", t.Raw)
	if t.Why != "" {
		text = inert.Line(t.Why) + "; " + text
	}
	return text
}

func (p printer) files(files []codebase.FileHit, hits []codebase.Hit, v SearchView) {
	for i, f := range files {
		p.printf("%3d. %.3f  %s\n", i+1, f.Score, p.bold(inert.Line(f.Path)))
		if v.Explain && f.Best >= 0 && f.Best < len(hits) {
			h := hits[f.Best]
			p.printf("       best: %s%s\n", place(h.Chunk), name(h.Chunk))
			p.terms(h)
		}
	}
}

func (p printer) timings(ts []codebase.Timing) {
	var texts []string
	for _, t := range ts {
		if took := t.Took.Round(100 * time.Microsecond); took > 0 { // else it was left out
			texts = append(texts, fmt.Sprintf("%s %s", t.Step, took))
		}
	}
	p.line("time", strings.Join(texts, ", "))
}

// CodeContext writes the gathered code as Markdown: a heading a piece, then its
// lines, fenced, so that it can be pasted as it is.
func CodeContext(w io.Writer, c *codebase.CodeContext, v SearchView, st Style) {
	p := printer{w, st}
	p.line("project", inert.Markdown(c.Project))
	p.line("mode", inert.Markdown(c.Mode))
	p.line("tokens", fmt.Sprintf("%d of %d (estimate)", c.Tokens, c.Budget))
	for _, n := range c.Notices {
		p.line("notice", inert.Markdown(n))
	}
	for i, m := range c.Modules {
		p.printf("\n%s\n", p.bold(fmt.Sprintf("## %d. %s (%.3f)", i+1, inert.Markdown(m.Path), m.Score)))
		if m.Loop != nil {
			p.printf("\n### training loop, lines %d-%d%s\n", m.Loop.StartLine, m.Loop.EndLine, in(m.Loop.Name))
			if v.Explain {
				p.printf("       %s\n", p.faint(inert.Line(strings.Join(m.Loop.Why, "; "))))
			}
			p.code(m.Loop.Text, m.Loop.Cut)
		}
		for _, ch := range m.Chunks {
			p.printf("\n### %s  %s (%.3f)\n", inert.Markdown(place(ch.Chunk)), inert.Markdown(name(ch.Chunk)), ch.Score)
			if v.Explain {
				p.terms(ch.Hit)
			}
			p.code(ch.Text, ch.Cut)
		}
		for _, d := range m.Dependencies {
			p.printf("\n### needed: %s%s\n", inert.Markdown(lines(d.Path, d.StartLine, d.EndLine)), in(d.Name))
			p.code(d.Text, d.Cut)
		}
	}
}

func in(name string) string {
	if name == "" {
		return ""
	}
	return "  " + inert.Markdown(name)
}

func (p printer) code(text string, cut bool) {
	p.printf("%s\n", inert.Fence(text, "python"))
	if cut {
		p.printf("... cut: the budget ends here\n")
	}
}
