package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// judgeSpread is what one execution shows of a claim that equal things differ:
// nothing, unless the script itself makes the thing twice and both are claimed.
func judgeSpread(e Expectation, ex sandbox.Execution) Judgement {
	if !ended(ex) {
		return unfinished(e, ex)
	}
	s := e.Spread
	if s == nil || !s.Within {
		return absent("the script ran to its end; a spread shows only between executions")
	}
	pairs, why := twoValues(*s, ex)
	if len(pairs) == 0 {
		return absent(why)
	}
	words, tol := "", ""
	for _, p := range pairs {
		switch result, t := compareNumbers(p[0], p[1], ex.Record); result {
		case outsideOf:
			observed := fmt.Sprintf("%s and %s", p[0].text, p[1].text)
			return hitOf(symptom.Nondeterminism, symptom.FieldMatch{Field: "values", Expected: "differ", Observed: observed}, e,
				"two values of one execution that should be equal differ: "+observed)
		case inside:
			words, tol = p[0].text+" and "+p[1].text, t
		}
	}
	if words != "" {
		return withinJudgement(e, words, tol)
	}
	return clean(fmt.Sprintf("all %d pairs of values are equal", len(pairs)))
}

// twoValues are the pairs of numbers within one execution that should be equal:
// of two recorded names, of two labelled lines, or of the lines of one family.
func twoValues(s Spread, ex sandbox.Execution) (pairs [][2]number, why string) {
	if s.Left != "" && s.Right != "" {
		if pairs, why, ok := largeArrays(s, ex); ok {
			return pairs, why
		}
		l, okL := sideOf(s.Left, ex)
		r, okR := sideOf(s.Right, ex)
		if !okL || !okR {
			return nil, fmt.Sprintf("%s and %s were neither recorded nor printed", s.Left, s.Right)
		}
		return zip(l, r, fmt.Sprintf("%s and %s", s.Left, s.Right))
	}
	rows := labelledRows(s.Labels, ex)
	if len(s.Labels) == 0 {
		rows = nil
		for _, f := range families(stdoutLines(ex)) {
			if len(f.rows) > len(rows) && len(f.rows) > 1 {
				rows = f.rows
			}
		}
	}
	if len(rows) < 2 {
		return nil, "fewer than two lines were printed that could be compared"
	}
	first := numbers(rows[0])
	for _, row := range rows[1:] {
		more, why := zip(withoutIndex(first), withoutIndex(numbers(row)), text(row))
		if why != "" {
			return nil, why
		}
		pairs = append(pairs, more...)
	}
	return pairs, ""
}

// largeArrays compares two recorded arrays that are too large to be recorded
// whole: by their bytes, then by what is known of their elements. Bytes that
// differ while minimum, maximum and mean agree may be rounding, and say nothing.
func largeArrays(s Spread, ex sandbox.Execution) (pairs [][2]number, why string, ok bool) {
	l, okL := recorded(s.Left, ex.Record)
	r, okR := recorded(s.Right, ex.Record)
	if !okL || !okR || l.Hash == "" || r.Hash == "" || l.Size <= len(l.Values) && r.Size <= len(r.Values) {
		return nil, "", false
	}
	differ := l.Hash != r.Hash
	for _, text := range [][2]string{{l.Min, r.Min}, {l.Max, r.Max}, {l.Mean, r.Mean}} {
		a, okA := parseNumber(text[0])
		b, okB := parseNumber(text[1])
		if !okA || !okB {
			continue
		}
		pairs = append(pairs, [2]number{a, b})
		if c, _ := compareNumbers(a, b, ex.Record); c == outsideOf {
			return pairs, "", true
		}
	}
	if differ {
		return nil, fmt.Sprintf("%s and %s differ somewhere, and were too large to be recorded whole", s.Left, s.Right), true
	}
	return pairs, "", len(pairs) > 0
}

