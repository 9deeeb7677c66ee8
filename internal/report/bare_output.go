package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// printsLabel is a line that ends in what announces printed text: "The output
	// is:", "while the correct result should be:", "but I get:". Lines below it
	// need no fence to be that text, if they are values and nothing else.
	printsLabel = lazyre.New(`(?i)\b(?:outputs?|results?|prints?(?: out)?|printed|gives?(?: me)?|gets?|got|returns?|yields?|expected|actual|desired)(?:\s+(?:is|are|was|were|be|should|have|been|now|here|instead|as|follows|this|the following|below))*\s*[:：]\s*$`)
	// otherLabel: numbers below such a line are none that a script printed.
	otherLabel = lazyre.New(`(?i)\b(?:versions?|packages?|environments?|pip|conda|tests?|issues?|steps?)\b`)
	// printedToken is one value, or a part of what Python writes around one.
	printedToken = lazyre.New(`^(?:[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?j?|[-+]?(?:nan|inf|NaN|Inf)|True|False|None|(?:tensor|array|Array|torch\.Size|dtype=[\w.]+|device=[\w:.]+|grad_fn=<\w+>|requires_grad=(?:True|False)))$`)
)

// maxPrintsLabel is how long such a line may be: further down it is a sentence
// of an argument (a guess).
const maxPrintsLabel = 100

// bareOutput takes printed values that were pasted without any mark, below a
// line that announces them; it gives the line after them, or i.
func (s *scanner) bareOutput(i int, text string) int {
	if !s.announced(i) || !printedValuesOnly(text) {
		return i
	}
	p, end := s.p, i+1
	for end < len(p.lines) && printedValuesOnly(p.lineText(end)) {
		end++
	}
	if end < len(p.lines) && strings.TrimSpace(p.lineText(end)) != "" && !printsLabel.MatchString(p.lineText(end)) && !headingLine.MatchString(p.lineText(end)) {
		return i // words go on below: a paragraph, not what was printed
	}
	s.add(blk{first: i, last: end - 1, kind: BlockOutput}, i, end)
	return end
}

// announced says whether the line right above, or with one blank line between,
// is such a label.
func (s *scanner) announced(i int) bool {
	j := i - 1
	if j >= 0 && strings.TrimSpace(s.p.lineText(j)) == "" {
		j--
	}
	if j < 0 || s.p.inBlock[j] >= 0 {
		return false
	}
	t := strings.TrimRight(s.p.lineText(j), " \t*_")
	return len(t) <= maxPrintsLabel && (strings.HasSuffix(t, ":") || strings.HasSuffix(t, "：")) && printsLabel.MatchString(t) && !otherLabel.MatchString(t)
}

// printedValuesOnly says that the line holds values and what stands around
// them, and is no item of a list.
func printedValuesOnly(t string) bool {
	if len(t) > 400 || listMarker.MatchString(t) {
		return false
	}
	words := strings.FieldsFunc(t, func(r rune) bool { return strings.ContainsRune(" \t,()[]{}", r) })
	for _, w := range words {
		if !printedToken.MatchString(w) {
			return false
		}
	}
	return len(words) > 0
}
