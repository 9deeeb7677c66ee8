package report

import (
	"bytes"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// sent is one sentence of prose, list item or title.
type sent struct {
	start, end int
	item       bool // stands in a list item
	title      bool
	// afterBlock is the block that the sentence's paragraph follows directly
	// and begins, -1 when it does not.
	afterBlock int
}

var abbreviation = lazyre.New(`(?i)(?:^|[\s(])(?:e\.g|i\.e|vs|cf|etc|approx|resp|incl|ver|no|fig)\.$`)

// sentences cuts the prose once, in order. A sentence ends at a full stop, a
// blank line, a list marker, a heading, or a block.
func (p *parser) sentences() []sent {
	if p.sents != nil {
		return p.sents
	}
	p.sents = []sent{}
	var open *sent
	flush := func(end int) {
		if open != nil {
			open.end = end
			p.split(*open)
			open = nil
		}
	}
	after := -1
	for i, l := range p.lines {
		t := p.plain[l.start:l.end]
		if p.inBlock[i] >= 0 {
			flush(l.start)
			after = p.inBlock[i]
			continue
		}
		item := p.isItem(l)
		blank := strings.TrimSpace(t) == ""
		if blank || item || isVersionLabel(t) || l.start == p.r.TitleSpan.Start {
			flush(l.start)
		}
		if blank {
			if strings.TrimSpace(p.lineText(i)) != "" && p.isHead(i) {
				after = -1
			}
			continue
		}
		if open == nil {
			open = &sent{start: l.start, item: item, title: l.start <= p.r.TitleSpan.Start && p.r.TitleSpan.Start < l.end, afterBlock: after}
			after = -1
		}
		if open.title {
			flush(l.end)
		}
	}
	flush(len(p.text))
	return p.sents
}

// versionLabel is a line that says what one version gives: "1.4.4: [1.5, 1.5]".
var versionLabel = lazyre.New(`^\s*(?:[A-Za-z][\w.-]* )?v?\d+\.\d+(?:\.\d+)*\S{0,12}\s*:\s+\S`)

// isVersionLabel asks the pattern only where it may match.
func isVersionLabel(t string) bool {
	t = t[:min(len(t), 120)]
	return strings.Contains(t, ":") && strings.Contains(t, ".") && versionLabel.MatchString(t)
}

// isItem says whether the line begins an item of a list.
func (p *parser) isItem(l line) bool {
	switch c := firstByte(string(p.prose[l.start:min(l.end, l.start+64)])); {
	case c == '-', c == '*', c == '+', c >= '0' && c <= '9':
		return listMarker.Match(p.prose[l.start:l.end])
	}
	return false
}

// maxList is how long a bracketed list in prose may be to be kept whole, in
// bytes (a guess).
const maxList = 240

// insideList is true when the text before a full stop opens a list of numbers
// and does not close it.
func insideList(before string) bool {
	k := strings.LastIndexByte(before, '[')
	return k >= 0 && strings.Trim(before[k:], "[]()0123456789., +-eEnaif\n") == ""
}

// codeSpans are the inline codes of a paragraph, in the text.
func (p *parser) codeSpans(s sent) []Span {
	var out []Span
	raw := p.prose[s.start:s.end]
	for at := 0; len(out) < 512; {
		a := bytes.IndexByte(raw[at:], '`')
		if a < 0 {
			break
		}
		b := bytes.IndexByte(raw[at+a+1:], '`')
		if b < 0 {
			break
		}
		out = append(out, Span{s.start + at + a, s.start + at + a + 1 + b})
		at += a + b + 2
	}
	return out
}

// inCode says whether the position lies inside inline code.
func inCode(code []Span, pos int) bool {
	i := sort.Search(len(code), func(i int) bool { return code[i].End > pos })
	return i < len(code) && code[i].Start < pos
}

// split cuts one paragraph at its full stops.
func (p *parser) split(s sent) {
	from := s.start
	code := p.codeSpans(s)
	for _, m := range sentenceEnd.FindAllStringIndex(p.plain[s.start:s.end], -1) {
		end := s.start + m[1]
		if head := p.plain[max(from, s.start+m[0]-8) : s.start+m[0]+1]; abbreviation.MatchString(head) {
			continue
		}
		if inCode(code, s.start+m[0]) || insideList(p.plain[max(from, s.start+m[0]-maxList):s.start+m[0]]) {
			continue // "[1. 0. 1.]" is one value
		}
		p.addSentence(sent{from, end, s.item, s.title, s.afterBlock})
		from, s.afterBlock = end, -1
		s.title = s.title && end < p.r.TitleSpan.End
	}
	if strings.TrimSpace(p.plain[from:s.end]) != "" {
		p.addSentence(sent{from, s.end, s.item, s.title, s.afterBlock})
	}
}

// addSentence keeps the beginning of an endless one: nobody writes those, and
// each of some forty patterns would go through all of it.
func (p *parser) addSentence(s sent) {
	for s.end-s.start > maxSentence {
		s.end = s.start + maxSentence
		for s.end > s.start && !utf8.RuneStart(p.plain[s.end]) {
			s.end--
		}
	}
	p.sents = append(p.sents, s)
}

// The words by which reporters say that something is fine or is not. Negated
// ones are looked for first. Collected from reports, so surely incomplete.
var (
	negatedBad  = lazyre.New(`(?i)\b(?:no|not|never|without|nothing|none|\w+n['\x{2019}]t)\s+(?:\w+\s+){0,2}?(?:errors?|fail\w*|crash\w*|problems?|issues?|warnings?|bugs?|nans?|wrong|broken|break|raise|happen\w*|occur\w*|affected|reproduc\w*|present|appear|hang|leak\w*)\b|没有?(?:任何)?问题|没问题|不会?(?:报错|出错|崩溃)|没有(?:报错|错误)|未(?:报错|出现)`)
	negatedGood = lazyre.New(`(?i)\b(?:no longer|not|never|stopped|stops|cannot|can't|\w+n't|\w+n\x{2019}t|fails to|failed to|not any more)\s+(?:\w+\s+){0,2}?(?:work\w*|fine|ok|correct\w*|pass\w*|help\w*|fix\w*|solve\w*|succeed\w*|right|the same|good)\b|不(?:正确|正常|对|工作|起作用|能(?:运行|用))|无法`)
	goodWords   = lazyre.New(`(?i)\b(?:(?:the |this |that )?(?:errors?|problems?|issues?|bugs?|warnings?|symptoms?|crash(?:es)?|nans?)(?: also)? (?:goes|go|went) away|(?:errors?|problems?|issues?|bugs?|warnings?) (?:disappears?|disappeared|(?:is|are|was) gone|vanish\w*)|fine|works?|worked|working|ok|okay|correct(?:ly)?|good|as before|pass(?:es|ed)|as expected|expected (?:results?|outputs?|values?|outcomes?|behaviou?r|numbers?|answers?)|helps|helped|fix(?:es|ed)|solve[sd]|resolve[sd]|goes away|went away|disappears|is gone|unaffected|(?:was|is|were) the same|succeed(?:s|ed)|right|all good|happy|(?:was|were|is|are) (?:still )?(?:accepted|supported|allowed|possible))\b|正常|正确|可以(?:运行|工作|用)|解决`)
	badWords    = lazyre.New(`(?i)\b(?:fail(?:s|ed|ing|ure)?|broken|breaks?|broke|wrong(?:ly)?|crash\w*|errors?|nans?|bad|bugs?|buggy|regress\w*|problems?|issues?|(?:i|you|we) (?:get|see|got|am seeing|now get)|raises?|raised|throws?|incorrect\w*|hangs?|segfault\w*|abort\w*|differs?|different|slow\w*|nonsense|garbage|twice|silently|affected|stuck|lost|loses|leaks?|happens|occurs|appears|started|introduced|not any ?more|red|still|missing|reproduc(?:ed|es|ible)|wrong)\b|错误|报错|出错|失败|崩溃|异常|有问题|开始出|卡住`)
	boundary    = lazyre.New(`(?i)[,;:]\s|\s(?:but|while|whereas|and|though|although|then|however|yet)\s|\s[-\x{2013}\x{2014}]+\s`)
)

// ownClause is what opens a clause about another version.
var ownClause = lazyre.New(`(?i)(?:[,;:]|\s(?:but|while|whereas|and|though|although))\s+(?:(?:with|in|on|under|using|for)\s+)?(?:(?:the\s+)?(?:versions?|releases?)\s+)?(?:[A-Za-z][\w.-]*\s+)?v?$`)

type mood struct {
	start, end int
	good       bool
}

// moods finds the words of a sentence that say good or bad, with positions.
func moods(s string) []mood {
	if !moodGate.open(lowered(s)) {
		return nil
	}
	var out []mood
	taken := func(a, b int) bool {
		for _, m := range out {
			if a < m.end && b > m.start {
				return true
			}
		}
		return false
	}
	for _, step := range []struct {
		re   *lazyre.Regexp
		good bool
	}{{negatedGood, false}, {negatedBad, true}, {goodWords, true}, {badWords, false}} {
		for _, m := range step.re.FindAllStringIndex(s, 32) {
			if wasRaised(s, m) || step.good && onceFine.MatchString(s[m[1]:min(len(s), m[1]+80)]) {
				continue // told of the past, no judgement
			}
			if !taken(m[0], m[1]) {
				out = append(out, mood{m[0], m[1], step.good})
			}
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].start < out[j].start })
	return out
}

