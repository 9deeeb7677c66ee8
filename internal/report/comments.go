package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// What comments say of the line that they stand on. Collected from reports,
// the Chinese and Japanese words among them; surely incomplete.
var (
	commentCame = lazyre.New(`(?i)^(?:(?:but |and )?(?:this |it |here |i |we )?(?:prints?|outputs?|returns?|gives?|got|shows?|evaluates? to|becomes|yields|is|->|=>|actual(?:ly)?(?: output| result| value)?:?|result:?|output:?)|实际(?:输出|结果|值)?[是为]?|输出[是为了]?|打印|返回|得到|结果[是为]?|実際|出力)\s*(?:[:=]|：)?\s*(.+)$`)
	// wanted are the words before what should have come.
	wanted        = `(?:\b(?:should (?:be|print|give|return|output|show|have been)|ought to be|must be|expect(?:ed|s|ing)?(?: (?:output|result|value))?:?(?: to be)?|but (?:should|expected)(?: be)?|instead of|correct(?: (?:output|result|value|answer))?(?: is)?:)|应该?[是为]|应当[是为]?|应输出|期望(?:输出|结果|值)?[是为]?|预期(?:输出|结果|值)?[是为]?|期待値|而不是|ожида(?:ется|лось|ем))`
	commentWanted = lazyre.New(`(?i)` + wanted + `\s*(?:[:=]|：)?\s*(.+)$`)
	cutComment    = lazyre.New(`(?i)\s*(?:,|;|\(|，|（|\bbut\b|--?)?\s*(?:\bbut\s+)?` + wanted + `.*$`)
	// bothSides is "expected 3, got 4".
	bothSides = lazyre.New(`(?i)^` + wanted + `\s*(?:[:=]|：)?\s*(.+?)\s*[,;(，；（]\s*(?:(?:but|and) +)?(?:(?:i|we|it) +)?(?:got|gets?|gives?|gave|was|is|prints?|actual(?:ly)?(?: is)?|实际(?:输出|结果|值)?[是为]?|输出[是为]?|得到)\s*(?:[:=]|：)?\s*(.+?)$`)
	// cameNotWanted is "prints 3 and not 4 as expected".
	cameNotWanted = lazyre.New(`(?i)^(?:(?:but |and )?(?:this |it |here )?(?:prints?|printed|outputs?|returns?|returned|gives?|gave|got|shows?|is|yields?|evaluates to))\s*:?\s+(.+?)\s*,?\s+(?:(?:and|but) )?(?:not|rather than)\s+(.+?)(?:\s*,?\s+(?:as|like) (?:it should(?: be)?|documented|desired|wanted|(?:i |we |one would |would be )?expect(?:ed)?))?\s*[.!]?$`)
	// wantedAfter is "# True expected" and "# True, expected"; cameAfter is
	// "# True, wrong". With a comma or in brackets only, for "3 is wrong" is a
	// sentence about 3.
	wantedAfter   = lazyre.New(`(?i)^(\S(?:.{0,60}?\S)?)(?:\s*[,;(]\s*|\s+-+>?\s+|\s+)(?:is |was |were |would be |here )?(?:expected|wanted|desired)\s*[.!)]?$`)
	cameAfter     = lazyre.New(`(?i)^(\S(?:.{0,60}?\S)?)(?:\s*[,;(]\s*|\s+-+>?\s+)(?:which is |this is |is )?(?:incorrect|wrong|actual|unexpected|a bug|bug|bad|not expected)\s*[.!)]*$`)
	commentRaises = lazyre.New(`(?i)^(?:this |it |here )?(?:(?:raises?|throws?|fails?|crash(?:es)?|errors?|dies|segfaults?|boom|aborts?)\b(?: (?:here|with))?(?:\s+an?)?\s*:?\s*((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception))?|((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception))\b|ERROR\b|(?:这里)?(?:会)?报错|出错)`)
	negation      = lazyre.New(`(?i)\b(?:no|not|never|doesn['\x{2019}]t|does not|without|should)\b|不`)
	// commentMark is what stands before the words: an arrow, a cry.
	commentMark = lazyre.New(`^(?:<[-=]+|[-=]+>|>>>|\x{2190}|\x{2192}|\^+|!+|(?:BUG|WRONG|INCORRECT|FIXME|XXX|NOTE|(?i:incorrect(?:ly)?|wrong))\b\s*[:!,-]+)\s*`)
	// about is what makes a value an approximate one.
	about = lazyre.New(`(?i)^(?:about|around|approximately|approx\.?|roughly|close to|~|\x{2248}|exactly|the value)\s*`)
)

