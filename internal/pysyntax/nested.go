package pysyntax

import (
	"slices"
	"strings"
)

// Nested is a source as statements within statements, with their tokens. It is
// read in one pass without a grammar, in time linear in the text whatever the
// text is: text that is no Python gives statements all the same.
type Nested struct {
	Source     string
	Tokens     []Token
	Statements []Nest // in order of the source
}

// Nest is one statement: a simple one, or the header of a compound one with
// what stands in it.
type Nest struct {
	// Kind is the keyword it begins with ("def", "class", "for", "import",
	// "return", "@", ...), "" for an expression or assignment.
	Kind  string
	Name  string // of a def or class
	Async bool
	// Parent is the index of the statement around it, -1 at module level.
	Parent int32
	// Head is the first clause of its chain (the if of an else), or itself.
	Head int32
	// First and Last are the tokens of the header, half-open, without those of
	// decorators; the header ends after its colon.
	First, Last int32
	// Start and End are bytes with the decorators, the body and, for the first
	// clause of a chain, the others. Lines are 1-based and inclusive.
	Start, End    int32
	Line, EndLine int32
	indent        int32
}

// compound are the keywords whose statements have a body.
var compound = map[string]bool{
	"if": true, "elif": true, "else": true, "for": true, "while": true, "with": true, "try": true,
	"except": true, "finally": true, "def": true, "class": true, "match": true, "case": true,
}

// plain are keywords that begin a statement without a body.
var plain = map[string]bool{
	"import": true, "from": true, "return": true, "raise": true, "del": true, "global": true, "nonlocal": true,
	"assert": true, "pass": true, "break": true, "continue": true,
}

// starters are keywords that stand in no bracket: a line that begins with one
// ends every bracket that was never closed.
var starters = map[string]bool{
	"def": true, "class": true, "import": true, "return": true, "raise": true, "while": true, "with": true,
	"try": true, "except": true, "finally": true, "del": true, "assert": true, "break": true, "continue": true,
	"pass": true, "global": true, "nonlocal": true, "elif": true,
}

// later are the clauses that continue a chain.
var later = map[string]bool{"elif": true, "else": true, "except": true, "finally": true}

// NestOf reads src as statements within statements. It never fails.
func NestOf(src string) *Nested {
	budget := replacementBudget * len(src)
	b := &nester{
		lex: nestLexer{src: src, limit: len(src), line: 1, toks: make([]Token, 0, len(src)/4), budget: &budget},
		out: &Nested{Source: src}, closed: -1, decorated: -1,
	}
	if strings.HasPrefix(src, "\ufeff") {
		b.lex.at = len("\ufeff")
	}
	b.run()
	return b.out
}

// nester builds the statements while the lexer reads.
type nester struct {
	lex   nestLexer
	out   *Nested
	stack []int32 // open compound statements, outermost first
	// closed is the compound statement that ended last: a clause continues it.
	closed int32
	// decorated is the first of the decorators that wait for their definition.
	decorated int32
}

func (b *nester) run() {
	first := 0
	for {
		what := b.lex.next()
		if what == token {
			first = b.recover(first)
			continue
		}
		b.logical(first, len(b.lex.toks))
		first = len(b.lex.toks)
		if what == finish {
			break
		}
	}
	b.popTo(-1)
	b.out.Tokens = b.lex.toks
}

// recover ends the logical line early when the token just read begins a
// statement although brackets are open.
func (b *nester) recover(first int) int {
	l := &b.lex
	here := len(l.toks) - 1
	if len(l.open) == 0 || l.toks[here].Kind != NameToken || here <= first || l.toks[here].Line == l.toks[here-1].Line {
		return first
	}
	if t := l.toks[here]; !starters[l.src[t.Start:t.End]] {
		return first
	}
	l.open = l.open[:0]
	l.toks[here].Depth = 0
	b.logical(first, here)
	return here
}

func (b *nester) text(i int) string {
	t := b.lex.toks[i]
	return b.lex.src[t.Start:t.End]
}

// logical adds the statements of one logical line, the tokens first to last.
func (b *nester) logical(first, last int) {
	if first >= last {
		return
	}
	indent := b.indentOf(b.lex.toks[first].Start)
	b.popTo(indent)
	header, inline := false, false // the line begins with a header; its body stands behind it
	for first < last {
		if b.text(first) == ";" {
			first++
			continue
		}
		end, body := b.extent(first, last)
		i := b.add(first, end, indent)
		if body && !header {
			b.stack = append(b.stack, i)
			header = true
			indent++
		}
		for end < last && b.text(end) == ";" {
			end++
		}
		inline = header && !body
		first = end
	}
	if inline {
		b.pop(1)
	}
}

// indentOf is the column of the byte at in its line, tabs to the next eighth.
func (b *nester) indentOf(at int32) int32 {
	begin := strings.LastIndexByte(b.lex.src[:at], '\n') + 1
	col := int32(0)
	for _, c := range []byte(b.lex.src[begin:at]) {
		switch c {
		case '\t':
			col += 8 - col%8
		case '\f':
			col = 0
		default:
			col++
		}
	}
	if begin == 0 && strings.HasPrefix(b.lex.src, "\ufeff") {
		col -= int32(len("\ufeff"))
	}
	return col
}

