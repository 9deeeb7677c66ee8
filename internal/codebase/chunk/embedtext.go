package chunk

import (
	"bytes"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
)

// Recipe names the version of Split and EmbedText: an index that was made by
// another is made anew.
const Recipe = "2"

const (
	// maxEmbed is the longest text that is embedded, in bytes: 256 tokens are
	// about 1,000 bytes of Python, 512 twice that; the rest is not read by such
	// models.
	maxEmbed = 3000
	// wholeClass is the length up to which a class is embedded as it stands: what
	// 256 tokens hold.
	wholeClass = 1000
)

// EmbedText is what of a chunk is embedded: the qualified name where the code
// itself does not give it, then the code as it stands, docstring included,
// without indentation and empty lines, which no model of words sees.
//
//   - A class of over wholeClass bytes is its head, its docstring, its own
//     statements and the heads of its methods, which have chunks of their own.
//   - A later piece of a definition begins with the docstring's first paragraph.
//   - The imports of module code come last: they are alike everywhere.
//
// Measured with all-MiniLM-L6-v2 on the retrieval pairs, ranking the files of a
// pool of about 60 chunks each: against the plain source of the chunk this
// ranked the right file higher in two of 16 and lower in none; a heading of path
// words and the docstring's first paragraph, with the rest of it last, ranked
// it higher in two of 12 and lower in five.
func EmbedText(c Chunk, src []byte) string {
	code := span(c, src)
	if limit := 2 * maxEmbed; len(code) > limit && c.Kind != Class {
		code = code[:fit(code, limit)]
	}
	e := embedder{src: code, o: pysyntax.OutlineFragment(code)}
	if c.Part > 1 || strings.Contains(c.Name, ".") {
		e.write([]byte(c.Name))
	}
	if c.Part > 1 {
		e.write([]byte(c.Doc))
	}
	switch {
	case c.Kind == Module:
		e.module()
	case c.Kind == Class && len(code) > wholeClass:
		e.class()
	default:
		e.write(code)
	}
	text := e.out.Bytes()
	return strings.ToValidUTF8(string(text[:fit(text, maxEmbed)]), "")
}

// fit is the length of the whole lines of b in limit bytes; of a first line
// that is longer, its beginning.
func fit(b []byte, limit int) int {
	if len(b) <= limit {
		return len(b)
	}
	if i := bytes.LastIndexByte(b[:limit], '\n'); i > 0 {
		return i
	}
	return limit
}

// embedder writes the code of one chunk.
type embedder struct {
	src []byte
	o   *pysyntax.Outline
	out bytes.Buffer
}

// class writes the head, the class's own statements (the docstring is the
// first), and the heads of what it defines.
func (e *embedder) class() {
	for _, l := range e.o.Lines {
		if l.Depth <= 1 && e.out.Len() <= maxEmbed {
			e.write(e.line(l))
		}
	}
}

// module writes the statements, imports last.
func (e *embedder) module() {
	var imports []pysyntax.OutlineLine
	for _, l := range e.o.Lines {
		text := e.src[l.Start:]
		switch {
		case e.out.Len() > maxEmbed:
		case bytes.HasPrefix(text, []byte("import ")) || bytes.HasPrefix(text, []byte("from ")):
			imports = append(imports, l)
		default:
			e.write(e.line(l))
		}
	}
	for _, l := range imports {
		e.write(e.line(l))
	}
}

// line is the text of one logical line, from its first character on.
func (e *embedder) line(l pysyntax.OutlineLine) []byte {
	rest := e.src[l.Start:]
	end := 0
	for range l.EndLine - l.Line + 1 {
		n := bytes.IndexByte(rest[end:], '\n')
		if n < 0 {
			return rest
		}
		end += n + 1
	}
	return rest[:end]
}

// write appends lines without what surrounds their text, and without empty ones.
func (e *embedder) write(text []byte) {
	for len(text) > 0 && e.out.Len() <= maxEmbed {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte{'\n'})
		line = bytes.TrimSpace(line)
		if len(line) > 0 {
			e.out.Write(line)
			e.out.WriteByte('\n')
		}
	}
}