// comment is one # comment in a block's code.
type comment struct {
	line       int // 0-based, in the block
	start, end int // in the report's text, without the hash sign
	trailing   bool
}

// commentsOf finds the comments of a block line by line. It knows strings, also
// those over several lines, and no more: the syntax tree is asked elsewhere.
func (p *parser) commentsOf(b *blk) []comment {
	var out []comment
	quote := ""
	for k, l := range b.lines {
		t := p.text[l.start:l.end]
		for i := 0; i < len(t); i++ {
			switch {
			case quote != "":
				if t[i] == '\\' {
					i++
				} else if strings.HasPrefix(t[i:], quote) {
					i += len(quote) - 1
					quote = ""
				}
			case strings.HasPrefix(t[i:], `"""`), strings.HasPrefix(t[i:], `'''`):
				quote = t[i : i+3]
				i += 2
			case t[i] == '"' || t[i] == '\'':
				quote = t[i : i+1]
			case t[i] == '#':
				if len(t)-i <= maxSentence { // nobody writes longer ones by hand
					out = append(out, comment{k, l.start + i + 1, l.end, strings.TrimSpace(t[:i]) != ""})
				}
				i = len(t)
			case arrowBehind(t, i):
				out = append(out, comment{k, l.start + i, l.end, true})
				i = len(t)
			}
		}
		if len(quote) == 1 {
			quote = "" // an open plain string ends with its line
		}
	}
	return out
}

// commentStatements reads what comments say of the line that they stand on,
// and the output that some people paste as comments below it.
func (p *parser) commentStatements(i int) {
	all := p.commentsOf(&p.blks[i])
	all = all[:min(len(all), maxLines)]
	p.pastedStrings(i, all)
	taken, sided := p.pastedComments(i, all), p.resultsByVersion(i, all)
	for n, c := range all {
		if !taken[n] && !sided[n] {
			p.commentStatement(i, c, trimmed(p.text, Span{c.start, c.end}))
		}
	}
}

// commentStatement reads one comment: marks off, then both sides at once, then
// each side alone, then a failure, at last a bare value.
func (p *parser) commentStatement(i int, c comment, s Span) {
	for range 2 {
		mark := commentMark.FindString(p.text[s.Start:s.End])
		if m := strings.TrimSpace(mark); (m == "->" || m == "=>") && !commentRaises.MatchString(p.text[s.Start+len(mark):s.End]) {
			break // what comes behind such an arrow came
		}
		s.Start += len(mark)
	}
	text := p.text[s.Start:s.End]
	if text == "" {
		return
	}
	at := 0
	add := func(role Role, kind StatementKind, from, to int) {
		p.addComment(i, c, Statement{Role: role, Kind: kind, Text: text[from:to], Span: Span{s.Start + from, s.Start + to}, Line: at, Approximate: approxLead.MatchString(text)})
	}
	if m := wantedAfter.FindStringSubmatchIndex(text); m != nil && (valueText.MatchString(text[m[2]:m[3]]) || exceptionName.MatchString(text[m[2]:m[3]])) {
		if kind, ok := kindOfInline(text[m[2]:m[3]], false); ok {
			add(RoleExpected, kind, m[2], m[3])
			return
		}
	}
	if m := cameAfter.FindStringSubmatchIndex(text); m != nil && valueText.MatchString(text[m[2]:m[3]]) {
		if kind, ok := kindOfInline(text[m[2]:m[3]], false); ok {
			add(RoleActual, kind, m[2], m[3])
			return
		}
	}
	if m := cameNotWanted.FindStringSubmatchIndex(text); m != nil {
		cf, ct := quotedPart(text, m[2], m[3])
		ef, et := quotedPart(text, m[4], m[5])
		if valueText.MatchString(text[cf:ct]) && valueText.MatchString(text[ef:et]) {
			at = p.printedAbove(i, c)
			add(RoleActual, SaysValue, cf, ct)
			add(RoleExpected, SaysValue, ef, et)
			return
		}
	}
	if m := bothSides.FindStringSubmatchIndex(text); m != nil {
		ef, et := quotedPart(text, m[2], m[3])
		cf, ct := quotedPart(text, m[4], m[5])
		if valueText.MatchString(text[ef:et]) && valueText.MatchString(text[cf:ct]) {
			add(RoleExpected, SaysValue, ef, et)
			add(RoleActual, SaysValue, cf, ct)
			return
		}
	}
	said := false
	if m := commentWanted.FindStringSubmatchIndex(text); m != nil {
		from, to := quotedPart(text, m[2], m[3])
		said = true
		if kind, ok := kindOfInline(text[from:to], false); ok && to > from && strings.IndexByte("<>=!", text[from]) < 0 && (kind != SaysOutput || to-from < 60 && c.trailing) {
			add(RoleExpected, kind, from, to)
		}
	}
	if p.commentCame(c, text, add) {
		return
	}
	if m := commentRaises.FindStringSubmatchIndex(text); m != nil && !negation.MatchString(text[:m[1]]) && (c.trailing || m[1] == len(text)) {
		words := "error"
		for k := 2; k < len(m); k += 2 {
			if m[k] >= 0 {
				words = text[m[k]:m[k+1]]
			}
		}
		p.addComment(i, c, Statement{Role: RoleActual, Kind: SaysException, Text: words, Span: Span{s.Start + m[0], s.Start + m[1]}})
		return
	}
	if rest := cutComment.ReplaceAllString(text, ""); c.trailing && (bareResult.MatchString(rest) || said && valueText.MatchString(rest)) {
		add(RoleActual, SaysValue, 0, len(rest))
	}
}

