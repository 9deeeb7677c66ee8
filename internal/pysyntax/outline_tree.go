package pysyntax

import (
	"bytes"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// maxOutlineTree is the longest text that is given to the grammar for its
// outline: with errors in it the parser can take seconds for this much (see
// maxSource) and minutes for a MiB.
const maxOutlineTree = maxSource

// OutlineTree reads the outline from the syntax tree. sure is false when the
// text has syntax errors or is too long for the grammar.
func OutlineTree(src []byte) (o *Outline, sure bool) {
	if len(src) > maxOutlineTree || bytes.IndexByte(src, 0) >= 0 {
		return &Outline{Guessed: true}, false
	}
	return outlineTree(src)
}

func outlineTree(src []byte) (o *Outline, sure bool) {
	syms := grammar()
	tree, cut := sitterTree(string(src), syms)
	if tree == nil {
		return &Outline{Guessed: true}, false
	}
	defer tree.Close()
	sure = !cut && !tree.RootNode().HasError()
	cursor := tree.Walk()
	defer cursor.Close()
	w := outlineWalker{src: src, syms: syms, cursor: cursor}
	w.walk()
	return &Outline{Lines: w.out, Guessed: !sure}, sure
}

// outlineKinds are the nodes that are gone into; the rest of the tree is not
// looked at.
var outlineKinds = map[string]OutlineKind{
	"module": OutlineStatement, "block": OutlineStatement, "decorated_definition": OutlineStatement,
	"function_definition": OutlineFunction, "class_definition": OutlineClass,
	"if_statement": OutlineOpener, "for_statement": OutlineOpener, "while_statement": OutlineOpener,
	"try_statement": OutlineOpener, "with_statement": OutlineOpener, "match_statement": OutlineOpener,
	"elif_clause": OutlineOpener, "else_clause": OutlineOpener, "except_clause": OutlineOpener,
	"except_group_clause": OutlineOpener, "finally_clause": OutlineOpener, "case_clause": OutlineOpener,
}

type outlineWalker struct {
	src    []byte
	syms   *symbols
	cursor *sitter.TreeCursor
	out    []OutlineLine
	// around are the kinds of the nodes around the cursor's, blocks how many of
	// them are blocks.
	around []string
	blocks int
	// semicolon: one has just been passed; continued: and a backslash after it.
	semicolon, continued bool
}

// walk visits statements and clauses in order, without recursion.
func (w *outlineWalker) walk() {
	for {
		n := w.cursor.Node()
		kind := w.syms.kind(n)
		_, into := outlineKinds[kind]
		w.visit(n, kind, into)
		if into && w.cursor.GotoFirstChild() {
			w.around = append(w.around, kind)
			if kind == "block" {
				w.blocks++
			}
			continue
		}
		for !w.cursor.GotoNextSibling() {
			if len(w.around) == 0 || !w.cursor.GotoParent() {
				return
			}
			if w.around[len(w.around)-1] == "block" {
				w.blocks--
			}
			w.around = w.around[:len(w.around)-1]
		}
	}
}

// visit notes the node when it is a statement or a clause that begins a line.
func (w *outlineWalker) visit(n *sitter.Node, kind string, into bool) {
	if kind == "line_continuation" {
		w.continued = w.semicolon
		return
	}
	joined := w.continued
	w.semicolon, w.continued = kind == ";", false
	if len(w.around) == 0 || !n.IsNamed() || kind == "comment" || kind == "block" {
		return
	}
	parent := w.around[len(w.around)-1]
	inBlock := parent == "block" || parent == "module"
	clause := into && (inBlock || outlineKinds[parent] == OutlineOpener)
	span := n.Range()
	if !inBlock && !clause {
		return
	}
	if joined || !beginsLine(w.src, int(span.StartByte)) {
		if last := len(w.out) - 1; last >= 0 { // after a semicolon
			w.out[last].EndLine = max(w.out[last].EndLine, int(span.EndPoint.Row)+1)
		}
		return
	}
	l := OutlineLine{
		Start: int(span.StartByte), Head: int(span.StartByte),
		Line: int(span.StartPoint.Row) + 1, Depth: w.blocks,
	}
	head := n
	if kind == "decorated_definition" {
		head = w.decorated(n, &l)
	}
	if head == nil {
		return
	}
	w.head(head, &l)
	w.out = append(w.out, l)
}

// decorated reads the decorators and gives the definition.
func (w *outlineWalker) decorated(n *sitter.Node, l *OutlineLine) *sitter.Node {
	var def *sitter.Node
	for i := range n.NamedChildCount() {
		switch k := n.NamedChild(i); w.syms.kind(k) {
		case "decorator":
			if e := k.NamedChild(0); e != nil {
				l.Decorators = append(l.Decorators, Span{int(e.StartByte()), int(e.EndByte())})
			}
		case "function_definition", "class_definition":
			def = k
			l.Head = int(k.StartByte())
		}
	}
	return def
}

// head sets kind, name and the last line of the statement's own logical line.
func (w *outlineWalker) head(n *sitter.Node, l *OutlineLine) {
	l.Kind = outlineKinds[w.syms.kind(n)]
	if l.Definition() {
		if name := n.ChildByFieldName("name"); name != nil {
			l.Name = string(w.src[name.StartByte():name.EndByte()])
		}
	}
	span := n.Range()
	l.EndLine = int(span.EndPoint.Row) + 1
	if l.Kind == OutlineStatement {
		return
	}
	colon := -1
	for i := range n.ChildCount() {
		switch k := n.Child(i); w.syms.kind(k) {
		case ":":
			colon = int(k.StartPosition().Row) + 1
		case "block":
			if colon >= 0 {
				w.body(k, colon, l)
				return
			}
		}
	}
}

// body looks whether the block stands on lines of its own.
func (w *outlineWalker) body(block *sitter.Node, colon int, l *OutlineLine) {
	for i := range block.NamedChildCount() {
		k := block.NamedChild(i)
		if w.syms.kind(k) == "comment" {
			continue
		}
		if beginsLine(w.src, int(k.StartByte())) {
			break
		}
		if last := block.NamedChild(block.NamedChildCount() - 1); last != nil {
			l.EndLine = int(last.EndPosition().Row) + 1
		}
		if !l.Definition() {
			l.Kind = OutlineStatement
		}
		return
	}
	l.EndLine = colon
}

// beginsLine says whether nothing but blanks stands before a byte on its line.
func beginsLine(src []byte, at int) bool {
	for at--; at >= 0; at-- {
		switch src[at] {
		case '\n':
			return true
		case ' ', '\t', '\f', '\r':
		default:
			return false
		}
	}
	return true
}
