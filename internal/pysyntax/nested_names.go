package pysyntax

import "strings"

// keywords are the words that are no names.
var keywords = map[string]bool{
	"False": true, "None": true, "True": true, "and": true, "as": true, "assert": true, "async": true, "await": true,
	"break": true, "class": true, "continue": true, "def": true, "del": true, "elif": true, "else": true,
	"except": true, "finally": true, "for": true, "from": true, "global": true, "if": true, "import": true,
	"in": true, "is": true, "lambda": true, "nonlocal": true, "not": true, "or": true, "pass": true, "raise": true,
	"return": true, "try": true, "while": true, "with": true, "yield": true,
}

// Builtin says whether a plain name is one that Python itself brings.
func Builtin(name string) bool { return builtins[name] }

// Text is the text of a token.
func (n *Nested) Text(i int32) string {
	if i < 0 || int(i) >= len(n.Tokens) {
		return ""
	}
	return n.Source[n.Tokens[i].Start:n.Tokens[i].End]
}

// is says whether the token i is that operator or keyword.
func (n *Nested) is(i int32, text string) bool {
	if i < 0 || int(i) >= len(n.Tokens) {
		return false
	}
	t := n.Tokens[i]
	return int(t.End-t.Start) == len(text) && t.Kind != StringToken && n.Source[t.Start:t.End] == text
}

// Identifier says whether the token i is a name and no keyword.
func (n *Nested) Identifier(i int32) bool {
	return i >= 0 && int(i) < len(n.Tokens) && n.Tokens[i].Kind == NameToken && !keywords[n.Text(i)]
}

// Scope is the innermost def or class around statement i, -1 for the module.
func (n *Nested) Scope(i int32) int32 {
	for at := n.Statements[i].Parent; at >= 0; at = n.Statements[at].Parent {
		if k := n.Statements[at].Kind; k == "def" || k == "class" {
			return at
		}
	}
	return -1
}

// Qualified is the dotted name of a def or class with what it stands in.
func (n *Nested) Qualified(i int32) string {
	if i < 0 {
		return ""
	}
	name := n.Statements[i].Name
	for at := n.Scope(i); at >= 0; at = n.Scope(at) {
		name = n.Statements[at].Name + "." + name
	}
	return name
}

// Chain is the dotted name that begins with the token i, and the token after it.
func (n *Nested) Chain(i int32) (dotted string, after int32) {
	after = i + 1
	for n.is(after, ".") && int(after+1) < len(n.Tokens) && n.Tokens[after+1].Kind == NameToken {
		after += 2
	}
	if after == i+1 {
		return n.Text(i), after
	}
	if dotted = n.Source[n.Tokens[i].Start:n.Tokens[after-1].End]; strings.ContainsAny(dotted, " \t\r\n\\#") {
		parts := make([]string, 0, 4)
		for at := i; at < after; at += 2 {
			parts = append(parts, n.Text(at))
		}
		dotted = strings.Join(parts, ".")
	}
	return dotted, after
}

// NestCall is one call in a statement.
type NestCall struct {
	// Func is the dotted name that is called, "" when it is no plain one.
	Func string
	// Receiver is the text before the last dot, "" when there is none; Method
	// is the last name.
	Receiver, Method string
	// Token is the method's token; Open and Close are its brackets, Close one
	// past the last token of the file when the bracket is never closed.
	Token, Open, Close int32
	// Statement is where the call stands.
	Statement int32
}

