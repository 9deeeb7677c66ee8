package loops

import (
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// maxEpochLines is up to how long an epoch loop is taken for the batch loop
// within it. A longer one holds more than the training (guess: five times the
// longest loop of the tutorials).
const maxEpochLines = 150

// maxSetupLines is how far before a fit its compile is taken along (guess).
const maxSetupLines = 40

// loopAround is the innermost for or while around statement i, -1 for none. It
// passes through functions: a closure in a loop belongs to the loop.
func (f *facts) loopAround(i int32) int32 {
	for at := i; at >= 0; at = f.n.Statements[at].Parent {
		s := f.n.Statements[at]
		if s.Kind == "for" || s.Kind == "while" {
			return at
		}
		if s.Kind == "class" || s.Kind == "def" && f.n.Scope(at) >= 0 && f.n.Statements[f.n.Scope(at)].Kind == "class" {
			return -1 // a method is no closure
		}
	}
	return -1
}

// extent is the loop that is given for a match in loop: the epoch loop around
// it, when there is one that is not too long, else the loop itself. A batch loop
// without its epochs lacks the reset between them, and an epoch loop without
// the batches is nothing.
func (f *facts) extent(loop int32) int32 {
	for at := f.n.Statements[loop].Parent; at >= 0; at = f.n.Statements[at].Parent {
		s := f.n.Statements[at]
		if s.Kind == "def" || s.Kind == "class" {
			break
		}
		if s.Kind == "for" || s.Kind == "while" {
			if f.epochs(at) && s.EndLine-s.Line < maxEpochLines {
				return at
			}
		}
	}
	return loop
}

// epochs: the loop's header speaks of epochs.
func (f *facts) epochs(loop int32) bool {
	return strings.Contains(strings.ToLower(f.header(loop)), "epoch")
}

// header is the text of a compound statement up to its colon.
func (f *facts) header(i int32) string {
	s := f.n.Statements[i]
	return f.n.Source[f.n.Tokens[s.First].Start:f.n.Tokens[s.Last-1].End]
}

// within calls visit for the calls of the statements from i to its end.
func (f *facts) within(i int32, visit func(c *call)) {
	f.between(i, f.last[i], visit)
}

// between calls visit for the calls of the statements first to last, half-open.
func (f *facts) between(first, last int32, visit func(c *call)) {
	for at := first; at < last; at++ {
		if span, ok := f.byStmt[at]; ok {
			for k := span[0]; k < span[1]; k++ {
				visit(&f.calls[k])
			}
		}
	}
}

// piece is a range of statements that is given as a loop.
type piece struct {
	first int32 // the statement that names it
	until int32 // one past the last statement
}

// whole is the piece that a statement is with all it holds.
func (f *facts) whole(i int32) piece { return piece{i, f.last[i]} }

// bytes gives the span of a piece.
func (f *facts) bytes(p piece) (start, end, line, endLine int) {
	a := f.n.Statements[p.first]
	start, end, line, endLine = int(a.Start), int(a.End), int(a.Line), int(a.EndLine)
	for at := f.last[p.first]; at < p.until; at = f.last[at] {
		s := f.n.Statements[at]
		end, endLine = max(end, int(s.End)), max(endLine, int(s.EndLine))
	}
	return start, end, line, endLine
}

// lines is the number of lines of a piece.
func (f *facts) lines(p piece) int {
	_, _, line, end := f.bytes(p)
	return end - line + 1
}

// upTo is the piece of the siblings of i: from itself to the last one that
// still answers to wants.
func (f *facts) upTo(i int32, wants func(c *call) bool) piece {
	p := f.whole(i)
	parent := f.n.Statements[i].Parent
	for at := p.until; int(at) < len(f.n.Statements); at = f.last[at] {
		s := f.n.Statements[at]
		if s.Parent != parent || s.Line-f.n.Statements[i].EndLine > maxSetupLines {
			break
		}
		f.within(at, func(c *call) {
			if wants(c) {
				p.until = f.last[at]
			}
		})
	}
	return p
}

// fromSetup is the piece of a fit's statement and of the siblings before it
// that compile the same model, with all in between.
func (f *facts) fromSetup(c *call) piece {
	i := f.n.Statements[c.Statement].Head
	p := f.whole(i)
	for _, at := range f.compiles[c.Receiver] {
		if at < i && f.n.Statements[at].Parent == f.n.Statements[i].Parent && f.n.Statements[i].Line-f.n.Statements[at].Line <= maxSetupLines {
			p.first = at
		}
	}
	return p
}