// withoutIndex drops the leading counter of a line ("run 1: 0.5"), when something
// else remains.
func withoutIndex(ns []number) []number {
	if len(ns) > 1 && ns[0].integer {
		return ns[1:]
	}
	return ns
}

// sideOf is what a recorded name holds, else the numbers behind a label.
func sideOf(name string, ex sandbox.Execution) ([]number, bool) {
	if o, ok := recorded(name, ex.Record); ok {
		if list, ok := values(o); ok && len(list) > 0 {
			return list, true
		}
	}
	for _, rest := range labelledRows([]string{name}, ex) {
		if ns := numbers(rest); len(ns) > 0 {
			return ns, true
		}
	}
	return nil, false
}

// labelledRows is what follows each label, label by label, line by line.
func labelledRows(wanted []string, ex sandbox.Execution) [][]token {
	out := stdoutLines(ex)
	var rows [][]token
	for _, w := range wanted {
		label := tokens(w, false)
		for i := range out.lines {
			if rest := afterLabel(out.tokens(i, false), label); rest != nil {
				rows = append(rows, rest)
			}
		}
	}
	return rows
}

// zip pairs two lists of equal length; another count is another thing.
func zip(a, b []number, what string) (pairs [][2]number, why string) {
	if len(a) != len(b) || len(a) == 0 {
		return nil, fmt.Sprintf("%d numbers against %d cannot be compared: %s", len(a), len(b), what)
	}
	for i := range a {
		pairs = append(pairs, [2]number{a[i], b[i]})
	}
	return pairs, ""
}

// processID is masked beside addresses, paths and timings: it differs between any
// two processes.
var processID = lazyre.New(`(?i)\b(pid|process|thread|port|worker[- ]pid)\b([^\w\n]{0,3})\d{2,}`)

// result is what one execution gave, as far as it is claimed.
type result struct {
	rows   [][]token
	values map[string][]number // of recorded names
	record probe.Record
}

// resultOf is the claimed part of an execution; ok is false when there is none.
func resultOf(s Spread, ex sandbox.Execution) (r result, ok bool) {
	r.record = ex.Record
	for _, name := range []string{s.Left, s.Right} {
		o, known := recorded(name, ex.Record)
		if !known {
			continue
		}
		list, fine := values(o)
		if !fine && o.Hash != "" {
			// Too large to be recorded: equal bytes or not, by its hash.
			r.rows = append(r.rows, []token{{text: o.Hash}})
			continue
		}
		if r.values == nil {
			r.values = map[string][]number{}
		}
		r.values[name] = list
	}
	if len(r.values) > 0 || len(r.rows) > 0 {
		return r, true
	}
	var labels [][]token
	for _, l := range append([]string{s.Left, s.Right}, s.Labels...) {
		if l != "" {
			labels = append(labels, tokens(l, false))
		}
	}
	ex.Stdout = processID.ReplaceAllString(ex.Stdout, "$1$2 \x01pid ")
	out := stdoutLines(ex)
	for i := range out.lines {
		row := out.tokens(i, false)
		if len(labels) == 0 || slices.ContainsFunc(labels, func(l []token) bool { return afterLabel(row, l) != nil }) {
			r.rows = append(r.rows, row)
		}
	}
	return r, len(r.rows) > 0
}

// differ compares two results position by position. A number that differs only
// inside the tolerance of its floats is told apart from one that does not differ.
func (r result) differ(o result) (comparison, string) {
	if len(r.rows) != len(o.rows) {
		return outsideOf, fmt.Sprintf("%d lines against %d", len(r.rows), len(o.rows))
	}
	found, words := holdsTrue, ""
	for i := range r.rows {
		switch c, w := differRows(r.rows[i], o.rows[i], r.record); c {
		case outsideOf:
			return c, w
		case inside:
			found, words = c, w
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.values)) { // the first difference is told
		pairs, why := zip(r.values[name], o.values[name], name)
		if why != "" {
			return outsideOf, why
		}
		for _, p := range pairs {
			switch c, tol := compareNumbers(p[0], p[1], r.record); c {
			case outsideOf:
				return c, fmt.Sprintf("%s: %s against %s", name, p[0].text, p[1].text)
			case inside:
				found, words = c, fmt.Sprintf("%s: %s against %s, allowed %s", name, p[0].text, p[1].text, tol)
			}
		}
	}
	return found, words
}

