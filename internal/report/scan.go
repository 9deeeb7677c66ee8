package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// fenceOpen: three or more backticks or tildes, a tag behind them, a list's
	// marker before them.
	fenceOpen = lazyre.New("^[ \t]*(?:[-*+] +|\\d+[.)] +)?(`{3,}|~{3,})[ \t]*([^`]*)$")
	// gluedFence: a fence with the first line of code right behind it.
	gluedFence = lazyre.New("^([ \t]*`{3})(?:import [A-Za-z_]|from [A-Za-z_][\\w.]* import )[^`]*$")
	// replPrompt: ">>> x".
	replPrompt = lazyre.New(`^\s*>>> `)
	// cellPrompt: "In [3]: x".
	cellPrompt = lazyre.New(`^\s*In ?\[\d*\]: ?`)
	// listMarker: "- x", "* x", "1. x".
	listMarker = lazyre.New(`^\s*(?:[-*+]|\d{1,3}[.)])\s+`)
	// traceStart: the first line of a traceback.
	traceStart = lazyre.New(`^\s*Traceback \(most recent call last\)`)
	// traceEnd: its last, "ValueError: x".
	traceEnd = lazyre.New(`^\s*(?:[A-Za-z_][\w.]*\.)?[A-Za-z_]\w*(?:Error|Exception|Warning|Interrupt|Exit|Iteration)\b`)
	// importLine: with it, code begins that no mark announces.
	importLine = lazyre.New(`^(?:import [A-Za-z_][\w.]*(?:\s*,\s*[\w.]+)*(?: as \w+)?|from [A-Za-z_.][\w.]* import [\w*(].*)\s*(?:#.*)?$`)
	// capitalImport: a first line whose keyword was written large, before another
	// import.
	capitalImport = lazyre.New(`^Import [a-z_][\w.]*(?: as \w+)?\s*$`)
	// codeLine: with it, such code goes on.
	codeLine = lazyre.New(`^(?:\s+\S|[A-Za-z_][\w.\[\]"', ]*\s*[-+*/|&@]?=[^=]|[A-Za-z_][\w.]*\(.*|(?:def|class|for|if|while|with|return|import|from|try|except|else|elif|assert|del|raise|async|global|@\w)\b.*|@\w.*|[)\]}#].*|print\b.*)`)
	// quoteMarks: "> x", of mail and of replies.
	quoteMarks = lazyre.New(`^ {0,3}(?:> ?)+`)
	// codeTags: inline code in HTML.
	codeTags = lazyre.New(`(?i)<code>([^<>\n]{1,200})</code>`)
	// openTag, closeTag: a block in HTML.
	openTag  = lazyre.New(`(?i)^\s*<pre>(?:\s*<code[^>]*>)?`)
	closeTag = lazyre.New(`(?i)(?:</code>\s*)?</pre>`)
	// markupTags: tags that only lay out.
	markupTags = lazyre.New(`(?i)</?(?:details|summary|p|br|b|i|em|strong|u|ul|ol|li|table|tr|td|th|center|font|blockquote|code|pre|img|sub|sup|kbd|div|span|h[1-6]|a|hr)\b[^<>]*>`)
	// markdownPic: "![x](y)".
	markdownPic = lazyre.New(`!\[[^\]\n]*\]\([^)\n]*\)`)
)

// scan finds the blocks and blanks everything that is no prose. One pass over
// the lines; each branch moves forward, so that the time is linear.
func (p *parser) scan() {
	s := scanner{p: p, lastComment: strings.LastIndex(p.text, "-->"), lastPre: strings.LastIndex(strings.ToLower(p.text), "</pre>"), before: true}
	for i := 0; i < len(p.lines); {
		i = s.step(i)
	}
}

type scanner struct {
	p *parser
	// lastComment and lastPre are where the last closing mark is, so that an
	// unclosed one is not searched for again and again.
	lastComment, lastPre int
	before               bool // the line before is blank (or there is none)
	inList               bool // an indented line continues a list item
	cut                  int  // bytes of a fence at the end of the block's last line
}

