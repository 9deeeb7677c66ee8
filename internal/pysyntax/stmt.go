package pysyntax

import "strings"

func (c *collector) imports(n *node, at context) {
	base := Import{
		Line: n.line, TopLevel: at.scope == "", Guarded: at.guarded,
		Span: Span{n.start, n.end},
	}
	if n.kind == "import_statement" {
		for _, k := range n.all("name") {
			imp := base
			imp.Module = c.moduleName(k)
			if k.kind == "aliased_import" {
				imp.Module, imp.Alias = c.moduleName(k.get("name")), c.text(k.get("alias"))
			}
			c.addImport(imp)
		}
		return
	}
	base.Module = "__future__"
	if module := n.get("module_name"); module != nil {
		base.Module = c.moduleName(module)
	}
	for _, k := range n.kids {
		switch {
		case k.kind == "wildcard_import":
			base.Names = append(base.Names, ImportedName{Name: "*"})
		case k.field != "name":
		case k.kind == "aliased_import":
			base.Names = append(base.Names, ImportedName{c.text(k.get("name")), c.text(k.get("alias"))})
		default:
			base.Names = append(base.Names, ImportedName{Name: c.text(k)})
		}
	}
	c.addImport(base)
}

// moduleName is the text without blanks ("a . b" is legal).
func (c *collector) moduleName(n *node) string {
	return strings.Join(strings.Fields(c.text(n)), "")
}

func (c *collector) addImport(imp Import) {
	c.f.Imports = append(c.f.Imports, imp)
	switch {
	case imp.Dynamic:
	case len(imp.Names) > 0:
		for _, name := range imp.Names {
			as := name.Alias
			if as == "" {
				as = name.Name
			}
			c.f.bindings[as] = imp.Module + "." + name.Name
		}
	case imp.Alias != "":
		c.f.bindings[imp.Alias] = imp.Module
	default:
		c.f.bindings[firstPart(imp.Module)] = firstPart(imp.Module)
	}
}

func (c *collector) definition(n *node, at context) {
	name := c.text(n.get("name"))
	d := Def{
		Kind: strings.TrimSuffix(n.kind, "_definition"), Name: name, Scope: at.scope,
		Line: n.line, EndLine: n.endLine, Span: Span{n.start, n.end},
		Reads: c.reads(n.get("body")),
	}
	outside := d.Reads
	if n.parent != nil && n.parent.kind == "decorated_definition" {
		for _, k := range n.parent.kids {
			if k.kind == "decorator" {
				outside = append(outside[:len(outside):len(outside)], c.reads(k)...)
			}
		}
	}
	if bases := n.get("superclasses"); bases != nil {
		for _, b := range bases.namedKids() {
			d.Bases = append(d.Bases, c.text(b))
		}
		outside = append(outside[:len(outside):len(outside)], c.reads(bases)...)
	}
	c.f.Defined = append(c.f.Defined, d)
	c.flow(name, outside, c.callees(n.get("body"))...)
	c.parameters(n, name, outside[len(d.Reads):], at)
	for _, k := range n.kids {
		if k.field == "body" {
			c.visit(k, at.inScope(name))
		} else {
			c.visit(k, at)
		}
	}
}

// parameters remembers a function's parameters, so that arguments can flow
// into them. Decorators, and the bases of a method's class, call it as well.
func (c *collector) parameters(n *node, name string, callers []string, at context) {
	list := n.get("parameters")
	if list == nil {
		return
	}
	if class := n.above("class_definition"); class != nil {
		callers = append(callers[:len(callers):len(callers)], c.reads(class.get("superclasses"))...)
	}
	var names []string
	for _, p := range list.namedKids() {
		switch p.kind {
		case "default_parameter", "typed_default_parameter":
			p = p.get("name")
		case "typed_parameter":
			p = p.kids[0]
		}
		if p == nil {
			continue
		}
		for _, target := range c.targets(p) {
			names = append(names, c.text(target))
			c.flow(c.text(target), callers)
		}
	}
	if c.params == nil {
		c.params = map[string][]string{}
	}
	c.params[name] = append(c.params[name], names...)
	if class := lastPart(at.scope); name == "__init__" && class != "" {
		c.params[class] = append(c.params[class], names...)
	}
}

func (c *collector) assignment(n *node, at context) {
	left, right := n.get("left"), n.get("right")
	if n.kind == "named_expression" {
		left, right = n.get("name"), n.get("value")
	}
	if left == nil || (right == nil && n.kind == "assignment") {
		return // a bare annotation
	}
	reads, from := c.reads(right), right
	if n.kind == "augmented_assignment" {
		reads = append(reads, c.reads(left)...)
		right = nil
	}
	for _, target := range c.targets(left) {
		c.assignFrom(target, right, from, reads, at)
	}
}

// typeCall: "type(x).y = z" assigns an attribute, which the grammar takes for a
// statement of the soft keyword ("type X = Y").
func typeCall(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(text, "type")), "(")
}

