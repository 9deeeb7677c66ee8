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
