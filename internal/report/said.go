package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// Forms fence whatever is written into a field (TensorFlow's as shell), so that
// what reads like output there may be the reporter's own sentence.
var (
	// formFiller is what such forms hold before anybody writes.
	formFiller = lazyre.New(`(?i)^a bug happened!?$`)
	// sentenceShape: words from a capital to a full stop, and nothing that a
	// program would print between them.
	sentenceShape = lazyre.New(`^[A-Z][A-Za-z'\x{2019},\x60().\- ]+[.!?:]?$`)
	// complaint are the words of somebody who tells what happened.
	complaint = lazyre.New(`(?i)\b(?:i|we|my|our|it|this|that|the)\b.*\b(?:should|expect\w*|crash\w*|fails?|wrong|bug|returns?|outputs?|prints?|gives?|works?|does|doesn|is|are|happens?|when|but)\b`)
)

// wordsMin: a shorter line is as likely a program's (a guess).
const wordsMin = 5

// saidInWords says that a line of a fenced field is the reporter's own: the
// form's formFiller, the title once more, or a sentence that tells.
func (p *parser) saidInWords(line string) bool {
	switch {
	case formFiller.MatchString(line), strings.EqualFold(line, strings.TrimSpace(p.r.Title)):
		return true
	case len(strings.Fields(line)) < wordsMin || !sentenceShape.MatchString(line):
		return false
	}
	return complaint.MatchString(line)
}
