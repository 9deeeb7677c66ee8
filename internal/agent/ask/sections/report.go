package sections

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/report"
)

// Caps of the sections, in estimated tokens: together with the instructions
// they stay under the aim of 12,000 a prompt when each is full (guesses, from
// what reports of the corpus hold: nine in ten are under 3,000 tokens).
const (
	maxReport  = 3500
	maxOrdered = 1500
	maxBlocks  = 2500
)

// Report is the report as it was written. A diff in it is left out: it may be
// the fix, which whoever writes a reproduction must not see.
func Report(r *report.Report) ask.Section {
	return ask.Section{
		Name:     "The report",
		Text:     withoutDiffs(r),
		Markdown: true,
		Priority: 1,
		Max:      maxReport,
		Keep:     ask.KeepEnds,
	}
}

func withoutDiffs(r *report.Report) string {
	var b strings.Builder
	at := 0
	for _, block := range byPlace(r) {
		if !holdsDiff(block) || block.Span.Start < at || !block.Span.Within(r.Text) {
			continue
		}
		b.WriteString(r.Text[at:block.Span.Start])
		b.WriteString("[a diff was left out]\n")
		at = block.Span.End
	}
	b.WriteString(r.Text[at:])
	text := b.String()
	if r.Title != "" && !strings.Contains(text, r.Title) {
		text = r.Title + "\n\n" + text
	}
	return text
}

// holdsDiff also knows a diff inside of a fence with another tag.
func holdsDiff(b report.Block) bool {
	return b.Kind == report.BlockDiff || strings.HasPrefix(b.Text, "diff --git ") || strings.Contains(b.Text, "\n@@ -")
}

func byPlace(r *report.Report) []report.Block {
	blocks := slices.Clone(r.Blocks)
	slices.SortStableFunc(blocks, func(a, b report.Block) int { return a.Span.Start - b.Span.Start })
	return blocks
}

// Told is the report put in order with the reporter's code and logs as they
// are; without an order, the whole report.
func Told(r *report.Report, ordered *task.Report) []ask.Section {
	if ordered == nil {
		return []ask.Section{Report(r)}
	}
	out := []ask.Section{Ordered(*ordered)}
	if blocks := Blocks(r); blocks.Text != "" {
		out = append(out, blocks)
	}
	return out
}

// Ordered is a report put in order; what the reporter did not write is marked.
func Ordered(t task.Report) ask.Section {
	var b strings.Builder
	b.WriteString("Title: " + t.Title + "\n")
	for _, part := range []struct {
		name string
		said []task.Said
	}{
		{"Observed", t.Observed}, {"Expected", t.Expected}, {"Steps", t.Steps},
		{"Environment", t.Environment}, {"Parameters", t.Parameters},
	} {
		if len(part.said) == 0 {
			continue
		}
		b.WriteString(part.name + ":\n")
		for _, s := range part.said {
			mark := "- "
			if s.Inferred() {
				mark = "- (a guess, not the reporter's words) "
			}
			b.WriteString(mark + strings.TrimSpace(s.Text) + "\n")
		}
	}
	return ask.Section{Name: "The report, put in order", Text: b.String(), Markdown: true, Priority: 1, Max: maxOrdered}
}

// Blocks are the reporter's code and logs, without lists of packages and diffs.
func Blocks(r *report.Report) ask.Section {
	var parts []string
	for _, b := range r.Blocks {
		switch b.Kind {
		case report.BlockPython, report.BlockREPL, report.BlockTraceback, report.BlockOutput, report.BlockShell:
			if !holdsDiff(b) {
				parts = append(parts, "["+string(b.Kind)+"]\n"+strings.TrimRight(b.Text, "\n"))
			}
		}
	}
	return ask.Section{
		Name:     "The reporter's code and logs",
		Text:     strings.Join(parts, "\n\n"),
		Priority: 1,
		Max:      maxBlocks,
		Keep:     ask.KeepEnds,
	}
}
