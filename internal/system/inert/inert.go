// Package inert makes words that others wrote safe to be shown: a report's
// title, the name of a file or a package, what a program printed. There is one
// function a form, and whoever writes that form uses it:
//
//   - Text and Line for a terminal, and for a page of HTML before its template
//     escapes them (html/template knows markup, not what turns a line around);
//   - Markdown, Code and Fence for a page that a tracker may show.
//
// A prompt has a form of its own (agent/ask): there what is hidden is written
// out and told, here it goes.
package inert

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Text removes what could steer a terminal or hide words from a reader: escape
// sequences, control characters other than line ends and tabs, marks that turn
// the reading direction around, and characters that are not seen.
func Text(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, Steers) {
		return s // the reader of escape sequences takes a second for a few megabytes
	}
	return strings.Map(func(r rune) rune {
		if Steers(r) {
			return -1
		}
		return r
	}, ansi.Strip(s))
}

// Line is Text on one line: what would begin another one, or look like it, is a
// blank.
func Line(s string) string { return strings.Join(strings.Fields(Text(s)), " ") }

// Steers says that a character can do more than stand where it is printed.
func Steers(r rune) bool { return Unseen(r) != "" }

// Unseen names the kind of a character that no reader sees, "" for the others and
// for line ends and tabs. Unicode's class Cf holds the marks of direction, the
// joiners and the tags; the variation selectors over the one that emoji take, the
// fillers of Hangul and the line separators can carry data as well and are in no
// such class.
func Unseen(r rune) string {
	switch {
	case r == '\n' || r == '\t':
		return ""
	case r < 0x20, r >= 0x7f && r < 0xa0, r == 0x2028, r == 0x2029:
		return "control"
	case r < 0x7f:
		return ""
	case r >= 0xE0000 && r <= 0xE007F:
		return "tag"
	case unicode.Is(unicode.Bidi_Control, r):
		return "direction"
	case r >= 0xFE00 && r <= 0xFE0E, r >= 0xE0100 && r <= 0xE01EF, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, r == 0x034F, r == 0x2800:
		return "invisible"
	case unicode.Is(unicode.Cf, r):
		return "invisible"
	}
	return ""
}
