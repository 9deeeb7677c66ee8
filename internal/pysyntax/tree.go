package pysyntax

import (
	"sync"

	sitter "github.com/tree-sitter/go-tree-sitter"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

const (
	// maxSource is twice what trackers accept for a whole issue (65,536
	// characters); longer text is cut. One MiB of "x = '" on one line kept the
	// parser's error recovery busy for four minutes, this much for two seconds.
	maxSource = 128 << 10
	// maxDepth is above what reports hold and bounds every recursion over the
	// copied tree; CPython takes 200 nested brackets. Deeper nodes are left out.
	maxDepth = 1000
	// maxNodes bounds memory: at about 150 bytes a node some 90 MB. The
	// densest honest source measured had one node for 2.5 bytes.
	maxNodes = 600_000
	// chunk is what the parser is given at once. It copies each chunk and keeps
	// the copy until the end, so whole remainders would cost the square.
	chunk = 16 << 10
	// maxReads bounds error recovery, which reads the same chunks again: after
	// this many times the source's own chunks the text ends for the parser.
	maxReads = 64
)

// node is one node of the syntax tree, copied out of the parser's memory.
type node struct {
	kind    string
	field   string
	start   int
	end     int
	line    int // 1-based
	col     int
	endLine int
	named   bool
	missing bool
	parent  *node
	kids    []*node
}

// symbols caches the grammar's names: each look-up would copy a C string.
type symbols struct {
	lang   *sitter.Language
	kinds  []string
	wanted []bool // by kind: everything but punctuation and keywords
	fields []string
}

// operators are the only unnamed nodes that are read.
var operators = map[string]bool{
	"<": true, "<=": true, "==": true, "!=": true, ">=": true, ">": true, "<>": true,
	"in": true, "not in": true, "is": true, "is not": true, "not": true,
}

var grammar = sync.OnceValue(func() *symbols {
	lang := sitter.NewLanguage(python.Language())
	s := &symbols{lang: lang}
	for id := range lang.NodeKindCount() {
		kind := lang.NodeKindForId(uint16(id))
		s.kinds = append(s.kinds, kind)
		s.wanted = append(s.wanted, lang.NodeKindIsNamed(uint16(id)) || operators[kind])
	}
	for id := range lang.FieldCount() + 1 {
		s.fields = append(s.fields, lang.FieldNameForId(uint16(id)))
	}
	return s
})

func (s *symbols) kind(n *sitter.Node) string {
	id := int(n.KindId())
	if id < len(s.kinds) {
		return s.kinds[id]
	}
	return n.Kind() // ERROR has the highest number of all
}

func (s *symbols) field(id uint16) string {
	if int(id) < len(s.fields) {
		return s.fields[id]
	}
	return ""
}

// parseTree copies the tree of src. cut is true when something was left out.
// The root is nil only when the parser gave nothing at all.
func parseTree(src string) (root *node, cut bool) {
	syms := grammar()
	tree, short := sitterTree(src, syms)
	if tree == nil {
		return nil, true
	}
	defer tree.Close()
	root, cut = copyTree(tree, syms)
	return root, cut || short
}

// sitterTree parses src; the caller closes the tree. short is true when the
// parser was not given all of it.
func sitterTree(src string, syms *symbols) (tree *sitter.Tree, short bool) {
	parser := sitter.NewParser()
	defer parser.Close()
	if err := parser.SetLanguage(syms.lang); err != nil {
		return nil, true // the grammar does not fit the library: a build defect
	}
	budget := maxReads * (len(src)/chunk + 2)
	read := func(at int, _ sitter.Point) []byte {
		budget--
		if at >= len(src) || budget < 0 {
			return nil
		}
		return []byte(src[at:min(at+chunk, len(src))])
	}
	tree = parser.ParseWithOptions(read, nil, nil)
	return tree, budget < 0
}

// copyTree walks with a cursor, never by recursion: the depth is the report's.
func copyTree(tree *sitter.Tree, syms *symbols) (root *node, cut bool) {
	cursor := tree.Walk()
	defer cursor.Close()
	root = newNode(cursor.Node(), cursor, syms, nil)
	here, depth, count := root, 0, 1
	for {
		switch {
		case count >= maxNodes:
			return root, true
		case depth < maxDepth && cursor.GotoFirstChild():
			depth++
		default:
			cut = cut || depth >= maxDepth
			for !cursor.GotoNextSibling() {
				if depth == 0 || !cursor.GotoParent() {
					return root, cut
				}
				depth--
				here = here.parent
			}
			if depth == 0 {
				return root, cut
			}
			here = here.parent
		}
		n := cursor.Node()
		if !syms.wants(n) {
			here = &node{parent: here}
			continue
		}
		count++
		child := newNode(n, cursor, syms, here)
		here.kids = append(here.kids, child)
		here = child
	}
}

// wants leaves out punctuation, half of all nodes.
func (s *symbols) wants(n *sitter.Node) bool {
	id := int(n.KindId())
	return id >= len(s.wanted) || s.wanted[id] || n.IsMissing()
}

func newNode(n *sitter.Node, cursor *sitter.TreeCursor, syms *symbols, parent *node) *node {
	span := n.Range()
	return &node{
		kind: syms.kind(n), field: syms.field(cursor.FieldId()),
		start: int(span.StartByte), end: int(span.EndByte),
		line: int(span.StartPoint.Row) + 1, col: int(span.StartPoint.Column),
		endLine: int(span.EndPoint.Row) + 1,
		named:   n.IsNamed(), missing: n.IsMissing(), parent: parent,
	}
}

// get is the first child in the named field, nil when there is none.
func (n *node) get(field string) *node {
	for _, k := range n.kids {
		if k.field == field {
			return k
		}
	}
	return nil
}

// all are the named children in the field.
func (n *node) all(field string) []*node {
	var found []*node
	for _, k := range n.kids {
		if k.field == field && k.named {
			found = append(found, k)
		}
	}
	return found
}

// named are the children that are no punctuation and no comments.
func (n *node) namedKids() []*node {
	var found []*node
	for _, k := range n.kids {
		if k.named && k.kind != "comment" {
			found = append(found, k)
		}
	}
	return found
}

// walk visits n and all below it in source order, without recursion; visit
// returning false leaves the node's children out.
func (n *node) walk(visit func(*node) bool) {
	stack := []*node{n}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !visit(top) {
			continue
		}
		for i := len(top.kids) - 1; i >= 0; i-- {
			stack = append(stack, top.kids[i])
		}
	}
}

// above is the nearest ancestor of one of the kinds, nil when there is none.
func (n *node) above(kinds ...string) *node {
	for p := n.parent; p != nil; p = p.parent {
		for _, k := range kinds {
			if p.kind == k {
				return p
			}
		}
	}
	return nil
}
