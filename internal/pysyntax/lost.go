package pysyntax

import (
	"regexp"
	"slices"
	"strings"
)

// lostIndentation gives bodies that stand flush left below their header their
// indentation back. It is done only where the text says where a body ends: at
// an empty line, a return (raise, break, continue), the end, the next
// definition, or because it has one statement only. Anything else is left as it
// is: a wrong guess is another program.
func lostIndentation(src string, _ *File) (string, []Fix) {
	lines := strings.Split(src, "\n")
	ls, end := logicalLines(lines)
	if end.quote != "" || end.extra > 0 {
		return src, nil
	}
	for len(ls) > 0 && ls[len(ls)-1].empty { // these end the text, not a body
		ls = ls[:len(ls)-1]
	}
	in := &indenter{lines: ls, depth: make([]int, len(ls))}
	if !in.suite(0, len(ls), 0) || in.moved == 0 {
		return src, nil
	}
	fixed := slices.Clone(lines)
	for i, l := range ls {
		if in.depth[i] == 0 || l.empty {
			continue
		}
		pad := strings.Repeat("    ", in.depth[i])
		fixed[l.first] = pad + lines[l.first]
		for j := l.first + 1; j <= l.last && !strings.Contains(l.text, `"""`) && !strings.Contains(l.text, "'''"); j++ {
			fixed[j] = pad + lines[j]
		}
	}
	fixes := inLines(lines, fixed, "indent", "the indentation was lost")
	for i := range fixes {
		fixes[i].Guessed = true
	}
	return strings.Join(fixed, "\n"), fixes
}

// indenter finds how much deeper each logical line belongs.
type indenter struct {
	lines []logical
	depth []int
	moved int
}

var (
	header  = regexp.MustCompile(`^(async\s+)?(def|class|if|elif|else|for|while|with|try|except|finally)\b.*:$`)
	clause  = regexp.MustCompile(`^(elif|else|except|finally)\b`)
	defines = regexp.MustCompile(`^((async\s+)?def|class)\b`)
	method  = regexp.MustCompile(`^(async\s+)?def\s+\w+\s*\(\s*(self|cls)\b`)
	leaves  = regexp.MustCompile(`^(return|raise|break|continue)\b`)
	guard   = regexp.MustCompile(`^if\s+__name__\s*==`)
)

// next is the index of the first line at or after i that is not blank.
func (in *indenter) next(i, end int) int {
	for i < end && in.lines[i].blank {
		i++
	}
	return i
}

// suite goes through the statements [i, end) and mends the bodies of headers
// that lost theirs; false when one cannot be told.
func (in *indenter) suite(i, end, depth int) bool {
	for i = in.next(i, end); i < end; i = in.next(i, end) {
		l := in.lines[i]
		if !header.MatchString(l.text) {
			i++
			continue
		}
		// Columns in bytes will do: tabs were made blanks before, where they mattered.
		body := in.next(i+1, end)
		if body < end && len(in.lines[body].indent) > len(l.indent) { // has its body
			i = body
			continue
		}
		stop, ok := in.body(i, body, end)
		if !ok {
			return false
		}
		for j := i + 1; j < stop; j++ {
			in.depth[j]++
		}
		in.moved += stop - body
		if !in.suite(body, stop, depth+1) {
			return false
		}
		i = stop
	}
	return true
}

// body finds where the body that begins at line body of the header at line head
// ends.
func (in *indenter) body(head, body, end int) (stop int, ok bool) {
	if body >= end || len(in.lines[body].indent) != len(in.lines[head].indent) || clause.MatchString(in.lines[body].text) {
		return 0, false // no body at all
	}
	switch text := in.lines[head].text; {
	case strings.HasPrefix(text, "class"):
		return in.classBody(body, end)
	case defines.MatchString(text):
		return in.functionBody(head, body, end)
	default:
		return in.blockBody(body, end)
	}
}

// classBody holds what stands before the first method, and methods, which name
// self or cls first or are decorated, with their bodies.
func (in *indenter) classBody(body, end int) (int, bool) {
	i, methods := body, false
	for i < end {
		text := in.lines[i].text
		switch {
		case in.lines[i].blank:
			i++
		case strings.HasPrefix(text, "@") && in.decorates(i, end):
			i++
		case method.MatchString(text):
			methods = true
			first := in.next(i+1, end)
			if first < end && len(in.lines[first].indent) > len(in.lines[i].indent) {
				i = in.skipDeeper(first, end, len(in.lines[i].indent))
				continue
			}
			stop, ok := in.functionBody(i, first, end)
			if !ok {
				return 0, false
			}
			i = stop
		case !methods && !header.MatchString(text): // a docstring, a field
			i++
		default:
			return i, methods
		}
	}
	return i, methods
}

// decorates: a method follows the decorator.
func (in *indenter) decorates(i, end int) bool {
	for i < end && (in.lines[i].blank || strings.HasPrefix(in.lines[i].text, "@")) {
		i++
	}
	return i < end && method.MatchString(in.lines[i].text)
}

func (in *indenter) skipDeeper(i, end, column int) int {
	for i < end && (in.lines[i].blank || len(in.lines[i].indent) > column) {
		i++
	}
	return i
}

// functionBody ends behind a return at its own level, before the next
// definition, or at an empty line. A return right behind a loop's statements
// belongs to the loop or to the function: that cannot be told.
func (in *indenter) functionBody(head, body, end int) (int, bool) {
	open := false // inside a block whose end is not known
	for i := body; i < end; i++ {
		text := in.lines[i].text
		switch {
		case in.lines[i].empty && i > body:
			return i, true
		case in.lines[i].blank:
		case len(in.lines[i].indent) > len(in.lines[head].indent):
			return 0, false // half of it is indented
		case i > body && (defines.MatchString(text) || strings.HasPrefix(text, "@") || guard.MatchString(text)):
			return i, true
		case leaves.MatchString(text):
			// "for ...: s += i" and then "return s": the return is the function's in
			// nearly every program, and the loop's in some.
			if open && !in.oneStatement(i) {
				return 0, false
			}
			if !open {
				return i + 1, true
			}
			open = false // "if x:" and its return
		case header.MatchString(text):
			open = true
		}
	}
	return end, in.alone(body, end)
}

// oneStatement: the line before is the header of this one.
func (in *indenter) oneStatement(i int) bool {
	return i > 0 && header.MatchString(in.lines[i-1].text) && !strings.HasPrefix(in.lines[i-1].text, "for") &&
		!strings.HasPrefix(in.lines[i-1].text, "while")
}

// blockBody of an if, for, with or try: up to an empty line, a clause that goes
// on with it, a statement that leaves it, or a single statement.
func (in *indenter) blockBody(body, end int) (int, bool) {
	for i := body; i < end; i++ {
		l := in.lines[i]
		switch {
		case l.empty && i > body:
			return i, true
		case i > body && clause.MatchString(l.text):
			return i, true
		case leaves.MatchString(l.text):
			return i + 1, i == body
		}
	}
	return end, in.alone(body, end)
}

// alone: there is only one statement from body to the end of the text.
func (in *indenter) alone(body, end int) bool {
	n := 0
	for i := body; i < end; i++ {
		if !in.lines[i].blank {
			n++
		}
	}
	return n == 1
}
