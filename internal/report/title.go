package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// maxFrontKey is how far into a line the colon of a loose date may stand.
const maxFrontKey = 40

// maxTitle cuts a title that was taken from running text (a guess).
const maxTitle = 240

var frontLine = lazyre.New(`(?i)^\s*(?:[-*]\s+)?(?:\*\*)?(title|subject|date|filed|created(?:_at| at| on)?|opened|reported|submitted|labels?|repo(?:sitory)?)(?:\*\*)?\s*:(?:\*\*)?\s*(.*?)\s*$`)

// frontRepo is a line of front matter that says where the report was filed: an
// issue's address, or "owner/name".
var frontRepo = lazyre.New(`(?i)^\s*(?:(?:url|link|issue|html_url)\s*:\s*["'<]?https?://(?:www\.)?github\.com/|repo(?:sitory)?\s*:\s*["'<]?(?:https?://(?:www\.)?github\.com/)?)([\w.-]+/[\w.-]+?)(?:\.git)?(?:/(?:issues|pull|discussions)(?:/\d+)?)?(?:[#?]\S*)?/?["'>]?\s*$`)

// readFront reads front matter: a block between --- lines at the very top, or
// loose "Filed: 2024-03-05" lines near the top. Dates only count there.
func (p *parser) readFront() {
	first := p.firstLine(0)
	if first < len(p.lines) && strings.TrimSpace(p.lineText(first)) == "---" {
		for j := first + 1; j < min(len(p.lines), first+40); j++ {
			if strings.TrimSpace(p.lineText(j)) == "---" {
				p.frontBlock(first, j)
				return
			}
		}
	}
	// Loose lines: among the first twelve lines, outside blocks.
	for j := first; j < min(len(p.lines), first+12); j++ {
		if p.lines[j].end-p.lines[j].start > maxMarkLine {
			continue
		}
		text := p.proseLine(j)
		if k := strings.IndexByte(text, ':'); k < 0 || k > maxFrontKey || !frontGate.open(lowered(text[:k])) {
			continue
		}
		if m := frontLine.FindStringSubmatchIndex(text); m != nil && p.front(j, text, m) {
			p.blank(p.lines[j].start, p.lines[j].end)
		}
	}
}

// frontBlock reads the lines between two --- lines.
func (p *parser) frontBlock(first, last int) {
	for j := first + 1; j < last; j++ {
		text := p.lineText(j)
		if m := frontLine.FindStringSubmatchIndex(text); m != nil {
			p.front(j, text, m)
		}
		if m := frontRepo.FindStringSubmatch(text); m != nil && p.r.Repo == "" {
			p.r.Repo = m[1]
		}
	}
	p.blank(p.lines[first].start, p.lines[last].end)
	p.bodyAt = min(p.lines[last].end+1, len(p.text))
}

// front takes one line's fact; false when the line is prose after all.
func (p *parser) front(j int, text string, m []int) bool {
	key, value := strings.ToLower(text[m[2]:m[3]]), text[m[4]:m[5]]
	switch {
	case key == "title" || key == "subject":
		if value == "" || p.r.Title != "" {
			return false
		}
		p.setTitle(p.lines[j].start+m[4], p.lines[j].start+m[5])
		return true
	case strings.HasPrefix(key, "label"):
		for _, l := range strings.FieldsFunc(strings.Trim(value, "[]"), func(r rune) bool { return r == ',' }) {
			p.r.Labels = append(p.r.Labels, strings.Trim(strings.TrimSpace(l), `"'`))
		}
		return true
	case key == "repo" || key == "repository":
		return true
	default:
		t, ok := parseDay(value)
		if ok {
			p.r.Created = t
		}
		return ok
	}
}

// firstLine is the first line from there on that is not blank.
func (p *parser) firstLine(from int) int {
	for from < len(p.lines) && strings.TrimSpace(p.lineText(from)) == "" {
		from++
	}
	return from
}

