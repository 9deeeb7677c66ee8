package llm

import (
	"regexp"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
)

// cutOff says that a script ends in the middle of a statement.
func cutOff(code string) bool {
	state := scanPython(code)
	if state.brackets > 0 || state.text || state.quoted {
		return true
	}
	last := code[strings.LastIndexByte(code, '\n')+1:]
	return unfinished.MatchString(last) && len(pysyntax.Parse(code).SyntaxErrors) > 0
}

// unfinished is a last line that needs another one.
var unfinished = regexp.MustCompile(`([=+\-*/%,.(\[{\\:|&<>@]|\b(and|or|not|in|is|import|from|def|class|as|lambda|with|if|elif|for|while|return|raise|assert)\b)\s*$|^\s*(def|class|if|for|while|with|import|from)\b`)

// openAt is what is open at the end of a piece of Python.
type openAt struct {
	brackets int  // round, square and curly ones
	text     bool // a triple-quoted string
	quoted   bool // another string, on the last line
}

// scanPython reads brackets, strings and comments, and nothing else.
func scanPython(code string) openAt {
	var at openAt
	for i := 0; i < len(code); {
		switch c := code[i]; c {
		case '#':
			if end := strings.IndexByte(code[i:], '\n'); end >= 0 {
				i += end
			} else {
				i = len(code)
			}
		case '"', '\'':
			n, closed := stringLength(code[i:])
			i += n
			if !closed {
				triple := n >= 3 && code[i-n+1] == c && code[i-n+2] == c
				at.text, at.quoted = triple, !triple
			}
		case '(', '[', '{':
			at.brackets++
			i++
		case ')', ']', '}':
			at.brackets--
			i++
		default:
			i++
		}
	}
	return at
}

// stringLength is how long the string at the start of s is. One that ends
// nowhere goes to the end of s; a simple one that ends in no line goes to the end
// of its line and counts as closed where more lines follow: a fault, and no end.
func stringLength(s string) (n int, closed bool) {
	mark := s[:1]
	triple := len(s) >= 3 && s[1] == s[0] && s[2] == s[0]
	if triple {
		mark = s[:3]
	}
	for i := len(mark); i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case strings.HasPrefix(s[i:], mark):
			return i + len(mark), true
		case s[i] == '\n' && !triple:
			return i, true
		}
	}
	return len(s), false
}

// codeStart begins a line of a program rather than of prose.
var codeStart = regexp.MustCompile(`^(import [\w.]+( as \w+)?(, ?[\w.]+)*\s*(#.*)?$|from [\w.]+ import |def \w+\(|class \w+|@\w|#|"""|'''|[\w.\[\]'", ]+ ?[-+*/]?= ?\S|[a-zA-Z_][\w.]*\(.*\)?\s*$|(for|while|if|with|try|async)\b.*:\s*$|>>> )`)

// withoutProse takes the prose before and after a script off: what stands before
// the first line of code, and after the last.
func withoutProse(text string) string {
	lines := strings.Split(text, "\n")
	first := -1
	for i, line := range lines {
		if codeStart.MatchString(line) {
			first = i
			break
		}
	}
	if first < 0 {
		return ""
	}
	lines = lines[first:]
	last := len(lines)
	for last > 0 && isProse(lines[last-1]) {
		last--
	}
	return strings.Join(lines[:last], "\n")
}

// prose is a line of words that ends like a sentence, or an empty one.
var prose = regexp.MustCompile(`^\s*$|^[A-Z][\w']*,? [\w ,;:'"()\x60./-]*[.!?:]$`)

func isProse(line string) bool { return prose.MatchString(line) }