// commentCame reads "prints 3"; in a line of its own only a single word counts,
// for prose begins like that too.
func (p *parser) commentCame(c comment, text string, add func(Role, StatementKind, int, int)) bool {
	m := commentCame.FindStringSubmatchIndex(text)
	if m == nil {
		return false
	}
	end := m[2] + len(cutComment.ReplaceAllString(text[m[2]:m[3]], ""))
	from, to := quotedPart(text, m[2], end)
	if to <= from || strings.Trim(text[from:to], ":.;,-_ ") == "" {
		return false
	}
	kind, ok := kindOfInline(text[from:to], true)
	if !ok || !c.trailing && kind == SaysOutput && strings.Contains(text[from:to], " ") {
		return false
	}
	if article[strings.ToLower(text[from:to])] {
		return false // "prints the expected result" says nothing of what it prints
	}
	// "is" and a word judge ("is wrong"); with a value they state.
	if word := strings.ToLower(firstWord(text)); word == "is" && !valueText.MatchString(text[from:to]) {
		return false
	}
	add(RoleActual, kind, from, to)
	return true
}

// addComment records a statement of a comment; its line is the comment's own
// unless it was found to belong to a print above.
func (p *parser) addComment(i int, c comment, s Statement) {
	s.Where, s.Block = "comment", i
	if s.Line == 0 {
		s.Line = c.line + 1
	}
	p.addStatement(s)
}

// bareResult is a comment that is a value and nothing else ("# nan").
var bareResult = lazyre.New(`^(?:[-+]?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf|NaN|Inf)|True|False|None|\{\}|\[[^\]]*\]|\([-\d., ]*\)|(?:tensor|array|Array)\(.*\)|torch\.Size\(.*\))$`)

// quotedPart narrows a range to what stands in quotes or backticks at its
// start, and drops a full stop at its end.
func quotedPart(text string, from, to int) (int, int) {
	for from < to && text[from] == ' ' {
		from++
	}
	if from < to && text[from] == '`' {
		if k := strings.IndexByte(text[from+1:to], '`'); k > 0 {
			return from + 1, from + 1 + k
		}
	}
	from += len(about.FindString(text[from:to]))
	for to > from && (strings.IndexByte(" .,;!?", text[to-1]) >= 0 && !strings.HasSuffix(text[from:to], "...") || unbalanced(text[from:to])) {
		to--
	}
	return from, to
}

// unbalanced is true for a text that ends with a bracket that it does not open.
func unbalanced(t string) bool {
	return strings.HasSuffix(t, ")") && strings.Count(t, ")") > strings.Count(t, "(") || strings.HasSuffix(t, "]") && strings.Count(t, "]") > strings.Count(t, "[")
}

var article = wordSet("the|a|an|this|that|these|those|it|its|all|both|only|same|different|some|something|nothing|wrong|correct|right|as")