// Calls are the calls in the header, or the whole simple statement, i.
func (n *Nested) Calls(i int32) []NestCall {
	s := n.Statements[i]
	var found []NestCall
	first := s.First
	if s.Kind == "case" { // Point(x=0) in a pattern calls nothing; its guard may
		for first < s.Last && !n.is(first, "if") {
			first++
		}
	}
	for at := first; at < s.Last; at++ {
		if !n.is(at+1, "(") || at+1 >= s.Last || !n.Identifier(at) || n.is(at-1, "def") || n.is(at-1, "class") {
			continue
		}
		c := NestCall{Method: n.Text(at), Token: at, Open: at + 1, Close: n.Tokens[at+1].Pair, Statement: i}
		if c.Close < 0 {
			c.Close = s.Last
		}
		begin, named := n.receiver(at, s.First)
		if begin < at {
			c.Receiver = strings.TrimSpace(n.Source[n.Tokens[begin].Start:n.Tokens[at-2].End])
		}
		if named {
			c.Func, _ = n.Chain(begin)
		}
		found = append(found, c)
	}
	return found
}

// maxReceiver bounds the dots before a method that are looked at: the parts of
// a chain of thousands of calls would cost the square (guess).
const maxReceiver = 64

// receiver is the token where the expression before the method at begins;
// named says that all of it is a dotted name.
func (n *Nested) receiver(at, first int32) (begin int32, named bool) {
	begin, named = at, true
	for steps := 0; steps < maxReceiver && begin-2 >= first && n.is(begin-1, "."); steps++ {
		prev := begin - 2
		if !n.Identifier(prev) {
			named = false
			prev = n.operand(prev, first)
		}
		begin = prev
	}
	return begin, named
}

// operand is the first token of what ends with the token i: brackets with what
// they follow, strings side by side.
func (n *Nested) operand(i, first int32) int32 {
	for steps := 0; steps < maxReceiver && n.closes(i, first); steps++ {
		i = n.Tokens[i].Pair
		if i-1 < first || !n.valueEnds(i-1) {
			return i
		}
		i--
	}
	for i > first && n.Tokens[i].Kind == StringToken && n.Tokens[i-1].Kind == StringToken {
		i--
	}
	return i
}

// closes: the token i is the second bracket of a pair.
func (n *Nested) closes(i, first int32) bool {
	t := n.Tokens[i]
	return t.Kind == OpToken && t.Pair >= first && t.Pair < i
}

// ImportsOf are the modules that the import statement i imports, as written.
func (n *Nested) ImportsOf(i int32) []Import {
	s := n.Statements[i]
	base := Import{
		Line: int(s.Line), Span: Span{int(s.Start), int(s.End)}, TopLevel: n.Scope(i) < 0, Guarded: n.guarded(i),
	}
	switch s.Kind {
	case "import":
		return n.plainImports(s, base)
	case "from":
		return n.fromImport(s, base)
	}
	return nil
}

func (n *Nested) guarded(i int32) bool {
	for at := n.Statements[i].Parent; at >= 0; at = n.Statements[at].Parent {
		if n.Statements[at].Kind == "try" {
			return true
		}
	}
	return false
}

func (n *Nested) plainImports(s Nest, base Import) []Import {
	var found []Import
	for at := s.First + 1; at < s.Last; {
		if !n.Identifier(at) {
			at++
			continue
		}
		imp := base
		imp.Module, at = n.Chain(at)
		if n.is(at, "as") && at+1 < s.Last {
			imp.Alias = n.Text(at + 1)
			at += 2
		}
		found = append(found, imp)
	}
	return found
}

func (n *Nested) fromImport(s Nest, base Import) []Import {
	at := s.First + 1
	for ; at < s.Last && !n.is(at, "import"); at++ {
		base.Module += n.Text(at)
	}
	for at++; at < s.Last; at++ {
		if n.is(at, "*") {
			base.Names = append(base.Names, ImportedName{Name: "*"})
		}
		if !n.Identifier(at) {
			continue
		}
		name := ImportedName{Name: n.Text(at)}
		if n.is(at+1, "as") && at+2 < s.Last {
			name.Alias = n.Text(at + 2)
			at += 2
		}
		base.Names = append(base.Names, name)
	}
	if base.Module == "" || len(base.Names) == 0 {
		return nil
	}
	return []Import{base}
}