func (c *collector) typeAlias(n *node, at context) {
	kids := n.namedKids()
	if len(kids) < 2 || !typeCall(c.text(n)) {
		return
	}
	left, value := kids[0], kids[len(kids)-1]
	reads := c.reads(value)
	c.f.Assigns = append(c.f.Assigns, Assign{
		Target: strings.TrimSpace(c.src[n.start:left.end]), Kind: "attribute", Line: n.line, Scope: at.scope,
		Full: strings.TrimSpace(c.src[n.start:left.end]), Value: c.text(value), Literal: literal(value), Reads: reads,
	})
	if names := c.reads(left); len(names) > 0 {
		c.flow(firstPart(names[0]), reads)
	}
}

// assignFrom records one target. value is what is written as its value, from
// what it is made of: the iterable of a loop is no value, and flows as well.
func (c *collector) assignFrom(target, value, from *node, reads []string, at context) {
	a := Assign{
		Target: c.text(target), Line: target.line, Scope: at.scope, Kind: "name",
		Value: c.text(value), Literal: literal(value), Reads: reads, InHandler: at.handler, Guards: at.guards,
	}
	root := target
	switch target.kind {
	case "attribute":
		a.Kind = "attribute"
	case "subscript":
		a.Kind = "subscript"
		root = target.get("value")
	}
	dotted := c.dotted(root)
	if dotted == "" { // f(x).y = ..., a[0].b = ...
		if names := c.reads(root); len(names) > 0 {
			dotted = names[0]
		}
		a.Full = a.Target
	} else {
		a.Full = c.f.Resolve(dotted)
	}
	c.f.Assigns = append(c.f.Assigns, a)
	calls := append(c.callees(from), at.called...)
	c.flow(firstPart(dotted), append(reads[:len(reads):len(reads)], at.guards...), calls...)
}

func (c *collector) deletes(n *node) {
	for _, k := range n.namedKids() {
		for _, target := range c.targets(k) {
			full := c.text(target)
			if dotted := c.dotted(target); dotted != "" {
				full = c.f.Resolve(dotted)
			}
			c.f.Deletes = append(c.f.Deletes, Delete{Target: c.text(target), Full: full, Line: target.line})
		}
	}
}

func (c *collector) raise(n *node, at context) {
	r := Raise{Text: c.text(n), Line: n.line, Scope: at.scope, InHandler: at.handler}
	for _, k := range n.namedKids() {
		if k.field == "cause" {
			continue
		}
		what := k
		if k.kind == "call" {
			what = k.get("function")
		}
		if r.Class = c.dotted(what); r.Class == "" {
			r.Class = c.text(what)
		}
		break
	}
	c.f.Raises = append(c.f.Raises, r)
}

func (c *collector) assert(n *node, at context) {
	kids := n.namedKids()
	if len(kids) == 0 {
		return
	}
	test := kids[0]
	c.condition("assert", test, at)
	a := Assert{Test: c.text(test), Line: n.line, Reads: c.reads(test)}
	before := len(c.f.Compares)
	in := at
	in.assert = true
	c.visit(test, in)
	judged := 0
	for _, cmp := range c.f.Compares[before:] {
		if !cmp.InAssert {
			continue // the == inside (a == b).all()
		}
		judged++
		a.Left, a.Op, a.Right = cmp.Left, cmp.Op, cmp.Right
	}
	if judged != 1 {
		a.Left, a.Op, a.Right = "", "", ""
	}
	c.f.Asserts = append(c.f.Asserts, a)
	for _, k := range kids[1:] {
		c.visit(k, at)
	}
}

func (c *collector) handler(n *node, at context, body []string) {
	h := Handler{Line: n.line, Scope: at.scope, Silent: true}
	var block *node
	for _, k := range n.namedKids() {
		if k.kind == "block" {
			block = k
			continue
		}
		what := k
		if k.kind == "as_pattern" {
			kids := k.namedKids()
			what = kids[0]
			for _, target := range c.targets(kids[len(kids)-1]) {
				c.flow(c.text(target), body)
			}
		}
		h.Classes = append(h.Classes, c.reads(what)...)
	}
	if block != nil {
		c.handlerBody(&h, block)
	}
	c.f.Handlers = append(c.f.Handlers, h)
	at.handler, at.broad = true, h.Broad() && !h.Raises
	c.kids(n, at)
}

func (c *collector) handlerBody(h *Handler, block *node) {
	for _, k := range block.namedKids() {
		switch k.kind {
		case "pass_statement", "continue_statement":
		case "expression_statement":
			if text := c.text(k); text != "..." {
				h.Silent = false
			}
		default:
			h.Silent = false
		}
	}
	block.walk(func(k *node) bool {
		switch k.kind {
		case "raise_statement":
			h.Raises = true
		case "call":
			if c.text(k.get("function")) == "print" {
				h.Prints = true
			}
		}
		return true
	})
}

// Broad: the clause catches every exception.
func (h Handler) Broad() bool {
	for _, class := range h.Classes {
		if class == "Exception" || class == "BaseException" {
			return true
		}
	}
	return len(h.Classes) == 0
}
