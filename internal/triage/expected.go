package triage

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// addExpected fills Expected, and says of each line or value which actual line
// it corrects.
func addExpected(rd *reading, c claims, p *oracle.Printed, origin []report.Statement) {
	var block []oracle.Line
	for i := 0; i < len(c.expected); i++ {
		st := c.expected[i]
		if pasted(st) {
			for ; i+1 < len(c.expected) && sameBlock(st, c.expected[i+1]); i++ {
				st.Text += "\n" + c.expected[i+1].Text // each line of a block is a statement
			}
			block = append(block, addExpectedBlock(p, st)...)
			continue
		}
		if st.Kind == report.SaysValue && aboutAll(rd, st) && len(p.Actual) > 1 {
			addToAll(p, st)
			continue
		}
		addExpectedValue(rd, p, st, origin)
	}
	dropOutranked(p, block)
}

// sameBlock: two lines of one pasted output.
func sameBlock(a, b report.Statement) bool {
	return a.Block >= 0 && a.Block == b.Block && pasted(b) && a.Approximate == b.Approximate
}

// addExpectedBlock: line by line when both blocks have the same length, else
// by their words. A block of which only some lines have a counterpart (the
// heading of a table, not its rows) is an output of its own: as a correction it
// would ask for the wrong rows beside the right ones.
func addExpectedBlock(p *oracle.Printed, st report.Statement) []oracle.Line {
	first := len(p.Expected)
	lines := printedLines(st.Text)
	at := make([]int, len(lines))
	for i, text := range lines {
		if at[i] = i; len(lines) != len(p.Actual) {
			at[i] = sameLabel(p.Actual, newLine(text, st.Approximate).Text)
		}
	}
	whole := slices.Contains(at, -1)
	for i, text := range lines {
		l := newLine(text, st.Approximate)
		if l.Replaces = at[i]; whole {
			l.Replaces = -1
		}
		p.Expected = append(p.Expected, l)
	}
	return slices.Clone(p.Expected[first:])
}

// sameLabel is the only actual line with the same words, -1 when none or
// several have them.
func sameLabel(actual []oracle.Line, text string) int {
	found := -1
	for i, a := range actual {
		if label(a.Text) == "" || label(a.Text) != label(text) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// label is a line without its values.
func label(line string) string {
	var words []string
	for _, w := range strings.Fields(line) {
		if classOf(strings.Trim(w, "[](),:;")) == classOther {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

var allLines = lazyre.New(`(?i)\b(both|each|every|all|always|twice|either)\b`)

// aboutAll: the sentence of the value says that it holds for every line.
func aboutAll(rd *reading, st report.Statement) bool {
	if !st.Span.Within(rd.prose) {
		return false
	}
	from, to := sentenceAround(rd.prose, st.Span.Start)
	return from < to && allLines.MatchString(rd.prose[from:to])
}

func addToAll(p *oracle.Printed, st report.Statement) {
	for i, a := range p.Actual {
		if text, ok := corrected(a.Text, st.Text); ok {
			p.Expected = append(p.Expected, oracle.Line{
				Text: text, Fragment: a.Fragment, Approximate: st.Approximate, Replaces: i,
			})
		}
	}
}

// addExpectedValue adds one value or one short output. Where it belongs to an
// actual line that holds a value of its kind, the whole corrected line is
// expected: "argmax: 1" and "should be 2" ask for "argmax: 2".
func addExpectedValue(rd *reading, p *oracle.Printed, st report.Statement, origin []report.Statement) {
	i := corrects(p, st, origin)
	if i >= 0 {
		st.Text = valueOfEquation(st.Text, p.Actual[i].Text)
	}
	l := newLine(st.Text, st.Approximate)
	l.Fragment = true
	if i < 0 {
		if text, whole := wholeLine(rd.script, st); whole {
			l.Text, l.Fragment = text, false
		} else if len(p.Actual) > 0 || !rd.script.prints() || st.Kind == report.SaysValue {
			return // which line it speaks of is unknown: no claim is better than a wrong one
		}
		p.Expected = append(p.Expected, l)
		return
	}
	a := p.Actual[i]
	l.Replaces, l.Fragment = i, a.Fragment
	if st.Kind == report.SaysValue || classOf(st.Text) != classOther {
		text, ok := corrected(a.Text, st.Text)
		switch {
		case ok:
			l.Text = text
		case !sameBrackets(a.Text, l.Text):
			return
		}
	}
	if l.Text != a.Text {
		p.Expected = append(p.Expected, l)
	}
}

// sameBrackets: both are whole printed arrays or lists.
func sameBrackets(a, b string) bool {
	return len(a) > 1 && len(b) > 1 && strings.IndexByte("[({", a[0]) >= 0 && a[0] == b[0] && a[len(a)-1] == b[len(b)-1]
}

// corrects is the index of the actual line that an expected value speaks of:
// the one stated at the same place of the code, else the last one stated
// before it, else the first one in the same breath behind it; -1 for none. A
// pasted output of several lines cannot be corrected by one value unless only
// one of its lines has a value of that kind.
func corrects(p *oracle.Printed, st report.Statement, origin []report.Statement) int {
	before, after := -1, -1
	for i, o := range origin {
		switch {
		case st.Where == "comment" && o.Where == "comment" && o.Block == st.Block && o.Line == st.Line:
			return i
		case o.Span.Start <= st.Span.Start:
			before = i
		case after < 0:
			after = i
		}
	}
	found := before
	if found < 0 {
		found = after
	}
	if found < 0 || !pasted(origin[found]) {
		return found
	}
	return onlyWithClass(p, st, origin, found)
}

// onlyWithClass is the only line of a pasted output that the value fits.
func onlyWithClass(p *oracle.Printed, st report.Statement, origin []report.Statement, at int) int {
	found := -1
	for i, o := range origin {
		if o.Span != origin[at].Span {
			continue
		}
		same := classOf(st.Text) == classOther && sameLabel(p.Actual[i:i+1], st.Text) == 0
		if _, ok := corrected(p.Actual[i].Text, st.Text); !ok && !same {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

var equation = lazyre.New(`^[\w.]+\([^()=]*\)\s*={1,2}\s*(\S+)$`)

// valueOfEquation is the value of "expected log(1) = 0.0": it explains a number
// that is printed alone.
func valueOfEquation(text, actual string) string {
	m := equation.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil || strings.Contains(actual, "=") || classOf(m[1]) == classOther || classOf(m[1]) != classOf(actual) {
		return text
	}
	return m[1]
}
