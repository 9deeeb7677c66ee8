package pysyntax

import (
	"strings"
)

func (c *collector) call(n *node, at context, negated bool) {
	function, arguments := n.get("function"), n.get("arguments")
	call := Call{
		Func: c.dotted(function), Line: n.line, Scope: at.scope, Span: Span{n.start, n.end},
		Keywords: map[string]string{}, ArgReads: c.reads(arguments), Guards: at.guards, InHandler: at.handler,
		argCalls: c.callees(arguments),
	}
	call.Full = c.f.Resolve(call.Func)
	call.Method = call.Func
	if function != nil && function.kind == "attribute" {
		call.Method = c.text(function.get("attribute"))
	}
	c.arguments(&call, arguments)
	c.f.Calls = append(c.f.Calls, call)
	c.mutation(call, function)
	inside := at
	switch {
	case isPrint(call):
		c.printed(call, at)
		inside.print = true
	case isImport(call):
		c.dynamicImport(call, at)
	default:
		if c.compareCall(n, call, at, negated) {
			at.print, at.assert = false, false // its own == is this comparison
			inside = at
		}
	}
	for _, k := range n.kids {
		if k == function && k.kind == "identifier" {
			continue
		}
		if k == arguments {
			c.visit(k, inside)
			continue
		}
		c.visit(k, at)
	}
}

func (c *collector) arguments(call *Call, list *node) {
	if list == nil {
		return
	}
	if list.kind == "generator_expression" { // f(x for x in y)
		call.Args = []string{c.text(list)}
		return
	}
	for _, k := range list.namedKids() {
		if k.kind == "keyword_argument" {
			call.Keywords[c.text(k.get("name"))] = c.text(k.get("value"))
			continue
		}
		call.Args = append(call.Args, c.text(k))
	}
}

// mutation: x.append(y) lets y flow into x, unless x is a module.
func (c *collector) mutation(call Call, function *node) {
	if function == nil || function.kind != "attribute" {
		return
	}
	names := c.reads(function.get("object"))
	if len(names) > 0 && !c.f.Imported(names[0]) {
		c.flow(firstPart(names[0]), call.ArgReads, call.argCalls...)
	}
}

// isPrint: whatever puts text on the standard output, the interactive display
// hook included.
func isPrint(call Call) bool {
	switch call.Full {
	case "print", "pprint.pprint", "sys.stdout.write", "sys.displayhook", "display":
		return true
	}
	return call.Method == "displayhook"
}

func (c *collector) printed(call Call, at context) {
	c.f.Prints = append(c.f.Prints, Print{
		Args: call.Args, Line: call.Line, Reads: call.ArgReads, Guards: at.guards,
		Scope: at.scope, Broad: at.broad,
	})
}

func isImport(call Call) bool {
	return call.Full == "__import__" || call.Full == "importlib.import_module"
}

func (c *collector) dynamicImport(call Call, at context) {
	if len(call.Args) == 0 {
		return
	}
	name := strings.Trim(call.Args[0], `"'`)
	if name == "" || len(name)+2 != len(call.Args[0]) || strings.ContainsAny(name, " \n\"'(){}") {
		return
	}
	c.addImport(Import{
		Module: name, Line: call.Line, TopLevel: at.scope == "", Guarded: at.guarded,
		Dynamic: true, Span: call.Span,
	})
}

// comparing functions of numpy, jax, torch, tensorflow, keras, pandas and math,
// and what they compare. Their names are the libraries' own.
var comparing = map[string]string{
	"allclose": "allclose", "isclose": "allclose", "assert_allclose": "allclose",
	"assert_close": "allclose", "assert_array_almost_equal": "allclose",
	"assert_almost_equal": "allclose", "assert_trees_all_close": "allclose",
	"array_equal": "array_equal", "array_equiv": "array_equal",
	"assert_array_equal": "array_equal", "equal": "array_equal",
	"assert_equal": "array_equal", "equals": "array_equal",
	"assert_trees_all_equal": "array_equal", "assert_frame_equal": "array_equal",
}