// findTitle takes the front matter's title, else the first heading when the
// text begins with it, else the first line of prose. A form without a title
// begins with a field's heading: that is none.
func (p *parser) findTitle() {
	if p.r.Title != "" {
		return
	}
	if len(p.heads) > 0 && strings.TrimSpace(string(p.prose[p.bodyAt:p.heads[0].lineStart])) == "" && !p.blockBefore(p.heads[0].lineStart) {
		h := p.heads[0]
		named := p.role(h.text) == RoleDescription && !fieldName.MatchString(h.text)
		// A bold line of a few words is a label; a longer one is a title.
		if h.level == 1 || named && (h.level < pseudoLevel || len(strings.Fields(h.text)) > 3) {
			p.setTitle(h.start, h.end)
			copy(p.prose[h.start:h.end], p.text[h.start:h.end]) // a title states facts too
			p.bodyAt = h.bodyAt
			p.heads = p.heads[1:]
			return
		}
	}
	i := p.titleLine()
	if i < 0 {
		return
	}
	s := p.visible(i)
	if m := sentenceEnd.FindStringIndex(p.text[s.Start:s.End]); m != nil && m[0] >= 20 {
		s.End = s.Start + m[0] // the first sentence of a long line
	}
	if s.End-s.Start > maxTitle {
		s.End = s.Start + len(cut(p.text[s.Start:s.End], maxTitle))
	}
	p.setTitle(s.Start, s.End)
}

// visible is the line without the tags at its ends.
func (p *parser) visible(i int) Span {
	s := Span{p.lines[i].start, p.lines[i].end}
	if v := trimmed(string(p.prose[s.Start:s.End]), Span{0, s.End - s.Start}); v.End > v.Start {
		s = Span{s.Start + v.Start, s.Start + v.End}
	}
	return trimmed(p.text, s)
}

// titleLine is the first line of prose that describes something, else the
// first line of prose, else the first line; -1 in an empty text.
func (p *parser) titleLine() int {
	first, role, next := -1, RoleDescription, 0
	for i := range p.lines {
		for next < len(p.heads) && p.heads[next].lineStart <= p.lines[i].start {
			role = p.role(p.heads[next].text)
			next++
		}
		if t := strings.TrimSpace(p.proseLine(i)); t == "" || boilerplate.MatchString(t[:min(len(t), 200)]) || checkItem.MatchString(t) || sideLabel.MatchString(t[:min(len(t), 200)]) || strings.HasSuffix(t, ":") && len(strings.Fields(t)) < 6 {
			continue
		}
		if role == RoleDescription || role == RoleActual || role == RoleExpected {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	if first < 0 && len(p.heads) == 0 {
		if k := p.firstLine(0); k < len(p.lines) {
			return k
		}
	}
	return first
}

// fieldName is the heading of a form's field, which is no title. Collected from
// the forms of about twenty trackers.
var fieldName = lazyre.New(`(?i)^\W*(?:describe (?:the|your|this) (?:bug|issue|problem)|bug(?: (?:description|report))?|(?:issue |problem |bug )?(?:description|summary|overview|details)|issue|problem|question|what (?:is the (?:bug|issue|problem)|happened|is your question|did you do)|the feature, motivation and pitch|feature request|问题描述|问题|描述|🐛.*)\W*$`)

// boilerplate is a template's own first words.
var boilerplate = lazyre.New(`(?i)^\W*(?:please (?:make sure|note|read|search|check|fill|go to|provide|do not|delete|use|describe)|note:|thank(?:s| you) for|if (?:the issue|this is|you)\b|before (?:you|opening|submitting)|_no response_|click (?:to|here))`)

// checkItem is a line of a form's list of boxes.
var checkItem = lazyre.New(`^\s*[-*+] \[[ xX]?\]`)

// blockBefore says whether a block stands before the position: then a heading
// behind it is no title.
func (p *parser) blockBefore(pos int) bool {
	return len(p.blks) > 0 && p.blks[0].span.Start < pos
}

// setTitle takes the words as the title, without quotation marks around them.
func (p *parser) setTitle(start, end int) {
	s := trimmed(p.text, Span{start, end})
	if s.End-s.Start > 2 && p.text[s.Start] == p.text[s.End-1] && strings.IndexByte(`"'`, p.text[s.Start]) >= 0 {
		s = Span{s.Start + 1, s.End - 1}
	}
	p.r.Title, p.r.TitleSpan = p.text[s.Start:s.End], s
}
