package report

import (
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// Code is cut at what people paste around it: prompts, tracebacks, labels. A
// script may hold the same words in a string or a comment, and there they are the
// script's own.

// quotedLines are the lines (1-based) that begin inside of a string.
func quotedLines(text string) map[int]bool {
	if !strings.Contains(text, `"""`) && !strings.Contains(text, "'''") && !strings.Contains(text, "\\\n") {
		return map[int]bool{} // no string goes over the end of a line
	}
	return pysyntax.Parse(text).StringLines()
}

// isScript says that a mark of something else stands only in strings and comments
// of a text, which is Python as a whole. Where its first line is that mark, it
// is none.
func isScript(text string, mark *lazyre.Regexp) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return !mark.MatchString(first) && parses(text)
}
