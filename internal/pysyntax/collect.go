package pysyntax

import "strings"

const (
	// maxSteps bounds the work of reading the names below expressions, which
	// is quadratic in their nesting: a second of work at most.
	maxSteps = 20_000_000
	// maxNames is how many names one expression's list holds: a guess that no
	// line of a report reaches.
	maxNames = 200
	// maxErrors is how many syntax errors are kept: the first says it all.
	maxErrors = 20
)

// collector fills a File from a tree in one walk from the top down.
type collector struct {
	src    string
	f      *File
	budget int
	// calls waits for finish: parameters flow from arguments once all
	// definitions are known.
	params map[string][]string
}

// context is what the ancestors of a node say about it.
type context struct {
	scope   string // dotted path of enclosing definitions
	print   bool
	assert  bool
	negated bool // directly below "not"
	guarded bool // in a try's body
	handler bool
	broad   bool     // in an except clause for everything
	guards  []string // names that decide whether this line is reached
	called  []string // functions called in what decides it
}

// guardedBy adds what decides that the lines below n are reached.
func (c *collector) guardedBy(at context, n *node) context {
	at = at.guardedBy(c.reads(n))
	if calls := c.callees(n); len(calls) > 0 {
		at.called = append(at.called[:len(at.called):len(at.called)], calls...)
	}
	return at
}

// callees are the first names of the functions that are called below n.
func (c *collector) callees(n *node) []string {
	var names []string
	if n == nil {
		return nil
	}
	n.walk(func(k *node) bool {
		c.budget--
		if c.budget < 0 || len(names) >= maxNames {
			return false
		}
		if k.kind != "call" {
			return true
		}
		at := k.get("function")
		for at != nil && at.kind != "identifier" {
			switch at.kind {
			case "attribute":
				at = at.get("object")
			case "call":
				at = at.get("function")
			case "subscript":
				at = at.get("value")
			default:
				at = nil
			}
		}
		if at != nil {
			names = append(names, c.text(at))
		}
		return true
	})
	return names
}

func (c context) guardedBy(names []string) context {
	if len(names) > 0 {
		c.guards = append(c.guards[:len(c.guards):len(c.guards)], names...)
	}
	return c
}

func (c context) inScope(name string) context {
	if c.scope != "" {
		name = c.scope + "." + name
	}
	c.scope, c.print, c.assert = name, false, false
	return c
}

func (c *collector) text(n *node) string {
	if n == nil {
		return ""
	}
	return c.src[n.start:n.end]
}

func (c *collector) kids(n *node, at context) {
	for _, k := range n.kids {
		c.visit(k, at)
	}
}

// visit collects the facts of n and of all below it. It recurses: the depth of
// a copied tree is bounded.
func (c *collector) visit(n *node, at context) {
	negated := at.negated
	at.negated = false
	switch n.kind {
	case "not_operator", "parenthesized_expression":
		at.negated = negated != (n.kind == "not_operator")
		if n.kind == "not_operator" {
			c.condition("logic", n, at)
		}
	case "comparison_operator":
		c.comparison(n, at, negated)
	case "call":
		c.call(n, at, negated)
		return
	case "attribute":
		c.attribute(n, at)
	case "string":
		c.string(n)
	case "comment":
		c.comment(n)
	case "ERROR":
		c.syntaxError(n)
	default:
		if c.statement(n, at) {
			return
		}
	}
	if n.missing {
		c.syntaxError(n)
	}
	if text := c.old(n); text != "" && len(c.f.SyntaxErrors) < maxErrors {
		c.f.SyntaxErrors = append(c.f.SyntaxErrors, SyntaxError{Line: n.line, Col: n.col, Text: text})
	}
	c.kids(n, at)
}

