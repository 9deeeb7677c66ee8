// Package restructure puts a report in order: what was seen, what was wished
// for, the steps, the environment and the parameters, each in the reporter's own
// words where they are there.
package restructure

import (
	"context"
	"embed"
	"errors"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/ask/quote"
	"github.com/repgen/repgen/internal/agent/ask/sections"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/report"
)

// purpose names the call in records and trajectories.
const purpose = "restructure"

// Bounds of an ordered report. A list of more items than a person would read is
// no order, and a quote of one character says nothing (guesses).
const (
	maxItems   = 20
	maxText    = 400  // runes of an inferred item
	maxQuote   = 1500 // bytes of a quoted one
	leastQuote = 3
)

//go:embed prompts/*.tmpl
var files embed.FS

var template = ask.MustTemplate(purpose, files, "prompts/restructure.tmpl")

//go:embed schema.json
var schema []byte

// Options of Do.
type Options struct {
	// QuoteOnly drops everything that does not stand in the report.
	QuoteOnly bool
}

// answer is what the model is asked for.
type answer struct {
	Title       string `json:"title"`
	Observed    []item `json:"observed"`
	Expected    []item `json:"expected"`
	Steps       []item `json:"steps"`
	Environment []item `json:"environment"`
	Parameters  []item `json:"parameters"`
}

type item struct {
	Text  string `json:"text"`
	Quote string `json:"quote"`
}

// Do puts a report in order. The result is usable whatever happens: where there
// is no model (a nil asker), or no answer that can be read, it is made by rules.
// An error says that the model failed for good or that ctx ended.
func Do(ctx context.Context, a *ask.Asker, r *report.Report, opt Options) (task.Report, error) {
	if a == nil {
		return ByRules(r), nil
	}
	p := ask.Prompt{Purpose: purpose, Sections: []ask.Section{sections.Report(r)}}
	if err := template.Fill(&p, opt); err != nil {
		return ByRules(r), err
	}
	said, _, err := ask.JSON(ctx, a, p, schema, usable)
	if errors.Is(err, ask.ErrUnreadable) {
		a.Trace.Note(ctx, trace.KindDecision, purpose, "the report was put in order by rules: "+ask.OneLine(err.Error(), maxText))
		return ByRules(r), nil
	}
	if err != nil {
		return ByRules(r), err
	}
	ordered := said.ordered(r, opt)
	if empty(ordered) { // quotes only, and none of them is the reporter's
		a.Trace.Note(ctx, trace.KindDecision, purpose, "the report was put in order by rules: no quote of the model's stands in it")
		return ByRules(r), nil
	}
	return ordered, nil
}

// usable wants one item of something.
func usable(a *answer) error {
	if len(a.Observed)+len(a.Expected)+len(a.Steps)+len(a.Environment)+len(a.Parameters) == 0 {
		return errors.New("every list is empty")
	}
	return nil
}

func (a answer) ordered(r *report.Report, opt Options) task.Report {
	text := quote.In(r.Text)
	list := func(items []item) []task.Said { return said(text, items, opt.QuoteOnly) }
	out := task.Report{
		Title:       r.Title,
		Observed:    list(a.Observed),
		Expected:    list(a.Expected),
		Steps:       list(a.Steps),
		Environment: list(a.Environment),
		Parameters:  list(a.Parameters),
	}
	if out.Title == "" && !opt.QuoteOnly {
		out.Title = ask.OneLine(a.Title, maxText)
	}
	return out
}

// said keeps what the model gave: in the reporter's words with their place where
// the quote stands in the report, whatever the model says of it, else as an
// inference.
func said(text *quote.Text, items []item, quoteOnly bool) []task.Said {
	out := []task.Said{}
	for _, it := range items {
		if len(out) == maxItems {
			break
		}
		s, ok := one(text, it)
		if !ok || quoteOnly && s.Inferred() {
			continue
		}
		if !slices.ContainsFunc(out, func(had task.Said) bool { return had.Text == s.Text }) {
			out = append(out, s)
		}
	}
	return out
}

