package bm25

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord is the longest word that counts, in bytes: what is longer is encoded
// data (guess; the longest identifier met in keras has 70).
const maxWord = 128

// Tokens cuts text or code into the words that are compared, in order:
//
//   - an identifier in lower case, as a whole, and then its pieces when there
//     are several: "BatchNorm2d" is batchnorm2d, batch, norm, 2, d and
//     "_from_logits" is _from_logits, from, logits;
//   - a number as one word, without underscores: 0.001, 1e-7, 3.10.2, 10000.
//
// Identifiers are Python's, any script, compatibility forms folded (NFKC).
// Invalid UTF-8 separates words. No word is left out for being common, and none
// is cut to its stem: on 446 fixes of two projects stems changed recall@5 by -.02
// to +.002, and without whole identifiers it fell by .02 to .03.
func Tokens(text string) []string {
	var out []string
	src := []byte(text)
	for i := 0; ; {
		start, end := nextWord(src, i)
		if start == end {
			return out
		}
		out = append(out, tokensOf(text[start:end])...)
		i = end
	}
}

// Classes of bytes. A byte above ASCII needs its rune looked at.
const (
	separator = iota
	digit
	letter // and the underscore
	wide
)

var classes = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= utf8.RuneSelf:
			t[c] = wide
		case c >= '0' && c <= '9':
			t[c] = digit
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
			t[c] = letter
		}
	}
	return t
}()

// nextWord finds the first word at or after i; start == end when there is none.
func nextWord(src []byte, i int) (start, end int) {
	for i < len(src) {
		switch classes[src[i]] {
		case digit:
			if end := number(src, i); end > i {
				return i, end
			}
			return i, wordEnd(src, i)
		case letter:
			return i, wordEnd(src, i)
		case wide:
			if end := wordEnd(src, i); end > i {
				return i, end
			}
			_, n := utf8.DecodeRune(src[i:])
			i += n
		default:
			i++
		}
	}
	return i, i
}

// wordEnd is the end of the identifier characters that begin at i.
func wordEnd(src []byte, i int) int {
	for i < len(src) {
		switch classes[src[i]] {
		case digit, letter:
			i++
		case wide:
			r, n := utf8.DecodeRune(src[i:])
			if !wideWord(r, n) {
				return i
			}
			i += n
		default:
			return i
		}
	}
	return i
}

// wideWord says whether a rune above ASCII belongs to words.
func wideWord(r rune, n int) bool {
	if r == utf8.RuneError && n <= 1 {
		return false
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// number is the end of the number that begins at i, or i when the word is
// another one ("3d", "0x1f"). It looks no further than a word may be long: each
// of the numbers in "1.1.1.1x" is looked at again.
func number(src []byte, i int) int {
	cut := len(src)
	if i+maxWord < len(src) {
		cut = i + maxWord + 1
	}
	src = src[:cut:cut]
	end := digits(src, i)
	for end+1 < len(src) && src[end] == '.' && classes[src[end+1]] == digit {
		end = digits(src, end+1)
	}
	if end < len(src) && src[end]|0x20 == 'e' {
		exp := end + 1
		if exp < len(src) && (src[exp] == '-' || src[exp] == '+') {
			exp++
		}
		if exp < len(src) && classes[src[exp]] == digit {
			end = digits(src, exp)
		}
	}
	if end-i > maxWord || end < len(src) && classes[src[end]] >= letter && wordEnd(src, end) > end {
		return i
	}
	return end
}

// digits passes digits and the underscores between them.
func digits(src []byte, i int) int {
	for i < len(src) && (classes[src[i]] == digit || src[i] == '_') {
		i++
	}
	return i
}

// tokensOf gives the tokens of one word as nextWord found it.
func tokensOf(word string) []string {
	if len(word) > maxWord {
		return nil
	}
	if c := classes[word[0]]; c == digit && number([]byte(word), 0) == len(word) {
		return []string{plainNumber(word)}
	}
	runes := []rune(normal(word))
	whole := lower(runes)
	pieces := split(runes)
	switch {
	case len(pieces) == 0:
		return nil // underscores only
	case len(pieces) == 1 && pieces[0] == whole:
		return pieces
	}
	return append([]string{whole}, pieces...)
}

// normal folds compatibility forms, as Python does with identifiers.
func normal(word string) string {
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return norm.NFKC.String(word)
		}
	}
	return word
}

// plainNumber drops underscores and the case of the exponent.
func plainNumber(word string) string {
	return strings.ReplaceAll(strings.ToLower(word), "_", "")
}

// lower folds each letter by itself: strings.ToLower would do the same, but
// split needs runes anyway.
func lower(runes []rune) string {
	out := make([]rune, len(runes))
	for i, r := range runes {
		out[i] = unicode.ToLower(r)
	}
	return string(out)
}

// split cuts an identifier at underscores, between letters and digits, and
// where upper case begins or ends: "HTTPServer" is http, server.
func split(runes []rune) []string {
	var out []string
	start := 0
	flush := func(end int) {
		if end > start {
			out = append(out, lower(runes[start:end]))
		}
		start = end
	}
	for i, r := range runes {
		switch {
		case !wordRune(r):
			flush(i)
			start = i + 1
		case i > start && boundary(runes, i):
			flush(i)
		}
	}
	flush(len(runes))
	return out
}

// wordRune leaves out the underscore and what folding may have brought in.
func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// boundary says whether a piece ends before i; i-1 is in the same piece.
func boundary(runes []rune, i int) bool {
	before, r := runes[i-1], runes[i]
	if unicode.IsDigit(before) != unicode.IsDigit(r) {
		return !unicode.IsMark(r)
	}
	if !unicode.IsUpper(r) {
		return false
	}
	if !unicode.IsUpper(before) {
		return true
	}
	// Inside a run of capitals: the last begins a word when a small letter
	// follows.
	return i+1 < len(runes) && unicode.IsLower(runes[i+1])
}
