package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// tickOpen: a single backtick, and none after it on the line.
	tickOpen = lazyre.New("^[ \t]*`([^`]+)$")
	// tickClose: the only backtick of its line ends it.
	tickClose = lazyre.New("^([^`]*)`[ \t]*$")
	// tickLine: all of the line stands between two backticks.
	tickLine = lazyre.New("^[ \t]*`([^`]+)`[ \t]*$")
	// tickFirst: with it begins what people put between single backticks for want
	// of a fence: code, or a traceback with or without a notebook's rule above.
	tickFirst = lazyre.New(`^\s*(?:import \w|from [\w.]+ import |def \w+\(|class \w+[(:]|@\w|#|>>> |Traceback \(most recent call last\)|-{20,})`)
)

// maxTicked bounds how many such lines are looked at from each of them, so that a
// hostile report costs no square of its length (a guess far above honest ones).
const maxTicked = 400

// ticked reads code between single backticks, which Markdown has for a few words
// only: from the opening one to the closing one over several lines, or line by
// line. It gives the line after it, or i when the text is no code: a quotation
// must stay prose.
func (s *scanner) ticked(i int, text string) int {
	if m := tickOpen.FindStringSubmatchIndex(text); m != nil && tickFirst.MatchString(text[m[2]:]) {
		return s.tickedLines(i, m[2])
	}
	if m := tickLine.FindStringSubmatch(text); m != nil && importLine.MatchString(m[1]) {
		return s.tickedEach(i)
	}
	return i
}

// tickedLines takes the lines up to the next backtick, which has to close.
func (s *scanner) tickedLines(i, from int) int {
	p, end := s.p, i+1
	for end < len(p.lines) && !strings.Contains(p.lineText(end), "`") {
		end++
	}
	if end == len(p.lines) {
		return i
	}
	m := tickClose.FindStringSubmatchIndex(p.lineText(end))
	if m == nil {
		return i
	}
	b := blk{first: i, last: end, lines: []line{{p.lines[i].start + from, p.lines[i].end}}}
	b.lines = append(b.lines, p.lines[i+1:end]...)
	if m[3] > m[2] {
		b.lines = append(b.lines, line{p.lines[end].start + m[2], p.lines[end].start + m[3]})
	}
	return s.keepCode(i, b)
}

// tickedEach takes consecutive lines that are each between backticks of their
// own; blank lines may stand between them, as some trackers ask for.
func (s *scanner) tickedEach(i int) int {
	p := s.p
	b := blk{first: i}
	for j := i; j < min(len(p.lines), i+maxTicked); j++ {
		t := p.lineText(j)
		if strings.TrimSpace(t) == "" {
			continue
		}
		m := tickLine.FindStringSubmatchIndex(t)
		if m == nil {
			break
		}
		b.last = j
		b.lines = append(b.lines, line{p.lines[j].start + m[2], p.lines[j].start + m[3]})
	}
	return s.keepCode(i, b)
}

// keepCode keeps the block when it is code or a traceback of two lines or more;
// a single import only where the report is about importing.
func (s *scanner) keepCode(i int, b blk) int {
	text := b.join(s.p.text)
	if len(b.lines) < 2 && !(importLine.MatchString(text) && s.tellsOfImport(b)) || !isTraceback(text) && !isPython(text) {
		return i
	}
	s.keep(b)
	return b.last + 1
}

// importing are the words of somebody to whom an import alone shows the bug.
var importing = lazyre.New(`(?i)\bimporting\b|\b(?:on|at|during|after) import\b|\bimport(?:s|ed)? (?:fails?|warns?|raises?|prints?|gives?|hangs?|crash\w*|errors?|takes)\b`)

// tellsOfImport looks for them in the report's first line and in the lines next
// to the block.
func (s *scanner) tellsOfImport(b blk) bool {
	p := s.p
	if importing.MatchString(p.lineText(0)) {
		return true
	}
	for _, j := range []int{b.first - 1, b.first - 2, b.last + 1, b.last + 2} {
		if j >= 0 && j < len(p.lines) && importing.MatchString(p.lineText(j)) {
			return true
		}
	}
	return false
}
