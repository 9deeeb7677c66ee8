package pysyntax

import "strings"

// TokenKind is what a token is.
type TokenKind uint8

// Kinds of tokens; keywords are names.
const (
	NameToken TokenKind = iota
	NumberToken
	StringToken
	OpToken
)

// Token is one token of Python source. Bytes are half-open, lines 1-based.
// The tokens of an f-string's replacements follow the string's own.
type Token struct {
	Kind  TokenKind
	Start int32
	End   int32
	Line  int32
	// Depth is the number of open brackets around it; a bracket has its outside's.
	Depth int32
	// Pair is the index of the other bracket of a pair, -1 when there is none.
	Pair int32
}

const (
	// maxReplacement bounds the text of one replacement of an f-string, in
	// bytes, so that a brace never closed costs little (guess: ten times the
	// longest one met).
	maxReplacement = 4 << 10
	// replacementBudget is how often the whole text may be read as replacements
	// (honest text: once at most).
	replacementBudget = 8
	// maxNestedStrings bounds strings within replacements within strings.
	maxNestedStrings = 4
)

// nestLexer cuts a text into tokens. It looks at each byte once, but for the
// replacements of f-strings, which are bounded.
type nestLexer struct {
	src   string
	at    int
	limit int
	line  int32
	open  []int32 // indexes of the brackets that wait for their other half
	base  int     // brackets open around all of the text
	toks  []Token
	// level counts how deep in replacements of f-strings this one works.
	level int
	// budget is what replacements may still read, in bytes: failed ones read
	// the same text again, and those within them once more.
	budget *int
}

// ended says why next stopped.
type ended int

const (
	token   ended = iota
	newline       // the end of a line outside all brackets
	finish        // the end of the text
)

// next reads one token, or up to the end of a logical line.
func (l *nestLexer) next() ended {
	for l.at < l.limit {
		switch c := l.src[l.at]; {
		case c == '\n':
			l.at++
			l.line++
			if len(l.open) == 0 {
				return newline
			}
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == 0:
			l.at++
		case c == '#':
			l.comment()
		case c == '\\':
			l.continued()
		default:
			l.read(c)
			return token
		}
	}
	return finish
}

func (l *nestLexer) comment() {
	if i := strings.IndexByte(l.src[l.at:l.limit], '\n'); i >= 0 {
		l.at += i
	} else {
		l.at = l.limit
	}
}

// continued skips a backslash with the end of line after it.
func (l *nestLexer) continued() {
	l.at++
	end := l.at
	for end < l.limit && (l.src[end] == '\r' || l.src[end] == ' ') {
		end++
	}
	if end < l.limit && l.src[end] == '\n' {
		l.at = end + 1
		l.line++
	}
}

func (l *nestLexer) read(c byte) {
	switch {
	case c == '"' || c == '\'':
		l.string(l.at, l.at)
	case nameByte(c) && (c < '0' || c > '9'):
		l.name()
	case c >= '0' && c <= '9' || c == '.' && l.digitAfter():
		l.number()
	default:
		l.op(c)
	}
}

func (l *nestLexer) emit(kind TokenKind, start, end int, line int32) {
	l.toks = append(l.toks, Token{
		Kind: kind, Start: int32(start), End: int32(end), Line: line, Depth: int32(l.base + len(l.open)), Pair: -1,
	})
}

// nameByte takes every byte beyond ASCII for a letter: what is no identifier
// there is no Python either.
func nameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

func (l *nestLexer) name() {
	start := l.at
	for l.at < l.limit && nameByte(l.src[l.at]) {
		l.at++
	}
	if l.at < l.limit && (l.src[l.at] == '"' || l.src[l.at] == '\'') && stringPrefix(l.src[start:l.at]) {
		l.string(start, l.at)
		return
	}
	l.emit(NameToken, start, l.at, l.line)
}

func stringPrefix(s string) bool {
	return len(s) <= 2 && strings.Trim(s, "rRbBuUfFtT") == ""
}

func (l *nestLexer) digitAfter() bool {
	return l.at+1 < l.limit && l.src[l.at+1] >= '0' && l.src[l.at+1] <= '9'
}

func (l *nestLexer) number() {
	start := l.at
	hex := strings.HasPrefix(l.src[l.at:l.limit], "0x") || strings.HasPrefix(l.src[l.at:l.limit], "0X")
	for l.at < l.limit {
		c := l.src[l.at]
		sign := (c == '+' || c == '-') && !hex && l.at > start && l.src[l.at-1]|0x20 == 'e'
		if !nameByte(c) && c != '.' && !sign {
			break
		}
		l.at++
	}
	l.emit(NumberToken, start, l.at, l.line)
}

