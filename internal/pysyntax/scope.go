package pysyntax

// scope is one namespace of Python: the module, a class body, a function, a
// lambda or a comprehension.
type scope struct {
	outer   *scope
	class   bool
	comp    bool
	bound   map[string]bool
	globals map[string]bool
}

func (s *scope) module() *scope {
	for s.outer != nil {
		s = s.outer
	}
	return s
}

// bind records name as bound here; a walrus in a comprehension binds outside.
func (s *scope) bind(name string) {
	if s.globals[name] {
		s = s.module()
	}
	s.bound[name] = true
}

func (s *scope) inner() *scope {
	return &scope{outer: s, bound: map[string]bool{}, globals: map[string]bool{}}
}

// sees follows Python's rule: own names first, then those of enclosing
// functions; class bodies in between are skipped.
func (s *scope) sees(name string) bool {
	for at := s; at != nil; at = at.outer {
		if at.bound[name] && (at == s || !at.class) {
			return true
		}
	}
	return false
}

type read struct {
	name string
	line int
	at   *scope
}

// resolver finds names that are read but bound nowhere. Bindings are collected
// without regard to order: a name bound later at the same scope is bound.
type resolver struct {
	src   string
	reads []read
	star  bool
}

// unbound are the names of the tree that nothing binds, at their first line.
func unbound(src string, root *node) (names []Name, star bool) {
	r := &resolver{src: src}
	module := (&scope{}).inner()
	module.outer = nil
	r.kids(root, module)
	if r.star {
		return nil, true
	}
	seen := map[string]bool{}
	for _, rd := range r.reads {
		if seen[rd.name] || builtins[rd.name] || rd.at.sees(rd.name) {
			continue
		}
		seen[rd.name] = true
		names = append(names, Name{Name: rd.name, Line: rd.line})
	}
	return names, false
}

func (r *resolver) text(n *node) string { return r.src[n.start:n.end] }

func (r *resolver) kids(n *node, s *scope) {
	for _, k := range n.kids {
		r.visit(k, s)
	}
}

// visit reads the names below n, binding what n binds.
func (r *resolver) visit(n *node, s *scope) {
	switch n.kind {
	case "identifier":
		if !n.missing {
			r.reads = append(r.reads, read{r.text(n), n.line, s})
		}
	case "attribute":
		if object := n.get("object"); object != nil {
			r.visit(object, s)
		}
	case "keyword_argument", "default_parameter":
		r.afterName(n, s)
	case "ERROR", "comment", "type_conversion":
		// what does not parse says nothing about names
	case "import_statement", "import_from_statement", "future_import_statement":
		r.imports(n, s)
	case "function_definition", "class_definition", "lambda":
		r.definition(n, s)
	case "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression":
		r.comprehension(n, s)
	case "global_statement", "nonlocal_statement":
		r.declared(n, s)
	case "case_clause":
		r.caseClause(n, s)
	case "type_alias_statement":
		r.typeAlias(n, s)
	default:
		r.binding(n, s)
	}
}

// binding handles the statements and expressions with a target.
func (r *resolver) binding(n *node, s *scope) {
	switch n.kind {
	case "assignment", "for_statement", "for_in_clause":
		for _, k := range n.kids {
			if k.field == "left" {
				r.target(k, s)
			} else {
				r.visit(k, s)
			}
		}
	case "augmented_assignment":
		r.kids(n, s)
		if left := n.get("left"); left != nil {
			r.target(left, s)
		}
	case "named_expression":
		at := s
		for at.comp && at.outer != nil {
			at = at.outer
		}
		if name := n.get("name"); name != nil {
			at.bind(r.text(name))
		}
		r.afterName(n, s)
	case "as_pattern_target":
		for _, k := range n.kids {
			r.target(k, s)
		}
	default:
		r.kids(n, s)
	}
}

// target binds the plain names of an assignment's left side; attributes and
// subscripts there are reads.
func (r *resolver) target(n *node, s *scope) {
	switch n.kind {
	case "identifier":
		s.bind(r.text(n))
	case "attribute", "subscript", "call":
		r.visit(n, s)
	default:
		for _, k := range n.kids {
			r.target(k, s)
		}
	}
}

