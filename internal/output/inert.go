package output

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Inert removes what could steer a terminal: escape sequences, control
// characters other than line breaks and tabs, and the marks that turn the
// reading direction around.
func Inert(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, steers) {
		return s // the reader of escape sequences takes a second for a few megabytes
	}
	return strings.Map(func(r rune) rune {
		if steers(r) {
			return -1
		}
		return r
	}, ansi.Strip(s))
}

// steers says that a character can do more to a terminal than stand there.
func steers(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\ufeff')
}

// InertLine is Inert on one line: what would begin another one, or look like it,
// is a blank.
func InertLine(s string) string {
	return strings.Join(strings.Fields(Inert(s)), " ")
}
