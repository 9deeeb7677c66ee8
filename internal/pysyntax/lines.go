package pysyntax

import "strings"

// logical is one logical line of a source that need not parse: all the physical
// lines that brackets, triple quotes or a backslash hold together.
type logical struct {
	first, last int // 0-based physical lines
	indent      string
	text        string // from the first character that is no blank, comments left out
	blank       bool   // nothing but blanks or a comment
	empty       bool   // nothing but blanks
}

// lexer walks a source without a grammar, so that damage in one place does not
// change how another is read.
type lexer struct {
	quote string // the open string's closing quote, "" outside
	open  []byte // brackets
	extra int    // closing brackets without an opening one
}

// logicalLines cuts the text at the line ends that end a statement.
func logicalLines(lines []string) (out []logical, end lexer) {
	var lx lexer
	var cur logical
	inside := false
	for i, line := range lines {
		if !inside {
			trimmed := strings.TrimLeft(line, " \t\f")
			cur = logical{first: i, indent: line[:len(line)-len(trimmed)], blank: trimmed == "" || trimmed[0] == '#', empty: trimmed == ""}
		}
		code, goesOn := lx.line(line)
		cur.text += strings.TrimSpace(code) + " "
		cur.last = i
		inside = goesOn
		if !inside {
			cur.text = strings.TrimSpace(cur.text)
			out = append(out, cur)
		}
	}
	if inside {
		cur.text = strings.TrimSpace(cur.text)
		out = append(out, cur)
	}
	return out, lx
}

// line reads one physical line: its code without the comment, and whether the
// statement goes on in the next one.
func (lx *lexer) line(s string) (code string, goesOn bool) {
	for i := 0; i < len(s); i++ {
		if lx.quote != "" {
			switch {
			case s[i] == '\\':
				i++
			case strings.HasPrefix(s[i:], lx.quote):
				i += len(lx.quote) - 1
				lx.quote = ""
			}
			continue
		}
		switch ch := s[i]; ch {
		case '#':
			return s[:i], len(lx.open) > 0
		case '"', '\'':
			lx.quote = string(ch)
			if triple := strings.Repeat(lx.quote, 3); strings.HasPrefix(s[i:], triple) {
				lx.quote, i = triple, i+2
			}
		case '(', '[', '{':
			lx.open = append(lx.open, closing[ch])
		case ')', ']', '}':
			if n := len(lx.open); n > 0 && lx.open[n-1] == ch {
				lx.open = lx.open[:n-1]
			} else {
				lx.extra++
			}
		}
	}
	backslash := strings.HasSuffix(s, `\`)
	if len(lx.quote) == 1 && !backslash {
		lx.quote = "" // an apostrophe in prose, or a string that nobody closed
	}
	return s, len(lx.open) > 0 || lx.quote != "" || backslash
}

var closing = map[byte]byte{'(': ')', '[': ']', '{': '}'}
