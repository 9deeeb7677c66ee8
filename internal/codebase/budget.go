package codebase

import (
	"slices"
	"strings"
)

// bytesPerToken is how long a token of code is, about (guess; the tokenizers of
// code models give 3 to 4 on Python, and the estimate need not be exact).
const bytesPerToken = 3.6

// tokensOf estimates the tokens of a text.
func tokensOf(text string) int { return int(float64(len(text))/bytesPerToken) + 1 }

const (
	// minPiece is the room in tokens below which no text is begun: a signature
	// and a line (guess).
	minPiece = 16
	// elsewhere stands for lines that the context holds already.
	elsewhere = "# ... shown above"
	// docCut stands for the end of a docstring, inside its quotes.
	docCut = "... (docstring cut)"
)

// span is a half-open range of bytes of a file.
type span struct{ start, end int }

// given is what of a file the context holds: spans by path, sorted and apart.
type given map[string][]span

// rest are the parts of a range that the context does not hold yet.
func (g given) rest(path string, start, end int) []span {
	var out []span
	for _, s := range g[path] {
		if s.end <= start || s.start >= end {
			continue
		}
		if s.start > start {
			out = append(out, span{start, s.start})
		}
		start = s.end
	}
	if start < end {
		out = append(out, span{start, end})
	}
	return out
}

// add wants a span that is not there yet.
func (g given) add(path string, s span) {
	all := append(g[path], s)
	slices.SortFunc(all, func(a, b span) int { return a.start - b.start })
	g[path] = all
}

// take spends budget on a piece of a file: at most room tokens. What the
// context holds already is not given again: of a class whose method was given
// the rest comes, with a mark in the method's place. ok is false when nothing
// is left of the piece, or no room for it; cut says that its end did not fit.
func (g *gathering) take(path string, start, end int, src []byte, room int) (text string, cut, ok bool) {
	room = min(room, g.left)
	if start < 0 || end > len(src) || start >= end || room < minPiece {
		return "", false, false // the file changed since, or it is full
	}
	start, end = wholeLines(src, start, end)
	fresh := 0
	rest := slices.DeleteFunc(g.given.rest(path, start, end), func(s span) bool {
		n := len(strings.TrimSpace(string(src[s.start:s.end])))
		fresh += n
		return n == 0
	})
	// Of a piece that is nearly all there, the last line is no news (guess).
	if fresh == 0 || fresh*8 < end-start {
		return "", false, false
	}
	parts := whole(rest)
	if tokensOf(string(src[start:end])) > room {
		parts = withoutDocs(rest, docTails(src))
	}
	text, cut = g.write(path, span{start, end}, parts, src, room)
	if text == "" {
		return "", false, false // not even its first line fits
	}
	text = strings.TrimRight(text, " \t\n")
	g.left -= tokensOf(text)
	return text, cut, true
}

// write puts the pieces of a range together, each gap marked, until the room
// ends; "" when not even the first line fits.
func (g *gathering) write(path string, all span, parts []piece, src []byte, room int) (text string, cut bool) {
	var b strings.Builder
	at := all.start
	for i, p := range parts {
		if p.start > at {
			b.WriteString(indentOf(src, p.start) + p.mark + "\n")
		}
		// Room for the mark behind this part is kept free.
		left := room - tokensOf(b.String())
		if p.end < all.end {
			left -= tokensOf(indentOf(src, p.end) + markOf(parts, i+1) + "\n")
		}
		part, short := fit(string(src[p.start:p.end]), left)
		if part != "" {
			b.WriteString(part)
			g.given.add(path, span{p.start, p.start + len(part)})
			at = p.end
		}
		if short {
			cut = true
			break
		}
	}
	if at == all.start {
		return "", false
	}
	if at < all.end && !cut {
		b.WriteString(indentOf(src, at) + elsewhere)
	}
	return b.String(), cut
}

// wholeLines widens a range to the indentation before it and the end of line
// behind it.
func wholeLines(src []byte, start, end int) (int, int) {
	from := start
	for from > 0 && (src[from-1] == ' ' || src[from-1] == '\t') {
		from--
	}
	if from == 0 || src[from-1] == '\n' {
		start = from
	}
	if end < len(src) && src[end] == '\n' {
		end++
	}
	return start, end
}

// indentOf is the indentation of the line that begins at a byte.
func indentOf(src []byte, at int) string {
	to := at
	for to < len(src) && (src[to] == ' ' || src[to] == '\t') {
		to++
	}
	return string(src[at:to])
}

// fit cuts a text behind a line so that it fits into room tokens; "" when not
// even the first line does.
func fit(text string, room int) (string, bool) {
	if tokensOf(text) <= room {
		return text, false
	}
	limit := int(float64(room-1) * bytesPerToken)
	if limit <= 0 {
		return "", true
	}
	if limit >= len(text) {
		return text, false
	}
	return text[:strings.LastIndexByte(text[:limit], '\n')+1], true
}