// step handles the line i and gives the next line to look at.
func (s *scanner) step(i int) int {
	text := s.p.lineText(i)
	if strings.TrimSpace(text) == "" {
		s.before = true
		return i + 1
	}
	if next := s.block(i, text); next > i {
		s.before = true
		return next
	}
	if m := quoteMarks.FindStringIndex(text); m != nil && !strings.HasPrefix(text[m[0]:], ">>>") {
		s.p.blank(s.p.lines[i].start, s.p.lines[i].start+m[1])
	}
	if strings.Contains(text, "![") {
		for _, m := range markdownPic.FindAllStringIndex(text, -1) {
			s.p.blank(s.p.lines[i].start+m[0], s.p.lines[i].start+m[1])
			s.p.pictures++
		}
	}
	if strings.Contains(text, "<") {
		if next := s.markup(i, text); next > i {
			return next
		}
	}
	switch {
	case listMarker.MatchString(text):
		s.inList = true
	case indentOf(text) == 0 && s.before:
		s.inList = false
	}
	s.before = false
	return i + 1
}

// block tries each form of block that may begin at the line; it gives the line
// after it, or i when none does.
func (s *scanner) block(i int, text string) int {
	if len(text) > maxMarkLine {
		return i
	}
	if fence, tag, ok := opensFence(text); ok && fenceTagFits(tag) {
		return s.fenced(i, fence, tag)
	}
	switch {
	case gluedFence.MatchString(text):
		return s.glued(i)
	case openTag.MatchString(text) && s.p.lines[i].start < s.lastPre:
		return s.preformatted(i)
	case replPrompt.MatchString(text), cellPrompt.MatchString(text):
		return s.while(i, func(t string) bool {
			return replPrompt.MatchString(t) || cellPrompt.MatchString(t) || outPrompt.MatchString(t)
		})
	case traceStart.MatchString(text):
		return s.traceback(i)
	case indentOf(text) >= 4 && s.before && !s.inList:
		return s.indented(i)
	case strings.HasPrefix(strings.TrimLeft(text, " \t"), "`"):
		return s.ticked(i, text)
	case importLine.MatchString(text), capitalImport.MatchString(text) && i+1 < len(s.p.lines) && importLine.MatchString(s.p.lineText(i+1)):
		return s.bareCode(i)
	}
	return s.bareOutput(i, text)
}

// glued reads a fence whose first line of code stands right behind its marks.
func (s *scanner) glued(i int) int {
	p := s.p
	end := i + 1
	if end = s.closing(end, "```"); end == len(p.lines) {
		return i
	}
	start := p.lines[i].start + len(gluedFence.FindStringSubmatch(p.lineText(i))[1])
	b := blk{first: i, last: end, lines: []line{{start, p.lines[i].end}}}
	b.lines = append(b.lines, p.lines[i+1:end]...)
	s.keep(b)
	return end + 1
}

// fenceTagFits keeps a line of prose that begins with three backticks out.
func fenceTagFits(tag string) bool { return len(strings.Fields(tag)) <= 3 }

// fenced reads to the closing fence, or to the end. Issue forms wrap what was
// pasted in a fence of their own, so a fence right inside a fence is unwrapped.
func (s *scanner) fenced(i int, fence, tag string) int {
	p, body := s.p, i+1
	inner := false
	for j := body; j < min(len(p.lines), body+3); j++ {
		t := p.lineText(j)
		if strings.TrimSpace(t) == "" {
			continue
		}
		if m := fenceOpen.FindStringSubmatch(t); m != nil && strings.TrimSpace(m[2]) != "" && m[1] == fence {
			tag, body, inner = strings.TrimSpace(m[2]), j+1, true
		}
		break
	}
	end := s.fenceEnd(body, fence, indentOf(p.lineText(i)))
	if j := s.closedLate(body, end, fence); j >= 0 {
		s.cut = len(fence)
		s.add(blk{lang: firstWord(tag), first: i, last: j}, body, j+1)
		s.cut = 0
		return j + 1
	}
	if end == len(p.lines) && fence[0] == '~' && tag == "" {
		return i // an underline: nobody closes those
	}
	next := end + 1
	if inner {
		for j := next; j < min(len(p.lines), next+3); j++ {
			t := p.lineText(j)
			if closes(t, fence) {
				next = j + 1
			}
			if strings.TrimSpace(t) != "" {
				break
			}
		}
	}
	if end == len(p.lines) {
		p.note("a code fence is never closed")
	}
	s.add(blk{lang: firstWord(tag), first: i, last: min(next, len(p.lines)) - 1}, body, end)
	return min(next, len(p.lines))
}

