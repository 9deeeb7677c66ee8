package report

import (
	"regexp"
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// value is what prose may name as a single value.
const value = `(?:[-+]?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?|[-+]?(?:nan|NaN|NAN|inf|Inf|infinity)|True|False|None|zero|(?:b?float|u?int|complex)(?:8|16|32|64|128)|\([-\d., ]+\))`

var (
	inlineCode  = lazyre.New("`([^`\n]+)`")
	wantedCue   = lazyre.New(`(?i)\b(?:expect(?:ed|ing|s)?|should(?:n't)?|ought to|supposed to|instead of|rather than|want(?:ed)?|must|correct (?:output|result|answer|value)(?: is| would be)?)\b|,\s+not\b`)
	cameCue     = lazyre.New(`(?i)\b(?:actual(?:ly)?|prints?|printed|outputs?|gives?|gave|returns?|returned|results?(?: is| in)?|got|gets|get|see|shows?|showed|yields?|produces?|raises?|raised|throws?|fails with|crashes with|dies with|(?:result|output|value|answer|it|shape|dtype|loss) (?:is|was)|but)\b`)
	printCue    = lazyre.New(`(?i)\b(?:prints?|printed|outputs?|result|shows?|showed)\b:?\s*$`)
	wantedValue = lazyre.New(`(?i:\bshould (?:\w+ )?(?:be|give|return|print|equal|yield)|\bexpect(?:ed)?(?: output| result| value)?:?|\bexpect(?:ed)? (?:it |them |this |that |the \w+ )?to be|\bought to be|\binstead of|\bcorrect (?:result|answer|value) (?:is|would be)|\bmust be)\s+(?:exactly |about |the value )?(` + value + `)(?:[\s.,;:!?)]|$)`)
	cameValue   = lazyre.New(`(?i:\bbut (?:i |it |we )?(?:is|was|got|get|gives?|gave|returns?|returned|prints?|see)|\bgot|\bactual(?: output| result| value)?:?|\b(?:it|which|this|that|keras|torch|result) (?:returns?|gives?|prints?|yields?)|\bi (?:also |now |only |always |still )?(?:get|see))\s+(` + value + `)(?:[\s.,;:!?)]|$)`)
	wantedError = lazyre.New(`(?i)\b(?:expect(?:ed|ing)?(?: to (?:see|get|raise))?|should(?: also)?(?: rather)? (?:be|raise|give|throw|fail with|get|produce)|instead of(?: raising| an?)*|rather than|must raise|supposed to raise|would like to see|want(?:ed)?)\s+(?:an?\s+|the\s+|some\s+|raising\s+)*(?:(?:proper|clear|clean|python|normal|nice|helpful|better|readable)\s+)*((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)|errors?|exceptions?)\b`)
	raiseWanted = lazyre.New(`(?i)\bshould(?: also)? (raise|throw|be rejected)\b|\b(?:instead of|rather than|without) (raising)\b`)
	cameError   = lazyre.New(`\b(?:[Rr]aises?|[Rr]aised|[Tt]hrows?|[Ff]ails? with|[Cc]rash(?:es)? with|[Dd]ies with|[Gg]ets?|[Gg]ot|[Ee]nds? (?:in|with)|[Ll]eads to|[Ss]ee|[Gg]ives)\s+(?:an?\s+|the\s+|this\s+)?((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception))\b`)
	anyError    = lazyre.New(`\b((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception))\b`)
)

// relations are the claims about several results that prose makes; each is
// something that should hold.
var relations = []struct {
	name string
	re   *lazyre.Regexp
}{
	{"all_nan", lazyre.New(`(?i)\b(?:both|all|they|these|the (?:two|results|outputs|values))\s+(?:should|must|ought to)\s+(?:all |both |also )?be nans?\b|\b(?:should|must)\s+(?:all|both) be nans?\b`)},
	{"all_finite", lazyre.New(`(?i)\b(?:should|must) (?:all |both )?(?:be finite|not be nan|not (?:contain|return|give|have) (?:any )?nans?)\b|\b(?:expected|expect) (?:no nans?|finite (?:values?|numbers?|loss|results?|output))\b|\bshould(?:n't| not) (?:be|contain|return|give) (?:any )?nans?\b`)},
	{"no_warning", lazyre.New(`(?i)\b(?:should|must|expect(?:ed)?)\b[^.\n]{0,60}\bno (?:\w+ )?warnings?\b|\bshould(?:n't| not) (?:warn|complain|emit (?:a |any )?warnings?|give (?:a |any )?warnings?|print (?:a |any )?warnings?)\b|\b(?:there )?should be no warnings?\b`)},
	{"no_error", lazyre.New(`(?i)\bshould(?:n't| not) (?:raise|crash|fail|throw|error|abort|segfault|die|break)\b|\b(?:should|must|expect(?:ed)?)\b[^.\n]{0,40}\bno (?:error|exception|crash)s?\b|\b(?:should|expected? (?:it )?to) (?:just |simply )?(?:work|succeed|run|pass|be importable)\b`)},
	{"same", lazyre.New(`(?i)\b(?:should|must)(?:n't| not|not)? (?:not )?(?:depend on|matter|change|affect|influence)\b[^.\n]{0,60}|\bmust not change\b|\bthe same (?:for|regardless|independent|no matter)\b[^.\n]{0,30}`)},
	{"equal", lazyre.New(`(?i)\b(?:should|must|ought to|expected? (?:them )?to|expect)\b[^.\n]{0,40}?\b(?:be (?:equal|the same|identical)|give (?:\w+ )?(?:the same|identical|equal)|match|agree|return the same|print the same|have the same|(?:the )?same (?:results?|numbers?|values?|outputs?))\b`)},
}

// notAll turns what follows round: "not all trials should use the same values".
var notAll = lazyre.New(`(?i)\bnot (?:all|both|every|each|the|any)(?: (?:of )?(?:the |these |those )?\w+){0,6}\s*$|\b(?:nor|neither|without)(?: \w+){0,3}\s*$`)

// inExpected are relations that need no "should" under a heading that says
// "expected".
var inExpected = []struct {
	name string
	re   *lazyre.Regexp
}{
	{"no_warning", lazyre.New(`(?i)\b(?:no|without(?: a| any)?) (?:\w+ )?warnings?\b`)},
	{"no_error", lazyre.New(`(?i)\b(?:no|without(?: an?| any)?) (?:\w+ )?(?:errors?|exceptions?|crash(?:es)?)\b|\bworks?\b|\bsucceeds?\b`)},
	{"all_nan", lazyre.New(`(?i)\b(?:both|all) (?:are )?nans?\b`)},
	{"all_finite", lazyre.New(`(?i)\b(?:no|without) nans?\b|\bfinite\b`)},
	{"same", lazyre.New(`(?i)\b(?:the )?same (?:numbers?|results?|values?|outputs?|distance|loss|shape)\b|\bidentical\b|\bequal\b`)},
}

// proseStatements goes through the sentences that may state something.
func (p *parser) proseStatements() {
	for _, s := range p.sentences() {
		if s.start >= p.replies && p.replies < len(p.text) {
			return
		}
		raw := p.proseText(s)
		if strings.Contains(raw, "`") {
			p.inlineStatements(s, raw)
		}
		p.valueStatements(s)
		p.bareValue(s)
		p.errorStatements(s)
		p.relationStatements(s)
		p.fragment(s)
	}
}

func (p *parser) proseText(s sent) string { return string(p.prose[s.start:s.end]) }

// inlineStatements reads words in backticks: the nearest cue before them says
// whether they came or should have come.
func (p *parser) inlineStatements(s sent, raw string) {
	section := p.roleAt(s.start)
	from := 0
	for _, m := range inlineCode.FindAllStringSubmatchIndex(raw, 32) {
		before := raw[from:m[0]]
		from = m[1]
		text := raw[m[2]:m[3]]
		role, printed := cueBefore(before)
		if role == "" && valueText.MatchString(text) && !s.title && (section == RoleExpected || section == RoleActual) {
			role = section
		}
		if role == "" {
			continue
		}
		kind, ok := kindOfInline(strings.TrimSpace(text), printed)
		if !ok {
			continue
		}
		span := trimmed(p.text, Span{s.start + m[2], s.start + m[3]})
		p.addStatement(Statement{Role: role, Kind: kind, Text: p.text[span.Start:span.End], Span: span, Where: "inline", Block: -1, Approximate: approxLead.MatchString(before), Version: p.versionOf(s, span)})
	}
}

// maxCue is how far before the words a cue may stand, in bytes: further away it
// speaks of something else (a guess).
const maxCue = 48

// cueBefore reads the role from the words right before a quotation.
func cueBefore(before string) (role Role, printed bool) {
	before = before[max(0, len(before)-maxCue):]
	w, c := lastMatch(wantedCue, before), lastMatch(cameCue, before)
	switch {
	case w < 0 && c < 0:
		return "", false
	case w > c, w >= 0 && !strings.Contains(strings.ToLower(before[w:]), "but") && !strings.Contains(strings.ToLower(before[w:]), "got") && strings.HasPrefix(strings.ToLower(before[w:]), "should"):
		return RoleExpected, false
	case isWeakCue(before[c:]):
		return "", false
	}
	return RoleActual, printCue.MatchString(before)
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

func (p *parser) divides(i int) bool {
	return (p.plain[i] == ',' || p.plain[i] == ';') && i+1 < len(p.plain) && (p.plain[i+1] == ' ' || p.plain[i+1] == '\n')
}

var valueWord = lazyre.New(`(?i)nan|inf|true|false|none|zero|float|int|complex`)

// valueStatements reads bare values in prose: "should be 2", "got nan".
func (p *parser) valueStatements(s sent) {
	t := p.plain[s.start:s.end]
	if !strings.ContainsAny(t, "0123456789") && !valueWord.MatchString(t) {
		return
	}
	for _, side := range []struct {
		role Role
		re   *lazyre.Regexp
	}{{RoleExpected, wantedValue}, {RoleActual, cameValue}} {
		for _, m := range side.re.FindAllStringSubmatchIndex(t, 8) {
			span := Span{s.start + m[2], s.start + m[3]}
			if p.quoted(span) || unitAfter.MatchString(t[m[3]:]) {
				continue
			}
			p.addStatement(Statement{Role: side.role, Kind: SaysValue, Text: p.text[span.Start:span.End], Span: span, Where: "prose", Block: -1, Version: p.versionOf(s, span)})
		}
	}
}

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

// errorWord is a cheap question before the dear ones.
var errorWord = lazyre.New(`[Ee]rror|xception|rais|thr[eo]w|reject`)

// errorStatements reads exceptions in prose: asked for, or come.
func (p *parser) errorStatements(s sent) {
	t := p.plain[s.start:s.end]
	if !errorWord.MatchString(t) {
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
	re := cameError
	if s.title {
		re = anyError
	}
	for _, m := range re.FindAllStringSubmatchIndex(t, 4) {
		span := Span{s.start + m[2], s.start + m[3]}
		if len(wanted) > 0 && wanted[0] == span || wantedCue.MatchString(t[max(0, m[2]-maxCue):m[2]]) {
			continue
		}
		p.addError(RoleActual, span, s)
	}
}

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

// relationStatements reads claims about several results.
func (p *parser) relationStatements(s sent) {
	t := p.plain[s.start:s.end]
	list := relations
	if p.roleAt(s.start) == RoleExpected && !s.title {
		list = append(list[:len(list):len(list)], inExpected...)
	} else if !strings.Contains(t, "should") && !strings.Contains(t, "must") && !strings.Contains(t, "xpect") && !strings.Contains(t, "ought") {
		return
	}
	seen := map[string]bool{}
	for _, r := range list {
		m := r.re.FindStringIndex(t)
		if m == nil || seen[r.name] || notAll.MatchString(t[max(0, m[0]-40):m[0]]) {
			continue
		}
		seen[r.name] = true
		span := trimmed(p.text, Span{s.start + m[0], s.start + m[1]})
		p.addStatement(Statement{Role: RoleExpected, Kind: SaysRelation, Relation: r.name, Text: p.text[span.Start:span.End], Span: span, Where: "prose", Block: -1})
	}
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
