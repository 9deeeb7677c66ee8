package pysyntax

// LineReader follows a source line by line and tells where a statement goes on
// in the next line, for texts that are Python only in part. The zero value
// stands before the first line.
type LineReader struct {
	lexer  lexer
	inside bool
}

// Inside says whether the next line continues the statement of the lines read
// so far.
func (r *LineReader) Inside() bool { return r.inside }

// Read takes one line, without its line feed.
func (r *LineReader) Read(line string) { _, r.inside = r.lexer.line(line) }
