package pysyntax

// Outline is where the definitions and statements of a source stand, without
// what is in them: enough to cut it into pieces, and far cheaper than Parse.
// It has no limit on the length of the source.
type Outline struct {
	// Lines are the statements and clauses that begin a physical line, in order.
	Lines []OutlineLine
	// Guessed: the text is no Python that can be read for certain, and the
	// lines are what indentation and brackets tell.
	Guessed bool
}

// OutlineKind is what an OutlineLine is.
type OutlineKind uint8

const (
	OutlineStatement OutlineKind = iota // a simple statement, or a compound one on one line
	OutlineOpener                       // the head of a block: if, else, for, try, except, case, ...
	OutlineFunction                     // def, async def
	OutlineClass
)

// OutlineLine is one logical line: a simple statement, the head of a compound
// one, or a clause (else, except, ...). Statements after a semicolon and bodies
// on their head's line have none of their own.
type OutlineLine struct {
	// Start is the byte of the first character, of the first decorator where
	// there is one; Head is the byte of "def", "async" or "class" itself.
	Start, Head int
	// Line and EndLine are the first and last physical lines, 1-based, of the
	// statement or head only; a body has lines of its own.
	Line, EndLine int
	// Depth is the number of blocks around it.
	Depth int
	Kind  OutlineKind
	Name  string // of a definition
	// Decorators are the expressions after the @ signs.
	Decorators []Span
}

// Definition says whether the line begins a function or a class.
func (l OutlineLine) Definition() bool {
	return l.Kind == OutlineFunction || l.Kind == OutlineClass
}

// OutlineOf reads the outline of src. It never fails: what neither the scanner
// nor the grammar reads for certain is guessed from indentation and brackets.
func OutlineOf(src []byte) *Outline {
	if o, sure := OutlineScan(src); sure {
		return o
	}
	if o, sure := OutlineTree(src); sure {
		return o
	}
	return outlineGuess(src)
}

// Ends gives, for each line, the index after the last line of its body (the
// line's own index + 1 when it has none on lines of its own).
func (o *Outline) Ends() []int {
	ends := make([]int, len(o.Lines))
	var open []int
	for i, l := range o.Lines {
		for len(open) > 0 && o.Lines[open[len(open)-1]].Depth >= l.Depth {
			ends[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
		open = append(open, i)
	}
	for _, i := range open {
		ends[i] = len(o.Lines)
	}
	return ends
}
