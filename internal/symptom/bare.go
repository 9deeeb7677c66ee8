package symptom

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	bareExc = lazyre.New(`^\s*((?:[A-Za-z_]\w*\.)*_?[A-Z]\w*): (\S.*)$`)
	// inlineExc stands in backticks inside prose.
	inlineExc = lazyre.New("`((?:[A-Za-z_]\\w*\\.)*_?[A-Z]\\w*(?:Error|Exception|Interrupt|Exit|Iteration)): ([^`]+)`")
	// quotedExc stands in double quotes there.
	quotedExc = lazyre.New(`["\x{201c}]((?:[A-Za-z_]\w*\.)*_?[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Iteration)): ([^"\x{201c}\x{201d}]+)["\x{201d}]`)
	// proseExc follows the word that says it came.
	proseExc = lazyre.New(`(?i:\b(?:raises?|raised|fails? with|failed with|throws?|threw|gives?|gave|get|got|dies with|crash(?:es|ed)? with|ends? in|error is|error:)\s+(?:an? |the |this |following )?(?:error )?)((?:[A-Za-z_]\w*\.)*_?[A-Z]\w*(?:Error|Exception)): (.+)$`)

	// inlineWarn and quotedWarn are warnings in backticks or quotation marks, warned
	// the words before them that say that they came.
	inlineWarn = lazyre.New("`((?:[A-Za-z_]\\w*\\.)*_?[A-Z]\\w*Warning): ([^`]+)`")
	quotedWarn = lazyre.New(`["\x{201c}]((?:[A-Za-z_]\w*\.)*_?[A-Z]\w*Warning): ([^"\x{201c}\x{201d}]+)["\x{201d}]`)
	warned     = lazyre.New(`(?i)\b(?:issu(?:es|ed|ing)|emit\w*|rais\w+|shows?|prints?|gives?|gave|get|got|see|warns?|throws?|displays?|spams?|causes?|produces?|triggers?|following|warnings?)\b`)
	// detailsBelow is what libraries print below an exception's own message: where it
	// follows, the line above was printed and not wished for.
	detailsBelow = lazyre.New(`^\s*(?:Apply node that caused the error|Toposort index:|Stack trace(?: returned \d+ entries)?:|HINT: |\[\[?(?:\{\{)?node |Call arguments received|\[bt\] \(\d+\))`)

	happened = lazyre.New(`(?i)\b(?:rais|fail|error|crash|throw|threw|exception|traceback|die[sd]?\b|dying|giv|gave|get|got|ends?\b|broke|stderr|output|log)`)
	wished   = lazyre.New(`(?i)\b(?:expect|should|would like|want|ought|desired|instead of|rather than|suggest|proper)`)
)

// builtinExceptions are the classes that may stand without a telling suffix.
var builtinExceptions = map[string]bool{
	"KeyboardInterrupt": true, "StopIteration": true, "StopAsyncIteration": true,
	"SystemExit": true, "GeneratorExit": true, "Exception": true, "BaseException": true,
	"ExceptionGroup": true, "BaseExceptionGroup": true,
}

// maxProse is the longest line in which prose about an exception is read; a
// paragraph on one line is rarely longer (guess).
const maxProse = 2000

// maxBareTries bounds how many lines are weighed like that: each costs a look
// at its neighbours, and no report pastes so many last lines.
const maxBareTries = 1000

