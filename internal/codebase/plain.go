package codebase

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// docstring is a string between triple quotes and what is behind it.
var docstring = lazyre.New(`(?s)^[rRuU]?(?:"""(?:[^\\"]|\\.|"{1,2}[^"])*"""|'''(?:[^\\']|\\.|'{1,2}[^'])*''')(.*)$`)

// mostlyWords says that a piece of a module is its docstring and comments, with
// little that runs beside them. Long ones tell how a whole framework is used,
// and would fill a context with what every report about it shares.
func mostlyWords(text string) bool {
	code := withoutComments(text)
	if m := docstring.FindStringSubmatch(code); m != nil {
		code = withoutComments(m[1])
	}
	return len(code) < len(text)/wordy
}

// wordy: below a quarter of code a piece is words (guess: imports beside a
// manual are less, constants beside an ordinary docstring more).
const wordy = 4

// withoutComments is a text from its first line of code on.
func withoutComments(text string) string {
	for {
		text = strings.TrimSpace(text)
		if !strings.HasPrefix(text, "#") {
			return text
		}
		_, text, _ = strings.Cut(text, "\n")
	}
}

// bareName is a name with a type and without a value, on one line.
var bareName = lazyre.New(`^\s*\w+\s*:[^=\n]+$`)

// declaration says that a definition only names a value that is set elsewhere
// ("rate: float" in a class of declarations, a mixin).
func declaration(text string) bool { return bareName.MatchString(strings.TrimRight(text, " \t\r\n")) }
