package llm

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What can be wrong beyond repair.
var (
	errCutOff  = errors.New("cut off")
	errNotJSON = errors.New("no JSON")
)

// maxDepth of values inside one another; nobody asks for more than ten.
const maxDepth = 100

// lenient reads JSON as models write it, in one pass, and writes what it means as
// JSON. It repairs what is unmistakable: commas that are missing or too many,
// brackets missing at the end, other quotes, keys without quotes, Python's
// literals, comments, raw line breaks and unescaped quotes in strings. A text
// that ends inside a value is cut off, which is another thing: the rest is not
// known.
type lenient struct {
	s     string
	i     int
	out   []byte
	depth int
	// within is the closing bracket of the innermost value, 0 outside.
	within byte
	// ended: prose follows where a comma or bracket should be, so everything
	// that is open ends here.
	ended bool
	notes notes
}

// notes are remarks, each once, in order.
type notes []string

func (n *notes) add(text string) {
	for _, known := range *n {
		if known == text {
			return
		}
	}
	*n = append(*n, text)
}

// value reads one value.
func (p *lenient) value() error {
	p.space()
	if p.i >= len(p.s) {
		return errCutOff
	}
	switch c := p.s[p.i]; {
	case c == '{':
		return p.nested('}', p.object)
	case c == '[':
		return p.nested(']', p.array)
	case c == '-' || c == '+' || c == '.' || isDigit(c):
		return p.number()
	case quoteAt(p.s[p.i:]) != nil:
		return p.str(true)
	case isLetter(c):
		return p.word()
	}
	return errNotJSON
}

// nested reads what stands between two brackets.
func (p *lenient) nested(closing byte, body func() error) error {
	if p.depth++; p.depth > maxDepth {
		return errNotJSON
	}
	outer := p.within
	p.within = closing
	p.out = append(p.out, p.s[p.i])
	p.i++
	if err := body(); err != nil {
		return err
	}
	p.out = append(p.out, closing)
	p.depth--
	p.within = outer
	return nil
}

// object reads members up to and with the closing brace.
func (p *lenient) object() error {
	for n := 0; ; n++ {
		p.space()
		if p.i >= len(p.s) {
			return errCutOff
		}
		if p.s[p.i] == '}' {
			p.i++
			p.trailing(n)
			return nil
		}
		if n > 0 {
			p.out = append(p.out, ',')
		}
		if err := p.key(); err != nil {
			return err
		}
		if err := p.value(); err != nil {
			return err
		}
		if p.closed('}', p.keyFollows) {
			return nil
		}
	}
}

// key reads a key and its colon.
func (p *lenient) key() error {
	switch {
	case quoteAt(p.s[p.i:]) != nil:
		if err := p.str(false); err != nil {
			return err
		}
	case isLetter(p.s[p.i]):
		from := p.i
		for p.i < len(p.s) && (isLetter(p.s[p.i]) || isDigit(p.s[p.i])) {
			p.i++
		}
		p.out = strconv.AppendQuote(p.out, p.s[from:p.i])
		p.notes.add("a key had no quotes")
	default:
		return errNotJSON
	}
	p.space()
	if p.i >= len(p.s) {
		return errCutOff
	}
	if p.s[p.i] != ':' {
		return errNotJSON
	}
	p.i++
	p.out = append(p.out, ':')
	return nil
}

// array reads elements up to and with the closing bracket.
func (p *lenient) array() error {
	for n := 0; ; n++ {
		p.space()
		if p.i >= len(p.s) {
			return errCutOff
		}
		if p.s[p.i] == ']' {
			p.i++
			p.trailing(n)
			return nil
		}
		if n > 0 {
			p.out = append(p.out, ',')
		}
		if err := p.value(); err != nil {
			return err
		}
		if p.closed(']', p.valueFollows) {
			return nil
		}
	}
}

func (p *lenient) trailing(members int) {
	if members > 0 {
		p.notes.add("a comma too many")
	}
}

