package report

import "strings"

// opensFence gives the marks and the tag of a line that opens a fence. Tildes
// also underline: the place of an error (TorchScript's "~~~~ <--- HERE", Python's
// "~~~^^~~" below a frame) and headings. Those have no word behind them, or stand
// far to the right.
func opensFence(text string) (fence, tag string, ok bool) {
	m := fenceOpen.FindStringSubmatch(text)
	if m == nil {
		return "", "", false
	}
	fence, tag = m[1], strings.TrimSpace(m[2])
	if fence[0] != '~' {
		return fence, tag, true
	}
	if tag == "" {
		return fence, tag, indentOf(text) < 4
	}
	return fence, tag, tag[0] == '{' || tag[0] == '.' || tag[0] >= 'a' && tag[0] <= 'z' || tag[0] >= 'A' && tag[0] <= 'Z'
}

// closing is the first line from j on that closes a fence, the number of lines when
// none does.
func (s *scanner) closing(j int, fence string) int {
	for j < len(s.p.lines) && !closes(s.p.lineText(j), fence) {
		j++
	}
	return j
}

// maxQuoted is how many fences in the strings of one script are looked at (a
// guess).
const maxQuoted = 4

// fenceEnd is the line that closes a fence with its text from line body on. One
// that stands four columns deeper closes none in Markdown, though many write it so;
// it is passed over where the text up to a later one is Python, and up to this one
// is not: it stands in a docstring.
func (s *scanner) fenceEnd(body int, fence string, indent int) int {
	p, end := s.p, s.closing(body, fence)
	code := func(to int) bool { return parses(p.text[p.lines[body].start:p.lines[to].start]) }
	if end == len(p.lines) || indentOf(p.lineText(end)) <= indent+3 || code(end) {
		return end
	}
	for at, n := end, 0; n < maxQuoted && indentOf(p.lineText(at)) > indent+3; n++ {
		if at = s.closing(at+1, fence); at == len(p.lines) {
			break
		}
		if code(at) {
			return at
		}
	}
	return end
}

// isFence says whether the line opens or closes one.
func isFence(text string) bool {
	_, _, ok := opensFence(text)
	return ok
}
