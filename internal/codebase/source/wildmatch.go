package source

import (
	"bytes"
	"strings"
)

// maxSteps bounds one comparison: patterns of many asterisks would take time
// that grows with a power of the path's length. What needs more does not match.
const maxSteps = 50_000

// outcome of a comparison: the last two say that no later start can match, so
// that asterisks further out need not try.
type outcome int

const (
	matched outcome = iota
	noMatch
	abortAll
	abortToStarStar
)

// wildmatch compares as git does (its wildmatch.c): "*" and "?" stop at slashes
// in a path, "**" between slashes does not, "[a-z]", "[!x]" and "[[:digit:]]"
// are sets, a backslash takes the next character as it stands.
func wildmatch(pattern, text string, path bool) bool {
	steps := maxSteps
	return wildmatchWithin(pattern, text, path, &steps)
}

// wildmatchWithin takes the steps that it needs, at most maxSteps, from those
// that are left.
func wildmatchWithin(pattern, text string, path bool, left *int) bool {
	w := wild{path: path, steps: min(maxSteps, *left)}
	given := w.steps
	is := w.match(pattern, text) == matched
	*left -= given - max(0, w.steps)
	return is
}

type wild struct {
	path  bool
	steps int
}

// at is the byte at i, 0 after the end as in C.
func at(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

func (w *wild) match(p, text string) outcome {
	t := 0
	for i := 0; i < len(p); i, t = i+1, t+1 {
		if w.steps--; w.steps < 0 {
			return abortAll
		}
		c := at(text, t)
		if t >= len(text) && p[i] != '*' {
			return abortAll
		}
		switch p[i] {
		case '*':
			return w.star(p, i, text[t:])
		case '\\':
			i++
			if i >= len(p) || c != p[i] {
				return noMatch
			}
		case '?':
			if w.path && c == '/' {
				return noMatch
			}
		case '[':
			in, end := set(p, i+1, c)
			if end < 0 {
				return abortAll
			}
			if !in || (w.path && c == '/') {
				return noMatch
			}
			i = end
		default:
			if c != p[i] {
				return noMatch
			}
		}
	}
	if t < len(text) {
		return noMatch
	}
	return matched
}

// star compares from the asterisk at p[i] on.
func (w *wild) star(p string, i int, text string) outcome {
	first, cross := i, !w.path
	for i++; at(p, i) == '*'; i++ {
	}
	rest := p[i:]
	if w.path && i > first+1 && (first == 0 || p[first-1] == '/') &&
		(rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`)) {
		// "**/" may stand for nothing at all.
		if at(rest, 0) == '/' && w.match(rest[1:], text) == matched {
			return matched
		}
		cross = true
	}
	if rest == "" {
		if !cross && strings.Contains(text, "/") {
			return abortToStarStar
		}
		return matched
	}
	if !cross && rest[0] == '/' { // the next folder
		slash := strings.IndexByte(text, '/')
		if slash < 0 {
			return abortAll
		}
		return w.match(rest[1:], text[slash+1:])
	}
	return w.tryAll(rest, text, cross)
}

// tryAll compares the rest of the pattern at every place that an asterisk may
// reach.
func (w *wild) tryAll(rest, text string, cross bool) outcome {
	stop := abortToStarStar
	if cross {
		stop = abortAll
	}
	for t := 0; t < len(text); t++ {
		if !strings.ContainsRune(`*?[\`, rune(rest[0])) {
			for t < len(text) && text[t] != rest[0] && (cross || text[t] != '/') {
				t++
			}
			if at(text, t) != rest[0] {
				return stop
			}
		}
		switch got := w.match(rest, text[t:]); {
		case got == noMatch:
			if !cross && text[t] == '/' {
				return abortToStarStar
			}
		case !cross || got != abortToStarStar:
			return got
		}
	}
	return abortAll
}

// set says whether c is in the set whose first byte after "[" is p[i], and
// where its "]" is; -1 when it has none or is malformed.
func set(p string, i int, c byte) (in bool, end int) {
	negated := at(p, i) == '!' || at(p, i) == '^'
	if negated {
		i++
	}
	var before byte // the start of a range, 0 where none can start
	for first := true; ; first = false {
		if i >= len(p) {
			return false, -1
		}
		if p[i] == ']' && !first {
			return in != negated, i
		}
		switch {
		case p[i] == '\\':
			i++
			before = at(p, i)
			in = in || c == before
		case p[i] == '-' && before != 0 && i+1 < len(p) && p[i+1] != ']':
			i++
			if p[i] == '\\' {
				i++
			}
			in = in || (before <= c && c <= at(p, i))
			before = 0
		case strings.HasPrefix(p[i:], "[:"):
			close := strings.IndexByte(p[i+2:], ']')
			if close < 0 {
				return false, -1
			}
			name, ok := strings.CutSuffix(p[i+2:i+2+close], ":")
			if !ok { // an ordinary bracket
				in, before = in || c == '[', '['
				break
			}
			class, known := classes[name]
			if !known {
				return false, -1
			}
			in, before = in || class(c), 0
			i += 2 + close
		default:
			before = p[i]
			in = in || c == before
		}
		i++
	}
}

func between(lo, hi byte) func(byte) bool { return func(c byte) bool { return lo <= c && c <= hi } }

func either(fs ...func(byte) bool) func(byte) bool {
	return func(c byte) bool {
		for _, f := range fs {
			if f(c) {
				return true
			}
		}
		return false
	}
}

// classes are POSIX's named sets, for ASCII as in git.
var classes = func() map[string]func(byte) bool {
	upper, lower, digit := between('A', 'Z'), between('a', 'z'), between('0', '9')
	alpha := either(upper, lower)
	alnum := either(alpha, digit)
	graph := between('!', '~')
	return map[string]func(byte) bool{
		"upper": upper, "lower": lower, "digit": digit, "alpha": alpha, "alnum": alnum,
		"xdigit": either(digit, between('a', 'f'), between('A', 'F')),
		"graph":  graph, "print": between(' ', '~'),
		"punct": func(c byte) bool { return graph(c) && !alnum(c) },
		"cntrl": func(c byte) bool { return c < ' ' || c == 0x7f },
		"blank": func(c byte) bool { return c == ' ' || c == '\t' },
		"space": func(c byte) bool { return bytes.IndexByte([]byte(" \t\n\v\f\r"), c) >= 0 },
	}
}()
