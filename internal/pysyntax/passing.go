package pysyntax

import "fmt"

// Passage is what stands between the beginning of a script and one of its lines.
type Passage struct {
	// Found: the line belongs to a statement.
	Found bool
	// Barred says why the line may be passed by, "" when nothing does that.
	Barred string
	// Loops are the line ranges of loops around it that may run no time at all,
	// innermost last.
	Loops [][2]int
	// Function is the definition that it stands in, innermost, nil at module
	// scope.
	Function *Def
}

// Passage looks at everything around a line: what is decided by a name of
// depends, or by anything inside a function, may not be passed. It says so too
// often rather than too rarely.
func (p *Paths) Passage(line int, depends map[string]bool) Passage {
	w := &passing{p: p, line: line, depends: depends}
	if p.root != nil {
		w.below(p.root)
	}
	return w.found
}

type passing struct {
	p       *Paths
	line    int
	depends map[string]bool
	found   Passage
}

func (w *passing) bar(format string, args ...any) {
	if w.found.Barred == "" {
		w.found.Barred = fmt.Sprintf(format, args...)
	}
}

// decided says whether what n reads may differ between the two ways of running.
// Inside a function its arguments and its object may, whoever calls it.
func (w *passing) decided(n *node) bool {
	if n == nil {
		return false
	}
	if w.found.Function != nil {
		return true
	}
	for _, name := range w.p.c.reads(n) {
		if w.depends[firstPart(name)] {
			return true
		}
	}
	return false
}

func (w *passing) below(n *node) {
	for _, k := range n.kids {
		if k.line > w.line || k.endLine < w.line {
			continue
		}
		w.found.Found = w.found.Found || k.named
		w.enter(n, k)
		w.below(k)
	}
}

// enter looks at one step down the tree, from n to its child k.
func (w *passing) enter(n, k *node) {
	switch n.kind {
	case "if_statement", "while_statement", "elif_clause":
		if test := n.get("condition"); k != test && w.decided(test) {
			w.bar("it stands under the condition in line %d", n.line)
		}
	case "match_statement":
		if w.decided(n.get("subject")) && k.kind == "block" {
			w.bar("it stands in a match of line %d", n.line)
		}
	case "for_statement":
		if (k.field == "body" || k.field == "alternative") && w.decided(n.get("right")) && !w.fixedRange(n.get("right")) {
			w.found.Loops = append(w.found.Loops, [2]int{n.line, n.endLine})
		}
		w.jumps(n)
	case "try_statement":
		w.bar("it stands in the try of line %d", n.line)
	case "with_statement":
		w.with(n)
	case "function_definition":
		if k.field == "body" {
			w.function(n)
		}
	case "class_definition", "decorated_definition":
	case "lambda":
		w.bar("it stands in a lambda")
	default:
		w.expression(n)
	}
	if n.kind == "while_statement" {
		w.jumps(n)
	}
}

// with: what swallows exceptions hides that the line was never reached.
func (w *passing) with(n *node) {
	for _, k := range n.kids {
		if k.kind != "with_clause" {
			continue
		}
		for _, name := range w.p.c.reads(k) {
			if last := lastPart(name); last == "suppress" || last == "raises" {
				w.bar("it stands in a with of line %d that swallows exceptions", n.line)
			}
		}
	}
}

// expression: a choice inside the line's own statement that holds a call.
func (w *passing) expression(n *node) {
	switch n.kind {
	case "conditional_expression":
		if kids := n.namedKids(); len(kids) == 3 && w.decided(kids[1]) && len(w.p.c.callees(kids[0]))+len(w.p.c.callees(kids[2])) > 0 {
			w.bar("line %d chooses between calls", n.line)
		}
	case "boolean_operator":
		if w.decided(n.get("left")) && len(w.p.c.callees(n.get("right"))) > 0 {
			w.bar("a call of line %d depends on what stands before it", n.line)
		}
	case "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression":
		for _, k := range n.kids {
			if k.kind == "if_clause" && w.decided(k) || k.kind == "for_in_clause" && w.decided(k.get("right")) && !w.fixedRange(k.get("right")) {
				w.bar("a comprehension in line %d may have no elements", n.line)
			}
		}
	}
}

// function remembers the definition, and that its line can be jumped over.
func (w *passing) function(n *node) {
	name := w.p.c.text(n.get("name"))
	d := Def{Kind: "function", Name: name, Line: n.line, EndLine: n.endLine}
	for at := n.parent; at != nil; at = at.parent {
		if at.kind == "function_definition" || at.kind == "class_definition" {
			d.Scope = w.p.c.text(at.get("name"))
			if at.kind == "function_definition" {
				w.bar("it stands in a function inside another")
			}
			break
		}
	}
	w.found.Function = &d
	w.jumps(n)
}

// jumps bars the line when something before it in the same loop or function may
// leave that.
func (w *passing) jumps(n *node) {
	n.walk(func(k *node) bool {
		switch k.kind {
		case "function_definition", "class_definition", "lambda":
			return k == n
		case "return_statement", "break_statement", "continue_statement":
			if k.line < w.line {
				w.bar("line %d may leave before it (%s)", k.line, firstWord(w.p.c.text(k)))
			}
		case "yield":
			w.bar("it stands in a generator")
		}
		return true
	})
}

func firstWord(s string) string {
	for i, r := range s {
		if r == ' ' || r == '\n' {
			return s[:i]
		}
	}
	return s
}

// fixedRange: range of literal numbers, the first of them above nothing.
func (w *passing) fixedRange(n *node) bool {
	if n == nil || n.kind != "call" || w.p.c.text(n.get("function")) != "range" {
		return false
	}
	args := n.get("arguments")
	if args == nil || len(args.namedKids()) != 1 {
		return false
	}
	only := args.namedKids()[0]
	return only.kind == "integer" && w.p.c.text(only) != "0"
}
