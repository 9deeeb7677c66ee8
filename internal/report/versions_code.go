package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// Versions that stand in the comments of a script. They are the reporter's own
// words, yet a comment also holds results ("# torch: 0.25"), so that a number
// counts only where nothing else is likely.
var (
	// bareComment is a comment that is a version and nothing else.
	bareComment = lazyre.New(`^\s*(?:(?:version|ver\.?|v)\s*[:=]?\s*|==)?v?(` + versionText + `)\s*$`)
	// pinned is what only a version is written with.
	pinned = lazyre.New(`(?i)==|\bversions?\b|@|~=|>=|<=`)
	// printsVersion is a print of one package's version.
	printsVersion = lazyre.New(`\bprint\(\s*([A-Za-z_]\w*)\.(?:__version__|version\.VERSION)\s*\)`)
	docMark       = lazyre.New(`^\s*[rRuU]?("""|''')`)
	codeImport    = lazyre.New(`^\s*(?:import|from)\s+([A-Za-z_]\w*)`)
)

// codeVersions reads the comments and the opening docstring of a script.
func (p *parser) codeVersions(i int) {
	b := &p.blks[i]
	last := p.headerEnd(b)
	for n, c := range p.commentsOf(b) {
		if n >= maxLines {
			break
		}
		p.commentVersions(b, c, c.line < last)
	}
	p.docVersions(b)
}

// headerEnd is the first line of the block that is neither blank, a comment, an
// import nor part of a leading docstring: what stands above it describes the
// script as a whole.
func (p *parser) headerEnd(b *blk) int {
	doc := ""
	for k, l := range b.lines {
		t := strings.TrimSpace(p.text[l.start:l.end])
		switch m := docMark.FindStringSubmatch(t); {
		case doc != "":
			if strings.Contains(t, doc) {
				doc = ""
			}
		case m != nil:
			if strings.Count(t, m[1]) == 1 {
				doc = m[1]
			}
		case t == "", strings.HasPrefix(t, "#"), codeImport.MatchString(t):
		default:
			return k
		}
	}
	return len(b.lines)
}

// commentVersions reads one comment. In the header, and where it is written as
// a pin, two numbers are a version; elsewhere it takes three ("numpy 1.22.4").
func (p *parser) commentVersions(b *blk, c comment, header bool) {
	text := p.text[c.start:c.end]
	if len(text) > maxTitle || !strings.ContainsAny(text, "0123456789") {
		return
	}
	l := b.lines[c.line]
	if m := bareComment.FindStringSubmatchIndex(text); m != nil && c.trailing && strings.Contains(text[m[2]:m[3]], ".") {
		code := p.text[l.start : c.start-1]
		name := codeImport.FindStringSubmatch(code)
		if name == nil {
			name = printsVersion.FindStringSubmatch(code)
		}
		if name != nil {
			p.printedVersion(p.aliased(name[1]), text[m[2]:m[3]], "comment", Span{c.start + m[2], c.start + m[3]})
			return
		}
	}
	p.wordsVersions(c.start, text, header)
}

// wordsVersions reads the named versions of a line of a comment or docstring.
func (p *parser) wordsVersions(start int, text string, header bool) {
	s := sent{start: start, end: start + len(text), afterBlock: -1}
	fs := p.numbers(s, text)
	all := moods(text)
	for _, f := range fs {
		name := text[f.name[0]:f.name[1]]
		if f.dist == "" || !isKnown(name) && !p.imports[strings.ToLower(name)] {
			continue
		}
		dots := strings.Count(text[f.start:f.end], ".")
		sure := dots >= 2 || dots == 1 && (header || pinned.MatchString(text[f.name[0]:f.end]))
		if !sure {
			continue
		}
		v := p.version(s, text, f, f.dist, name)
		v.Where, v.Span.Start = "comment", s.start+f.name[0]
		if strings.HasPrefix(f.op, "=") {
			v.Spec, v.Kind = text[f.start:f.end], ""
		}
		if f.dist != "python" {
			v.Role = p.roleInSentence(s, text, f, fs, all, ranges(fs))
		}
		p.addVersion(v)
	}
}

// docVersions reads the docstring with which a script begins.
func (p *parser) docVersions(b *blk) {
	if len(b.lines) == 0 {
		return
	}
	m := docMark.FindStringSubmatch(p.text[b.lines[0].start:b.lines[0].end])
	if m == nil {
		return
	}
	for k, l := range b.lines[:min(len(b.lines), 40)] {
		t := p.text[l.start:l.end]
		if k > 0 && strings.Contains(t, m[1]) {
			return
		}
		if len(t) <= maxTitle {
			p.wordsVersions(l.start, t, true)
		}
	}
}
