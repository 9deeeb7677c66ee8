package pysyntax

import (
	"regexp"
	"strings"
)

// IsPython says whether text looks like Python source rather than a log,
// printed output, a shell session or prose.
func IsPython(text string) bool { return Score(text) >= 0.5 }

// looked is how much of a text Score reads: enough to tell, and a log may be
// megabytes long.
const looked = 64 << 10

var (
	logLine = regexp.MustCompile(`^(\s+File ".*", line \d+|Traceback \(most recent call last\)|[\w.]*(Error|Exception|Warning): |\$ |% |[CDEFIW]\d{4} |\d{4}-\d\d-\d\d[ T]|(INFO|WARNING|ERROR|DEBUG)\b)`)
	// reprCall: what looks like a call and is a printed object.
	reprCall = regexp.MustCompile(`^([A-Z]\w*|tensor|array|dict_\w+|odict_\w+|mappingproxy|namespace|defaultdict)\(`)
)

// Score is between 0 (no Python) and 1: the share of lines that belong to
// statements which only a program has. Lines that do not parse count twice, so
// that a log with a few words that happen to parse stays a log. The weights are
// guesses, checked against the blocks of the measured reports.
func Score(text string) float64 {
	if len(text) > looked {
		text = text[:looked]
		if i := strings.LastIndexByte(text, '\n'); i > 0 {
			text = text[:i]
		}
	}
	text = dedent(text)
	f := Parse(text)
	var strong, weak, bad, bonus float64
	for _, s := range f.Statements {
		lines := float64(s.EndLine - s.Line + 1)
		switch {
		case s.Kind == "error":
			likely := codeLines(s.Text)
			weak += likely
			bad += lines - likely
		case isLog(s.Text):
			bad += lines
		case isProgram(f, s):
			strong += lines
			if s.Kind == "import" || s.Kind == "function" || s.Kind == "class" {
				bonus = 0.2
			}
		default:
			weak += lines
		}
	}
	for _, e := range f.SyntaxErrors { // errors inside a statement
		if !topLevelError(f, e) {
			bad++
		}
	}
	if strong == 0 {
		return 0
	}
	return min(1, strong/(strong+weak+2*bad)+bonus)
}

var codeLine = regexp.MustCompile(`^\s*([a-z_]\w*(\.\w+)*(\s*,\s*\w+)*\s*=\s*[\w("'\[{]|[a-z_][\w.]*\(|(import|from|def|class|return|with|@)\b)`)

// codeLines counts the lines of a text with an error that look like code: one
// missing bracket makes an error of all that follows.
func codeLines(text string) float64 {
	n := 0.0
	for line := range strings.SplitSeq(text, "\n") {
		if codeLine.MatchString(line) && !logLine.MatchString(line) {
			n++
		}
	}
	return n
}

func topLevelError(f *File, e SyntaxError) bool {
	for _, s := range f.Statements {
		if s.Kind == "error" && s.Line <= e.Line && e.Line <= s.EndLine {
			return true
		}
	}
	return false
}

func isLog(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	return logLine.MatchString(first)
}

// isProgram: a statement that printed output does not look like.
func isProgram(f *File, s Statement) bool {
	switch s.Kind {
	case "assignment":
		return strings.Contains(s.Text, "=") // "loss: nan" is an annotation for the grammar
	case "expression":
		if reprCall.MatchString(s.Text) {
			return false
		}
		for _, call := range f.Calls {
			if call.Span.Start == s.Span.Start {
				return true
			}
		}
		return false
	case "pass", "break", "continue", "global", "return":
		return false
	}
	return true
}

// dedent removes the indentation that all lines but blank ones share.
func dedent(text string) string {
	lines := strings.Split(text, "\n")
	common, first := "", true
	for _, line := range lines {
		trimmed := strings.TrimLeft(line, " \t")
		if trimmed == "" {
			continue
		}
		indent := line[:len(line)-len(trimmed)]
		if first {
			common, first = indent, false
		}
		for !strings.HasPrefix(indent, common) {
			common = common[:len(common)-1]
		}
	}
	if common == "" {
		return text
	}
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, common)
	}
	return strings.Join(lines, "\n")
}

// Dedent removes the indentation that all lines share, and says whether there
// was any.
func Dedent(text string) (string, bool) {
	out := dedent(text)
	return out, out != text
}

// IsPython2Print says whether text holds a print statement of Python 2.
func IsPython2Print(text string) bool { return Parse(text).Python2Print }
