package bench

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/system/inert"
)

// Markdown lays out a table for reading: what must not be comes first. It is
// good on a terminal as well.
func Markdown(w io.Writer, t *Table) error {
	p := &page{}
	p.line("# Benchmark: %d cases", t.Cases)
	p.line("")
	p.line("%s", inert.Markdown(t.Identity))
	p.line("")
	p.list("False claims", t.FalseClaims)
	p.list("False denials", t.FalseDenials)
	p.line("")
	p.recall("Positives that need no language model", t.Reachable)
	p.recall("Positives that need one", t.Model)
	p.exact("Negatives", t.Negatives)
	p.exact("Negatives that may need a language model", t.ModelNegatives)
	p.line("")
	p.confusion(t)
	p.counts(t)
	p.times(t)
	p.outcomes(t)
	_, err := io.WriteString(w, p.b.String())
	return err
}

type page struct{ b strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

func (p *page) list(what string, ids []string) {
	text := "none"
	if len(ids) > 0 {
		text = fmt.Sprintf("%d: %s", len(ids), all(ids))
	}
	p.line("**%s: %s**", what, text)
}

func (p *page) recall(what string, r Recall) {
	if r.Of == 0 {
		return
	}
	p.line("- %s: %d of %d claimed (grade C or better), %d of %d with grade B or better%s%s",
		what, r.GradeC, r.Of, r.GradeB, r.Of, more("; accepted otherwise: %d", r.Accepted), names("; missed: ", r.Missed))
}

func (p *page) exact(what string, e Exact) {
	if e.Of == 0 {
		return
	}
	p.line("- %s: %d of %d with the exact headline%s", what, e.Exact, e.Of, names("; wrong: ", e.Wrong))
}

func more(format string, n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(format, n)
}

func names(before string, ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return before + all(ids)
}

// all are names of cases, which are names of somebody's folders.
func all(ids []string) string { return inert.Markdown(strings.Join(ids, ", ")) }

// row writes cells; numbers of zero stay empty, so that the diagonal stands out.
func (p *page) row(cells ...string) { p.line("| %s |", strings.Join(cells, " | ")) }

func (p *page) rule(n int) { p.line("|%s", strings.Repeat("---|", n)) }

func (p *page) confusion(t *Table) {
	got := t.seen(false)
	head := []string{"expected \\ got"}
	for _, h := range got {
		head = append(head, string(h))
	}
	p.row(head...)
	p.rule(len(head))
	for _, e := range t.seen(true) {
		cells := []string{string(e)}
		for _, g := range got {
			cells = append(cells, count(t.Confusion[e][g]))
		}
		p.row(cells...)
	}
	p.line("")
}

func count(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func (p *page) counts(t *Table) {
	var parts []string
	for _, g := range slices.Sorted(maps.Keys(t.Grades)) {
		name := inert.Markdown(string(g))
		if g == "" {
			name = "none"
		}
		parts = append(parts, fmt.Sprintf("%s %d", name, t.Grades[g]))
	}
	p.line("Grades: %s", strings.Join(parts, ", "))
	parts = nil
	for _, r := range slices.Sorted(maps.Keys(t.Rungs)) {
		name := "rung " + strconv.Itoa(r)
		if r == 0 {
			name = "no environment"
		}
		parts = append(parts, fmt.Sprintf("%s: %d", name, t.Rungs[r]))
	}
	p.line("Rungs: %s", strings.Join(parts, ", "))
}

func (p *page) times(t *Table) {
	var parts []string
	for _, s := range slices.Sorted(maps.Keys(t.Times.Stages)) {
		parts = append(parts, fmt.Sprintf("%s %.1f s", inert.Markdown(s), t.Times.Stages[s]))
	}
	p.line("Medians over %d cases that ran: %.1f s a case; %.1f s of executions, added up (some run side by side); by part: %s. All cases together: %.0f s",
		t.Times.Of, t.Times.Median, t.Times.Sandbox, strings.Join(parts, ", "), t.Times.Total)
	if text := t.Spent.line(); text != "" {
		p.line("%s", text)
	}
	p.line("")
}

func (p *page) outcomes(t *Table) {
	head := []string{"case", "expected", "got", "grade", "k of n", "rung", "seconds", "right"}
	asked := t.Spent.Calls > 0
	if asked {
		head = append(head, "attempts", "tokens", "US dollars")
	}
	p.row(head...)
	p.rule(len(head))
	for _, o := range t.Outcomes {
		cells := []string{inert.Markdown(o.ID), string(o.Expected), inert.Markdown(headline(o)), inert.Markdown(string(o.Grade)), fmt.Sprintf("%d of %d", o.Hits, o.Runs),
			count(o.Rung), fmt.Sprintf("%.0f", o.Seconds), word(o)}
		switch {
		case asked && o.Model != nil:
			cells = append(cells, count(o.Model.Attempts), count(o.Model.TokensIn+o.Model.TokensOut), o.Model.money())
		case asked:
			cells = append(cells, "", "", "")
		}
		p.row(cells...)
	}
}

func headline(o Outcome) string {
	text := string(o.Headline)
	for _, a := range o.Also {
		text += " + " + string(a)
	}
	if o.Error != "" {
		text += " (" + o.Error + ")"
	}
	return text
}

// word says how an outcome stands to the answer.
func word(o Outcome) string {
	switch {
	case right(o):
		return "yes"
	case claims(o):
		return "FALSE CLAIM"
	case positive(o) && o.NeedsLLM && o.Headline != oracle.Failed:
		return "needs a model"
	}
	return "no"
}

// Line is one outcome for progress.
func Line(o Outcome) string {
	text := fmt.Sprintf("%s: %s", o.ID, headline(o))
	if o.Grade != "" {
		text += " grade " + string(o.Grade)
	}
	return fmt.Sprintf("%s, expected %s, %s, %.0f s", text, o.Expected, word(o), o.Seconds)
}
