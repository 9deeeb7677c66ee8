package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// pseudoLevel is the level of a bold line or a label that serves as a heading:
// below every real one.
const pseudoLevel = 7

var (
	// headingLine: "### x".
	headingLine = lazyre.New(`^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	// underline: "===" or "---" below a heading.
	underline = lazyre.New(`^ {0,3}(?:={3,}|-{3,})\s*$`)
	// boldLine: "**x**", "**x**: y".
	boldLine = lazyre.New(`^\s{0,3}(?:\*\*|__)([^*_\n][^*\n]{0,78}?)(?:\*\*|__)\s*(:?)\s*(.*)$`)
	// labelLine: "Expected behavior:" without any mark.
	labelLine = lazyre.New(`(?i)^\s{0,3}((?:expected|actual|current|observed)(?: (?:behaviou?r|outputs?|results?))?|(?:my )?environment(?: info(?:rmation)?)?|system info(?:rmation)?|versions?|(?:full )?(?:traceback|stack ?trace|error message|error log)|(?:steps to )?reproduc(?:e|tion)(?: steps)?|(?:minimal )?(?:example|code)|description|additional (?:context|info(?:rmation)?))\s*:?\s*$`)
)

// head is one heading: the lines [first, body) are its own.
type head struct {
	text       string
	level      int
	start, end int // of the heading's words
	bodyAt     int // byte where the body begins
	lineStart  int
}

// readSections cuts the text at its headings.
func (p *parser) readSections() {
	p.findHeads()
	p.findTitle()
	cuts := append([]head{{bodyAt: p.bodyStart(), lineStart: p.bodyStart()}}, p.heads...)
	for i, h := range cuts {
		end := len(p.text)
		if i+1 < len(cuts) {
			end = cuts[i+1].lineStart
		}
		end = max(end, h.bodyAt)
		body := p.withoutComments(h.bodyAt, end)
		if h.text == "" && strings.TrimSpace(body) == "" && len(cuts) > 1 {
			continue
		}
		role := p.role(h.text)
		if p.inReply(h.lineStart) {
			role = RoleOther
		}
		p.r.Sections = append(p.r.Sections, Section{
			Heading: h.text, Level: h.level, Role: role,
			Span: Span{h.lineStart, end}, Body: strings.TrimSpace(body),
		})
	}
}

// bodyStart is where the text after title and front matter begins.
func (p *parser) bodyStart() int {
	at := min(p.bodyAt, len(p.text))
	return at
}

// withoutComments is the text of a range with its HTML comments left out.
func (p *parser) withoutComments(start, end int) string {
	var b strings.Builder
	for len(p.hidden) > 0 && start < end {
		i := p.hiddenFrom(start)
		if i == len(p.hidden) || p.hidden[i].Start >= end {
			break
		}
		b.WriteString(p.text[start:max(start, p.hidden[i].Start)])
		start = p.hidden[i].End
	}
	if start < end {
		b.WriteString(p.text[start:end])
	}
	return b.String()
}

// hiddenFrom is the first HTML comment that ends after the position.
func (p *parser) hiddenFrom(pos int) int {
	lo, hi := 0, len(p.hidden)
	for lo < hi {
		if mid := (lo + hi) / 2; p.hidden[mid].End <= pos {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// findHeads collects headings from the prose and blanks them there: a heading
// is no statement.
func (p *parser) findHeads() {
	before, fact := true, false
	for i := range p.lines {
		text := p.proseLine(i)
		if strings.TrimSpace(text) == "" {
			before = true
			if fact && len(p.heads) < maxSections {
				// "**OS**: Linux" is about its own paragraph only.
				p.heads = append(p.heads, head{level: pseudoLevel, start: p.lines[i].start, end: p.lines[i].start, bodyAt: p.lines[i].start, lineStart: p.lines[i].start})
				fact = false
			}
			continue
		}
		if p.lines[i].end <= p.bodyAt {
			continue
		}
		h, ok := p.headAt(i, text, before)
		before = false
		if !ok {
			continue
		}
		if len(p.heads) == maxSections {
			p.note("headings after the first 512 were not read")
			return
		}
		h.lineStart = p.lines[i].start
		p.heads = append(p.heads, h)
		p.blank(h.lineStart, min(h.bodyAt, p.lines[i].end))
		before = true
		fact = h.bodyAt < p.lines[i].end && p.role(h.text) == RoleVersions
	}
}

// headAt tries the forms of a heading at line i: hash marks, underlines, bold
// lines, and the labels of templates ("Expected behavior:").
func (p *parser) headAt(i int, text string, before bool) (head, bool) {
	l := p.lines[i]
	next := min(l.end+1, len(p.text))
	mark := firstByte(text)
	if m := whenMarked(headingLine, mark == '#', text); m != nil && m[5] > m[4] {
		return p.newHead(l.start+m[4], l.start+m[5], m[3]-m[2], next), true
	}
	if i+1 < len(p.lines) && before && underline.MatchString(p.lineText(i+1)) && p.inBlock[i+1] < 0 && !listMarker.MatchString(text) {
		level := 1
		if strings.Contains(p.lineText(i+1), "-") {
			level = 2
		}
		p.blank(p.lines[i+1].start, p.lines[i+1].end)
		return p.newHead(l.start, l.end, level, min(p.lines[i+1].end+1, len(p.text))), true
	}
	if m := whenMarked(boldLine, mark == '*' || mark == '_', text); m != nil {
		rest := text[m[6]:m[7]]
		role := p.role(text[m[2]:m[3]])
		switch {
		case strings.TrimSpace(rest) == "":
			return p.newHead(l.start+m[2], l.start+m[3], pseudoLevel, next), true
		case role != RoleDescription && before:
			return p.newHead(l.start+m[2], l.start+m[3], pseudoLevel, l.start+m[6]), true
		}
	}
	if m := whenMarked(labelLine, before && len(text) < 80 && labelGate.open(lowered(text)), text); m != nil {
		return p.newHead(l.start+m[2], l.start+m[3], pseudoLevel, next), true
	}
	return head{}, false
}

// whenMarked asks the pattern only when the line may match.
func whenMarked(re *lazyre.Regexp, may bool, text string) []int {
	if !may {
		return nil
	}
	return re.FindStringSubmatchIndex(text)
}

// firstByte is the first one that is no space, 0 in a blank line.
func firstByte(text string) byte {
	for i := range len(text) {
		if text[i] != ' ' && text[i] != '\t' {
			return text[i]
		}
	}
	return 0
}

// newHead is a heading of the given words.
func (p *parser) newHead(start, end, level, bodyAt int) head {
	s := trimmed(p.text, Span{start, end})
	text := strings.Trim(p.text[s.Start:s.End], "*_: \t")
	return head{text: text, level: level, start: s.Start, end: s.End, bodyAt: bodyAt}
}

// headingRoles are tried in order; the first that matches the heading in lower
// case says what the section is about. Collected from the issue forms and
// templates of about twenty trackers, a few of them Chinese or in two languages.
var headingRoles = []struct {
	role  Role
	gate  gate
	words *lazyre.Regexp
}{
	{RoleLog, newGate("日志|报错信息|错误信息|エラー"), lazyre.New(`日志|报错信息|错误信息|エラー`)},
	{RoleOther, newGate("have you|custom code|source|issue type|are you|would you|did you|i have|before |information|tasks|mobile device|check|additional|further |other |contribut|prerequisite|relevant links|possible |proposed|suggest|workaround|screenshot|who can help|alternatives|what have you|补充|附加|备注|截图|检查"), lazyre.New(`^(?:have you|custom code$|source$|issue type|are you|would you|did you|i have|before (?:filing|submitting)|information$|tasks$|mobile device)|check ?list|additional|further (?:info|context)|other (?:info|context)|contribut|prerequisite|relevant links|possible (?:fix|solution)|proposed|suggest|workaround|screenshot|who can help|alternatives|what have you tried|补充|附加|备注|截图|检查`)},
	{RoleDescription, newGate("expected |actual |current "), lazyre.New(`expected (?:vs|and|versus)|actual (?:vs|and|versus)|current (?:vs|and) `)},
	{RoleExpected, newGate("expect|should |desired|what |期望|预期|期待|应该|ожида|erwartet|attendu|esperad"), lazyre.New(`expect|should (?:happen|be)|desired|what (?:i|you) want|期望|预期|期待|应该|ожида|erwartet|attendu|esperad`)},
	{RoleActual, newGate("actual|current behavio|observed|what |wrong |result|output|实际|当前|実際|фактическ|tatsächlich"), lazyre.New(`actual|current behaviou?r|observed|what happen|what (?:i|you) (?:get|see|got)|wrong (?:output|result)|^results?$|^output$|实际|当前(?:结果|行为|输出)|実際|фактическ|tatsächlich`)},
	{RoleLog, newGate("log|trace|error|output|报错"), lazyre.New(`\blogs?\b|traceback|error messages?|stack ?trace|^errors?$|(?:relevant|console|program) output|报错`)},
	{RoleVersions, newGate("version|environment|system |setup|platform|spec|env|os|device|desktop|smartphone|python|cuda|gpu|installed|dependenc|packages|pip |conda list|operating|installation|build info|system|环境|版本|環境|バージョン"), lazyre.New(`version|environment|system (?:info|spec|config)|^(?:my )?(?:setup|system|platform|specs?|env|os|device|desktop|smartphone|python|cuda|gpu)\b|installed|dependenc|packages|pip (?:list|freeze)|conda list|operating system|^gpu|installation|build info|环境|版本|環境|バージョン`)},
	{RoleCode, newGate("reproduc|code|steps|example|snippet|minimal|mwe|mre|script|how to|test case|usage|复现|重现|代码|步骤|再現|コード|воспроизв"), lazyre.New(`reproduc|\bcode\b|\bsteps\b|example|snippet|minimal|\bmwe\b|\bmre\b|\bscripts?\b|how to|test case|usage|复现|重现|代码|步骤|再現|コード|воспроизв`)},
}

// role is roleOfHeading, asked once for each heading of a report.
func (p *parser) role(heading string) Role {
	if r, ok := p.roles[heading]; ok {
		return r
	}
	if p.roles == nil {
		p.roles = map[string]Role{}
	}
	p.roles[heading] = roleOfHeading(heading)
	return p.roles[heading]
}

// roleOfHeading is what a section of that heading is about.
func roleOfHeading(heading string) Role {
	if heading == "" {
		return RoleDescription
	}
	lower := strings.ToLower(heading)
	for _, r := range headingRoles {
		if r.gate.open(lower) && r.words.MatchString(lower) {
			return r.role
		}
	}
	return RoleDescription
}

// sectionAt is the index of the section in which the position lies, -1 for the
// title and front matter.
func (p *parser) sectionAt(pos int) int {
	lo, hi := 0, len(p.r.Sections)
	for lo < hi {
		if mid := (lo + hi) / 2; p.r.Sections[mid].Span.Start <= pos {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo - 1
}

// roleAt is the role of the section in which the position lies.
func (p *parser) roleAt(pos int) Role {
	if i := p.sectionAt(pos); i >= 0 {
		return p.r.Sections[i].Role
	}
	return RoleDescription
}