// differRows compares two lines token by token. The first real difference
// decides; one inside the tolerance is kept in case nothing worse follows.
func differRows(a, b []token, r probe.Record) (comparison, string) {
	words := fmt.Sprintf("%q against %q", text(a), text(b))
	if len(a) != len(b) {
		return outsideOf, words
	}
	found := holdsTrue
	for i := range a {
		if a[i].number == nil || b[i].number == nil {
			if !a[i].same(b[i], false) {
				return outsideOf, words
			}
			continue
		}
		switch c, tol := compareNumbers(*a[i].number, *b[i].number, r); c {
		case outsideOf:
			return c, words
		case inside:
			found = c
			words = fmt.Sprintf("%q against %q, allowed %s", text(a), text(b), tol)
		}
	}
	return found, words
}

// judgeSpreads judges each group in itself: executions that differ from the
// output that comes most often (the first seen of these) are hits. Where all
// agree they are clean, if what they agree on is what the reported side prints.
func judgeSpreads(e Expectation, ev *Evidence) {
	if e.Spread == nil || e.Spread.Within {
		return
	}
	for i := range ev.Groups {
		if ev.Groups[i].Side != SideNeutral {
			judgeSpreadOf(e, &ev.Groups[i])
		}
	}
	sameWork(e, ev)
}

// judgeSpreadOf judges one group in itself. Outliers are hits; the rest of such a
// group is neither clean nor a hit, since which output is right nobody knows.
func judgeSpreadOf(e Expectation, g *Group) {
	var at []int
	var results []result
	for k, j := range g.Judgements {
		if j.Finding != Absent || k >= len(g.Executions) {
			continue
		}
		if r, ok := resultOf(*e.Spread, g.Executions[k]); ok {
			at, results = append(at, k), append(results, r)
		}
	}
	if len(results) < 2 {
		return
	}
	mode := modal(results)
	outliers, rounding := 0, 0
	found := make([]Judgement, len(results))
	for n, r := range results {
		c, words := results[mode].differ(r)
		switch c {
		case outsideOf:
			outliers++
			found[n] = hitOf(symptom.Nondeterminism, symptom.FieldMatch{Field: "output", Expected: "differs between equal executions", Observed: words}, e,
				"it differs from what the other executions show: "+words)
		case inside:
			rounding++
			found[n] = withinJudgement(e, words, words[strings.LastIndex(words, "allowed ")+len("allowed "):])
		}
	}
	for n, k := range at {
		switch {
		case found[n].Finding != "" && (outliers == 0 || found[n].Finding == Hit):
			g.Judgements[k] = found[n]
		case outliers > 0:
			g.Judgements[k] = absent(fmt.Sprintf("it shows what most do; %d of %d executions differ", outliers, len(results)))
		case rounding > 0:
			g.Judgements[k] = withinJudgement(e, "some executions differ by rounding alone", "that of their floats")
		default:
			g.Judgements[k] = clean(fmt.Sprintf("all %d executions agree", len(results)))
		}
		g.Judgements[k].Oracle = e.Oracle
	}
}

// modal is the index of the result with which most agree, the first of these.
func modal(results []result) int {
	best, most := 0, -1
	for i, r := range results {
		agree := 0
		for _, o := range results {
			if c, _ := r.differ(o); c != outsideOf {
				agree++
			}
		}
		if agree > most {
			best, most = i, agree
		}
	}
	return best
}
