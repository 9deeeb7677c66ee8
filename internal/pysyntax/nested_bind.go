package pysyntax

// BindKind is what binds a name.
type BindKind uint8

// Kinds of bindings.
const (
	BindAssign BindKind = iota // assignment, loop variable, with, except, walrus
	BindDef                    // function or class
	BindImport
	BindParam
)

// Binding is a name that a statement binds.
type Binding struct {
	Name      string
	Kind      BindKind
	Statement int32
	// Token is where the name stands; for an import the one after "as" or the
	// first of a dotted module.
	Token int32
}

// Binds are the names that statement i binds in the scope it stands in. The
// parameters of a def are bound in the def itself: Params.
func (n *Nested) Binds(i int32) []Binding {
	s := n.Statements[i]
	var out []Binding
	add := func(kind BindKind, tokens ...int32) {
		for _, t := range tokens {
			out = append(out, Binding{Name: n.Text(t), Kind: kind, Statement: i, Token: t})
		}
	}
	switch s.Kind {
	case "def", "class":
		if t := n.nameToken(i); t >= 0 {
			add(BindDef, t)
		}
		return out
	case "import", "from":
		add(BindImport, n.importTokens(s)...)
		return out
	case "for":
		add(BindAssign, n.targets(s.First+1, n.find(s.First, s.Last, "in"))...)
	case "with", "except":
		add(BindAssign, n.afterAs(s)...)
	case "case":
		add(BindAssign, n.captures(s)...)
	case "":
		add(BindAssign, n.assigned(s)...)
	}
	for at := s.First; at < s.Last; at++ {
		if n.is(at, ":=") && n.Identifier(at-1) {
			add(BindAssign, at-1)
		}
	}
	return out
}

// nameToken is the token of a def's or class's name, -1 when it has none.
func (n *Nested) nameToken(i int32) int32 {
	s := n.Statements[i]
	if s.Name == "" {
		return -1
	}
	if s.Async {
		return s.First + 2
	}
	return s.First + 1
}

func (n *Nested) importTokens(s Nest) []int32 {
	var out []int32
	at := s.First + 1
	if s.Kind == "from" {
		for ; at < s.Last && !n.is(at, "import"); at++ {
		}
	}
	for ; at < s.Last; at++ {
		if !n.Identifier(at) || n.is(at-1, ".") {
			continue
		}
		name := at
		for n.is(at+1, ".") && at+2 < s.Last {
			at += 2
		}
		if n.is(at+1, "as") && at+2 < s.Last {
			at += 2
			name = at
		}
		out = append(out, name)
	}
	return out
}

// find is the first token of that text at the depth of first, last when there
// is none.
func (n *Nested) find(first, last int32, text string) int32 {
	for at := first; at < last; at++ {
		if n.Tokens[at].Depth == n.Tokens[first].Depth && n.is(at, text) {
			return at
		}
	}
	return last
}

// targets are the plain names that an assignment to the tokens binds.
func (n *Nested) targets(first, last int32) []int32 {
	var out []int32
	for at := first; at < last; at++ {
		if t := n.Tokens[at]; t.Kind == OpToken && t.Pair > at && at > first && n.valueEnds(at-1) {
			at = t.Pair // a subscript or call: what it names is read
			continue
		}
		if n.Identifier(at) && !n.is(at-1, ".") && (at+1 >= last || !n.is(at+1, ".") && !n.is(at+1, "[") && !n.is(at+1, "(")) {
			out = append(out, at)
		}
	}
	return out
}

// valueEnds: the token ends a value, so that a bracket after it belongs to it.
func (n *Nested) valueEnds(i int32) bool {
	return n.Identifier(i) || n.is(i, ")") || n.is(i, "]") || n.is(i, "}") || i >= 0 && n.Tokens[i].Kind == StringToken
}

func (n *Nested) afterAs(s Nest) []int32 {
	var out []int32
	for at := s.First; at < s.Last; at++ {
		if !n.is(at, "as") {
			continue
		}
		if end := at + 2; n.Tokens[min(at+1, s.Last-1)].Pair > at {
			out = append(out, n.targets(at+1, n.Tokens[at+1].Pair)...)
		} else if end <= s.Last {
			out = append(out, n.targets(at+1, min(end+1, s.Last))...)
		}
	}
	return out
}

func (n *Nested) captures(s Nest) []int32 {
	var out []int32
	for at := s.First + 1; at < s.Last && !(n.is(at, "if") && n.Tokens[at].Depth == n.Tokens[s.First].Depth); at++ {
		if n.Identifier(at) && !n.is(at-1, ".") && !n.is(at+1, ".") && !n.is(at+1, "(") && !n.is(at+1, "=") {
			out = append(out, at)
		}
	}
	return out
}

// assigned are the targets of an assignment statement, chained ones too.
func (n *Nested) assigned(s Nest) []int32 {
	base := n.Tokens[s.First].Depth
	last, colon := int32(-1), int32(-1)
scan:
	for at := s.First; at < s.Last; at++ {
		t := n.Tokens[at]
		if t.Depth != base {
			continue
		}
		switch text := n.Text(at); {
		case text == "lambda" && t.Kind == NameToken:
			break scan // what follows are its parameters
		case t.Kind != OpToken:
		case text == "=":
			last = at
		case text == ":" && colon < 0 && last < 0:
			colon = at
		case len(text) >= 2 && text[len(text)-1] == '=' && n.augments(text):
			return n.targets(s.First, at)
		}
	}
	switch {
	case colon >= 0:
		return n.targets(s.First, colon)
	case last >= 0:
		return n.targets(s.First, last)
	}
	return nil
}

func (n *Nested) augments(op string) bool {
	switch op {
	case "==", "!=", "<=", ">=", ":=":
		return false
	}
	return true
}

// Value are the tokens after the last "=" of an assignment, empty when the
// statement is none.
func (n *Nested) Value(i int32) (first, last int32) {
	s := n.Statements[i]
	if s.Kind != "" {
		return s.Last, s.Last
	}
	at := s.Last
	for t := s.First; t < s.Last; t++ {
		if n.Tokens[t].Depth != n.Tokens[s.First].Depth {
			continue
		}
		if n.is(t, "lambda") {
			break
		}
		if n.is(t, "=") {
			at = t + 1
		}
	}
	return at, s.Last
}

// Params are the parameters of def i, in order.
func (n *Nested) Params(i int32) []Binding {
	s := n.Statements[i]
	open := n.find(s.First, s.Last, "(")
	if s.Kind != "def" || open >= s.Last {
		return nil
	}
	end := n.Tokens[open].Pair
	if end < 0 {
		end = s.Last
	}
	var out []Binding
	inside := n.Tokens[open].Depth + 1
	for at := open + 1; at < end; at++ {
		if n.Tokens[at].Depth == inside && n.Identifier(at) && n.beginsParam(at) {
			out = append(out, Binding{Name: n.Text(at), Kind: BindParam, Statement: i, Token: at})
		}
	}
	return out
}

func (n *Nested) beginsParam(at int32) bool {
	return n.is(at-1, "(") || n.is(at-1, ",") || n.is(at-1, "*") || n.is(at-1, "**")
}

// Globals are the names that a global statement declares, nil for any other.
func (n *Nested) Globals(i int32) []string {
	s := n.Statements[i]
	if s.Kind != "global" {
		return nil
	}
	var out []string
	for at := s.First + 1; at < s.Last; at++ {
		if n.Identifier(at) {
			out = append(out, n.Text(at))
		}
	}
	return out
}
