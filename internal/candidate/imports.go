package candidate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
)

// addImports imports what is undefined and well known, right before the
// top-level statement that uses it first, so that nothing is imported earlier
// than the reporter's own settings.
func (c *Candidate) addImports() {
	f := c.parse(c.Script)
	undefined := f.Undefined()
	have := f.TopModules()
	for _, name := range undefined { // torch undefined means torch will be there for F
		have = append(have, name.Name)
	}
	type insertion struct {
		line       int
		name, text string
	}
	var todo []insertion
	for _, name := range undefined {
		if statement := pysyntax.WellKnown(name.Name, have, c.Script); statement != "" {
			todo = append(todo, insertion{statementLine(f, name.Line), name.Name, statement})
		}
	}
	slices.SortStableFunc(todo, func(a, b insertion) int { return b.line - a.line })
	lines := strings.Split(c.Script, "\n")
	for _, in := range todo { // from the end, so that earlier lines keep their numbers
		lines = slices.Insert(lines, in.line-1, in.text)
		c.shift(in.line, 1)
		c.edit(Edit{
			Kind: "add_import", Why: fmt.Sprintf("%s is used but never imported", in.name),
			Line: in.line, After: in.text,
		})
	}
	c.Script = strings.Join(lines, "\n")
}

// statementLine is the first line of the top-level statement at line.
func statementLine(f *pysyntax.File, line int) int {
	for _, s := range f.Statements {
		if s.Line <= line && line <= s.EndLine {
			return s.Line
		}
	}
	return line
}
