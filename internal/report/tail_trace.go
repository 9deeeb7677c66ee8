package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// ruler is the line that IPython draws above a traceback.
var ruler = lazyre.New(`^-{20,}\s*$`)

// minRepeated is how long a line of code must be to be known again in the
// traceback below it; "x" or "}" stands in many (a guess).
const minRepeated = 8

// failureTail finds where the traceback begins that was pasted below the code
// which raised it, in one fence: the index of its first line, 0 when there is
// none. It begins a line, outside of any string. What stands above has to be Python as a whole, and more than what a
// script may have printed before it died: an import, a definition or a print, or
// a line that the traceback quotes.
func failureTail(lines []string) int {
	text := strings.Join(lines, "\n")
	if len(lines) < 2 || !strings.Contains(text, "Traceback (most recent call last)") || hasPrompt(text) || parses(text) {
		return 0
	}
	for at, quoted := 1, quotedLines(text); at < len(lines); at++ {
		if traceLine.MatchString(lines[at]) && !quoted[at+1] {
			return failureFrom(lines, at)
		}
	}
	return 0
}

// failureFrom is failureTail for the line on which a traceback begins.
func failureFrom(lines []string, at int) int {
	for at > 0 && (ruler.MatchString(lines[at-1]) || strings.TrimSpace(lines[at-1]) == "") {
		at--
	}
	above := strings.Join(lines[:at], "\n")
	if at == 0 || len(above) > maxTail || frameLine.MatchString(above) || !parses(above) {
		return 0
	}
	if !strongMark.MatchString(above) && !quotedBelow(lines[:at], lines[at:]) {
		return 0
	}
	for strings.TrimSpace(lines[at]) == "" {
		at++
	}
	return at
}

// quotedBelow: a line of the traceback shows a line of the code, with or without
// IPython's arrow and number before it.
func quotedBelow(code, trace []string) bool {
	for _, c := range code {
		c = strings.TrimSpace(c)
		if len(c) < minRepeated {
			continue
		}
		for _, t := range trace {
			if rest, ok := strings.CutSuffix(strings.TrimSpace(t), c); ok && strings.Trim(rest, "-> 0123456789") == "" {
				return true
			}
		}
	}
	return false
}

// codeBelow says that statements stand below the failures of a traceback, up to the
// end: Python prints none there, so that the failure was pasted into the script.
func codeBelow(trace []string) bool {
	end := 0
	for i, l := range trace {
		if traceEnd.MatchString(l) || traceLine.MatchString(l) || frameLine.MatchString(l) {
			end = i + 1
		}
	}
	for i := end; i < len(trace); i++ {
		if codeMark.MatchString(trace[i]) && indentOf(trace[i]) == 0 {
			return parses(strings.Join(trace[i:], "\n"))
		}
	}
	return false
}