// statement handles statements; true says that the children were visited.
func (c *collector) statement(n *node, at context) bool {
	switch n.kind {
	case "import_statement", "import_from_statement", "future_import_statement":
		c.imports(n, at)
	case "function_definition", "class_definition":
		c.definition(n, at)
		return true
	case "assignment", "augmented_assignment", "named_expression":
		c.assignment(n, at)
	case "type_alias_statement":
		c.typeAlias(n, at)
	case "delete_statement":
		c.deletes(n)
	case "raise_statement":
		c.raise(n, at)
	case "print_statement", "exec_statement":
		c.python2(n)
	case "assert_statement":
		c.assert(n, at)
		return true
	default:
		return c.block(n, at)
	}
	return false
}

// block handles what decides whether other lines are reached.
func (c *collector) block(n *node, at context) bool {
	switch n.kind {
	case "if_statement", "elif_clause", "while_statement":
		c.branch(n, at)
		return true
	case "conditional_expression":
		if kids := n.namedKids(); len(kids) == 3 {
			c.condition("ternary", kids[1], at)
			c.kids(n, c.guardedBy(at, kids[1]))
			return true
		}
	case "if_clause":
		c.condition("filter", n, at)
	case "boolean_operator":
		c.condition("logic", n, at)
	case "subscript":
		if sub := n.get("subscript"); sub != nil {
			c.condition("index", sub, at)
		}
	case "match_statement":
		if subject := n.get("subject"); subject != nil {
			c.condition("match", subject, at)
			at = c.guardedBy(at, subject)
		}
		c.kids(n, at)
		return true
	case "for_statement", "for_in_clause":
		c.loop(n, at)
		return true
	case "with_statement":
		c.with(n)
	case "try_statement":
		c.try(n, at)
		return true
	}
	return false
}

func (c *collector) condition(kind string, n *node, at context) {
	if kind == "compare" && at.print {
		return
	}
	c.f.Conditions = append(c.f.Conditions, Condition{
		Kind: kind, Text: c.text(n), Line: n.line, Reads: c.reads(n),
	})
}

// branch visits an if, elif or while: its body is guarded by its condition, and
// so are the branches after it.
func (c *collector) branch(n *node, at context) {
	cond := n.get("condition")
	inside := at
	if cond != nil {
		kind := "if"
		if n.kind == "while_statement" {
			kind = "while"
		}
		c.condition(kind, cond, at)
		inside = c.guardedBy(at, cond)
	}
	for _, k := range n.kids {
		if k == cond {
			c.visit(k, at)
		} else {
			c.visit(k, inside)
		}
	}
}

func (c *collector) loop(n *node, at context) {
	right := c.reads(n.get("right"))
	if left := n.get("left"); left != nil {
		for _, target := range c.targets(left) {
			c.assignFrom(target, nil, n.get("right"), right, at)
		}
	}
	inside := c.guardedBy(at, n.get("right"))
	for _, k := range n.kids {
		switch k.field {
		case "body", "alternative":
			c.visit(k, inside)
		default:
			c.visit(k, at)
		}
	}
}

// with lets everything below flow into the names of its items: a context
// manager records or captures what its body does.
func (c *collector) with(n *node) {
	below, calls := c.reads(n), c.callees(n)
	for _, k := range n.kids {
		if k.kind != "with_clause" {
			continue
		}
		for _, name := range c.reads(k) {
			if !c.f.Imported(name) {
				c.flow(firstPart(name), below, calls...)
			}
		}
		k.walk(func(part *node) bool {
			if part.kind == "as_pattern_target" {
				for _, target := range c.targets(part) {
					c.flow(firstPart(c.text(target)), below, calls...)
				}
			}
			return true
		})
	}
}

func (c *collector) try(n *node, at context) {
	body := c.reads(n.get("body"))
	inBody, after := at, c.guardedBy(at, n.get("body"))
	inBody.guarded = true
	first := len(c.f.Handlers)
	defer func() { c.tried(n, first) }()
	for _, k := range n.kids {
		switch {
		case k.field == "body":
			c.visit(k, inBody)
		case k.kind == "except_clause" || k.kind == "except_group_clause":
			c.handler(k, after, body)
		default:
			c.visit(k, after)
		}
	}
}

