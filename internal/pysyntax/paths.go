package pysyntax

import "strings"

// Paths answers questions about one source that need its tree: which ways
// through it depend on a name.
type Paths struct {
	root *node
	c    *collector
}

// ReadPaths parses src. A source without a tree has no switches, and no line of
// it is found.
func ReadPaths(src string) *Paths {
	f, t := parse(src)
	if t == nil {
		return &Paths{c: &collector{f: f}}
	}
	return &Paths{root: t.root, c: &collector{src: t.src, f: f, budget: maxSteps}}
}

// Switch is a place where a name alone decides between two texts.
type Switch struct {
	Line, EndLine int
	// On is what runs or is taken where the name is true, Off where it is false;
	// either may be "".
	On, Off string
	// Odd is the first thing in either text that is more than giving values to
	// names: "return", "try", a definition. "" when there is none.
	Odd string
	// Ternary: it is an expression (a if name else b).
	Ternary bool
}

// Switches finds the places where the name alone, or "not" the name, decides.
// other are the lines at which it is read in any other way.
func (p *Paths) Switches(name string) (list []Switch, other []int) {
	if p.root == nil {
		return nil, nil
	}
	tests := map[*node]bool{}
	p.root.walk(func(n *node) bool {
		var test *node
		var s Switch
		switch n.kind {
		case "if_statement":
			test = n.get("condition")
			s = Switch{On: p.c.text(n.get("consequence")), Off: p.alternatives(n), Odd: p.odd(n)}
		case "conditional_expression":
			if kids := n.namedKids(); len(kids) == 3 {
				test = kids[1]
				s = Switch{On: p.c.text(kids[0]), Off: p.c.text(kids[2]), Ternary: true}
			}
		}
		if used, negated := p.testOf(test, name); used != nil {
			if negated {
				s.On, s.Off = s.Off, s.On
			}
			s.Line, s.EndLine = n.line, n.endLine
			list, tests[used] = append(list, s), true
		}
		return true
	})
	for _, n := range p.uses(name) {
		if !tests[n] {
			other = append(other, n.line)
		}
	}
	return list, other
}

// testOf gives the identifier when a condition is the name alone, in brackets or
// under "not" as well.
func (p *Paths) testOf(n *node, name string) (used *node, negated bool) {
	for n != nil {
		switch n.kind {
		case "identifier":
			if p.c.text(n) == name {
				return n, negated
			}
			return nil, false
		case "not_operator":
			negated = !negated
			n = n.get("argument")
		case "parenthesized_expression":
			kids := n.namedKids()
			if len(kids) != 1 {
				return nil, false
			}
			n = kids[0]
		default:
			return nil, false
		}
	}
	return nil, false
}

func (p *Paths) alternatives(n *node) string {
	var parts []string
	for _, k := range n.all("alternative") {
		if body := k.get("body"); k.kind == "else_clause" && body != nil {
			parts = append(parts, p.c.text(body))
		} else {
			parts = append(parts, p.c.text(k))
		}
	}
	return strings.Join(parts, "\n")
}

// odd names the first statement below an if that does more than give values to
// names. A call may be one that fills a container, so it is left to the caller.
func (p *Paths) odd(n *node) string {
	found := ""
	n.walk(func(k *node) bool {
		switch {
		case found != "":
			return false
		case k == n || k.kind == "else_clause" || k.kind == "block":
		case k.kind == "pass_statement" || k.kind == "expression_statement" || k.kind == "delete_statement":
		case strings.HasSuffix(k.kind, "_statement"), strings.HasSuffix(k.kind, "_clause") && k.kind != "for_in_clause" && k.kind != "if_clause",
			strings.HasSuffix(k.kind, "_definition"), k.kind == "lambda", k.kind == "named_expression", k.kind == "yield", k.kind == "await":
			found = strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(k.kind, "_statement"), "_clause"), "_", " ")
		}
		return true
	})
	return found
}

// Uses is how often a name is read or bound as a variable, whatever it means
// there: attributes and keyword arguments of that name do not count.
func (p *Paths) Uses(name string) int { return len(p.uses(name)) }

func (p *Paths) uses(name string) (list []*node) {
	if p.root == nil {
		return nil
	}
	p.root.walk(func(n *node) bool {
		if n.kind == "identifier" && p.c.text(n) == name && !fieldName(n) {
			list = append(list, n)
		}
		return true
	})
	return list
}

// fieldName: the name of an attribute or of a keyword argument.
func fieldName(n *node) bool {
	if n.parent == nil {
		return false
	}
	switch n.parent.kind {
	case "keyword_argument":
		return n.field == "name"
	case "attribute":
		return n.field == "attribute"
	}
	return false
}
