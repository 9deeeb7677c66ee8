package chunk

import (
	"bytes"

	"github.com/repgen/repgen/internal/codebase/source"
	"github.com/repgen/repgen/internal/pysyntax"
)

// maxClasses is how deep classes in classes are taken apart; deeper ones stay
// in the text of the last. A guess: two is rare, and each level holds the text
// of those below it once more.
const maxClasses = 8

// Split cuts the text of one file into chunks, in order of Start (a class
// before its methods):
//
//   - every function, class and method, also those inside if, try, with, for
//     and while; what is defined inside a function belongs to its chunk;
//   - a class is one chunk, methods included, however long it is, and each of
//     its methods another;
//   - a function, method or run of module statements over MaxPiece bytes is cut
//     at statement borders;
//   - the statements of the module between its definitions.
//
// It never fails: a text that does not parse gives the pieces that indentation
// and brackets tell apart.
func Split(path string, src []byte) []Chunk {
	return split(path, src, pysyntax.OutlineOf(src))
}

func split(path string, src []byte, o *pysyntax.Outline) []Chunk {
	if len(o.Lines) == 0 {
		return nil
	}
	c := cutter{
		src: src, lines: o.Lines, ends: o.Ends(), rows: rowStarts(src),
		like: Chunk{Path: path, Part: 1, Parts: 1, Test: source.IsTest(path)},
	}
	c.cut()
	return c.out
}

// cutter makes the chunks of one file.
type cutter struct {
	src   []byte
	lines []pysyntax.OutlineLine
	ends  []int   // by line: index after the body
	rows  []int32 // byte where each physical line begins
	like  Chunk   // what all chunks of the file share
	out   []Chunk
}

// class is one whose body is being read.
type class struct {
	name string
	end  int // index of the line after it
}

func (c *cutter) cut() {
	var classes []class
	module := -1 // the first line of the run of module statements
	for i := 0; i < len(c.lines); {
		for len(classes) > 0 && classes[len(classes)-1].end <= i {
			classes = classes[:len(classes)-1]
		}
		l := c.lines[i]
		if !l.Definition() {
			if len(classes) == 0 && module < 0 {
				module = i
			}
			i++
			continue
		}
		if module >= 0 {
			c.module(module, i)
			module = -1
		}
		name := l.Name
		if len(classes) > 0 {
			name = classes[len(classes)-1].name + "." + name
		}
		if l.Kind == pysyntax.OutlineFunction {
			c.function(i, name, len(classes) > 0)
			i = c.ends[i]
			continue
		}
		c.class(i, name)
		if len(classes) == maxClasses {
			i = c.ends[i]
			continue
		}
		classes = append(classes, class{name, c.ends[i]})
		i++
	}
	if module >= 0 {
		c.module(module, len(c.lines))
	}
}

func (c *cutter) function(i int, name string, method bool) {
	k, doc := c.definition(i, name)
	k.Kind = Function
	if method {
		k.Kind = Method
	}
	c.pieces(k, i, c.ends[i], doc)
}

func (c *cutter) class(i int, name string) {
	k, _ := c.definition(i, name)
	k.Kind = Class
	c.add(k, i, c.ends[i])
}

// definition is the part of a chunk that its head and docstring tell, and the
// docstring's length.
func (c *cutter) definition(i int, name string) (k Chunk, docBytes int) {
	l := c.lines[i]
	k = c.like
	k.Name = name
	for _, d := range l.Decorators {
		k.Decorators = append(k.Decorators, string(c.src[d.Start:d.End]))
	}
	if body := i + 1; body < c.ends[i] {
		doc := docstring(c.src, c.lines[body].Start)
		k.Doc, docBytes = firstParagraph(doc), len(doc)
	}
	return k, docBytes
}

// module makes chunks of the module statements from line i up to line end. A
// run of nothing but heads ("else:" between two definitions) says nothing.
func (c *cutter) module(i, end int) {
	says := false
	for _, l := range c.lines[i:end] {
		says = says || l.Kind != pysyntax.OutlineOpener
	}
	if !says {
		return
	}
	k := c.like
	k.Kind = Module
	docBytes := 0
	if i == 0 {
		doc := docstring(c.src, c.lines[0].Start)
		k.Doc, docBytes = firstParagraph(doc), len(doc)
	}
	c.pieces(k, i, end, docBytes)
}

// add appends the chunk of lines i up to end, whole physical lines.
func (c *cutter) add(k Chunk, i, end int) {
	k.StartLine, k.EndLine = c.lines[i].Line, c.lines[end-1].EndLine
	k.Start, k.End = c.row(k.StartLine), c.rowEnd(k.EndLine)
	c.out = append(c.out, k)
}

// row is the byte where a 1-based physical line begins.
func (c *cutter) row(line int) int { return int(c.rows[line-1]) }

// rowEnd is the byte after its last character that is no line end.
func (c *cutter) rowEnd(line int) int {
	end := len(c.src)
	if line < len(c.rows) {
		end = int(c.rows[line]) - 1
	}
	return len(bytes.TrimSuffix(c.src[:end], []byte{'\r'}))
}

func rowStarts(src []byte) []int32 {
	rows := make([]int32, 1, bytes.Count(src, []byte{'\n'})+1)
	for at := 0; ; {
		n := bytes.IndexByte(src[at:], '\n')
		if n < 0 {
			return rows
		}
		at += n + 1
		rows = append(rows, int32(at))
	}
}