// extent is where the statement at first ends; body says that it is a header
// with its colon.
func (b *nester) extent(first, last int) (end int, body bool) {
	base := b.lex.toks[first].Depth
	header := b.header(first, last)
	lambdas := 0
	for i := first; i < last; i++ {
		t := b.lex.toks[i]
		if t.Depth != base {
			continue
		}
		switch text := b.lex.src[t.Start:t.End]; {
		case t.Kind == NameToken && text == "lambda":
			lambdas++
		case t.Kind != OpToken:
		case text == ";":
			return i, false
		case text == ":" && lambdas > 0:
			lambdas--
		case text == ":" && header:
			return i + 1, true
		}
	}
	return last, header
}

// header: the statement at first begins with a keyword that has a body. The
// soft keywords are ones only where an operator cannot follow.
func (b *nester) header(first, last int) bool {
	if b.lex.toks[first].Kind != NameToken {
		return false
	}
	word := b.text(first)
	if word == "async" && first+1 < last {
		next := b.text(first + 1)
		return next == "def" || next == "for" || next == "with"
	}
	if !compound[word] {
		return false
	}
	if word != "match" && word != "case" {
		return true
	}
	return first+1 < last && b.text(last-1) == ":" && !slices.Contains([]string{"=", ".", ",", ":", ")"}, b.text(first+1)) ||
		word == "case" && b.inMatch()
}

func (b *nester) inMatch() bool {
	n := len(b.stack)
	return n > 0 && b.out.Statements[b.stack[n-1]].Kind == "match"
}

// add appends the statement of the tokens first to end.
func (b *nester) add(first, end int, indent int32) int32 {
	i := int32(len(b.out.Statements))
	t, lastTok := b.lex.toks[first], b.outer(end-1)
	n := Nest{
		Parent: -1, Head: i, First: int32(first), Last: int32(end), indent: indent,
		Start: t.Start, End: lastTok.End, Line: t.Line,
		EndLine: lastTok.Line + int32(strings.Count(b.lex.src[lastTok.Start:lastTok.End], "\n")),
	}
	if len(b.stack) > 0 {
		n.Parent = b.stack[len(b.stack)-1]
	}
	b.kind(&n, first, end)
	switch {
	case n.Kind == "@":
		if b.decorated < 0 || b.out.Statements[b.decorated].indent != indent {
			b.decorated = i
		}
	case b.decorated >= 0:
		if d := b.out.Statements[b.decorated]; (n.Kind == "def" || n.Kind == "class") && d.indent == indent {
			n.Start, n.Line = d.Start, d.Line
		}
		b.decorated = -1
	}
	if later[n.Kind] && b.closed >= 0 {
		if c := b.out.Statements[b.closed]; c.indent == indent && c.Parent == n.Parent {
			n.Head = c.Head
		}
	}
	b.closed = -1
	b.out.Statements = append(b.out.Statements, n)
	b.stretch(n.Parent, n.End, n.EndLine)
	return i
}

// kind sets what n is from its first words.
func (b *nester) kind(n *Nest, first, end int) {
	if b.text(first) == "@" {
		n.Kind = "@"
	}
	if b.lex.toks[first].Kind != NameToken {
		return
	}
	word := b.text(first)
	if word == "async" && b.header(first, end) {
		n.Async = true
		first++
		word = b.text(first)
	}
	if plain[word] || b.header(first, end) {
		n.Kind = word
	}
	if (word == "def" || word == "class") && first+1 < end && b.lex.toks[first+1].Kind == NameToken {
		n.Name = b.text(first + 1)
	}
}

// outer is the f-string whose replacement ends with the token i, or the token.
func (b *nester) outer(i int) Token {
	t := b.lex.toks[i]
	for at := t; at.Kind == OpToken && at.Pair >= 0 && int(at.Pair) < i; {
		i = int(at.Pair) - 1 // before the brace that opens the replacement
		if i < 0 {
			break
		}
		if at = b.lex.toks[i]; at.Kind == StringToken && at.End > t.End {
			return at
		}
	}
	return t
}

// stretch lets the statement i, and by pop all around it, reach to end.
func (b *nester) stretch(i, end, line int32) {
	if i >= 0 {
		n := &b.out.Statements[i]
		n.End, n.EndLine = max(n.End, end), max(n.EndLine, line)
	}
}

// popTo ends the compound statements that are not left of indent.
func (b *nester) popTo(indent int32) {
	for n := len(b.stack); n > 0 && b.out.Statements[b.stack[n-1]].indent >= indent; n = len(b.stack) {
		b.pop(1)
	}
}

func (b *nester) pop(count int) {
	for ; count > 0 && len(b.stack) > 0; count-- {
		last := len(b.stack) - 1
		i := b.stack[last]
		b.stack = b.stack[:last]
		n := b.out.Statements[i]
		b.stretch(n.Head, n.End, n.EndLine)
		b.stretch(n.Parent, n.End, n.EndLine)
		b.closed = i
	}
}
