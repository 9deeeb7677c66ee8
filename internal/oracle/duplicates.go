package oracle

import (
	"fmt"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
)

// judgeDuplicates (rule 10): something came twice that should come once, among
// the printed lines that are alike but for their values, among whole equal lines,
// or among the elements of a named sequence.
func judgeDuplicates(e Expectation, ex sandbox.Execution) Judgement {
	if !ended(ex) {
		return unfinished(e, ex)
	}
	fams, why := repeatable(e, ex)
	if len(fams) == 0 {
		return absent(why)
	}
	for _, f := range fams {
		if twice, n := f.repeated(); n > 1 {
			j := hitOf(symptom.WrongValue, symptom.FieldMatch{
				Field: "repeats", Expected: "repeats in " + f.name, Observed: fmt.Sprintf("%d times %s", n, twice),
			}, e, fmt.Sprintf("%q came %d times among %d of %s", twice, n, len(f.values), f.name))
			j.Lines = f.head()
			return j
		}
	}
	f := fams[0]
	j := clean(fmt.Sprintf("all %d of %s are distinct", len(f.values), f.name))
	j.Lines = f.head()
	return j
}

// like is a family of things that should be distinct.
type like struct {
	name   string
	values []string
}

// head is the beginning of the family, for a person to see.
func (l like) head() []string { return l.values[:min(len(l.values), 10)] }

// repeated is the value that came most often, and how often.
func (l like) repeated() (value string, times int) {
	counts := map[string]int{}
	for _, v := range l.values {
		counts[v]++
		if counts[v] > times {
			value, times = v, counts[v]
		}
	}
	return value, times
}

// repeatable are the families in which a repeat would be the symptom; each has at
// least two members, or, for a message that should come once, one.
func repeatable(e Expectation, ex sandbox.Execution) ([]like, string) {
	r := e.Repeats
	switch {
	case r == nil:
		return nil, "the report does not say what came twice"
	case r.Name != "":
		o, ok := recorded(r.Name, ex.Record)
		switch {
		case !ok:
			return nil, r.Name + " was not recorded"
		case len(o.Values) < 2 || o.Size > len(o.Values):
			return nil, fmt.Sprintf("%s has %d elements, %d of them recorded: nothing can be compared", r.Name, o.Size, len(o.Values))
		}
		return []like{{"the elements of " + r.Name, o.Values}}, ""
	case r.Lines:
		return wholeLines(r.Like, ex)
	}
	return valueLines(r.Like, ex)
}

// wholeLines are lines that should come once each, in one stream: what both
// streams have is a program that writes to both.
func wholeLines(what string, ex sandbox.Execution) ([]like, string) {
	var all []like
	label := tokens(what, false)
	for _, stream := range []string{ex.Stdout, ex.Stderr} {
		out := outputLines(sandbox.Execution{Stdout: stream})
		l := like{name: "the printed lines"}
		if what != "" {
			l.name = fmt.Sprintf("the lines with %q", what)
		}
		for i := range out.lines {
			row := out.tokens(i, false)
			if what != "" && afterLabel(row, label) == nil || len(labels(row)) == 0 {
				continue // rulers and empty prints repeat of right
			}
			l.values = append(l.values, text(row))
		}
		if len(l.values) > 0 {
			all = append(all, l)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Sprintf("no line with %q was printed", what)
	}
	return all, ""
}

// valueLines are the lines of one family with their numbers as values. Named text
// makes one family of all lines that have it, whatever follows it.
func valueLines(what string, ex sandbox.Execution) ([]like, string) {
	out := stdoutLines(ex)
	if what != "" {
		l, label := like{name: fmt.Sprintf("the lines with %q", what)}, tokens(what, false)
		for i := range out.lines {
			if rest := afterLabel(out.tokens(i, false), label); len(rest) > 0 {
				l.values = append(l.values, text(rest))
			}
		}
		if len(l.values) < 2 {
			return nil, fmt.Sprintf("%d lines with %q: too few to repeat anything", len(l.values), what)
		}
		return []like{l}, ""
	}
	var all []like
	for _, f := range families(out) {
		if len(f.rows) < 2 {
			continue
		}
		l := like{name: fmt.Sprintf("the %d lines like %q", len(f.rows), text(f.rows[0]))}
		for _, row := range f.rows {
			l.values = append(l.values, text(row))
		}
		all = append(all, l)
	}
	if len(all) == 0 {
		return nil, "no two printed lines are alike but for their values"
	}
	return all, ""
}

// judgeRepeats holds the controls to the reported side's count: with fewer like
// lines there was less that could repeat, and all of it distinct proves nothing.
func judgeRepeats(e Expectation, ev *Evidence) {
	need := 0
	for _, g := range ev.Groups {
		for k, j := range g.Judgements {
			if g.Side == SideReported && j.Finding == Hit && k < len(g.Executions) {
				need = max(need, likeCount(e, g.Executions[k]))
			}
		}
	}
	for _, g := range ev.Groups {
		for k := range g.Judgements {
			j := &g.Judgements[k]
			if g.Side.neverControl() || j.Finding != Clean || k >= len(g.Executions) || e.Repeats.Lines {
				continue // a message that should come once comes less often of right
			}
			if n := likeCount(e, g.Executions[k]); n < need {
				*j = absent(fmt.Sprintf("%d like lines came, %d where they repeat: what did not come could not repeat", n, need))
				j.Oracle = e.Oracle
			}
		}
	}
}

// likeCount is the size of the largest family.
func likeCount(e Expectation, ex sandbox.Execution) int {
	most := 0
	fams, _ := repeatable(e, ex)
	for _, f := range fams {
		most = max(most, len(f.values))
	}
	return most
}
