package candidate

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
	"github.com/repgen/repgen/internal/triage"
)

// echo prints a value as the interactive interpreter does: nothing for None,
// else its repr, and "_" is set.
const (
	echoOpen  = `__import__("sys").displayhook(`
	echoClose = `)`
)

var prompt = lazyre.New(`^\s*(>>>|\.\.\. ?:|\.\.\.|In ?\[\d+\]:)( |$)`)

// hasPrompts says that something was typed at prompts; an example in a docstring
// was not.
func (c *Candidate) hasPrompts(text string) bool {
	if !strings.Contains(text, ">>>") {
		return false
	}
	quoted := c.parse(text).StringLines()
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), ">>>") && !quoted[i+1] {
			return true
		}
	}
	return false
}

// stripPrompts keeps the input of a transcript and drops its output.
func stripPrompts(text string) string {
	var code []string
	for line := range strings.SplitSeq(text, "\n") {
		if at := prompt.FindStringIndex(line); at != nil {
			code = append(code, line[at[1]:])
		}
	}
	return strings.Join(code, "\n")
}

// transcript joins the cells of an interactive session so that the script
// prints what the session printed, and stops where it stopped.
func (c *Candidate) transcript(b *report.Block, d *triage.Decision, line int) string {
	c.edit(Edit{Kind: "strip_prompt", Why: "prompts and recorded output are no code", Line: line})
	everyLine := c.hasPrompts(b.Text) // a notebook echoes the last expression of a cell only
	last := lastCell(b.Cells, d)
	var parts []string
	for i, cell := range b.Cells {
		if i > last {
			c.edit(Edit{Kind: "echo", Why: "the transcript's failure ends the script here", Line: line, Before: cell.Code})
			continue
		}
		code := strings.TrimRight(c.repairText(cell.Code, line), "\n ")
		code = c.echo(code, everyLine, line)
		if i < last && failure(cell.Output) != "" {
			code = c.survive(code, line)
		}
		parts = append(parts, code)
		line += strings.Count(code, "\n") + 1
	}
	return strings.Join(parts, "\n")
}

// lastCell is the cell whose recorded failure is the expected one; without such
// an expectation the whole transcript counts.
func lastCell(cells []report.Cell, d *triage.Decision) int {
	last := len(cells) - 1
	e := d.Expectation
	if e == nil || e.Oracle == oracle.OraclePrinted || e.Oracle == oracle.OracleDifferential || e.Symptom.Exception == "" {
		return last
	}
	for i, cell := range cells {
		if got := failure(cell.Output); got != "" && lastPart(got) == lastPart(e.Symptom.Exception) {
			return i
		}
	}
	return last
}

var failureLine = lazyre.New(`(?m)^([A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Iteration|Failure|Fault|Abort|Timeout))(?::|\s*$)`)

// failure is the exception class of a recorded traceback, "" when there is none.
func failure(output string) string {
	if !strings.Contains(output, "Traceback (most recent call last)") && !strings.Contains(output, "File \"<") {
		return ""
	}
	found := failureLine.FindAllStringSubmatch(output, -1)
	if len(found) == 0 {
		return "Exception"
	}
	return found[len(found)-1][1]
}

// echo wraps the expression statements of a cell. all is false for a notebook,
// where only the last statement is echoed, and not if it ends in a semicolon.
func (c *Candidate) echo(code string, all bool, line int) string {
	f := c.parse(code)
	if len(f.SyntaxErrors) > 0 || len(f.Statements) == 0 {
		return code
	}
	calls := map[pysyntax.Span]string{}
	for _, call := range f.Calls {
		calls[call.Span] = call.Func
	}
	statements := f.Statements
	if !all {
		statements = statements[len(statements)-1:]
		if strings.HasSuffix(strings.TrimSpace(code), ";") {
			return code
		}
	}
	var out strings.Builder
	at := 0
	for _, s := range statements {
		if s.Kind != "expression" || !echoes(calls[s.Span], s) {
			continue
		}
		wrapped := echoOpen + parenthesised(s.Text) + echoClose
		out.WriteString(code[at:s.Span.Start] + wrapped)
		at = s.Span.End
		c.edit(Edit{
			Kind: "echo", Why: "the interactive interpreter prints the value of an expression",
			Line: line + s.Line - 1, Before: s.Text, After: wrapped,
		})
	}
	return out.String() + code[at:]
}

// echoLast prints the value of the last expression of a script that prints
// nothing although the report shows an output: the reporter saw it in an
// interactive interpreter and pasted only the input.
func (c *Candidate) echoLast(d *triage.Decision) {
	if d.Expectation == nil || d.Expectation.Printed == nil || len(d.Expectation.Printed.Actual) == 0 {
		return
	}
	if len(c.parse(c.Script).Prints) > 0 || slices.ContainsFunc(c.Edits, func(e Edit) bool { return e.Kind == "echo" }) {
		return
	}
	c.Script = strings.TrimRight(c.echo(c.Script, false, 1), "\n") + "\n"
}

// echoes: print returns None, and await has no meaning in a script anyway.
// called is the function when the statement is one call.
func echoes(called string, s pysyntax.Statement) bool {
	if strings.HasPrefix(s.Text, "await ") || strings.HasPrefix(s.Text, "yield") {
		return false
	}
	return called != "print" && called != "exit" && called != "quit"
}

// parenthesised: a bare tuple would become several arguments, a comment at the
// end would swallow the bracket.
func parenthesised(text string) string {
	if strings.Contains(text, "#") && strings.Contains(text, "\n") {
		return "(" + text + "\n)"
	}
	if !strings.ContainsAny(text, ",=*") && !strings.Contains(text, " for ") {
		return text // one argument for certain: most lines need no parse
	}
	f := pysyntax.Parse("f(" + text + ")")
	if len(f.Calls) > 0 && len(f.Calls[0].Args) == 1 && len(f.Calls[0].Keywords) == 0 && len(f.SyntaxErrors) == 0 {
		return text
	}
	return "(" + text + ")"
}

// survive lets the script go on after a failure that the session survived.
func (c *Candidate) survive(code string, line int) string {
	if strings.Contains(code, `"""`) || strings.Contains(code, "'''") {
		return code // indenting would change the string
	}
	lines := strings.Split(code, "\n")
	for i, text := range lines {
		if text != "" {
			lines[i] = "    " + text
		}
	}
	out := "try:\n" + strings.Join(lines, "\n") + "\nexcept Exception:\n    __import__(\"traceback\").print_exc()"
	c.edit(Edit{
		Kind: "echo", Why: "the session went on after this failure, a script would end", Line: line,
		Before: code, After: out, Risky: true,
	})
	return out
}

func lastPart(dotted string) string { return dotted[strings.LastIndexByte(dotted, '.')+1:] }
