package chunk

// MaxPiece is the length in bytes, docstring not counted, from which a
// function, method or run of module statements is cut. all-MiniLM-L6-v2 reads
// 256 tokens, which is about 1,000 bytes of Python; pieces of that length would
// make a third more chunks of keras (6,100 on 18,900), each to be embedded, where
// this makes less than a tenth more and 90 % of all functions stay whole.
const MaxPiece = 2000

// minPiece is how long a piece is at least when there is a choice of borders.
const minPiece = MaxPiece / 3

// pieces appends the chunk of lines i up to end, cut at statement borders where
// it is too long. One statement that is longer by itself stays whole. free is
// the length of its docstring.
func (c *cutter) pieces(k Chunk, i, end, free int) {
	first := len(c.out)
	for {
		next := c.border(i, end, free)
		c.add(k, i, next)
		if next == end {
			break
		}
		i, free = next, 0
	}
	for n := first; n < len(c.out); n++ {
		c.out[n].Part, c.out[n].Parts = n-first+1, len(c.out)-first
	}
}

// border is the line before which the piece that begins at line i ends: the
// shallowest border in reach, the last of them; end when all the rest fits.
func (c *cutter) border(i, end, free int) int {
	start := c.row(c.lines[i].Line) + free
	if c.rowEnd(c.lines[end-1].EndLine)-start <= MaxPiece {
		return end
	}
	best := -1
	for n := i + 1; n < end; n++ {
		size := c.row(c.lines[n].Line) - start
		if size > MaxPiece && best >= 0 {
			break
		}
		if size < minPiece {
			continue
		}
		if best < 0 || c.lines[n].Depth <= c.lines[best].Depth {
			best = n
		}
		if size > MaxPiece { // one statement that is long by itself
			break
		}
	}
	if best < 0 {
		return end
	}
	return best
}