// closed reads what follows a member: false when another one comes. What stands
// there instead of a comma or the closing bracket ends the value.
func (p *lenient) closed(closing byte, more func() bool) bool {
	p.space()
	switch {
	case p.ended:
	case p.i >= len(p.s):
	case p.s[p.i] == ',':
		p.i++
		return false
	case p.s[p.i] == closing:
		p.i++
		return true
	case p.s[p.i] == '}' || p.s[p.i] == ']':
		// The bracket of an outer value: it stays for that one, if there is one.
		p.ended = p.depth <= 1
	case more():
		p.notes.add("a comma was missing")
		return false
	default:
		p.ended = true
	}
	p.notes.add("a closing bracket was missing")
	return true
}

// keyFollows: a key with its colon comes next.
func (p *lenient) keyFollows() bool { return aKey(p.s[p.i:]) }

// valueFollows: a value starts here, and no prose.
func (p *lenient) valueFollows() bool {
	c := p.s[p.i]
	return c == '{' || c == '[' || c == '"' || isDigit(c)
}

// space skips white space and comments.
func (p *lenient) space() {
	for p.i < len(p.s) {
		rest := p.s[p.i:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			p.i++
		case strings.HasPrefix(rest, "\u00a0"):
			p.i += len("\u00a0")
		case strings.HasPrefix(rest, "//"):
			p.comment(strings.IndexByte(rest, '\n'))
		case strings.HasPrefix(rest, "/*"):
			if end := strings.Index(rest, "*/"); end >= 0 {
				p.comment(end + 2)
			} else {
				p.comment(-1)
			}
		default:
			return
		}
	}
}

// comment skips n bytes, all for a negative n.
func (p *lenient) comment(n int) {
	p.notes.add("it held comments")
	if n < 0 {
		n = len(p.s) - p.i
	}
	p.i += n
}

// literals are the words of JSON, Python and JavaScript.
var literals = map[string]string{
	"true": "true", "false": "false", "null": "null",
	"True": "true", "False": "false", "None": "null", "TRUE": "true", "FALSE": "false",
	"NULL": "null", "undefined": "null", "nil": "null",
	"NaN": "null", "nan": "null", "Infinity": "null", "inf": "null",
}

func (p *lenient) word() error {
	from := p.i
	for p.i < len(p.s) && isLetter(p.s[p.i]) {
		p.i++
	}
	word := p.s[from:p.i]
	means, ok := literals[word]
	if !ok {
		if p.i == len(p.s) && startsLiteral(word) {
			return errCutOff
		}
		return errNotJSON
	}
	if means != word {
		p.notes.add("it held literals of another language")
	}
	p.out = append(p.out, means...)
	return nil
}

func startsLiteral(word string) bool {
	for known := range literals {
		if strings.HasPrefix(known, word) {
			return true
		}
	}
	return false
}

// number reads a number, also one that JSON does not know: +1, .5, 5., 1_000.
func (p *lenient) number() error {
	from := p.i
	for p.i < len(p.s) && (isDigit(p.s[p.i]) || strings.IndexByte("+-._eE", p.s[p.i]) >= 0) {
		p.i++
	}
	text := p.s[from:p.i]
	plain := strings.TrimPrefix(strings.ReplaceAll(text, "_", ""), "+")
	if n, err := strconv.ParseInt(plain, 10, 64); err == nil {
		p.out = strconv.AppendInt(p.out, n, 10)
		return nil
	}
	f, err := strconv.ParseFloat(plain, 64)
	if err != nil {
		if p.i == len(p.s) && strings.IndexByte("+-.eE", text[len(text)-1]) >= 0 {
			return errCutOff
		}
		return errNotJSON
	}
	p.out = strconv.AppendFloat(p.out, f, 'g', -1, 64)
	return nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// runeAt is the first character and its length, 1 for a byte that is none.
func runeAt(s string) (rune, int) { return utf8.DecodeRuneInString(s) }