// onceFine: "worked fine before (see below)" praises no version that is named.
var onceFine = lazyre.New(`(?i)^(?:\s+(?:fine|well|correctly|perfectly|just|ok|okay|as expected))*\s+(?:before|previously|formerly|in the past|until now)\s*(?:[.,;:)(!]|$)`)

// wasRaised is "a warning was raised": where one is missed, that is how it
// should be.
func wasRaised(s string, m []int) bool {
	word := strings.ToLower(s[m[0]:m[1]])
	before := strings.ToLower(s[max(0, m[0]-8):m[0]])
	return word == "raised" && (strings.HasSuffix(before, "was ") || strings.HasSuffix(before, "were "))
}

// Costs of what lies between a version and a word that judges it, in
// characters of distance; tried on the reports in testdata, otherwise guesses.
const (
	costBoundary = 40
	costVersion  = 60
	maxMood      = 130
)

// moodAt is the judging word nearest to the range [start, end) of a sentence,
// where a clause boundary or another version in between counts extra.
func moodAt(s string, all []mood, versions [][2]int, start, end int) (good, ok bool) {
	best := maxMood + 1
	for _, m := range all {
		from, to := end, m.start
		if m.end <= start {
			from, to = m.end, start
		}
		if to < from || to-from > maxMood {
			continue
		}
		cost := to - from + costBoundary*len(boundary.FindAllStringIndex(s[from:to], 8))
		for _, v := range versions {
			if v[0] >= from && v[1] <= to {
				cost += costVersion
				if m.start >= end && ownClause.MatchString(s[from:v[0]]) {
					cost += maxMood // "with 2.2, on 2.1 it was fine": said of the other one
				}
			}
		}
		// What is said after the version is said of it rather than what was before.
		if m.end <= start {
			cost++
		}
		if cost < best {
			best, good, ok = cost, m.good, true
		}
	}
	return good, ok
}