func one(text *quote.Text, it item) (task.Said, bool) {
	// A model that was told to leave "text" empty may put the quote there.
	for _, words := range []string{it.Quote, it.Text} {
		if span, ok := text.Find(words, leastQuote); ok && span.End-span.Start <= maxQuote {
			return task.Said{Text: text.Cut(span), Span: &span}, true
		}
	}
	inferred := ask.OneLine(it.Text, maxText)
	if inferred == "" {
		inferred = ask.OneLine(it.Quote, maxText)
	}
	return task.Said{Text: inferred}, inferred != ""
}

func empty(t task.Report) bool {
	return len(t.Observed)+len(t.Expected)+len(t.Steps)+len(t.Environment)+len(t.Parameters) == 0
}

// ByRules puts a report in order without a model: by its headings, by what the
// reporter states of outputs and errors, by the versions and settings that it
// names. Everything in it is the reporter's.
func ByRules(r *report.Report) task.Report {
	b := byRules{text: quote.In(r.Text), out: task.Report{
		Title: r.Title, Observed: []task.Said{}, Expected: []task.Said{}, Steps: []task.Said{}, Environment: []task.Said{}, Parameters: []task.Said{},
	}}
	for _, s := range r.Sections {
		b.section(s)
	}
	for _, s := range r.Statements {
		b.statement(s)
	}
	for _, t := range r.Tracebacks {
		if t.Symptom.Message != "" {
			b.add(&b.out.Observed, lastLine(t.Symptom.Message))
		}
	}
	if len(b.out.Observed) == 0 {
		b.firstWords(r)
	}
	for _, v := range r.Versions {
		b.at(&b.out.Environment, v.Span)
	}
	for _, e := range r.Env {
		b.at(&b.out.Environment, e.Span)
	}
	for _, f := range r.Platform {
		b.at(&b.out.Environment, f.Span)
	}
	return b.out
}

type byRules struct {
	text *quote.Text
	out  task.Report
}

func (b *byRules) section(s report.Section) {
	switch s.Role {
	case report.RoleActual:
		b.add(&b.out.Observed, s.Body)
	case report.RoleExpected:
		b.add(&b.out.Expected, s.Body)
	case report.RoleCode:
		b.add(&b.out.Steps, prose(s.Body))
	}
}

func (b *byRules) statement(s report.Statement) {
	switch s.Role {
	case report.RoleActual:
		b.at(&b.out.Observed, s.Span)
	case report.RoleExpected:
		b.at(&b.out.Expected, s.Span)
	}
}

// firstWords takes the beginning of the report for what happened.
func (b *byRules) firstWords(r *report.Report) {
	for _, s := range r.Sections {
		if words := prose(s.Body); strings.TrimSpace(words) != "" && (s.Role == report.RoleDescription || s.Role == report.RoleOther) {
			b.add(&b.out.Observed, words)
			return
		}
	}
	b.add(&b.out.Observed, r.Title)
}

// add takes words that stand in the report, the first paragraphs of long ones.
func (b *byRules) add(list *[]task.Said, words string) {
	words = strings.TrimSpace(words)
	for len(words) > maxQuote {
		end := strings.LastIndexByte(words[:maxQuote], '\n')
		if end <= 0 {
			return // one line of that length is no sentence
		}
		words = strings.TrimSpace(words[:end])
	}
	if span, ok := b.text.Find(words, leastQuote); ok {
		b.at(list, span)
	}
}

func (b *byRules) at(list *[]task.Said, s report.Span) {
	if s.End <= s.Start || s.Start < 0 || len(*list) == maxItems || s.End-s.Start > maxQuote {
		return
	}
	words := b.text.Cut(s)
	same := func(had task.Said) bool { return strings.Contains(had.Text, words) }
	if strings.TrimSpace(words) != "" && !slices.ContainsFunc(*list, same) {
		*list = append(*list, task.Said{Text: words, Span: &s})
	}
}

// prose is the text before the first code.
func prose(body string) string {
	before, _, _ := strings.Cut(body, "```")
	return before
}

func lastLine(message string) string {
	first, _, _ := strings.Cut(message, "\n")
	return first
}
