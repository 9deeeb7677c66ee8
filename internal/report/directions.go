package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// Claims about a series of printed numbers: "the error gets smaller with more
// bins although it should increase", "accuracy must not fall".
const (
	falls = `(?:(?:gets?|becomes?|is getting|are getting|turns?) (?:smaller|lower)|drops?|decreas(?:e|es|ing)|falls?|shrinks?|declin(?:e|es|ing)|go(?:es|ing)? down)`
	rises = `(?:(?:gets?|becomes?|is getting|are getting|turns?) (?:larger|bigger|higher|greater)|increas(?:e|es|ing)|grows?|rises?|go(?:es|ing)? up)`
	// along is the quantity that a series runs over; without one "drops" may be
	// said of anything.
	along = `\s+(?:\w+ ){0,2}?(?:(?:with|over|for|per|after|in)\s+(?:(?:the |an |a )?(?:increasing|growing|larger|higher|bigger|additional|number of|more)|every|each|all|more|n\b|k\b|epochs?\b|steps?\b)|(?:as|when|while|if)\s+(?:\S+\s+){1,5}?(?:grows?|increases?|goes up|gets|rises?|is (?:larger|bigger|higher|increased|raised)|are added))`
	must  = `\b(?:must|should|shall|may|can|could|has to|have to|ought to|needs? to|expect(?:ed)?(?: it| them| this)? to|supposed to)`
	nots  = `(?:n?['\x{2019}]t| ?not| never)`
	// less and greater name a comparison with another entry, never with a number
	// ("not be lower than 0.1" is a bound).
	less    = `be(?:come)? (?:below|lower|smaller|less)(?: than| for| with| as| when)? (?:a |an |the |its |for |any )?[a-z]\w*`
	greater = `be(?:come)? (?:above|higher|larger|bigger|greater)(?: than| for| with| as| when)? (?:a |an |the |its |for |any )?[a-z]\w*`
)

var (
	// somebody is the subject of advice ("you should increase the batch size").
	somebody = lazyre.New(`(?i)\b(?:you|we|i|one|they|users?|people|developers?)\s*$`)
	// something is an object: the verb is transitive, and no series is meant.
	something = lazyre.New(`(?i)^\s+(?:the|your|its|my|our|their|this|that|an?|performance|speed|memory)\b`)
	// bound: "must not fall below 0" is one, not a direction.
	bound = lazyre.New(`(?i)^\s+(?:(?:below|under|above|over|to|than)\s+)?[-+]?\d`)
	// measured elsewhere: memory and time are no printed numbers.
	noSeries = lazyre.New(`(?i)\b(?:memory|ram|rss|vram|run ?times?|latency|throughput|speed|time|usage|slower|faster)\b`)

	// movesWanted are what should hold; each is read on the expected side.
	movesWanted = []struct {
		name string
		re   *lazyre.Regexp
	}{
		{"not_falling", lazyre.New(`(?i)` + must + nots + `\s+(?:\w+ ){0,1}?(?:` + falls + `|` + less + `)`)},
		{"not_falling", lazyre.New(`(?i)` + must + `\s+(?:only |always |monotonically |strictly |steadily |then |also )*(?:` + rises + `|be (?:monotonically |strictly )?(?:increasing|non-?decreasing|growing))`)},
		{"not_rising", lazyre.New(`(?i)` + must + nots + `\s+(?:\w+ ){0,1}?(?:` + rises + `|` + greater + `)`)},
		{"not_rising", lazyre.New(`(?i)` + must + `\s+(?:only |always |monotonically |strictly |steadily |then |also )*(?:` + falls + `|be (?:monotonically |strictly )?(?:decreasing|non-?increasing|shrinking))`)},
	}
	// movesCame are what the reporter sees.
	movesCame = []struct {
		name, complaint string
		re              *lazyre.Regexp
	}{
		{"falling", "not_falling", lazyre.New(`(?i)\b` + falls + along)},
		{"rising", "not_rising", lazyre.New(`(?i)\b` + rises + along)},
	}
)

// directionStatements reads them. A title complains by its nature, so that what
// it says comes is what should not; in prose the same words only tell.
func (p *parser) directionStatements(s sent) {
	t := p.plain[s.start:s.end]
	if !seriesGate.open(p.lower[s.start:s.end]) {
		return
	}
	for _, w := range movesWanted {
		m := w.re.FindStringIndex(t)
		if m == nil || somebody.MatchString(t[:m[0]]) || something.MatchString(t[m[1]:]) || bound.MatchString(t[m[1]:]) || noSeries.MatchString(t) {
			continue
		}
		p.direction(s, m, RoleExpected, w.name)
	}
	for _, c := range movesCame {
		m := c.re.FindStringIndex(t)
		if m == nil || noSeries.MatchString(t) || strings.HasSuffix(strings.ToLower(strings.TrimSpace(t[:m[0]])), "not") || wishedFor(t[max(0, m[0]-maxCue):m[0]]) {
			continue
		}
		if s.title && !anyGood(moods(t)) {
			p.direction(s, m, RoleExpected, c.complaint)
		} else {
			p.direction(s, m, RoleActual, c.name)
		}
	}
}

// wishedFor says whether the words before a verb ask for what it says, and not
// the other way round ("should fall, but it grows").
func wishedFor(before string) bool {
	w := lastSpan(wantedCue, before)
	return w[0] >= 0 && !nowCue.MatchString(before[w[0]:])
}

// direction records one claim; its text is the words that make it.
func (p *parser) direction(s sent, m []int, role Role, relation string) {
	span := trimmed(p.text, Span{s.start + m[0], s.start + m[1]})
	where := "prose"
	if s.title {
		where = "heading"
	}
	p.addStatement(Statement{Role: role, Kind: SaysRelation, Relation: relation, Text: p.text[span.Start:span.End], Span: span, Where: where, Block: -1})
}
