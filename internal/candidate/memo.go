package candidate

import "github.com/repgen/repgen/internal/pysyntax"

// memo holds the syntax facts of the texts that a script goes through while it is
// made: most steps change nothing, and parsing is nine tenths of the cost.
type memo struct {
	files map[string]*pysyntax.File
	// repaired counts the bytes that were looked at for damage.
	repaired int
}

// parse reads a text once for as long as the candidate is being made. The facts
// are shared and must not be changed.
func (c *Candidate) parse(text string) *pysyntax.File {
	if c.memo == nil {
		return pysyntax.Parse(text)
	}
	f, ok := c.memo.files[text]
	if !ok {
		f = pysyntax.Parse(text)
		c.memo.files[text] = f
	}
	return f
}

// remember starts the memo, and the returned function drops it: a finished
// candidate is plain data.
func (c *Candidate) remember() (forget func()) {
	c.memo = &memo{files: map[string]*pysyntax.File{}}
	return func() { c.memo = nil }
}
