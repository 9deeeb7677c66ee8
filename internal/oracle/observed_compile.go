package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// Bounds of a claim. Guesses with room: the longest expression that was of use
// when the oracle was tried out had 160 bytes and four names.
const (
	maxExpression = 500 // bytes
	maxNames      = 16
	maxExprNodes  = 200
	// memoryBudget bounds what one evaluation may allocate, in elements; the
	// largest value it meets is a whole array of 64.
	memoryBudget = 10_000
)

// claim is an Observed that compiled.
type claim struct {
	text      Observed
	types     map[string]string
	bad, good *vm.Program
	used      []string        // names in either expression, sorted
	fields    map[string]bool // fields of arrays that are read
	literals  []ObservedLiteral
	shapes    [][]int // list literals, as shapes to try
}

var (
	observedName = lazyre.New(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
	// reserved words of the expression language, and the names of ours.
	reservedNames = map[string]bool{
		"true": true, "false": true, "nil": true, "in": true, "not": true, "and": true, "or": true, "let": true,
		"if": true, "else": true, "matches": true, "contains": true, "startsWith": true, "endsWith": true,
	}
)

// compileClaim checks names and types, compiles both expressions against a
// typed environment and reads what they use.
func compileClaim(o *Observed) (*claim, []string) {
	if o == nil {
		return nil, []string{"there is no claim"}
	}
	c := &claim{text: *o, types: map[string]string{}, fields: map[string]bool{}}
	if why := c.declare(o.Names); len(why) > 0 {
		return nil, why
	}
	var why []string
	var usedBad, usedGood map[string]bool
	var err error
	if c.bad, usedBad, err = c.compile(o.Bad); err != nil {
		why = append(why, fmt.Sprintf("the expression for bad, %q: %v", clip(o.Bad), err))
	}
	if c.good, usedGood, err = c.compile(o.Good); err != nil {
		why = append(why, fmt.Sprintf("the expression for good, %q: %v", clip(o.Good), err))
	}
	if len(why) > 0 {
		return nil, why
	}
	if !slices.ContainsFunc(slices.Collect(maps.Keys(usedBad)), func(n string) bool { return usedGood[n] }) {
		return nil, []string{"what is bad and what is good share no observation: they speak of different things"}
	}
	maps.Copy(usedBad, usedGood)
	c.used = slices.Sorted(maps.Keys(usedBad))
	return c, nil
}

func (c *claim) declare(names []ObservedName) (why []string) {
	if len(names) == 0 || len(names) > maxNames {
		return []string{fmt.Sprintf("%d observations are named, 1 to %d can be", len(names), maxNames)}
	}
	for _, n := range names {
		_, known := observedTypes[n.Type]
		switch {
		case !observedName.MatchString(n.Name) || reservedNames[n.Name] || isFunction(n.Name):
			why = append(why, fmt.Sprintf("%q cannot be the name of an observation", clip(n.Name)))
		case c.types[n.Name] != "":
			why = append(why, fmt.Sprintf("the observation %s is named twice", n.Name))
		case !known:
			why = append(why, fmt.Sprintf("the observation %s has the type %q: number, bool, string and array are known", n.Name, clip(n.Type)))
		}
		c.types[n.Name] = n.Type
	}
	return why
}

// compile is one expression of type bool that uses at least one observation and
// nothing that could loop or grow.
func (c *claim) compile(text string) (program *vm.Program, used map[string]bool, err error) {
	defer func() { // a library's panic on hostile text is an answer as well
		if r := recover(); r != nil {
			program, used, err = nil, nil, fmt.Errorf("it cannot be compiled: %v", r)
		}
	}()
	if strings.TrimSpace(text) == "" {
		return nil, nil, fmt.Errorf("it is empty")
	}
	if len(text) > maxExpression {
		return nil, nil, fmt.Errorf("it has %d bytes, %d are allowed", len(text), maxExpression)
	}
	tree, err := parser.Parse(text)
	if err != nil {
		return nil, nil, oneLineError(err)
	}
	r := &exprReader{claim: c, used: map[string]bool{}}
	r.read(tree.Node, place{})
	if r.err != nil {
		return nil, nil, r.err
	}
	if len(r.used) == 0 {
		return nil, nil, fmt.Errorf("it uses no observation")
	}
	program, err = expr.Compile(text, c.options()...)
	if err != nil {
		return nil, nil, oneLineError(err)
	}
	return program, r.used, nil
}

func (c *claim) options() []expr.Option {
	env := map[string]any{}
	for name, kind := range c.types {
		env[name] = observedTypes[kind]
	}
	opts := []expr.Option{expr.Env(env), expr.AsBool(), expr.DisableAllBuiltins(), expr.MaxNodes(maxExprNodes)}
	return append(opts, observedFunctions()...)
}

// oneLineError keeps the first line: the library draws the place below it.
func oneLineError(err error) error {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("%s", first)
}

// answer runs a program. A panic of the library is an error like any other.
func answer(p *vm.Program, env map[string]any) (yes bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			yes, err = false, fmt.Errorf("it cannot be evaluated: %v", r)
		}
	}()
	machine := vm.VM{MemoryBudget: memoryBudget}
	out, err := machine.Run(p, env)
	if err != nil {
		return false, oneLineError(err)
	}
	yes, ok := out.(bool)
	if !ok {
		return false, fmt.Errorf("it gives no truth value")
	}
	return yes, nil
}

