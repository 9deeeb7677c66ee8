// Package quote finds what somebody says that a reporter wrote in what the
// reporter wrote. White space is folded, every other character counts.
package quote

import (
	"strings"
	"unicode"

	"github.com/repgen/repgen/internal/report"
)

// Text is a text in which quotes are looked for.
type Text struct {
	whole  string
	folded string
	// at is the place in whole of each byte of folded.
	at []int
}

// In prepares a text: linear in its length.
func In(text string) *Text {
	t := &Text{whole: text, at: make([]int, 0, len(text))}
	var b strings.Builder
	b.Grow(len(text))
	space := false
	for i, r := range text {
		if unicode.IsSpace(r) {
			if !space {
				b.WriteByte(' ')
				t.at = append(t.at, i)
			}
			space = true
			continue
		}
		space = false
		size := b.Len()
		b.WriteString(text[i : i+runeLen(text[i:])])
		for k := range b.Len() - size {
			t.at = append(t.at, i+k)
		}
	}
	t.folded = b.String()
	return t
}

// runeLen is the length of the first character; a byte that is none counts one.
func runeLen(s string) int {
	for i := range s {
		if i > 0 {
			return i
		}
	}
	return len(s)
}

// Fold is how white space is folded: runs to one space, none at the ends.
func Fold(s string) string { return strings.Join(strings.Fields(s), " ") }

// Find is the first place of a quote; false when it is not there, or when it is
// shorter than least characters, white space not counted at its ends.
func (t *Text) Find(quoted string, least int) (report.Span, bool) {
	folded := Fold(quoted)
	if len([]rune(folded)) < max(least, 1) {
		return report.Span{}, false
	}
	i := strings.Index(t.folded, folded)
	if i < 0 {
		return report.Span{}, false
	}
	return report.Span{Start: t.at[i], End: t.at[i+len(folded)-1] + 1}, true
}

// Cut is the reporter's text at a span.
func (t *Text) Cut(s report.Span) string { return t.whole[s.Start:s.End] }
