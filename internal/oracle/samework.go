package oracle

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
)

// sameWork turns a clean control that does not print what the reported side
// prints into one that proves nothing: it may not have come as far.
func sameWork(e Expectation, ev *Evidence) {
	var want [][]string
	for _, g := range ev.Groups {
		if g.Side != SideReported {
			continue
		}
		for k, ex := range g.Executions {
			if k < len(g.Judgements) && (g.Judgements[k].Finding == Hit || g.Judgements[k].Finding == Absent) {
				want = common(want, printedWords(ex))
			}
		}
	}
	for _, g := range ev.Groups {
		for k := range g.Judgements {
			j := &g.Judgements[k]
			if g.Side.neverControl() || j.Finding != Clean && j.Finding != Within || k >= len(g.Executions) {
				continue
			}
			if missing, ok := contains(printedWords(g.Executions[k]), want); !ok {
				*j = absent("it does not print what the reported side prints: " + clip(missing))
				j.Oracle = e.Oracle
			}
		}
	}
}

// maxCompared lines are enough to see whether two sides do the same (guess; it
// bounds what a flood of output costs).
const maxCompared = 500

// printedWords are the labels of the lines of stdout: the words before the first
// number, bracket or quote. What follows is what is judged, or a repr that any
// release may write otherwise. Lines without a label are left out: an array of
// other numbers fills another count of them.
func printedWords(ex sandbox.Execution) [][]string {
	out := outputLines(sandbox.Execution{Stdout: ex.Stdout})
	var all [][]string
	for i := range out.lines[:min(len(out.lines), maxCompared)] {
		row := out.tokens(i, false)
		end := slices.IndexFunc(row, func(t token) bool {
			return t.number != nil || t.mask || strings.ContainsAny(t.text, "([{<'\"") || t.text == "True" || t.text == "False"
		})
		if end >= 0 {
			row = row[:end]
		}
		if label := words(row); len(label) > 0 {
			all = append(all, label)
		}
	}
	return all
}

// common keeps the lines that both have, in order; a is nil at first.
func common(a, b [][]string) [][]string {
	if a == nil {
		return append([][]string{}, b...)
	}
	kept := [][]string{}
	from := 0
	for _, line := range a {
		if i := slices.IndexFunc(b[from:], func(l []string) bool { return slices.Equal(l, line) }); i >= 0 {
			kept = append(kept, line)
			from += i + 1
		}
	}
	return kept
}

// contains says whether all lines of part occur in whole, in order.
func contains(whole, part [][]string) (missing string, ok bool) {
	for _, line := range part {
		i := slices.IndexFunc(whole, func(l []string) bool { return slices.Equal(l, line) })
		if i < 0 {
			return strings.Join(line, " ") + " and a number", false
		}
		whole = whole[i+1:]
	}
	return "", true
}