// exprReader walks an expression before it is compiled: only what is listed
// here is allowed, so that a new feature of the language brings nothing in.
type exprReader struct {
	claim *claim
	used  map[string]bool
	err   error
}

// place is what stands around a node.
type place struct{ tolerance, negated bool }

func (r *exprReader) refuse(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s is not allowed in it", what)
	}
}

// operators that compare, join or compute numbers.
var observedOperators = map[string]bool{
	"==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true, "and": true, "&&": true, "or": true, "||": true,
	"+": true, "-": true, "*": true, "/": true, "in": true,
}

func ordering(op string) bool { return op == "<" || op == "<=" || op == ">" || op == ">=" }

func (r *exprReader) read(n ast.Node, at place) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		if r.claim.types[n.Value] == "" {
			r.err = firstError(r.err, fmt.Errorf("%s is no observation of the claim", n.Value))
		}
		r.used[n.Value] = true
	case *ast.IntegerNode:
		r.number(float64(n.Value), at)
	case *ast.FloatNode:
		r.number(n.Value, at)
	case *ast.StringNode:
		r.literal(ObservedLiteral{Text: n.Value, String: true})
	case *ast.BoolNode:
	case *ast.UnaryNode:
		r.unary(n, at)
	case *ast.BinaryNode:
		r.binary(n, at)
	case *ast.ConditionalNode:
		r.read(n.Cond, place{})
		r.read(n.Exp1, place{})
		r.read(n.Exp2, place{})
	case *ast.ArrayNode:
		r.list(n)
	case *ast.ChainNode:
		r.read(n.Node, place{})
	case *ast.MemberNode:
		r.member(n)
	case *ast.CallNode:
		r.call(n)
	case *ast.BuiltinNode: // abs is one of the language's own too
		r.function(n.Name, n.Arguments)
	default:
		r.refuse(strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", n), "*ast."), "Node"))
	}
}

func (r *exprReader) unary(n *ast.UnaryNode, at place) {
	switch n.Operator {
	case "-":
		at.negated = !at.negated
		r.read(n.Node, at)
	case "+", "not", "!":
		r.read(n.Node, at)
	default:
		r.refuse(n.Operator)
	}
}

func (r *exprReader) binary(n *ast.BinaryNode, at place) {
	if !observedOperators[n.Operator] {
		r.refuse("the operator " + n.Operator)
		return
	}
	// abs(a - b) > 1e-3 * abs(b): the factor is a tolerance as well.
	inside := at.tolerance && (n.Operator == "*" || n.Operator == "+")
	r.read(n.Left, place{tolerance: inside})
	r.read(n.Right, place{tolerance: inside || ordering(n.Operator)})
}

func (r *exprReader) list(n *ast.ArrayNode) {
	if len(n.Nodes) > 8 { // dimensions of an array
		r.refuse("a list of more than 8 elements")
		return
	}
	var shape []int
	for _, k := range n.Nodes {
		if i, ok := k.(*ast.IntegerNode); ok {
			shape = append(shape, i.Value)
		}
		r.read(k, place{})
	}
	r.claim.shapes = append(r.claim.shapes, shape)
}

func (r *exprReader) member(n *ast.MemberNode) {
	r.read(n.Node, place{})
	switch p := n.Property.(type) {
	case *ast.StringNode:
		if !arrayFields[p.Value] {
			r.err = firstError(r.err, fmt.Errorf("an array has no %s", clip(p.Value)))
		}
		r.claim.fields[p.Value] = true
	case *ast.IntegerNode: // shape[0], values[2]: a place, no claim of the reporter
	case *ast.UnaryNode:
		if _, ok := p.Node.(*ast.IntegerNode); !ok || p.Operator != "-" {
			r.refuse("a computed index")
		}
	default:
		r.refuse("a computed index")
	}
}

func (r *exprReader) call(n *ast.CallNode) {
	name, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		r.refuse("calling a value")
		return
	}
	r.function(name.Value, n.Arguments)
}

func (r *exprReader) function(name string, args []ast.Node) {
	if !isFunction(name) {
		r.refuse("the function " + clip(name))
		return
	}
	for i, a := range args {
		r.read(a, place{tolerance: name == "close" && i == 2})
	}
	if name == "same" {
		for _, f := range []string{"hash", "values"} {
			r.claim.fields[f] = true
		}
	}
}

func (r *exprReader) number(v float64, at place) {
	if at.negated {
		v = -v
	}
	r.literal(ObservedLiteral{Number: v, Tolerance: at.tolerance})
}

func (r *exprReader) literal(l ObservedLiteral) {
	if !slices.Contains(r.claim.literals, l) {
		r.claim.literals = append(r.claim.literals, l)
	}
}
