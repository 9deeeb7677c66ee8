package chunk

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// maxDoc is the longest Doc, in bytes.
const maxDoc = 400

// literal finds the string literal that begins at byte at, as far as it can be
// a docstring: no f or b prefix, nothing but a comment after it on its line. It
// gives the span between the quotes and the byte after the literal.
func literal(src []byte, at int) (start, end, after int, ok bool) {
	i := at
	for i < len(src) && i < at+2 && bytes.IndexByte([]byte("rRuU"), src[i]) >= 0 {
		i++
	}
	if i >= len(src) || (src[i] != '"' && src[i] != '\'') {
		return 0, 0, 0, false
	}
	quotes := src[i : i+1]
	if i+2 < len(src) && src[i+1] == src[i] && src[i+2] == src[i] {
		quotes = src[i : i+3]
	}
	start = i + len(quotes)
	for end = start; end < len(src); end++ {
		if src[end] == '\\' {
			end++
			continue
		}
		if src[end] == quotes[0] && bytes.HasPrefix(src[end:], quotes) {
			after = end + len(quotes)
			rest, _, _ := bytes.Cut(src[after:], []byte{'\n'})
			rest = bytes.TrimSpace(rest)
			return start, end, after, len(rest) == 0 || rest[0] == '#'
		}
		if src[end] == '\n' && len(quotes) == 1 {
			break
		}
	}
	return 0, 0, 0, false
}

// docstring is the raw text of the docstring at byte at, nil when what stands
// there is none.
func docstring(src []byte, at int) []byte {
	start, end, _, ok := literal(src, at)
	if !ok {
		return nil
	}
	return src[start:end]
}

// firstParagraph is the text up to the first blank line, in one line.
func firstParagraph(doc []byte) string {
	doc = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(doc), []byte("\\\n")))
	var b strings.Builder
	for len(doc) > 0 {
		var line []byte
		line, doc, _ = bytes.Cut(doc, []byte{'\n'})
		words := bytes.Fields(line)
		if len(words) == 0 {
			break
		}
		for _, w := range words {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.Write(w)
		}
		if b.Len() > maxDoc {
			break
		}
	}
	return shorten(b.String(), maxDoc)
}

// shorten cuts at a word border where there is one, never inside a character.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	cut := limit
	if i := strings.LastIndexByte(s[:limit+1], ' '); i > limit/2 {
		cut = i
	}
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut]
}
