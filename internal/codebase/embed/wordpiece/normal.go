package wordpiece

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Classes of a byte of raw text.
const (
	classWord    = iota // letters, digits
	classSpace          // blank, tab, line ends
	classPunct          // every other visible ASCII character
	classDrop           // control characters: they vanish, joining what is around them
	classForeign        // part of a character beyond ASCII
)

// classOf classifies bytes; identity folds nothing.
var (
	classOf  = makeClasses()
	identity = makeFold(false)
)

func makeClasses() (c [256]uint8) {
	for b := range 256 {
		switch {
		case b >= utf8.RuneSelf:
			c[b] = classForeign
		case b == ' ' || b == '\t' || b == '\n' || b == '\r':
			c[b] = classSpace
		case b < ' ' || b == 0x7f:
			c[b] = classDrop
		case 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9':
			c[b] = classWord
		default:
			c[b] = classPunct
		}
	}
	return c
}

func makeFold(lower bool) (f [256]byte) {
	for b := range 256 {
		f[b] = byte(b)
		if lower && 'A' <= b && b <= 'Z' {
			f[b] += 'a' - 'A'
		}
	}
	return f
}

// normalizer is what tokenizer.json says of a text before it is split.
type normalizer struct {
	lower  bool
	strip  bool // accents
	spaced bool // CJK signs stand alone
	fold   [256]byte
}

// append adds the normalised form of text, which has no ASCII in it. Bytes that
// are no UTF-8 vanish, as the replacement character does in the published
// tokenizer.
func (n *normalizer) append(dst []byte, text string) []byte {
	if !n.strip {
		return n.runes(dst, text)
	}
	var decomposed [512]byte
	return n.runes(dst, string(norm.NFD.AppendString(decomposed[:0], n.space(text))))
}

// space puts blanks around CJK signs. It comes before decomposition, since a
// compatibility ideograph decomposes into a plain one.
func (n *normalizer) space(text string) string {
	if !n.spaced {
		return text
	}
	var out []byte
	for i, r := range text {
		if isCJK(r) {
			if out == nil {
				out = append(make([]byte, 0, 2*len(text)), text[:i]...)
			}
			out = append(utf8.AppendRune(append(out, ' '), r), ' ')
		} else if out != nil {
			out = utf8.AppendRune(out, r)
		}
	}
	if out == nil {
		return text
	}
	return string(out)
}

// runes drops what is dropped and folds case, rune by rune.
func (n *normalizer) runes(dst []byte, text string) []byte {
	for _, r := range text {
		switch {
		case r == utf8.RuneError || unicode.Is(dropped, r):
		case n.strip && unicode.Is(marks, r):
		case !n.lower:
			dst = utf8.AppendRune(dst, r)
		case r == 'İ': // the only rune whose lower case is two
			dst = append(dst, "i̇"...)
		default:
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
	}
	return dst
}

func isSpace(r rune) bool { return r == ' ' || r >= utf8.RuneSelf && unicode.IsSpace(r) }

func isPunct(r rune) bool {
	if r < utf8.RuneSelf {
		return classOf[byte(r)] == classPunct
	}
	return unicode.Is(puncts, r)
}

// isCJK is true for the blocks that BERT sets apart, the published code's slip
// (2B920 for 2B820) included.
func isCJK(r rune) bool {
	if r < 0x3400 {
		return false
	}
	return r <= 0x4DBF || r >= 0x4E00 && r <= 0x9FFF || r >= 0xF900 && r <= 0xFAFF ||
		r >= 0x20000 && r <= 0x2A6DF || r >= 0x2A700 && r <= 0x2B73F ||
		r >= 0x2B740 && r <= 0x2B81F || r >= 0x2B920 && r <= 0x2CEAF ||
		r >= 0x2F800 && r <= 0x2FA1F
}
