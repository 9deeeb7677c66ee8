package store

import (
	"encoding/binary"
	"sort"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/codebase/bm25"
	"github.com/repgen/repgen/internal/codebase/chunk"
)

// image is an index as it lies in its file. The slices point into data.
type image struct {
	data   []byte
	mapped bool
	recipe [16]byte

	files   []fileRec
	chunks  []chunkRec
	idents  []chunk.Ident
	strings []byte
	words   bm25.Data
}

// fileRec is one file. Its strings are path, hash and then the descriptions of
// its chunks, one after the other, so that a file that did not change is
// copied in one piece.
type fileRec struct {
	Size    int64  // as listed
	ModTime int64  // nanoseconds since 1970; 0 is unknown
	TextSum uint32 // Castagnoli CRC of the text that was split
	TextLen uint32
	Strings uint32 // where they begin in image.strings
	End     uint32 // and end
	PathLen uint32
	HashLen uint32
	First   uint32 // its first chunk
	Chunks  uint32
}

// chunkRec is one chunk. Offsets are 32 bits: a file is at most 1 MiB
// (source.MaxFile), and its strings are not much longer.
type chunkRec struct {
	File               uint32
	Start, End         uint32
	StartLine, EndLine uint32
	Part, Parts        uint32
	Meta, MetaEnd      uint32 // its description, from the beginning of the file's strings
}

// close unmaps. The image is empty afterwards, so that a late accessor finds
// nothing where it would read memory that is gone.
func (m *image) close() error {
	data, mapped := m.data, m.mapped
	*m = image{}
	if !mapped {
		return nil
	}
	return unix.Munmap(data)
}

// path and hash share the image's memory: they are for comparing.
func (m *image) path(f int) []byte {
	r := &m.files[f]
	return m.strings[r.Strings : r.Strings+r.PathLen]
}

func (m *image) hash(f int) []byte {
	r := &m.files[f]
	return m.strings[r.Strings+r.PathLen : r.Strings+r.PathLen+r.HashLen]
}

// find looks a file up.
func (m *image) find(path string) (int, bool) {
	f := sort.Search(len(m.files), func(i int) bool { return string(m.path(i)) >= path })
	return f, f < len(m.files) && string(m.path(f)) == path
}

// description is what is kept of a chunk besides its numbers.
func (m *image) description(r *chunkRec) []byte {
	at := m.files[r.File].Strings
	return m.strings[at+r.Meta : at+r.MetaEnd]
}

// name is a chunk's qualified name.
func (m *image) name(r *chunkRec) string {
	s, _ := cutString(m.description(r))
	return s
}

// meta is what description holds, as copies. A description that was damaged
// gives empty strings.
func (m *image) meta(r *chunkRec) chunk.Chunk {
	rest := m.description(r)
	var c chunk.Chunk
	var kind string
	c.Name, rest = cutString(rest)
	kind, rest = cutString(rest)
	c.Kind = chunk.Kind(kind)
	c.Doc, rest = cutString(rest)
	for len(rest) > 0 {
		var d string
		d, rest = cutString(rest)
		c.Decorators = append(c.Decorators, d)
	}
	return c
}

// describe is the other way round. The name comes first: Named reads nothing
// else.
func describe(dst []byte, c *chunk.Chunk) []byte {
	dst = putString(dst, c.Name)
	dst = putString(dst, string(c.Kind))
	dst = putString(dst, c.Doc)
	for _, d := range c.Decorators {
		dst = putString(dst, d)
	}
	return dst
}

func putString(dst []byte, s string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}

// cutString takes a string off the front; nothing is left after damage.
func cutString(b []byte) (string, []byte) {
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(len(b)-used) {
		return "", nil
	}
	b = b[used:]
	return string(b[:n]), b[n:]
}
