package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// pseudoLevel is the level of a bold line or a label that serves as a heading:
// below every real one.
const pseudoLevel = 7

var (
	headingLine = lazyre.New(`^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	underline   = lazyre.New(`^ {0,3}(?:={3,}|-{3,})\s*$`)
	boldLine    = lazyre.New(`^\s{0,3}(?:\*\*|__)([^*_\n][^*\n]{0,78}?)(?:\*\*|__)\s*(:?)\s*(.*)$`)
	labelLine   = lazyre.New(`(?i)^\s{0,3}((?:expected|actual|current|observed)(?: (?:behaviou?r|outputs?|results?))?|(?:my )?environment(?: info(?:rmation)?)?|system info(?:rmation)?|versions?|(?:full )?(?:traceback|stack ?trace|error message|error log)|(?:steps to )?reproduc(?:e|tion)(?: steps)?|(?:minimal )?(?:example|code)|description|additional (?:context|info(?:rmation)?))\s*:?\s*$`)
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
		role := roleOfHeading(h.text)
		if h.lineStart >= p.replies && p.replies < len(p.text) {
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
	before := true
	for i := range p.lines {
		text := p.proseLine(i)
		if strings.TrimSpace(text) == "" {
			before = true
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
	}
}

func (p *parser) headAt(i int, text string, before bool) (head, bool) {
	l := p.lines[i]
	next := min(l.end+1, len(p.text))
	if m := headingLine.FindStringSubmatchIndex(text); m != nil && m[5] > m[4] {
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
	if m := boldLine.FindStringSubmatchIndex(text); m != nil {
		rest := text[m[6]:m[7]]
		role := roleOfHeading(text[m[2]:m[3]])
		switch {
		case strings.TrimSpace(rest) == "":
			return p.newHead(l.start+m[2], l.start+m[3], pseudoLevel, next), true
		case role != RoleDescription && before:
			return p.newHead(l.start+m[2], l.start+m[3], pseudoLevel, l.start+m[6]), true
		}
	}
	if m := labelLine.FindStringSubmatchIndex(text); m != nil && before {
		return p.newHead(l.start+m[2], l.start+m[3], pseudoLevel, next), true
	}
	return head{}, false
}

func (p *parser) newHead(start, end, level, bodyAt int) head {
	s := trimmed(p.text, Span{start, end})
	text := strings.Trim(p.text[s.Start:s.End], "*_: \t")
	return head{text: text, level: level, start: s.Start, end: s.End, bodyAt: bodyAt}
}

// headingRoles are tried in order; the first that matches the heading in lower
// case says what the section is about. Collected from the issue forms and
// templates of about fifteen trackers.
var headingRoles = []struct {
	role  Role
	words *lazyre.Regexp
}{
	{RoleOther, lazyre.New(`^(?:have you|custom code$|source$|issue type|are you|would you|did you|i have|before (?:filing|submitting))|check ?list|additional|further (?:info|context)|other (?:info|context)|contribut|prerequisite|relevant links|possible (?:fix|solution)|proposed|suggest|workaround|screenshot|who can help|alternatives`)},
	{RoleDescription, lazyre.New(`expected (?:vs|and|versus)|actual (?:vs|and|versus)|current (?:vs|and) `)},
	{RoleExpected, lazyre.New(`expect|should (?:happen|be)|desired|what (?:i|you) want`)},
	{RoleActual, lazyre.New(`actual|current behaviou?r|observed|what happen|what (?:i|you) (?:get|see|got)|wrong (?:output|result)|^results?$|^output$`)},
	{RoleLog, lazyre.New(`\blogs?\b|traceback|error messages?|stack ?trace|^errors?$|(?:relevant|console|program) output`)},
	{RoleVersions, lazyre.New(`version|environment|system (?:info|spec|config)|^(?:my )?(?:setup|system|platform|specs?|env|os|device|python|cuda|gpu)\b|installed|dependenc|packages|pip (?:list|freeze)|conda list|operating system|^gpu|installation`)},
	{RoleCode, lazyre.New(`reproduc|\bcode\b|\bsteps\b|example|snippet|minimal|\bmwe\b|\bmre\b|\bscripts?\b|how to|test case|usage`)},
}

func roleOfHeading(heading string) Role {
	lower := strings.ToLower(heading)
	for _, r := range headingRoles {
		if r.words.MatchString(lower) {
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

func (p *parser) roleAt(pos int) Role {
	if i := p.sectionAt(pos); i >= 0 {
		return p.r.Sections[i].Role
	}
	return RoleDescription
}