// afterName visits all but the field "name", which is no read.
func (r *resolver) afterName(n *node, s *scope) {
	for _, k := range n.kids {
		if k.field != "name" {
			r.visit(k, s)
		}
	}
}

func (r *resolver) imports(n *node, s *scope) {
	for _, k := range n.kids {
		switch {
		case k.kind == "wildcard_import":
			r.star = true
		case k.field != "name":
		case k.kind == "aliased_import":
			if alias := k.get("alias"); alias != nil {
				s.bind(r.text(alias))
			}
		default:
			s.bind(firstPart(r.text(k)))
		}
	}
}

func (r *resolver) definition(n *node, s *scope) {
	if name := n.get("name"); name != nil {
		s.bind(r.text(name))
	}
	in := s.inner()
	in.class = n.kind == "class_definition"
	for _, k := range n.kids {
		switch k.field {
		case "name":
		case "parameters":
			r.parameters(k, in, s)
		case "type_parameters":
			r.typeParameters(k, in)
		case "body":
			r.visit(k, in)
		default: // bases, annotations: read outside, but may name type parameters
			r.visit(k, in)
		}
	}
}

// parameters binds the names inside; defaults are read outside.
func (r *resolver) parameters(n *node, in, out *scope) {
	for _, k := range n.kids {
		switch k.kind {
		case "default_parameter", "typed_default_parameter":
			for _, part := range k.kids {
				if part.field == "name" {
					r.target(part, in)
				} else {
					r.visit(part, out)
				}
			}
		case "typed_parameter":
			for _, part := range k.kids {
				if part.field == "type" {
					r.visit(part, in)
				} else {
					r.target(part, in)
				}
			}
		default:
			r.target(k, in)
		}
	}
}

func (r *resolver) typeParameters(n *node, in *scope) {
	n.walk(func(k *node) bool {
		if k.kind == "identifier" {
			in.bind(r.text(k))
		}
		return true
	})
}

func (r *resolver) typeAlias(n *node, s *scope) {
	if typeCall(r.text(n)) {
		r.kids(n, s)
		return
	}
	for i, k := range n.namedKids() {
		if i > 0 {
			r.visit(k, s)
			continue
		}
		k.walk(func(part *node) bool {
			if part.kind == "identifier" {
				s.bind(r.text(part))
			}
			return true
		})
	}
}

func (r *resolver) comprehension(n *node, s *scope) {
	in := s.inner()
	in.comp = true
	if s.class { // its outermost iterable is read in the class, the rest is not
		for name := range s.bound {
			in.bound[name] = true
		}
	}
	r.kids(n, in)
}

func (r *resolver) declared(n *node, s *scope) {
	for _, k := range n.namedKids() {
		if k.kind != "identifier" {
			continue
		}
		if n.kind == "global_statement" {
			s.globals[r.text(k)] = true
			s.module().bound[r.text(k)] = true
		}
	}
}

// caseClause binds capture names: a dotted_name of one part is a capture.
func (r *resolver) caseClause(n *node, s *scope) {
	for _, k := range n.kids {
		if k.kind != "case_pattern" {
			r.visit(k, s)
			continue
		}
		k.walk(func(part *node) bool {
			if part.kind != "identifier" {
				return true
			}
			up := part.parent
			if up != nil && up.kind == "dotted_name" && (len(up.namedKids()) > 1 || isClassName(up)) {
				if up.namedKids()[0] == part {
					r.reads = append(r.reads, read{r.text(part), part.line, s})
				}
				return true
			}
			s.bind(r.text(part))
			return true
		})
	}
}

func isClassName(n *node) bool {
	return n.parent != nil && n.parent.kind == "class_pattern"
}

func firstPart(dotted string) string {
	for i := range len(dotted) {
		if dotted[i] == '.' {
			return dotted[:i]
		}
	}
	return dotted
}

func lastPart(dotted string) string {
	for i := len(dotted) - 1; i >= 0; i-- {
		if dotted[i] == '.' {
			return dotted[i+1:]
		}
	}
	return dotted
}