// compareCall records calls that compare: np.allclose(a, b), a.equals(b),
// (a == b).all(), np.all(a == b).
func (c *collector) compareCall(n *node, call Call, at context, negated bool) bool {
	function := n.get("function")
	if call.Method == "all" && function != nil && function.kind == "attribute" {
		inner := function.get("object")
		if list := n.get("arguments"); len(call.Args) > 0 && list != nil {
			inner = list.namedKids()[0]
		}
		if pair := operands(inner); pair != nil && pair.op(c) == "==" {
			c.addCompare(Compare{Left: c.text(pair.left), Op: "array_equal", Right: c.text(pair.right)}, n, at, negated)
			return true
		}
		return false
	}
	op, ok := comparing[call.Method]
	if !ok {
		return false
	}
	cmp := Compare{Op: op}
	switch {
	case len(call.Args) >= 2:
		cmp.Left, cmp.Right = call.Args[0], call.Args[1]
	case len(call.Args) == 1 && function.kind == "attribute":
		cmp.Left, cmp.Right = c.text(function.get("object")), call.Args[0]
	default:
		return false
	}
	if strings.HasPrefix(call.Method, "assert_") {
		at.assert = true
	}
	c.addCompare(cmp, n, at, negated)
	return true
}

func (c *collector) addCompare(cmp Compare, n *node, at context, negated bool) {
	if negated {
		cmp.Op = negate(cmp.Op)
	}
	cmp.Line, cmp.InPrint, cmp.InAssert, cmp.Scope = n.line, at.print, at.assert, at.scope
	c.f.Compares = append(c.f.Compares, cmp)
}

func negate(op string) string {
	switch op {
	case "==":
		return "!="
	case "!=":
		return "=="
	}
	return "not " + op
}

// pair is a comparison of exactly two operands.
type pair struct {
	left, right *node
	between     []*node
}

func operands(n *node) *pair {
	for n != nil && n.kind == "parenthesized_expression" && len(n.namedKids()) == 1 {
		n = n.namedKids()[0]
	}
	if n == nil || n.kind != "comparison_operator" {
		return nil
	}
	var p pair
	for _, k := range n.kids {
		switch {
		case k.kind == "comment":
		case k.field == "operators":
			p.between = append(p.between, k)
		case p.left == nil:
			p.left = k
		case p.right == nil:
			p.right = k
		default:
			return nil // a < b < c
		}
	}
	if p.left == nil || p.right == nil || len(p.between) == 0 {
		return nil
	}
	return &p
}

func (p *pair) op(c *collector) string {
	var words []string
	for _, k := range p.between {
		words = append(words, strings.Fields(c.text(k))...)
	}
	return strings.Join(words, " ")
}

func (c *collector) comparison(n *node, at context, negated bool) {
	c.condition("compare", n, at)
	if p := operands(n); p != nil {
		c.addCompare(Compare{Left: c.text(p.left), Op: p.op(c), Right: c.text(p.right)}, n, at, negated)
	}
}

// attribute records the outermost of a chain of plain names.
func (c *collector) attribute(n *node, at context) {
	if n.parent != nil && n.parent.kind == "attribute" && n.field == "object" && c.dotted(n.parent) != "" {
		return
	}
	if dotted := c.dotted(n); dotted != "" {
		c.f.Attributes = append(c.f.Attributes, Attribute{
			Text: dotted, Full: c.f.Resolve(dotted), Line: n.line, Scope: at.scope, Span: Span{n.start, n.end},
		})
	}
}

func (c *collector) string(n *node) {
	s := String{Line: n.line, Span: Span{n.start, n.end}}
	begin, end := n.start, n.end
	for _, k := range n.kids {
		switch k.kind {
		case "string_start":
			begin = k.end
			s.Bytes = strings.ContainsAny(strings.ToLower(c.text(k)), "b")
		case "string_end":
			end = k.start
		case "interpolation":
			s.Formatted = true
		}
	}
	s.Value = c.src[begin:max(begin, end)]
	c.f.Strings = append(c.f.Strings, s)
}
