package pysyntax

import (
	"slices"
	"strings"
)

// Split reads the parts of src. It never fails: what does not parse has fewer
// parts.
func Split(src string) *Parts {
	f, t := parse(src)
	p := &Parts{File: f}
	if t == nil {
		return p
	}
	s := &splitter{collector: collector{src: t.src, f: f, budget: maxSteps}, p: p}
	s.part(t.root, "")
	return p
}

// Apply makes the changes, which are in the spans of src. Of overlapping ones
// the first wins.
func Apply(src string, changes []Change) string {
	sorted := slices.Clone(changes)
	slices.SortStableFunc(sorted, func(a, b Change) int { return a.Span.Start - b.Span.Start })
	var out strings.Builder
	at := 0
	for _, ch := range sorted {
		if ch.Span.Start < at || ch.Span.End > len(src) || ch.Span.End < ch.Span.Start {
			continue
		}
		out.WriteString(src[at:ch.Span.Start])
		out.WriteString(ch.After)
		at = ch.Span.End
	}
	out.WriteString(src[at:])
	return out.String()
}

// splitter fills Parts in one walk. It borrows the collector's readers of
// expressions and leaves its File as it is.
type splitter struct {
	collector
	p *Parts
}

func span(n *node) Span {
	if n == nil {
		return Span{}
	}
	return Span{n.start, n.end}
}

// part visits n and all below; it recurses, the depth of a tree is bounded.
func (s *splitter) part(n *node, scope string) {
	switch n.kind {
	case "ERROR":
		return // what does not parse has no parts that could be named
	case "function_definition", "class_definition":
		inner := s.text(n.get("name"))
		if scope != "" {
			inner = scope + "." + inner
		}
		for _, k := range n.kids {
			if k.field == "body" {
				s.part(k, inner)
			} else if k.field != "name" {
				s.part(k, scope)
			}
		}
		return
	case "decorated_definition":
		s.decorators(n)
	case "call":
		s.callPart(n, scope)
	case "list", "tuple", "expression_list":
		s.elements(n, "", "", scope)
	case "with_item":
		s.context(n)
	case "integer", "float", "true", "false", "none", "string":
		s.p.Literals = append(s.p.Literals, Literal{s.text(n), span(n), n.line})
	case "identifier", "attribute", "dotted_name":
		if s.use(n) {
			return
		}
	default:
		if simple[n.kind] {
			s.simpleStatement(n, scope)
		}
	}
	// Parts hold parts (a call in an argument of a call), so everything is visited
	// but names, which are one part each.
	for _, k := range n.kids {
		s.part(k, scope)
	}
}

// simple are the statements without a body.
var simple = map[string]bool{
	"expression_statement": true, "delete_statement": true, "assert_statement": true,
	"return_statement": true, "raise_statement": true, "global_statement": true,
	"nonlocal_statement": true, "import_statement": true, "import_from_statement": true,
	"future_import_statement": true, "pass_statement": true, "break_statement": true,
	"continue_statement": true, "print_statement": true, "exec_statement": true,
}

func (s *splitter) simpleStatement(n *node, scope string) {
	in := Inner{
		Kind: statementKind(n), Text: s.text(n), Span: span(n), Line: n.line, EndLine: n.endLine,
		Scope: scope, Reads: s.reads(n),
	}
	if n.kind == "expression_statement" && len(n.kids) == 1 {
		switch k := n.kids[0]; k.kind {
		case "call":
			in.Func = s.dotted(k.get("function"))
		case "assignment", "augmented_assignment":
			in.ValueSpan = s.lastValue(k)
			for _, t := range s.assigned(k) {
				in.Targets = append(in.Targets, s.text(t))
				if t.kind == "identifier" {
					in.Binds = append(in.Binds, s.text(t))
				}
			}
		}
	}
	s.p.Statements = append(s.p.Statements, in)
}

// assigned are the targets of an assignment and of the ones chained to it.
func (s *splitter) assigned(n *node) []*node {
	var found []*node
	for n != nil && strings.HasSuffix(n.kind, "assignment") {
		if left := n.get("left"); left != nil {
			found = append(found, s.targets(left)...)
		}
		n = n.get("right")
	}
	return found
}

// lastValue is the value at the end of a chain of assignments.
func (s *splitter) lastValue(n *node) Span {
	for n != nil && strings.HasSuffix(n.kind, "assignment") {
		n = n.get("right")
	}
	return span(n)
}

func (s *splitter) decorators(n *node) {
	of := s.text(n.get("definition").getOrNil("name"))
	for _, k := range n.kids {
		if k.kind != "decorator" || len(k.namedKids()) == 0 {
			continue
		}
		what := k.namedKids()[0]
		if what.kind == "call" {
			what = what.get("function")
		}
		d := Decorator{Name: s.dotted(what), Of: of, Line: k.line, Span: span(k)}
		d.Full = s.f.Resolve(d.Name)
		d.Span.End = d.Span.Start + len(strings.TrimRight(s.text(k), " \t\r\n"))
		s.p.Decorators = append(s.p.Decorators, d)
	}
}

