package report

import (
	"regexp"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// value is what prose may name as a single value.
const value = `(?:[-+]?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?|[-+]?(?:nan|NaN|NAN|inf|Inf|infinity)|True|False|None|zero|(?:b?float|u?int|complex)(?:8|16|32|64|128)|\((?:[-\d., ?]|None)+\)|\[[-+\d., enaif\[\]]{1,120}\]|(?:tensor|array|Array)\([^()\n]{1,120}\))`

// The words before a value that came or should have come; the second halves
// are Chinese and Japanese.
const (
	valueWanted = `(?i:\bshould (?:\w+ )?(?:be|give|return|print|equal|yield)|\bexpect(?:ed)?(?: output| result| value)?:?|\bexpect(?:ed)? (?:it |them |this |that |the \w+ )?to be|\bought to be|\binstead of(?: (?:returning|giving|printing|producing|yielding|getting))?(?: (?:an?|the)(?: \w+)? (?:shape|size|value|dtype|result))?|\b(?:correct|right|true|proper) (?:result|answer|value|output)(?: is| would be|:)|\bmust be)\s+(?:exactly |about |around |close to |approximately |roughly |the value )?` +
		`|(?:应该?(?:[是为]|返回|输出|得到)|应当[是为]?|(?:期望|预期)(?:的)?(?:输出|结果|值)?(?:应该?)?[是为]?|期待値[はが]?)\s*:?\s*`
	valueCame = `(?i:\bbut (?:i |it |we )?(?:is|was|got|get|gives?|gave|returns?|returned|prints?|see)|\bgot|\bactual(?: output| result| value)?:?|\b(?:it|which|this|that|keras|torch|result|script|code|program|function|call|snippet|example) (?:returns?|gives?|prints?|yields?|outputs?|shows?)|\bwill (?:return|give|print|yield|output|produce)|\bi (?:also |now |only |always |still )?(?:get|see))\s+` +
		`|(?:实际(?:的)?(?:输出|结果|值)?[是为]?|输出[是为了]?|得到(?:的是|了)?|返回(?:的是|了)?|结果[是为])\s*:?\s*`
	valueEnd = `(?:[\s.,;:!?)\p{Han}]|$)`
)

var (
	// inlineCode: what stands in backticks.
	inlineCode = lazyre.New("`([^`\n]+)`")
	// quotedValue: a shape, a list or a number between quotation marks, which is a
	// quotation of what was printed; other words there are names or talk.
	quotedValue = lazyre.New(`"((?:\([-+?\d., a-zA-Z\[\]]{1,120}\)|\[[-+?\d., a-zA-Z\[\]()]{1,120}\]|[-+]?\d[\d.]*(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf)))"`)
	// wantedCue: the words before a quotation that should have come.
	wantedCue = lazyre.New(`(?i)\b(?:expect(?:ed|ing|s)?|should(?:n['\x{2019}]t)?|ought to|supposed to|instead of|rather than|want(?:ed)?|must|(?:correct|right) (?:output|result|answer|value)(?: is| would be)?)\b|,\s+not\b|(?:期望|预期|期待)(?:的)?(?:输出|结果|返回|值)*(?:应该?)?[是为]?|应该?(?:[是为]|输出|返回|打印)?|应当|而不是`)
	// cameCue: ... that came.
	cameCue = lazyre.New(`(?i)\b(?:actual(?:ly)?|prints?|printed|outputs?|gives?|gave|returns?|returned|results?(?: is| in)?|got|gets|get|see|shows?|showed|yields?|produces?|raises?|raised|throws?|fails with|crashes with|dies with|(?:result|output|value|answer|it|shape|dtype|loss) (?:is|was)|but)\b|实际(?:输出|结果|值)?|输出|打印|得到|返回|结果[是为]|报错|抛出`)
	// printCue: ... that was printed, whole or in part.
	printCue = lazyre.New(`(?i)\b(?:prints?|printed|outputs?|result|shows?|showed)\b(?: as| out)?:?\s*$|(?:输出|打印)(?:[是为了:]\s*)?\s*$`)
	// nowCue tells what comes today from what a heading says should come.
	nowCue = lazyre.New(`(?i)\b(?:but|instead|currently|now|at (?:the moment|present)|presently|actual(?:ly)?|right now|however|today|got|gets?|i see|we see|still)\b|实际|目前|现在|但`)
	// wantedValue: "should be 2", "预期输出是 2".
	wantedValue = lazyre.New(`(?:` + valueWanted + `)(` + value + `)` + valueEnd)
	// cameValue: "but got nan", "输出 nan".
	cameValue = lazyre.New(`(?:` + valueCame + `)(` + value + `)` + valueEnd)
	// wantedError: "should raise a ValueError", "instead of an error".
	wantedError = lazyre.New(`(?i)\b(?:expect(?:ed|ing)?(?: to (?:see|get|raise))?|should(?: also)?(?: rather)? (?:be|raise|give|throw|fail with|get|produce)|instead of(?: raising| an?)*|rather than|must raise|supposed to raise|would like to see|want(?:ed)?)\s+(?:an?\s+|the\s+|some\s+|raising\s+)*(?:(?:proper|clear|clean|python|normal|nice|helpful|better|readable)\s+)*((?:[A-Za-z_]\w*\.)*_?[A-Z]\w*(?:Error|Exception)|errors?|exceptions?)\b`)
	// raiseWanted: "should raise", without a class.
	raiseWanted = lazyre.New(`(?i)\bshould(?: also)? (raise|throw|be rejected)\b|\b(?:instead of|rather than|without) (raising)\b`)
	// cameError: "raises ValueError".
	cameError = lazyre.New(`\b(?:[Rr]aises?|[Rr]aised|[Tt]hrows?|[Ff]ails? with|[Cc]rash(?:es)? with|[Dd]ies with|[Gg]ets?|[Gg]ot|[Ee]nds? (?:in|with)|[Ll]eads to|[Ss]ee|[Gg]ives)\s+(?:an?\s+|the\s+|this\s+)?((?:[A-Za-z_]\w*\.)*_?[A-Z]\w*(?:Error|Exception))\b`)
	// ofOthers: the sentence tells of what stands beside the reported call ("every
	// neighbouring function raises ValueError"), which is no failure.
	ofOthers = lazyre.New(`(?i)^\W*(?:(?:but|while|whereas|and|yet|in contrast|by contrast),? )?(?:(?:almost |nearly )?(?:every|all|each|both|most)(?: of)?(?: the)? |the )?(?:other|others|neighbou?ring|similar|remaining|related|sibling)\b`)
	// anyError: a class in a title, where it can only have come.
	anyError = lazyre.New(`\b((?:[A-Za-z_]\w*\.)*_?[A-Z]\w*(?:Error|Exception))\b`)
)

// proseStatements goes through the sentences that may state something.
func (p *parser) proseStatements() {
	for _, s := range p.sentences() {
		if p.inReply(s.start) {
			return
		}
		if len(p.r.Statements) >= maxStatements {
			return
		}
		raw := p.proseText(s)
		if strings.ContainsAny(raw, "`\"") {
			p.inlineStatements(s, raw)
		}
		p.labelledLines(s)
		p.valueStatements(s)
		p.bareValue(s)
		p.labelledOutput(s)
		p.errorStatements(s)
		p.relationStatements(s)
		p.directionStatements(s)
		p.labelledValue(s, raw)
		p.fragment(s)
		p.saidPrinted(s)
	}
}

// proseText is the sentence with its marks of Markdown.
func (p *parser) proseText(s sent) string { return string(p.prose[s.start:s.end]) }

// quotations are the words in backticks and the values in quotation marks, in
// order, as whole and inner ranges.
func quotations(raw string) [][]int {
	found := inlineCode.FindAllStringSubmatchIndex(raw, 32)
	if !strings.Contains(raw, `"`) {
		return found
	}
	for _, q := range quotedValue.FindAllStringSubmatchIndex(raw, 32) {
		if !slices.ContainsFunc(found, func(m []int) bool { return q[0] < m[1] && m[0] < q[1] }) {
			found = append(found, q)
		}
	}
	slices.SortFunc(found, func(a, b []int) int { return a[0] - b[0] })
	return found
}

// inlineStatements reads words in backticks: the nearest cue before them says
// whether they came or should have come.
func (p *parser) inlineStatements(s sent, raw string) {
	section := p.roleAt(s.start)
	from := 0
	for _, m := range quotations(raw) {
		before := raw[from:m[0]]
		from = m[1]
		text := raw[m[2]:m[3]]
		if exceptionName.MatchString(text) && ofOthers.MatchString(raw) {
			continue
		}
		role, printed := cueBefore(before)
		if role == "" && (valueText.MatchString(text) || exceptionName.MatchString(text) && !negation.MatchString(before)) && !s.title && (section == RoleExpected || section == RoleActual) {
			role = section
		}
		if role == "" {
			continue
		}
		role = sideIn(section, role, raw[:m[0]])
		if role == RoleActual && p.ofVariant(raw[:m[0]]) {
			continue
		}
		kind, ok := kindOfInline(strings.TrimSpace(text), printed)
		if !ok {
			continue
		}
		span := trimmed(p.text, Span{s.start + m[2], s.start + m[3]})
		if class := exceptionHead.FindStringSubmatchIndex(p.text[span.Start:span.End]); kind == SaysOutput && class != nil {
			// "ValueError: no" is what Python prints, not the script.
			kind, span.End = SaysException, span.Start+class[3]
		}
		p.addStatement(Statement{Role: role, Kind: kind, Text: p.text[span.Start:span.End], Span: span, Where: "inline", Block: -1, Approximate: approxLead.MatchString(before), Version: p.versionOf(s, span)})
	}
}

var exceptionHead = lazyre.New(`^((?:[A-Za-z_]\w*\.)*_?[A-Z]\w*(?:Error|Exception)): \S`)

// sideIn turns "it prints 3" under a heading that says "expected" to that side,
// unless the words before it speak of today.
func sideIn(section, role Role, before string) Role {
	if role == RoleActual && section == RoleExpected && !nowCue.MatchString(before) {
		return RoleExpected
	}
	return role
}

// maxCue is how far before the words a cue may stand, in bytes: further away it
// speaks of something else (a guess).
const maxCue = 48

// cueBefore reads the role from the words right before a quotation.
func cueBefore(before string) (role Role, printed bool) {
	before = before[max(0, len(before)-maxCue):]
	w, c := lastSpan(wantedCue, before), lastSpan(cameCue, before)
	switch {
	case w[0] < 0 && c[0] < 0:
		return "", false
	case w[1] >= c[1], w[0] >= 0 && expectedNoun.MatchString(before[w[0]:]), w[0] >= 0 && !strings.Contains(strings.ToLower(before[w[0]:]), "but") && !strings.Contains(strings.ToLower(before[w[0]:]), "got") && strings.HasPrefix(strings.ToLower(before[w[0]:]), "should"):
		return RoleExpected, false
	case isWeakCue(before[c[0]:]):
		return "", false
	}
	return RoleActual, printCue.MatchString(before)
}

// expectedNoun: "expected output is": the noun is that of what should come.
var expectedNoun = lazyre.New(`(?i)^expected\s+(?:outputs?|results?|values?|answers?|shape|dtype)\b(?:\s+(?:is|are|was|would be|should be|of|here|for|in|from|the|both|this|that|call|case|:))*\W*$`)

// lastSpan is the last match, (-1, -1) without one.
func lastSpan(re *lazyre.Regexp, s string) [2]int {
	all := re.FindAllStringIndex(s, -1)
	if len(all) == 0 {
		return [2]int{-1, -1}
	}
	return [2]int{all[len(all)-1][0], all[len(all)-1][1]}
}

// isWeakCue: "but" alone states nothing.
func isWeakCue(tail string) bool { return strings.ToLower(firstWord(tail)) == "but" }

// versionIn is the one version named in the sentence, nil for none or several.
func (p *parser) versionIn(s sent) *Version {
	var out *Version
	for i := range p.r.Versions {
		v := p.r.Versions[i]
		if v.Span.Start >= s.start && v.Span.End <= s.end && v.Dist != "python" && v.Role != RoleStated {
			if out != nil {
				return nil
			}
			out = &v
		}
	}
	return out
}

// versionOf is the version that words are said of: the one in their own clause
// ("prints 1 with 2.0, on 1.9 it was 0"), nil when that is the reporter's own;
// a clause that names none follows its sentence.
func (p *parser) versionOf(s sent, at Span) *Version {
	clause := p.clauseOf(s, at)
	own := false
	for _, v := range p.r.Versions {
		if v.Dist == "python" || v.Span.Start < clause.start || v.Span.End > clause.end {
			continue
		}
		if v.Role != RoleStated {
			return p.versionIn(clause)
		}
		own = true
	}
	if own {
		return nil
	}
	return p.versionIn(s)
}

// clauseOf is the part of a sentence between the commas or semicolons around a
// span. One inside another quotation divides too: it only makes the clause
// smaller.
func (p *parser) clauseOf(s sent, at Span) sent {
	c := s
	for i := at.Start - 1; i > s.start; i-- {
		if p.divides(i) {
			c.start = i + 1
			break
		}
	}
	for i := at.End; i < s.end-1; i++ {
		if p.divides(i) {
			c.end = i
			break
		}
	}
	return c
}

// divides says whether a comma or semicolon with a space behind it stands at i:
// one inside a number or a tuple without spaces does not.
func (p *parser) divides(i int) bool {
	return (p.plain[i] == ',' || p.plain[i] == ';') && i+1 < len(p.plain) && (p.plain[i+1] == ' ' || p.plain[i+1] == '\n')
}

var valueWord = lazyre.New(`(?i)nan|inf|true|false|none|zero|float|int|complex`)

// valueStatements reads bare values in prose: "should be 2", "got nan".
func (p *parser) valueStatements(s sent) {
	t := p.plain[s.start:s.end]
	if !wantedGate.open(p.lower[s.start:s.end]) && !cameGate.open(p.lower[s.start:s.end]) || !strings.ContainsAny(t, "0123456789") && !valueWord.MatchString(t) {
		return
	}
	if messageSides.MatchString(t) && p.inMessage(s) {
		return
	}
	section := p.roleAt(s.start)
	for _, side := range []struct {
		role Role
		gate gate
		re   *lazyre.Regexp
	}{{RoleExpected, wantedGate, wantedValue}, {RoleActual, cameGate, cameValue}} {
		if !side.gate.open(p.lower[s.start:s.end]) {
			continue
		}
		for _, m := range side.re.FindAllStringSubmatchIndex(t, 8) {
			span := Span{s.start + m[2], s.start + m[3]}
			if p.quoted(span) || p.said(span) || unitAfter.MatchString(t[m[3]:]) || side.role == RoleActual && wantedBefore.MatchString(t[:m[0]]) {
				continue
			}
			p.addStatement(Statement{Role: sideIn(section, side.role, t[:m[2]]), Kind: SaysValue, Text: p.text[span.Start:span.End], Span: span, Where: "prose", Block: -1, Approximate: nearly.MatchString(t[:m[2]]), Version: p.versionOf(s, span)})
		}
	}
}

// nearly are the words right before a value that is not meant to the digit.
var nearly = lazyre.New(`(?i)\b(?:about|around|close to|approximately|roughly)\s+$`)

// messageSides is how many libraries word an exception ("Expected: [0 1], got
// ['a']"): said by the program, not by the reporter.
var messageSides = lazyre.New(`(?i)\bexpected\b[^\n]{0,120}\bgot\b`)

// inMessage is true for a sentence inside a failure that stands in prose.
func (p *parser) inMessage(s sent) bool {
	for _, t := range p.r.Tracebacks {
		if t.Block < 0 && s.start < t.Span.End && s.end > t.Span.Start {
			return true
		}
	}
	return false
}

// wantedBefore: "预期输出 3" says what should come although "输出 3" alone does not.
var wantedBefore = lazyre.New(`(?:期望|预期|期待|应该?)(?:的)?$`)

// bareValue reads a sentence that is one value and nothing else, under a
// heading that says what it is.
func (p *parser) bareValue(s sent) {
	role := p.roleAt(s.start)
	if s.title || role != RoleExpected && role != RoleActual {
		return
	}
	span := trimmed(p.text, Span{s.start, s.end})
	if text := p.text[span.Start:span.End]; valueText.MatchString(text) {
		p.addStatement(Statement{Role: role, Kind: SaysValue, Text: text, Span: span, Where: "prose", Block: -1})
	}
}

// quoted is true for words that stand in backticks: they were read as such.
func (p *parser) quoted(s Span) bool {
	return s.Start > 0 && p.text[s.Start-1] == '`' || s.End < len(p.text) && p.text[s.End] == '`'
}

// warningMissed is a class of warnings that should have come and did not.
var warningMissed = lazyre.New(`(?:\bshould (?:\w+ )?(?:emit|raise|give|issue|show|print|get|see|be)|\b(?:but|there is|there's|gives|get|got|see|raises|emits|shows) no|\bwithout an?|\bno|[Mm]issing)\s+(?:an? |the |any )?((?:[A-Za-z_]\w*\.)*_?[A-Z]\w*Warning)\b`)

// errorStatements reads exceptions in prose: asked for, or come.
func (p *parser) errorStatements(s sent) {
	t := p.plain[s.start:s.end]
	if !errorGate.open(p.lower[s.start:s.end]) {
		return
	}
	var wanted []Span
	for _, m := range wantedError.FindAllStringSubmatchIndex(t, 4) {
		span := Span{s.start + m[2], s.start + m[3]}
		wanted = append(wanted, span)
		p.addError(RoleExpected, span, s)
	}
	if len(wanted) == 0 {
		if m := raiseWanted.FindStringSubmatchIndex(t); m != nil {
			span := Span{s.start + m[0], s.start + m[1]}
			p.addStatement(Statement{Role: RoleExpected, Kind: SaysException, Text: "error", Span: span, Where: "prose", Block: -1})
		}
	}
	if m := warningMissed.FindStringSubmatchIndex(t); m != nil {
		span := Span{s.start + m[2], s.start + m[3]}
		p.addStatement(Statement{Role: RoleExpected, Kind: SaysWarning, Text: p.text[span.Start:span.End], Span: span, Where: "prose", Block: -1})
	}
	re := cameError
	switch {
	case s.title:
		re = anyError
	case ofOthers.MatchString(t):
		return
	}
	for _, m := range re.FindAllStringSubmatchIndex(t, 4) {
		span := Span{s.start + m[2], s.start + m[3]}
		if len(wanted) > 0 && wanted[0] == span || wantedCue.MatchString(t[max(0, m[2]-maxCue):m[2]]) {
			continue
		}
		p.addError(sideIn(p.roleAt(s.start), RoleActual, t[:m[0]]), span, s)
	}
}

// addError records an exception that prose names; the words for any exception
// become "error".
func (p *parser) addError(role Role, span Span, s sent) {
	text, where := p.text[span.Start:span.End], "prose"
	if s.title {
		where = "heading"
	}
	if lower := strings.ToLower(text); strings.HasPrefix(lower, "error") || strings.HasPrefix(lower, "exception") {
		text = strings.TrimSuffix(lower, "s")
		if text == "exception" {
			text = "error" // the contract's word for any exception
		}
	}
	p.addStatement(Statement{Role: role, Kind: SaysException, Text: text, Span: span, Where: where, Block: -1, Version: p.versionIn(s)})
}

var countedNoun = lazyre.New(`^\s*(\d+ ([A-Za-z]{3,}))\b`)

// fragment reads "5 trials, and ..." right after a script that prints that
// word: the words stand for a part of the output.
func (p *parser) fragment(s sent) {
	if s.afterBlock < 0 || p.r.Blocks[s.afterBlock].Kind != BlockPython {
		return
	}
	m := countedNoun.FindStringSubmatchIndex(p.plain[s.start:s.end])
	if m == nil {
		return
	}
	noun := p.plain[s.start+m[4] : s.start+m[5]]
	for _, l := range strings.Split(p.r.Blocks[s.afterBlock].Text, "\n") {
		if strings.Contains(l, "print(") && regexp.MustCompile(`["'][^"']*\b`+noun+`\b`).MatchString(l) {
			span := Span{s.start + m[2], s.start + m[3]}
			p.addStatement(Statement{Role: RoleActual, Kind: SaysOutput, Text: p.text[span.Start:span.End], Span: span, Where: "prose", Block: -1})
			return
		}
	}
}