// firstWord is the first word of a text, "" when it has none.
func firstWord(s string) string {
	if f := strings.Fields(s); len(f) > 0 {
		return f[0]
	}
	return ""
}

// closedLate finds the line of a block at whose end the closing fence stands,
// -1 for none. Markdown sees no fence there and shows the rest of the report as
// code; so it counts only where that rest is plainly none: a heading stands in
// it, or the block would never end.
func (s *scanner) closedLate(body, end int, fence string) int {
	p := s.p
	for j := body; j < end; j++ {
		t := strings.TrimRight(p.lineText(j), " \t")
		if !strings.HasSuffix(t, fence) || strings.Count(t, fence) != 1 || strings.TrimSpace(t) == fence {
			continue
		}
		if parses(p.text[p.lines[body].start:p.lines[end-1].end]) {
			return -1 // the marks stand in a comment or a string of the script
		}
		if end == len(p.lines) {
			return j
		}
		for k := j + 1; k < end; k++ {
			if subHeading.MatchString(p.lineText(k)) {
				return j
			}
		}
		return -1
	}
	return -1
}

// subHeading is a Markdown heading that is no comment of a script.
var subHeading = lazyre.New(`^#{2,6} +[A-Z]`)

// closes says whether the line is a closing fence for the given opening one.
func closes(text, fence string) bool {
	t := strings.TrimSpace(text)
	return len(t) >= len(fence) && strings.Trim(t, fence[:1]) == ""
}

// preformatted reads <pre> to </pre>; the tags' own lines belong to it.
func (s *scanner) preformatted(i int) int {
	p := s.p
	start := p.lines[i].start + len(openTag.FindString(p.lineText(i)))
	end := i
	for !closeTag.MatchString(p.lineText(end)) {
		end++
		if end == len(p.lines) {
			return i
		}
	}
	stop := p.lines[end].start + closeTag.FindStringIndex(p.lineText(end))[0]
	if stop < start {
		return i
	}
	b := blk{first: i, last: end}
	for j := i; j <= end; j++ {
		l := line{max(p.lines[j].start, start), min(p.lines[j].end, stop)}
		if l.end > l.start || (j > i && j < end) {
			b.lines = append(b.lines, l)
		}
	}
	s.keep(b)
	return end + 1
}

// while takes lines up to the first blank line that no further such line follows.
func (s *scanner) while(i int, goes func(string) bool) int {
	p, end := s.p, i+1
	for end < len(p.lines) {
		t := p.lineText(end)
		if strings.TrimSpace(t) == "" && (end+1 >= len(p.lines) || !goes(p.lineText(end+1))) {
			break
		}
		if isFence(t) || headingLine.MatchString(t) || strings.HasPrefix(strings.TrimLeft(t, " \t"), "<!--") {
			break
		}
		end++
	}
	s.add(blk{first: i, last: end - 1}, i, end)
	return end
}

// traceback takes an unfenced traceback up to the line that names the
// exception, and the chained ones after it.
func (s *scanner) traceback(i int) int {
	p, end, seen := s.p, i+1, false
	for ; end < len(p.lines); end++ {
		t := p.lineText(end)
		blank := strings.TrimSpace(t) == ""
		if seen && !blank && !traceStart.MatchString(t) && !isChain(t) || isFence(t) || headingLine.MatchString(t) {
			break
		}
		if seen && blank && !chainFollows(p, end+1) {
			break
		}
		if traceStart.MatchString(t) {
			seen = false
		} else if traceEnd.MatchString(t) && indentOf(t) <= indentOf(p.lineText(i)) {
			seen = true
		}
	}
	s.add(blk{first: i, last: end - 1, kind: BlockTraceback}, i, end)
	return end
}

// isChain says whether the line joins two tracebacks.
func isChain(t string) bool {
	return strings.HasPrefix(strings.TrimSpace(t), "During handling of") || strings.HasPrefix(strings.TrimSpace(t), "The above exception")
}

