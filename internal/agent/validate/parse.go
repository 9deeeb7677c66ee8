package validate

import (
	"fmt"
	"strings"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/pysyntax"
)

// checkAnswer refuses what is no script at all.
func checkAnswer(script string, f *pysyntax.File) []task.Feedback {
	switch {
	case strings.TrimSpace(script) == "":
		return []task.Feedback{told(task.StageAnswer, task.SeverityError, 0, "empty",
			"The answer held no script. Answer with one complete Python script in one code block.")}
	case f.Truncated:
		return []task.Feedback{told(task.StageAnswer, task.SeverityError, 0, "too long",
			"The script is too long to be read. Write the shortest script that shows the bug.")}
	case len(f.Statements) == 0:
		return []task.Feedback{told(task.StageAnswer, task.SeverityError, 0, "no code",
			"The answer held comments only and no code. Answer with one complete Python script in one code block.")}
	}
	return nil
}

// checkParse tells the first syntax error, in the words that help most.
func checkParse(f *pysyntax.File) []task.Feedback {
	if len(f.SyntaxErrors) == 0 {
		return nil
	}
	e := f.SyntaxErrors[0]
	if at, what := cutOff(f); what != "" {
		return []task.Feedback{told(task.StageParse, task.SeverityError, at, "cut off",
			fmt.Sprintf("The script ends in the middle: %s. Answer with the whole script; if it does not fit, write a shorter one.", what))}
	}
	text := fmt.Sprintf("line %d: %s\n    %s\n", e.Line, e.Text, sourceLine(f.Source, e.Line))
	switch {
	case strings.Contains(e.Text, "Python 2"):
		text = "Not Python 3. " + text + "Write it in Python 3 (print is a function, \"except X as e\", \"raise X(...)\")."
	case strings.Contains(e.Text, "indent"):
		text = "The indentation is wrong. " + text + "Indent each block by four spaces, and nothing else."
	case !pysyntax.IsPython(f.Source):
		text = "This is no Python. " + text + "Answer with Python only: no shell prompt, no prose, no other language."
	default:
		text = "A syntax error. " + text
	}
	return []task.Feedback{told(task.StageParse, task.SeverityError, e.Line, e.Text, text)}
}

// cutOff recognises a script whose end is missing: a bracket or a string that is
// never closed, a header without its body.
func cutOff(f *pysyntax.File) (line int, what string) {
	n := pysyntax.NestOf(f.Source)
	for i, t := range n.Tokens {
		switch text := n.Text(int32(i)); {
		case t.Kind == pysyntax.OpToken && t.Pair < 0 && (text == "(" || text == "[" || text == "{"):
			if !codeAfter(n, i) {
				return int(t.Line), fmt.Sprintf("the %q of line %d is never closed", text, t.Line)
			}
		case t.Kind == pysyntax.StringToken && i >= len(n.Tokens)-1 && unterminated(text):
			return int(t.Line), fmt.Sprintf("the string of line %d is never closed", t.Line)
		}
	}
	if end := strings.TrimRight(f.Source, " \t\r\n"); strings.HasSuffix(end, ":") || strings.HasSuffix(end, "=") || strings.HasSuffix(end, ",") {
		line = strings.Count(end, "\n") + 1
		return line, fmt.Sprintf("nothing comes after line %d, %q", line, sourceLine(f.Source, line))
	}
	return 0, ""
}

// codeAfter: a new statement begins after the open bracket, so that the bracket
// was forgotten and the script was not cut.
func codeAfter(n *pysyntax.Nested, token int) bool {
	for _, s := range n.Statements {
		if int(s.First) > token {
			return true
		}
	}
	return false
}

// unterminated: a string literal without its closing quotes.
func unterminated(text string) bool {
	body := strings.TrimLeft(text, "rRbBuUfFtT")
	for _, q := range []string{`"""`, "'''", `"`, "'"} {
		if strings.HasPrefix(body, q) {
			return len(body) < 2*len(q) || !strings.HasSuffix(body, q)
		}
	}
	return false
}
