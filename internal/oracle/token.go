package oracle

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// token of a printed line: a number, a word, a sign, or a mask for something
// that is never compared.
type token struct {
	text   string
	number *number
	mask   bool
}

// masks replace what differs between any two runs or machines. The order
// matters: a version looks like a number, an address like a word. A line without
// any of the bytes cannot match: most lines of a megabyte are spared the search.
var masks = []struct {
	re    *lazyre.Regexp
	with  string
	bytes string
}{
	{lazyre.New(`0x[0-9a-fA-F]{4,}`), " \x01addr ", "x"},
	{lazyre.New(`(?:[A-Za-z]:\\|~/|\.{0,3}/)[\w.+@-]+(?:[/\\][\w.+@-]+)+`), " \x01path ", `/\`},
	{lazyre.New(`\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?Z?)?\b|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b`), " \x01date ", "-:"},
	// The name of torch's node of the backward pass: releases rename them
	// (SWhereBackward, WhereBackward0). That there is one is compared.
	{lazyre.New(`\bgrad_fn=<\w+>`), " \x01grad_fn ", "<"},
	// Two dots, or a pre-release, local or development label: a version.
	{lazyre.New(`\bv?\d+\.\d+\.\d+[\w.+-]*\b|\b\d+\.\d+(?:a|b|rc|\.dev|\.post)\d+\b|==\d[\w.+-]*`), " \x01version ", ".="},
}

// timing is masked as well, unless the claim is about time.
var timing = lazyre.New(`\b\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\s?(?:ns|us|µs|ms|s|sec|secs|seconds?|minutes?|it/s|s/it)\b`)

var (
	// numpyScalar is how numpy 2 writes what numpy 1 wrote bare.
	numpyScalar = lazyre.New(`\b(?:np|numpy|jnp)\.(?:float|int|uint|complex|bool|str|bytes|longdouble)\w*\(((?:'[^']*'|"[^"]*"|[^()]*))\)`)
	tokenRE     = lazyre.New("\x01\\w+" +
		`|(?:[-+])?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?` +
		`|[A-Za-z_][\w]*|->|=>|[=!<>]=|\.{3}|…|\S`)
)

// tokens cuts a line into what is compared. keepTimes leaves timings alone.
func tokens(s string, keepTimes bool) []token {
	s = unwrapScalars(s)
	for _, m := range masks {
		if strings.ContainsAny(s, m.bytes) {
			s = m.re.ReplaceAllString(s, m.with)
		}
	}
	if !keepTimes && strings.ContainsAny(s, "sm") {
		s = timing.ReplaceAllString(s, " \x01time ")
	}
	var out []token
	prevEnd := -1
	for _, loc := range tokenRE.FindAllStringIndex(s, -1) {
		t := s[loc[0]:loc[1]]
		// "a-1" is a minus, "a -1" a sign.
		if (t[0] == '-' || t[0] == '+') && len(t) > 1 && loc[0] == prevEnd && endsOperand(out) {
			out = append(out, token{text: t[:1]})
			t = t[1:]
		}
		out = append(out, newToken(out, t, loc[0] == prevEnd)...)
		prevEnd = loc[1]
	}
	return out
}

// endsOperand says that a sign after these tokens is an operator.
func endsOperand(out []token) bool {
	if len(out) == 0 {
		return false
	}
	last := out[len(out)-1]
	return last.number != nil || last.text == ")" || last.text == "]" || isWord(last.text)
}

// newToken classifies t; glued says that no space stands before it. Dots glued
// to a number mean that more digits follow.
func newToken(before []token, t string, glued bool) []token {
	switch {
	case t[0] == 1:
		return []token{{text: t[1:], mask: true}}
	case t == "..." || t == "…":
		if n := len(before); glued && n > 0 && before[n-1].number != nil {
			before[n-1].number.prefix = true
			return nil
		}
		return []token{{text: "..."}}
	}
	if n, ok := parseNumber(strings.ReplaceAll(t, "_", "")); ok && t != "_" {
		return []token{{text: t, number: &n}}
	}
	return []token{{text: t}}
}

// unwrapScalars takes the wrapper of numpy 2 off, so that both majors print
// alike.
func unwrapScalars(s string) string {
	for range 4 { // nested at most as np.str_(np.float64(1.0)) in practice
		if !strings.Contains(s, "np.") && !strings.Contains(s, "numpy.") {
			break
		}
		next := numpyScalar.ReplaceAllString(s, "$1")
		if next == s {
			break
		}
		s = next
	}
	return s
}

// isWord names begin so in every language that prints here.
func isWord(s string) bool {
	return s != "" && (s[0] == '_' || s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z')
}

// same compares a stated token with a seen one.
func (t token) same(seen token, approximate bool) bool {
	switch {
	case t.mask || seen.mask:
		return t.mask && seen.mask && t.text == seen.text
	case t.number != nil && seen.number != nil:
		return sameNumber(*t.number, *seen.number, approximate)
	case t.number != nil || seen.number != nil:
		return false
	}
	return t.text == seen.text || sameQuote(t.text, seen.text)
}

// sameQuote: releases of Python and numpy quote differently.
func sameQuote(a, b string) bool {
	const quotes = "'\"`"
	return len(a) == 1 && len(b) == 1 && strings.Contains(quotes, a) && strings.Contains(quotes, b)
}

// numbers are the numbers of a line in order.
func numbers(ts []token) []number {
	var out []number
	for _, t := range ts {
		if t.number != nil {
			out = append(out, *t.number)
		}
	}
	return out
}

// labels are the words of a line: what stays when its numbers change.
func labels(ts []token) []string {
	var out []string
	for _, t := range ts {
		if t.number == nil && !t.mask && isWord(t.text) {
			out = append(out, t.text)
		}
	}
	return out
}