// chainFollows says whether the traceback goes on at line i.
func chainFollows(p *parser, i int) bool {
	return i < len(p.lines) && (isChain(p.lineText(i)) || traceStart.MatchString(p.lineText(i)))
}

// indented takes an indented code block, blank lines inside it included.
func (s *scanner) indented(i int) int {
	p, end := s.p, i
	for j := i; j < len(p.lines); j++ {
		t := p.lineText(j)
		if strings.TrimSpace(t) == "" {
			continue
		}
		if indentOf(t) < 4 {
			break
		}
		end = j + 1
	}
	s.add(blk{first: i, last: end - 1}, i, end)
	return end
}

// add keeps the lines [from, to) as a block, dedented.
func (s *scanner) add(b blk, from, to int) {
	p, margin := s.p, -1
	for j := from; j < to; j++ {
		t := p.lineText(j)
		if strings.TrimSpace(t) == "" {
			continue
		}
		if n := len(t) - len(strings.TrimLeft(t, " \t")); margin < 0 || n < margin {
			margin = n
		}
	}
	// A truncated traceback begins indented on purpose.
	if margin > 0 && from > b.first && strings.Contains(p.text[p.lines[from].start:p.lines[to-1].end], "File \"") {
		margin = 0
	}
	for j := from; j < to; j++ {
		if b.steps && stepLine.MatchString(p.lineText(j)) {
			continue
		}
		l := p.lines[j]
		l.start = min(l.end, l.start+max(margin, 0))
		b.lines = append(b.lines, l)
	}
	if n := len(b.lines); s.cut > 0 && n > 0 {
		last := &b.lines[n-1]
		last.end = last.start + len(strings.TrimRight(p.text[last.start:last.end], " \t")) - s.cut
	}
	s.keep(b)
}

// keep blanks the block's lines in the prose and records it when it holds
// anything and the limit allows.
func (s *scanner) keep(b blk) {
	p := s.p
	p.blank(p.lines[b.first].start, p.lines[b.last].end)
	if len(b.lines) == 0 {
		return
	}
	b.span = Span{b.lines[0].start, b.lines[len(b.lines)-1].end}
	if strings.TrimSpace(p.text[b.span.Start:b.span.End]) == "" {
		return
	}
	if parts := s.splitCommand(b); parts != nil {
		for _, part := range parts {
			s.keep(part)
		}
		return
	}
	if code, output, ok := s.splitTail(b); ok {
		s.keep(code)
		s.keep(output)
		return
	}
	if len(p.blks) == MaxBlocks {
		p.dropped++
		return
	}
	b.text = b.join(p.text)
	for j := b.first; j <= b.last; j++ {
		p.inBlock[j] = len(p.blks)
	}
	p.blks = append(p.blks, b)
}

// markup blanks tags and HTML comments. A comment may go over many lines: then
// the line where it ends is returned, else i.
func (s *scanner) markup(i int, text string) int {
	p, l := s.p, s.p.lines[i]
	for _, m := range markupTags.FindAllStringIndex(text, -1) {
		p.blank(l.start+m[0], l.start+m[1])
	}
	// Inline code is inline code, whichever way it is marked.
	for _, m := range codeTags.FindAllStringSubmatchIndex(text, 64) {
		p.prose[l.start+m[2]-1], p.prose[l.start+m[3]] = '`', '`'
	}
	from := l.start
	for {
		k := strings.Index(p.text[from:l.end], "<!--")
		if k < 0 {
			return i
		}
		start := from + k
		if start >= s.lastComment {
			p.blank(start, l.end)
			return i
		}
		end := start + strings.Index(p.text[start:], "-->") + 3
		p.blank(start, end)
		p.hidden = append(p.hidden, Span{start, end})
		if end > l.end {
			return s.lineAfter(i, end)
		}
		from = end
	}
}

// lineAfter gives the line in which the position lies, or the next one when
// nothing but space follows it there.
func (s *scanner) lineAfter(i, pos int) int {
	for i < len(s.p.lines)-1 && s.p.lines[i].end < pos {
		i++
	}
	if strings.TrimSpace(s.p.text[pos:s.p.lines[i].end]) == "" {
		return i + 1
	}
	return i
}
