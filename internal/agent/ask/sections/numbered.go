package sections

import (
	"fmt"
	"strings"

	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/report"
)

const (
	maxNumberedScript = 3000
	maxNumberedReport = 4000
)

// NumberedScript is a script with its line numbers, from 1.
func NumberedScript(script string) ask.Section {
	return ask.Section{Name: "The script, with line numbers", Text: numbered(Lines(script), nil), Priority: 0, Max: maxNumberedScript, Keep: ask.KeepEnds}
}

// NumberedReport is a report with its line numbers, from 1; the lines of diffs
// are left out and counted, and so are comments that no reader sees.
func NumberedReport(r *report.Report) ask.Section {
	shown := []byte(r.Text)
	for _, c := range ask.Comments(r.Text) {
		for i := c[0]; i < c[1]; i++ {
			if shown[i] != '\n' {
				shown[i] = ' '
			}
		}
	}
	skip := map[int]bool{}
	for _, b := range r.Blocks {
		if !holdsDiff(b) || !b.Span.Within(r.Text) {
			continue
		}
		first := strings.Count(r.Text[:b.Span.Start], "\n")
		for i := range strings.Count(strings.TrimRight(r.Text[b.Span.Start:b.Span.End], "\n"), "\n") + 1 {
			skip[first+i] = true
		}
	}
	return ask.Section{Name: "The report, with line numbers", Text: numbered(Lines(string(shown)), skip), Priority: 1, Max: maxNumberedReport, Keep: ask.KeepEnds}
}

// Lines are the lines of a text.
func Lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

func numbered(lines []string, skip map[int]bool) string {
	var b strings.Builder
	for i, line := range lines {
		if !skip[i] {
			fmt.Fprintf(&b, "%d| %s\n", i+1, line)
		}
	}
	return b.String()
}
