package store

import (
	"fmt"
	"math"

	"github.com/repgen/repgen/internal/codebase/bm25"
)

// assemble numbers the chunks, merges the words and lays the new image out in
// data; its other slices are not yet those in data.
func (op *opening) assemble(readings []reading, builders []*bm25.Builder) (*image, error) {
	m := &image{recipe: op.recipe, files: make([]fileRec, len(readings))}
	parts := make([]bm25.Part, len(builders))
	for w, b := range builders {
		parts[w] = bm25.Part{Builder: b, Docs: make([]int, b.Len())}
	}
	// Numbers are given by path and then by position. Old chunks keep their
	// order among each other, which is what bm25.Older asks for.
	kept := make([]int32, len(op.old.chunks))
	for i := range kept {
		kept[i] = bm25.Removed
	}
	size := 0
	for i := range readings {
		r := &readings[i]
		first := len(m.chunks)
		if r.old >= 0 {
			op.copyFile(m, i, r.old, kept)
		} else {
			op.addFile(m, i, r)
			for k := range r.recs {
				parts[r.part].Docs[r.first+k] = first + k
			}
		}
		size = len(m.strings)
	}
	if size > math.MaxUint32 || len(m.chunks) > math.MaxInt32 {
		return nil, fmt.Errorf("%d chunks are more than an index holds", len(m.chunks))
	}
	var err error
	m.words, err = bm25.Merge(bm25.Older{Data: op.old.words, Docs: kept}, len(m.chunks), parts)
	if err != nil {
		return nil, err
	}
	m.data = encode(m)
	return m, nil
}

// copyFile takes a file that has the same bytes over from the old image.
func (op *opening) copyFile(m *image, i, old int, kept []int32) {
	was := op.old.files[old]
	r := was
	r.Size, r.ModTime = op.files[i].Size, op.modTime(&op.files[i])
	r.Strings, r.First = uint32(len(m.strings)), uint32(len(m.chunks))
	m.strings = append(m.strings, op.old.strings[was.Strings:was.End]...)
	r.End = uint32(len(m.strings))
	m.files[i] = r
	for k := was.First; k < was.First+was.Chunks; k++ {
		kept[k] = int32(len(m.chunks))
		c := op.old.chunks[k]
		c.File = uint32(i)
		m.chunks = append(m.chunks, c)
		m.idents = append(m.idents, op.old.idents[k])
	}
}

// addFile takes what was read. Offsets of descriptions begin before path and
// hash, which were not known to be there when the chunks were described.
func (op *opening) addFile(m *image, i int, r *reading) {
	file := &op.files[i]
	begin := uint32(len(m.strings))
	m.strings = append(m.strings, file.Path...)
	m.strings = append(m.strings, file.Hash...)
	before := uint32(len(m.strings)) - begin
	m.strings = append(m.strings, r.metas...)
	m.files[i] = fileRec{
		Size: file.Size, ModTime: op.modTime(file), TextSum: r.sum, TextLen: r.size,
		Strings: begin, End: uint32(len(m.strings)),
		PathLen: uint32(len(file.Path)), HashLen: uint32(len(file.Hash)),
		First: uint32(len(m.chunks)), Chunks: uint32(len(r.recs)),
	}
	for k := range r.recs {
		c := r.recs[k]
		c.File = uint32(i)
		c.Meta += before
		c.MetaEnd += before
		m.chunks = append(m.chunks, c)
		m.idents = append(m.idents, r.ids[k])
	}
}