// longOps are the operators of more than one byte that matter to what reads
// the tokens; the longest come first.
var longOps = []string{
	"**=", "//=", ">>=", "<<=", "...", ":=", "->", "==", "!=", "<=", ">=", "**", "//",
	"+=", "-=", "*=", "/=", "%=", "@=", "&=", "|=", "^=", "<<", ">>", "<>",
}

func (l *nestLexer) op(c byte) {
	switch c {
	case '(', '[', '{':
		l.emit(OpToken, l.at, l.at+1, l.line)
		l.open = append(l.open, int32(len(l.toks)-1))
		l.at++
		return
	case ')', ']', '}':
		l.close(c)
		return
	}
	size := 1
	for _, op := range longOps {
		if l.at+1 >= l.limit || !opByte(l.src[l.at+1]) {
			break // most operators are one byte
		}
		if op[0] == c && strings.HasPrefix(l.src[l.at:l.limit], op) {
			size = len(op)
			break
		}
	}
	l.emit(OpToken, l.at, l.at+size, l.line)
	l.at += size
}

func opByte(c byte) bool {
	switch c {
	case '=', '*', '/', '>', '<', '.':
		return true
	}
	return false
}

// close ends the innermost bracket. One of another kind ends it as well: in
// broken text either may be the mistake, and the depth stays right.
func (l *nestLexer) close(c byte) {
	other := int32(-1)
	if n := len(l.open); n > 0 {
		other = l.open[n-1]
		l.open = l.open[:n-1]
	}
	l.emit(OpToken, l.at, l.at+1, l.line)
	if other >= 0 {
		here := len(l.toks) - 1
		l.toks[here].Pair, l.toks[other].Pair = other, int32(here)
	}
	l.at++
}

// string reads a literal that begins at start (with its prefix) and whose quote
// stands at quote. One that is not closed ends with its line, a triple-quoted
// one with the text.
func (l *nestLexer) string(start, quote int) {
	prefix := l.src[start:quote]
	line := l.line
	q := l.src[quote : quote+1]
	if triple := strings.Repeat(q, 3); strings.HasPrefix(l.src[quote:l.limit], triple) {
		q = triple
	}
	l.emit(StringToken, start, quote, line)
	here := len(l.toks) - 1
	l.at = quote + len(q)
	formatted := strings.ContainsAny(prefix, "fFtT") && l.level < maxNestedStrings && *l.budget > 0
	l.stringBody(q, formatted)
	l.toks[here].End = int32(l.at)
}

func (l *nestLexer) stringBody(q string, formatted bool) {
	for l.at < l.limit {
		switch c := l.src[l.at]; {
		case c == '\\':
			if l.at++; l.at < l.limit {
				if l.src[l.at] == '\n' {
					l.line++
				}
				l.at++
			}
		case c == '\n' && len(q) == 1:
			return // not closed
		case c == '\n':
			l.at++
			l.line++
		case c == q[0] && strings.HasPrefix(l.src[l.at:l.limit], q):
			l.at += len(q)
			return
		case c == '{' && formatted:
			if strings.HasPrefix(l.src[l.at:l.limit], "{{") {
				l.at += 2
			} else {
				formatted = l.replacement(len(q) == 1)
			}
		default:
			l.at++
		}
	}
}

// replacement reads the tokens of one "{...}" of an f-string. When it does not
// end as one, nothing is read, and the braces of this string mean nothing.
func (l *nestLexer) replacement(oneLine bool) bool {
	in := nestLexer{
		src: l.src, at: l.at, limit: min(l.limit, l.at+maxReplacement), line: l.line,
		base: l.base + len(l.open), toks: l.toks, level: l.level + 1, budget: l.budget,
	}
	before := len(l.toks)
	for {
		from := in.at
		what := in.next()
		*l.budget -= in.at - from
		if what != token || oneLine && in.line != l.line || *l.budget < 0 {
			l.toks = l.toks[:before] // a newline cannot be: the brace is open
			l.at++
			return false
		}
		if len(in.open) == 0 {
			l.toks, l.at, l.line = in.toks, in.at, in.line
			return true
		}
		if len(in.open) == 1 && l.formatBegins(&in) {
			in.skipFormat()
		}
	}
}

// formatBegins: the last token is the colon or the exclamation mark after the
// value; what follows is no Python.
func (l *nestLexer) formatBegins(in *nestLexer) bool {
	last := in.toks[len(in.toks)-1]
	text := l.src[last.Start:last.End]
	return text == ":" || text == "!" || text == ":="
}

// skipFormat goes to the brace that ends the replacement, past nested ones.
func (l *nestLexer) skipFormat() {
	depth := 0
	for ; l.at < l.limit; l.at++ {
		switch l.src[l.at] {
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return
			}
			depth--
		case '\n', '"', '\'':
			return
		}
	}
}
