package triage

import (
	"strings"

	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// clause is a part of a sentence that says one thing: what somebody did, and
// how it went. "It works with a=0, but hangs with a=2" is two of them.
type clause struct {
	text string
	// at is the offset of text in Report.Text.
	at int
	// asked: the sentence is a question, so that nothing in it is claimed.
	asked bool
	// line of the script on or above which the words stand as a comment, 0 in prose.
	line int
}

func (c clause) span(start, end int) *report.Span {
	return &report.Span{Start: c.at + start, End: c.at + end}
}

// words are the clause in one line, as reasons show it.
func (c clause) words() string {
	return shorten(strings.Trim(strings.TrimSpace(c.text), "#-*,; "), 160)
}

// maxClauses bounds the work on one report; a report that says more than this
// is a log or a discussion. A guess.
const maxClauses = 2000

// turn is where a new clause begins. The words that open the new clause ("with",
// "without") stay with it.
var turn = lazyre.New(`(?i);|\s+[-–—]{1,3}\s+|,?\s+\b(?:but|while|whereas|however|although|though|yet|otherwise)\b|,\s+(?:and\s+)?(?:with|without|when|if|using|only|it)\b|\band (?:with|without|when|if|using)\b`)

// conditional opens a clause that needs its second half ("If I remove it, it
// works"): there the comma is no turn.
var conditional = lazyre.New(`(?i)^[\W]*(?:and |but |also |however |so |then |or )*(?:if|when|with|without|after|by|once|as soon as|using|setting|removing|for|in)\b[^,]*$`)

// clausesOf splits the prose and the comments of the script into clauses.
func clausesOf(rd *reading) []clause {
	var found []clause
	from := 0
	for i := 0; i < len(rd.prose) && len(found) < maxClauses; i++ {
		if i+1 == len(rd.prose) || breaksSentence(rd.prose, i) || opensBullet(rd.prose, i) {
			found = appendClauses(found, rd.prose[from:i+1], from, 0)
			from = i + 1
		}
	}
	return append(found, commentClauses(rd)...)
}

// opensBullet: the next line is an item of a list, which is a sentence of its own.
func opensBullet(prose string, i int) bool {
	if prose[i] != '\n' {
		return false
	}
	rest := strings.TrimLeft(prose[i+1:min(len(prose), i+8)], " \t")
	return len(rest) > 1 && (rest[0] == '-' || rest[0] == '*' || rest[0] == '+') && rest[1] == ' '
}

// opposes is a turn that is never the second half of a condition.
var opposes = lazyre.New(`(?i)\b(?:but|while|whereas|however|although|though|yet|otherwise)\b`)

func appendClauses(found []clause, sentence string, at, line int) []clause {
	if len(strings.TrimSpace(sentence)) < 4 {
		return found
	}
	asked := strings.HasSuffix(strings.TrimSpace(sentence), "?")
	from := 0
	for _, m := range turn.FindAllStringIndex(sentence, -1) {
		if strings.HasPrefix(sentence[m[0]:], ",") && !opposes.MatchString(sentence[m[0]:m[1]]) && conditional.MatchString(sentence[from:m[0]]) {
			continue
		}
		if strings.TrimSpace(sentence[from:m[0]]) == "" {
			continue
		}
		found = append(found, clause{text: sentence[from:m[0]], at: at + from, asked: asked, line: line})
		from = m[0]
	}
	return append(found, clause{text: sentence[from:], at: at + from, asked: asked, line: line})
}

// commentClauses are the comments of the script: the reporter's words as well,
// and the only ones that name a line by standing on it.
func commentClauses(rd *reading) []clause {
	var found []clause
	for _, c := range rd.script.file.Comments {
		at, ok := rd.placeOf(c.Text)
		if !ok || len(found) == maxClauses {
			continue
		}
		line := c.Line
		if !c.Trailing {
			line++ // a comment of its own speaks of what follows
		}
		found = appendClauses(found, c.Text, at, line)
	}
	return found
}

// placeOf is where a piece of the script stands in the report.
func (rd *reading) placeOf(text string) (int, bool) {
	for _, b := range rd.script.blocks {
		s := rd.r.Blocks[b].Span
		if !s.Within(rd.r.Text) {
			continue
		}
		if i := strings.Index(rd.r.Text[s.Start:s.End], text); i >= 0 {
			return s.Start + i, true
		}
	}
	return 0, false
}

var (
	// goodByNegation are failures that are denied.
	goodByNegation = lazyre.New(`(?i)\b(?:(?:does|do|did|is|are|was|were|will)(?:n't| not)|never|no longer|not) (?:\w+ ){0,2}?(?:happen\w*|occurs?|fail\w*|crash\w*|hang\w*|appear\w*|show up|reproduc\w+|leak\w*|raised?|affected|an issue|a problem|the case|break|diverge|trigger\w*|freeze\w*|stuck|differ|wrong|nan)\b|\b(?:no|without(?: an?y?)?) (?:\w+ )?(?:problems?|issues?|errors?|nans?|infs?|crash(?:es)?|hangs?|leaks?|warnings?|differences?|exceptions?|duplicates?|deadlocks?|segfaults?|failures?)\b`)
	// goneWord takes the failure that it speaks of with it.
	goneWord = lazyre.New(`(?i)(?:\b\w+ ){0,3}?\b(?:goes? away|is gone|are gone|disappear(?:s|ed)?|vanish(?:es|ed)?|(?:is|are|was|gets?) (?:fixed|solved|resolved|avoided))\b`)
	goodWord = lazyre.New(`(?i)\b(?:works?|worked|working|fine|ok|okay|correct(?:ly)?|succeeds?|passes|as expected|goes? away|gone|disappear(?:s|ed)?|vanish(?:es|ed)?|(?:gives?|returns?|produces?|prints?|gets?|got) (?:me )?the (?:right|expected|same)|(?:fix(?:es|ed)?|solve[sd]?|resolve[sd]?|avoid(?:s|ed)?|cure[sd]?) (?:it|this|that|the \w+)|work-?arounds?|deterministic|reproducible|finite|stable|fast)\b`)
	// denied stands before a good word and turns it round or makes it a wish.
	denied    = lazyre.New(`(?i)\b(?:not|n't|never|no|no longer|nor|neither|cannot|hardly|stops?|stopped|isn't|used to|nothing)(?: \w+){0,2}\s*$|n't(?: \w+){0,2}\s*$`)
	wished    = lazyre.New(`(?i)\b(?:should|would|could|might|may|must|expect\w*|supposed|ought|want\w*|hope\w*|wish|try|trying|tried|make sure|need(?:s|ed)?|to be)(?: \w+){0,4}\s*$`)
	sameAgain = lazyre.New(`(?i)^\s+(?:just |exactly |about )?(?:the same|as (?:bad|slow)|neither|either|similarly)`)
	denying   = lazyre.New(`(?i)\b(?:not|never|no longer)\b|n't\b`)
	wishing   = lazyre.New(`(?i)\b(?:should|would|could|might|must|until)\b`)
	badWord   = lazyre.New(`(?i)\b(?:bug|problem|issue|fails?|failed|failing|failure|crash\w*|\w*errors?|\w*exceptions?|raises?|wrong|incorrect\w*|broken|breaks?|nans?|infs?|segfault\w*|hangs?|hung|stuck|freez\w+|leaks?|slow\w*|differs?|different|unexpected\w*|diverg\w+|duplicates?|mismatch\w*|garbage|deadlocks?|non-?deterministic|zeros?|happens|occurs|explodes?|blows? up|smaller|negative)\b`)
)

// outcome says how it went, in the words of one clause. Both are false when it
// says nothing of it, and both true when it cannot be told apart.
func outcome(text string) (good, bad bool) {
	rest := []byte(text)
	for _, m := range goodByNegation.FindAllStringIndex(text, -1) {
		if !wished.MatchString(text[:m[0]]) {
			good = true
		}
		blank(rest, m[0], m[1])
	}
	for _, m := range goneWord.FindAllIndex(rest, -1) {
		if said := string(rest[m[0]:m[1]]); !denying.MatchString(said) && !wishing.MatchString(said) {
			good = true
			blank(rest, m[0], m[1])
		}
	}
	for _, m := range goodWord.FindAllIndex(rest, -1) {
		before := string(rest[:m[0]])
		switch {
		case sameAgain.Match(rest[m[1]:]):
			// "works the same": no better
		case denied.MatchString(before):
			bad = true
		case !wished.MatchString(before):
			good = true
		}
		blank(rest, m[0], m[1])
	}
	return good, bad || badWord.Match(rest)
}