// getOrNil is get that also works on nil.
func (n *node) getOrNil(field string) *node {
	if n == nil {
		return nil
	}
	return n.get(field)
}

func (s *splitter) callPart(n *node, scope string) {
	function, list := n.get("function"), n.get("arguments")
	if function == nil || list == nil {
		return
	}
	c := CallPart{
		Func: s.dotted(function), Span: span(n), Line: n.line, Scope: scope,
		Statement: n.parent != nil && n.parent.kind == "expression_statement" && len(n.parent.kids) == 1,
	}
	c.Full, c.Method = s.f.Resolve(c.Func), c.Func
	if function.kind == "attribute" {
		c.Method, c.Object = s.text(function.get("attribute")), span(function.get("object"))
	}
	// Splats count as what they may hold; only a plain first argument can take the
	// place of its call.
	if list.kind == "argument_list" {
		for _, k := range list.namedKids() {
			if k.kind == "keyword_argument" || k.kind == "dictionary_splat" {
				c.Keywords++
				continue
			}
			if c.Positional == 0 && k.kind != "list_splat" {
				c.First = span(k)
			}
			c.Positional++
		}
		if strings.HasSuffix(s.text(list), ")") {
			c.Close = Span{list.end - 1, list.end - 1}
		}
		before := len(s.p.Arguments)
		s.elements(list, c.Func, c.Full, scope)
		c.Args = slices.Clone(s.p.Arguments[before:])
	} else { // a generator is its only argument
		c.First, c.Positional = span(list), 1
	}
	s.p.Calls = append(s.p.Calls, c)
}

// elements are the arguments of a call or the members of a list or tuple.
func (s *splitter) elements(n *node, call, full, scope string) {
	kids := n.namedKids()
	for i, k := range kids {
		a := Argument{
			Call: call, Full: full, Value: s.text(k), Span: span(k), ValueSpan: span(k),
			Cut: s.cut(n, kids, i), Line: k.line, Scope: scope,
		}
		value := k
		if k.kind == "keyword_argument" {
			value = k.get("value")
			a.Key, a.Value, a.ValueSpan = s.text(k.get("name")), s.text(value), span(value)
		}
		if value != nil && value.kind == "call" {
			a.Func = s.dotted(value.get("function"))
		}
		s.p.Arguments = append(s.p.Arguments, a)
	}
}

// cut is the span of the i-th element with one comma: the one before it, or for
// the first the one after it.
func (s *splitter) cut(list *node, kids []*node, i int) Span {
	switch {
	case i > 0:
		return Span{kids[i-1].end, kids[i].end}
	case len(kids) > 1:
		return Span{kids[0].start, kids[1].start}
	}
	out := span(kids[0])
	rest := s.src[out.End:list.end]
	if trimmed := strings.TrimLeft(rest, " \t\r\n"); strings.HasPrefix(trimmed, ",") {
		out.End += len(rest) - len(trimmed) + 1
	}
	return out
}

func (s *splitter) context(n *node) {
	value := n.get("value")
	if value != nil && value.kind == "as_pattern" && len(value.kids) > 0 {
		value = value.kids[0]
	}
	if value == nil {
		return
	}
	what := value
	if value.kind == "call" {
		what = value.get("function")
	}
	c := Context{Func: s.dotted(what), Span: span(value), Line: value.line}
	c.Full = s.f.Resolve(c.Func)
	s.p.Contexts = append(s.p.Contexts, c)
}

// use records a name that is read, or one of an import; true when the node's
// children are part of it.
func (s *splitter) use(n *node) bool {
	alias := n.field == "alias" && n.parent != nil && n.parent.kind == "aliased_import"
	if n.missing || alias || n.kind == "identifier" && namesArgument(n) {
		return true
	}
	dotted := s.dotted(n)
	if dotted == "" {
		return false
	}
	s.p.Uses = append(s.p.Uses, Use{
		Text: dotted, Full: s.f.Resolve(dotted), Span: span(n), Line: n.line, Import: n.kind == "dotted_name",
	})
	return true
}

// arg is the value of the i-th positional argument, "" when there is none.
func (c CallPart) arg(i int) string {
	for _, a := range c.Args {
		if a.Key != "" {
			continue
		}
		if i == 0 {
			return a.Value
		}
		i--
	}
	return ""
}

// key is the keyword argument of that name.
func (c CallPart) key(name string) (Argument, bool) {
	for _, a := range c.Args {
		if a.Key == name {
			return a, true
		}
	}
	return Argument{}, false
}