// bare reads an exception of which only the last line was pasted. Such a line
// may as well be what somebody wishes for, so something around it must say
// that it came: a quoted source line, words, or the block it closes.
func (s *scanner) bare(i int) (int, bool) {
	t := s.text(i)
	if s.bareTries++; s.bareTries > maxBareTries {
		return i, false
	}
	if m := bareExc.FindStringSubmatch(t); m != nil && (strings.HasSuffix(m[1], "Error") || strings.HasSuffix(m[1], "Exception") || builtinExceptions[m[1]]) {
		if s.came(i) {
			return s.addBare(i, m[1], m[2]), true
		}
		return i, false
	}
	if len(t) > maxProse {
		return i, false
	}
	for _, re := range []*lazyre.Regexp{inlineWarn, quotedWarn} {
		m := re.FindStringSubmatchIndex(t)
		if m == nil || wished.MatchString(t[:m[2]]) || !warned.MatchString(t[:m[0]]) {
			continue
		}
		sym := Symptom{Kind: Warning, Exception: t[m[2]:m[3]], Message: strings.TrimSpace(t[m[4]:m[5]])}
		s.span(&sym, i, i+1)
		s.add(settle(sym))
		return i + 1, true
	}
	for _, re := range []*lazyre.Regexp{inlineExc, quotedExc, proseExc} {
		m := re.FindStringSubmatchIndex(t)
		if m == nil || wished.MatchString(t[:m[2]]) || re != proseExc && !s.saidToHappen(i, t[:m[0]]) && !s.standsAlone(i, t, m) {
			continue
		}
		msg := strings.TrimRight(t[m[4]:m[5]], "`*_ ")
		sym := Symptom{Kind: Exception, Exception: t[m[2]:m[3]], Message: msg}
		s.span(&sym, i, i+1)
		s.add(settle(sym))
		return i + 1, true
	}
	return i, false
}

func (s *scanner) addBare(i int, class, first string) int {
	sym, next := s.message(Symptom{Kind: Exception, Exception: class, Truncated: true}, first, i+1)
	start := i
	// quoted source above: "--> 302 max_len = ..."
	for j := i - 1; j >= 0 && j >= i-8; j-- {
		if m := ipyArrow.FindStringSubmatch(s.text(j)); m != nil {
			arrow(&sym, m)
			start = j
			break
		}
	}
	s.span(&sym, start, next)
	s.add(settle(sym))
	return next
}

// came says whether what stands around line i tells that the failure happened.
func (s *scanner) came(i int) bool {
	if detailsBelow.MatchString(s.text(i+1)) || detailsBelow.MatchString(s.text(i+2)) {
		return true
	}
	words := ""
	for j := i - 1; j >= 0 && j >= i-4; j-- {
		t := s.text(j)
		if ipyArrow.MatchString(t) || carets.MatchString(t) && !blank(t) || dots.MatchString(t) || fileLine.MatchString(t) {
			return true
		}
		// The source line of a frame that was not pasted.
		if j == i-1 && indent(t) >= 4 && indent(s.text(i)) == 0 {
			return true
		}
		words = t + "\n" + words
	}
	if wished.MatchString(words) && !happened.MatchString(words) {
		return false
	}
	return happened.MatchString(words) || s.closesBlock(i)
}

// closesBlock: the line stands alone in its text or block, as a pasted last
// line does; prose around it would go on.
func (s *scanner) closesBlock(i int) bool {
	before, after := strings.TrimSpace(s.text(i-1)), strings.TrimSpace(s.text(i+1))
	edge := func(t string) bool { return t == "" || strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~") }
	return edge(after) && (edge(before) || indent(s.text(i)) >= 4)
}

// maxAbove is how many lines above a quotation are searched for the one that
// introduces it: a heading and the blank line below it.
const maxAbove = 3

// standsAlone: the quotation is a paragraph of its own, as of somebody who pastes
// the last line of what he got; not below words that wish for it.
func (s *scanner) standsAlone(i int, t string, m []int) bool {
	if strings.TrimSpace(t) != t[m[0]:m[1]] || !blank(s.text(i+1)) {
		return false
	}
	for j := i - 1; j >= max(0, i-maxAbove); j-- {
		if above := s.text(j); !blank(above) {
			return !wished.MatchString(above)
		}
	}
	return true
}

func (s *scanner) saidToHappen(i int, before string) bool {
	return happened.MatchString(before) || happened.MatchString(s.text(i-1))
}
