package candidate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// Operand is an assert of the reporter's, or a comparison that he prints, whose
// operands were given names, so that the observer can record what was compared.
type Operand struct {
	Line int `json:"line"` // 1-based, in the resulting script
	// Left and Right are the operands as they stand in the script now, WasLeft
	// and WasRight as the reporter wrote them.
	Left     string `json:"left"`
	Right    string `json:"right"`
	WasLeft  string `json:"was_left"`
	WasRight string `json:"was_right"`
	// Printed: the comparison is printed; else it is an assert's test.
	Printed bool `json:"printed,omitempty"`
}

var (
	// conditional tests evaluate an operand only sometimes: naming it
	// beforehand would evaluate it always.
	conditional = lazyre.New(`\b(?:and|or|if|lambda|for|await|yield)\b|:=`)
	// literal operands need no record.
	literal = lazyre.New(`^[-+]?(?:\d[\w.]*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|'[^']*'|"[^"]*")$`)
)

// nameOperands writes "assert f(x) < 1e-6" as "left = f(x); assert left < 1e-6"
// on the same line: whether two floats differ by more than their tolerance can
// only be judged by the values, and a value without a name is not recorded.
// Each operand is still evaluated once and in the same order. It must come
// last, for it relies on the lines of the finished script.
func (c *Candidate) nameOperands() {
	f := c.parse(c.Script)
	lines := strings.Split(c.Script, "\n")
	for _, a := range append(slices.Clone(f.Asserts), printedTests(f)...) {
		printed := isPrinted(f, a.Line)
		if a.Left == "" || conditional.MatchString(a.Test) || !alone(f, a.Line) {
			continue
		}
		o := Operand{Line: a.Line, Left: a.Left, Right: a.Right, WasLeft: a.Left, WasRight: a.Right, Printed: printed}
		named, names := nameBoth(a, &o)
		line := lines[a.Line-1]
		if len(names) == 0 || strings.Count(line, a.Test) != 1 {
			continue
		}
		text := strings.Join(names, "; ") + "; " + strings.Replace(line, a.Test, named, 1)
		if !sameTest(text, o) {
			continue
		}
		c.edit(Edit{Kind: "name_operands", Why: "the values that are compared are recorded", Line: a.Line, Before: line, After: text})
		lines[a.Line-1] = text
		c.Operands = append(c.Operands, o)
	}
	c.Script = strings.Join(lines, "\n")
}

// printedTests are the comparisons that a print has for its only argument,
// "print(f(x) == g(x))", as if they were asserts.
func printedTests(f *pysyntax.File) []pysyntax.Assert {
	var tests []pysyntax.Assert
	for _, cmp := range f.Compares {
		if !cmp.InPrint || cmp.Scope != "" {
			continue
		}
		for _, p := range f.Prints {
			// The comparison must be the argument, and no part of it: bool(a == b).
			if p.Line == cmp.Line && len(p.Args) == 1 && strings.HasPrefix(p.Args[0], cmp.Left) && strings.HasSuffix(p.Args[0], cmp.Right) {
				tests = append(tests, pysyntax.Assert{Test: p.Args[0], Left: cmp.Left, Op: cmp.Op, Right: cmp.Right, Line: cmp.Line})
			}
		}
	}
	return tests
}

func isPrinted(f *pysyntax.File, line int) bool {
	return slices.ContainsFunc(f.Prints, func(p pysyntax.Print) bool { return p.Line == line })
}

// alone: the line holds one statement of module scope, an assert or a print, and
// no more.
func alone(f *pysyntax.File, line int) bool {
	found := 0
	for _, s := range f.Statements {
		if s.Line <= line && line <= s.EndLine {
			found++
			if s.Line != s.EndLine || !strings.HasPrefix(s.Text, "assert") && !strings.HasPrefix(s.Text, "print(") {
				return false
			}
		}
	}
	return found == 1
}

// nameBoth gives names to the operands that have none, and the test with them.
func nameBoth(a pysyntax.Assert, o *Operand) (test string, names []string) {
	test = a.Test
	if !recorded(a.Right) { // from the right, so that f(x) == f(x) keeps its sides
		at := strings.LastIndex(test, a.Right)
		o.Right = fmt.Sprintf("asserted_right_%d", a.Line)
		test = test[:at] + o.Right + test[at+len(a.Right):]
		names = append(names, o.Right+" = "+a.Right)
	}
	if !recorded(a.Left) {
		o.Left = fmt.Sprintf("asserted_left_%d", a.Line)
		test = strings.Replace(test, a.Left, o.Left, 1)
		names = append(names, o.Left+" = "+a.Left)
	}
	slices.Reverse(names)
	return test, names
}

// recorded: the operand is a name that the observer watches, or a literal.
func recorded(operand string) bool {
	return plainName.MatchString(operand) || literal.MatchString(operand)
}

// sameTest: the line that was made compares the named operands, and nothing
// else about it has changed.
func sameTest(text string, o Operand) bool {
	f := pysyntax.Parse(text + "\n")
	if o.Printed {
		tests := printedTests(f)
		return len(f.SyntaxErrors) == 0 && len(tests) == 1 && tests[0].Left == o.Left && tests[0].Right == o.Right
	}
	return len(f.SyntaxErrors) == 0 && len(f.Asserts) == 1 && f.Asserts[0].Left == o.Left && f.Asserts[0].Right == o.Right
}

// Named are the comparisons of a report with the names that the script's
// operands were given, in the lines of the script.
func (c *Candidate) Named(list []oracle.Compare) []oracle.Compare {
	if len(c.Operands) == 0 {
		return list
	}
	out := slices.Clone(list)
	left := slices.Clone(c.Operands)
	for i, cmp := range out {
		at := slices.IndexFunc(left, func(o Operand) bool {
			return cmp.Assert != o.Printed && o.WasLeft == cmp.Left && o.WasRight == cmp.Right
		})
		if at < 0 {
			continue
		}
		out[i].Left, out[i].Right, out[i].Line = left[at].Left, left[at].Right, left[at].Line
		left = slices.Delete(left, at, at+1)
	}
	return out
}
