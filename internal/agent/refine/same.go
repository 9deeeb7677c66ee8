package refine

import (
	"strings"
	"unicode"

	"github.com/repgen/repgen/internal/pysyntax"
)

// Same says that two scripts differ at most in comments, blank lines and the
// white space inside a line. Two answers without a script are not the same
// script.
func Same(a, b string) bool {
	if strings.TrimSpace(a) == "" || strings.TrimSpace(b) == "" {
		return false
	}
	return a == b || squeeze(a) == squeeze(b) && Normalise(a) == Normalise(b)
}

// squeeze is a script without white space and without what follows a hash sign
// on its line, also one in a string: equal for scripts that are the same, and a
// hundred times quicker than to tell strings from comments.
func squeeze(script string) string {
	var out strings.Builder
	for line := range strings.Lines(script) {
		code, _, _ := strings.Cut(line, "#")
		for _, word := range strings.Fields(code) {
			out.WriteString(word)
		}
	}
	return out.String()
}

// Normalise leaves out of a script what does not change what it does: comments,
// blank lines, and white space that separates nothing. Strings and the
// indentation stay as they are.
func Normalise(script string) string {
	f := pysyntax.Parse(script)
	kinds := make([]byte, len(script)) // 0 code, 's' string, 'c' comment
	mark := func(s pysyntax.Span, kind byte) {
		for i := max(s.Start, 0); i < min(s.End, len(kinds)); i++ {
			kinds[i] = kind
		}
	}
	for _, c := range f.Comments {
		mark(c.Span, 'c')
	}
	for _, s := range f.Strings {
		mark(s.Span, 's')
	}
	var out strings.Builder
	begin := 0
	for begin < len(script) {
		end := begin
		for end < len(script) && (script[end] != '\n' || kinds[end] == 's') {
			end++
		}
		if line := normalLine(script[begin:end], kinds[begin:end]); line != "" {
			out.WriteString(line)
			out.WriteByte('\n')
		}
		begin = end + 1
	}
	return out.String()
}

// normalLine is one logical piece of a script: its indentation, then its code
// with only such white space as stands between two words.
func normalLine(text string, kinds []byte) string {
	code := strings.TrimLeft(text, " \t\r")
	indent := text[:len(text)-len(code)]
	var out strings.Builder
	space := false
	last := byte(' ')
	for i := len(indent); i < len(text); i++ {
		c := text[i]
		switch {
		case kinds[i] == 'c':
			continue
		case kinds[i] != 's' && unicode.IsSpace(rune(c)):
			space = true
			continue
		case space && word(last) && word(c):
			out.WriteByte(' ')
		}
		space, last = false, c
		out.WriteByte(c)
	}
	if out.Len() == 0 {
		return ""
	}
	return indent + out.String()
}

// word: a byte of a name, a number or a letter beyond ASCII.
func word(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
