package output

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Inert removes what could steer a terminal: escape sequences, control
// characters other than line breaks and tabs, and the marks that turn the
// reading direction around.
func Inert(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\ufeff':
			return -1
		}
		return r
	}, ansi.Strip(s))
}

// inertLine is Inert on one line.
func inertLine(s string) string {
	return strings.Join(strings.Fields(Inert(s)), " ")
}