// tried keeps a try statement whose handlers begin at first of the list.
func (c *collector) tried(n *node, first int) {
	t := Try{Line: n.line, EndLine: n.endLine, Reads: c.reads(n), Leaves: jumps(n)}
	for _, h := range c.f.Handlers[first:] {
		t.Swallows = t.Swallows || !h.Raises
	}
	for _, k := range n.kids {
		t.Swallows = t.Swallows || k.kind == "finally_clause" && jumps(k)
	}
	for _, imp := range c.f.Imports {
		if imp.Span.Start >= n.start && imp.Span.End <= n.end {
			t.Reads = append(t.Reads, imp.Module)
		}
	}
	c.f.Tries = append(c.f.Tries, t)
}

func jumps(n *node) (found bool) {
	n.walk(func(k *node) bool {
		found = found || k.kind == "return_statement" || k.kind == "break_statement" || k.kind == "continue_statement"
		return !found
	})
	return found
}

func (c *collector) flow(target string, reads []string, calls ...string) {
	if target != "" && len(reads)+len(calls) > 0 {
		c.f.flows = append(c.f.flows, flow{target, reads, calls})
	}
}

// finish lets arguments flow into the parameters of the functions they go to.
func (c *collector) finish() {
	for _, call := range c.f.Calls {
		if names := c.params[call.Method]; len(names) > 0 {
			for _, name := range names {
				c.flow(name, call.ArgReads, call.argCalls...)
			}
		}
		if call.Func == "" {
			continue
		}
		for _, arg := range call.ArgReads { // a callback is called with what the callee has
			for _, name := range c.params[arg] {
				c.flow(name, append(call.ArgReads[:len(call.ArgReads):len(call.ArgReads)], call.Func), firstPart(call.Func))
			}
		}
	}
}

func (c *collector) syntaxError(n *node) {
	if len(c.f.SyntaxErrors) >= maxErrors {
		return
	}
	what := "unexpected text"
	if n.missing {
		what = "missing " + n.kind
	} else if line, _, _ := strings.Cut(strings.TrimSpace(c.text(n)), "\n"); line != "" {
		what += ": " + clip(line, 60)
	}
	c.f.SyntaxErrors = append(c.f.SyntaxErrors, SyntaxError{Line: n.line, Col: n.col, Text: what})
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

func (c *collector) comment(n *node) {
	begin := strings.LastIndexByte(c.src[:n.start], '\n') + 1
	c.f.Comments = append(c.f.Comments, Comment{
		Text: c.text(n), Line: n.line, Span: Span{n.start, n.end},
		Trailing: strings.TrimSpace(c.src[begin:n.start]) != "",
	})
}

// python2 records a statement of Python 2, which the grammar still takes.
func (c *collector) python2(n *node) {
	word := strings.TrimSuffix(n.kind, "_statement")
	c.f.Python2Print = c.f.Python2Print || word == "print"
	if len(c.f.SyntaxErrors) < maxErrors {
		c.f.SyntaxErrors = append(c.f.SyntaxErrors, SyntaxError{
			Line: n.line, Col: n.col, Text: word + " statement of Python 2",
		})
	}
}

// statements lists the top-level ones.
func (c *collector) statements(root *node) {
	for _, k := range root.namedKids() {
		c.f.Statements = append(c.f.Statements, Statement{
			Kind: statementKind(k), Line: k.line, EndLine: k.endLine,
			Text: c.text(k), Span: Span{k.start, k.end},
		})
	}
}

func statementKind(n *node) string {
	switch n.kind {
	case "expression_statement":
		if len(n.kids) == 1 && strings.HasSuffix(n.kids[0].kind, "assignment") {
			return "assignment"
		}
		return "expression"
	case "import_from_statement", "future_import_statement":
		return "import"
	case "decorated_definition":
		if inner := n.get("definition"); inner != nil {
			return statementKind(inner)
		}
	case "ERROR":
		return "error"
	}
	kind := strings.TrimSuffix(n.kind, "_statement")
	return strings.TrimSuffix(kind, "_definition")
}
