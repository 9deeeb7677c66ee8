package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// wide are the marks of punctuation that Chinese and Japanese keyboards give,
// and curly quotation marks. Each becomes its plain sister, filled up to the
// same number of bytes, so that one set of patterns reads both.
var wide = []string{
	"：", ":  ", "，", ",  ", "。", ".  ", "、", ",  ", "；", ";  ", "（", "(  ", "）", ")  ", "！", "!  ", "？", "?  ", "＝", "=  ",
	"「", "   ", "」", "   ", "“", "   ", "”", "   ", "\u3000", "   ",
}

var (
	// placeholder is the example in the label of a form's list: "- OS (e.g., Linux):".
	// It states nothing. The text after the colon is short: prose goes on.
	placeholder = lazyre.New(`(?m)^[ \t]*(?:[-*+]+ *)?[A-Z][^:\n(]{0,60}(\([ \t]*(?:e\.? ?g\.?|ex\.)[,:]?[ \t][^()\n]{0,80}\))[^:\n]{0,80}:[^\n]{0,80}$`)
	// described is what git says of a build ("v2.9.0-rc2-42-g8a20d54a3c1"), printed
	// before the version itself.
	described = lazyre.New(`\bv?\d+\.\d+(?:\.\d+)?(?:-?[a-z]+\d*)?-\d+-g[0-9a-f]{7,40}[ \t,]+v?\d+\.\d`)
)

// plainOf blanks the marks of Markdown and non-breaking spaces, byte by byte,
// so that positions stay, and what only looks like a fact.
func plainOf(prose string) string {
	marks := append([]string{"`", " ", "*", " ", "\u00a0", "  ", "|", " ", "__", "  "}, wide...)
	plain := strings.NewReplacer(marks...).Replace(prose)
	if strings.Contains(plain, "g.") || strings.Contains(plain, "ex.") {
		plain = blanked(plain, placeholder)
	}
	if strings.Contains(plain, "-g") {
		plain = blankedBefore(plain, described)
	}
	return plain
}

// blanked replaces the first group of each match by spaces.
func blanked(text string, re *lazyre.Regexp) string {
	out := []byte(text)
	for _, m := range re.FindAllStringSubmatchIndex(text, 256) {
		fill(out, m[2], m[3])
	}
	return string(out)
}

// blankedBefore replaces the first word of each match by spaces.
func blankedBefore(text string, re *lazyre.Regexp) string {
	out := []byte(text)
	for _, m := range re.FindAllStringIndex(text, 64) {
		fill(out, m[0], m[0]+strings.IndexAny(text[m[0]:m[1]], " \t,"))
	}
	return string(out)
}

// fill puts spaces into the range.
func fill(text []byte, start, end int) {
	for i := start; i < end; i++ {
		text[i] = ' '
	}
}
