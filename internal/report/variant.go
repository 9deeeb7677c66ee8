package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// changedFirst: the sentence begins with a change to the script ("Writing
// `k / 2.0` gives"), so that what it tells is of another script.
var changedFirst = lazyre.New("(?i)^\\W*(?:(?:but|and|while|whereas|however|note that|simply|just|instead|also),? )*(?:writing|replacing|changing|switching|casting|converting|wrapping|rewriting|substituting|spelling|moving|removing|dropping|disabling)\\b")

// ofVariant: the words before a value speak of a changed script, and what they
// quote stands in no code of the report.
func (p *parser) ofVariant(before string) bool {
	if !changedFirst.MatchString(before) {
		return false
	}
	quoted := inlineCode.FindAllStringSubmatch(before, 8)
	for _, m := range quoted {
		if p.inCode(m[1]) {
			return false
		}
	}
	return len(quoted) > 0
}

// inCode: the words stand in a block of code, but for their blanks.
func (p *parser) inCode(words string) bool {
	words = strings.Join(strings.Fields(words), "")
	for i := range p.r.Blocks {
		if k := p.r.Blocks[i].Kind; (k == BlockPython || k == BlockREPL) && strings.Contains(strings.Join(strings.Fields(p.r.Blocks[i].Text), ""), words) {
			return true
		}
	}
	return false
}
