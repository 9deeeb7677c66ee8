package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// stepLine is a step of a list that code was pasted into: "2. Define the data".
var stepLine = lazyre.New(`^ {0,3}\d{1,2}[.)] +[A-Z][a-z]+ .*[A-Za-z:.]\s*$`)

// bareCode takes Python that was pasted without any mark: it begins with an
// import and goes on while the lines look like code. Numbered steps may stand
// between them, as people tell what each part does.
func (s *scanner) bareCode(i int) int {
	p, end, steps := s.p, i+1, 0
	for j := i + 1; j < len(p.lines); j++ {
		t := p.lineText(j)
		if strings.TrimSpace(t) == "" {
			continue
		}
		if last := s.stringEnd(j); last > j || end == j && s.remark(j) {
			j, end = last, last+1
			continue
		}
		if stepLine.MatchString(t) {
			steps++ // kept only if code follows
			continue
		}
		if !codeLine.MatchString(t) || headingLine.MatchString(t) || isFence(t) {
			break
		}
		end = j + 1
	}
	if end-i < 2 {
		return i
	}
	s.add(blk{first: i, last: end - 1, steps: steps > 0}, i, end)
	return end
}

// remark is a comment between two lines of code, which Markdown shows as a
// heading: nobody writes one right above a statement.
func (s *scanner) remark(j int) bool {
	return j+1 < len(s.p.lines) && strings.HasPrefix(s.p.lineText(j), "# ") && codeMark.MatchString(s.p.lineText(j+1))
}

// maxString is how many lines a string of unmarked code may have (a guess).
const maxString = 64

// stringEnd is the line on which a string ends that begins on line j and goes over
// several; j when none does.
func (s *scanner) stringEnd(j int) int {
	p, t := s.p, s.p.lineText(j)
	for _, mark := range []string{`"""`, "'''"} {
		if strings.Count(t, mark)%2 == 0 || !codeLine.MatchString(t) {
			continue
		}
		for k := j + 1; k < min(len(p.lines), j+maxString); k++ {
			if strings.Contains(p.lineText(k), mark) {
				return k
			}
		}
	}
	return j
}
