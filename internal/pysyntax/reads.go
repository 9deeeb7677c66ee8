package pysyntax

// reads are the names that n reads, dotted chains whole ("jnp.exp"), each once,
// in order. Names of keyword arguments are none.
func (c *collector) reads(n *node) []string {
	if n == nil {
		return nil
	}
	var names []string
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	n.walk(func(k *node) bool {
		c.budget--
		if c.budget < 0 || len(names) >= maxNames {
			return false
		}
		switch k.kind {
		case "identifier":
			if !namesArgument(k) && !k.missing {
				add(c.text(k))
			}
		case "attribute":
			if dotted := c.dotted(k); dotted != "" {
				add(dotted)
				return false
			}
		case "comment", "dotted_name":
			return false
		}
		return true
	})
	return names
}

// namesArgument: an identifier that is no read of a variable.
func namesArgument(n *node) bool {
	if n.parent == nil {
		return false
	}
	switch n.parent.kind {
	case "keyword_argument", "default_parameter", "typed_default_parameter":
		return n.field == "name"
	case "attribute":
		return n.field == "attribute"
	}
	return false
}

// dotted is the text of a chain of plain names without blanks, "" for any
// other expression.
func (c *collector) dotted(n *node) string {
	if n == nil {
		return ""
	}
	switch n.kind {
	case "identifier", "dotted_name":
		return c.text(n)
	case "attribute":
	default:
		return ""
	}
	depth, at := 0, n
	for at != nil && at.kind == "attribute" && depth < 50 {
		at, depth = at.get("object"), depth+1
	}
	if at == nil || at.kind != "identifier" {
		return ""
	}
	out := c.text(at)
	for at = at.parent; ; at = at.parent {
		out += "." + c.text(at.get("attribute"))
		if at == n {
			return out
		}
	}
}

// literal says that an expression holds no name and no call.
func literal(n *node) bool {
	if n == nil {
		return false
	}
	plain := true
	n.walk(func(k *node) bool {
		switch k.kind {
		case "identifier", "call", "lambda", "yield", "await":
			plain = false
		}
		return plain
	})
	return plain
}

// targets are the single targets of an assignment's left side: names,
// attributes and subscripts.
func (c *collector) targets(n *node) []*node {
	var found []*node
	n.walk(func(k *node) bool {
		switch k.kind {
		case "identifier", "attribute", "subscript":
			found = append(found, k)
			return false
		}
		return true
	})
	return found
}
