package llm

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// quotes opens a string, and any of Closes ends it.
type quotes struct {
	opens  string
	closes []string
}

// knownQuotes in the order in which they are tried.
var knownQuotes = []quotes{
	{`"""`, []string{`"""`}},
	{`'''`, []string{`'''`}},
	{`"`, []string{`"`}},
	{`'`, []string{`'`}},
	{"`", []string{"`"}},
	{"“", []string{"”", "“", `"`}},
	{"”", []string{"”", `"`}},
	{"„", []string{"“", "”", `"`}},
	{"‘", []string{"’", "'"}},
}

// quoteAt is what opens a string here, nil for none.
func quoteAt(s string) *quotes {
	for i := range knownQuotes {
		q := &knownQuotes[i]
		if !strings.HasPrefix(s, q.opens) {
			continue
		}
		// """ may be an empty string and the next quote.
		if len(q.opens) == 3 && q.opens[0] < utf8.RuneSelf && !strings.Contains(s[3:], q.opens) {
			continue
		}
		if len(q.opens) == 3 && strings.HasPrefix(s, "```") {
			continue
		}
		return q
	}
	return nil
}

// str reads a string and writes it as JSON does. isValue: it is no key.
func (p *lenient) str(isValue bool) error {
	q := quoteAt(p.s[p.i:])
	if q.opens != `"` {
		p.notes.add("it held other quotes than JSON's")
	}
	p.i += len(q.opens)
	p.out = append(p.out, '"')
	for p.i < len(p.s) {
		rest := p.s[p.i:]
		if closing := closedBy(rest, q); closing != "" {
			if len(closing) == 3 && closing[0] < utf8.RuneSelf || p.ends(rest[len(closing):], isValue) {
				p.i += len(closing)
				p.out = append(p.out, '"')
				return nil
			}
			p.notes.add("a string held quotes that were not escaped")
		}
		if err := p.char(rest); err != nil {
			return err
		}
	}
	return errCutOff
}

func closedBy(rest string, q *quotes) string {
	for _, c := range q.closes {
		if strings.HasPrefix(rest, c) {
			return c
		}
	}
	return ""
}

// ahead is how far a quote's surroundings are looked at, in bytes.
const ahead = 200

// nextKey is a key with its colon.
var nextKey = regexp.MustCompile("^(?:[\"'`“”‘’][^\"'`“”‘’\\n:]{1,80}[\"'`“”‘’]|[A-Za-z_]\\w{0,80})[ \\t]*:")

func aKey(s string) bool { return nextKey.MatchString(s[:min(len(s), ahead)]) }

// ends says whether a string can end before rest: whoever writes code into JSON
// forgets to escape its quotes.
func (p *lenient) ends(rest string, isValue bool) bool {
	inArray := p.within == ']'
	rest = rest[:min(len(rest), ahead)]
	if !isValue {
		return true // a key holds no quotes
	}
	next := strings.TrimLeft(rest, " \t\r\n")
	gap := rest[:len(rest)-len(next)]
	if next == "" {
		return true
	}
	switch next[0] {
	case '}', ']':
		return true
	case ',':
		after := strings.TrimLeft(next[1:], " \t")
		return inArray || after == "" || strings.IndexByte("\r\n}]/", after[0]) >= 0 || aKey(after)
	case '/':
		return strings.HasPrefix(next, "//") || strings.HasPrefix(next, "/*")
	}
	if strings.Contains(gap, "\n") || strings.HasPrefix(next, "```") {
		return true
	}
	return gap != "" && (inArray && next[0] == '"' || !inArray && aKey(next))
}

// char reads one character of a string.
func (p *lenient) char(rest string) error {
	c, n := runeAt(rest)
	switch {
	case c == '\\':
		return p.escape(rest)
	case c == '"':
		p.out = append(p.out, '\\', '"')
	case c == utf8.RuneError && n == 1:
		p.out = append(p.out, "\uFFFD"...)
	case c < ' ':
		p.notes.add("a string held raw line breaks or control characters")
		p.out = appendControl(p.out, byte(c))
	default:
		p.out = append(p.out, rest[:n]...)
	}
	p.i += n
	return nil
}

const hexDigits = "0123456789abcdef"

func appendControl(out []byte, c byte) []byte {
	switch c {
	case '\n':
		return append(out, '\\', 'n')
	case '\t':
		return append(out, '\\', 't')
	case '\r':
		return append(out, '\\', 'r')
	}
	return append(out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// escape reads a backslash and what follows. What JSON does not know as an
// escape was meant as it stands: \d of a pattern, \' of Python.
func (p *lenient) escape(rest string) error {
	if len(rest) < 2 {
		return errCutOff
	}
	c := rest[1]
	switch {
	case strings.IndexByte(`"\/bfnrt`, c) >= 0:
		p.out = append(p.out, '\\', c)
	case c == 'u' && isHex(rest[2:], 4):
		p.out = append(p.out, rest[:6]...)
		p.i += 4
	case c == 'x' && isHex(rest[2:], 2):
		p.out = append(p.out, `\u00`...)
		p.out = append(p.out, rest[2:4]...)
		p.i += 2
		p.notes.add("a string held escapes that JSON does not know")
	case c == '\'' || c == '`':
		p.out = append(p.out, c)
		p.notes.add("a string held escapes that JSON does not know")
	case c == '\n':
		p.notes.add("a string held raw line breaks or control characters")
	default:
		// The backslash stays, and the character is read on its own.
		p.out = append(p.out, '\\', '\\')
		p.i--
		p.notes.add("a string held escapes that JSON does not know")
	}
	p.i += 2
	return nil
}

func isHex(s string, n int) bool {
	if len(s) < n {
		return false
	}
	for i := range n {
		if strings.IndexByte("0123456789abcdefABCDEF", s[i]) < 0 {
			return false
		}
	}
	return true
}
