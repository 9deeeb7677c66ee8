package dense

import (
	"slices"

	"github.com/viterin/vek/vek32"

	"github.com/repgen/repgen/internal/codebase/chunk"
)

// View is a list of documents over the vectors that were there when it was
// made. Safe for concurrent use.
type View struct {
	v    *Vectors
	dims int
	n    int
	// rows in the order of the file, each once, so that a search reads memory
	// forward; docs[first[i]:first[i+1]] are the documents of row i.
	rows    []row
	scales  []scales // of the rows again: a search reads these alone
	first   []int32
	docs    []int32
	rowOf   []int32 // by document, -1 without a vector
	missing []int
}

// scales are what a search reads of a row first.
type scales struct {
	code        *int8
	scale, miss float32
}

// Rows lists documents by their identity, which may repeat: equal texts share
// a vector. After Close the list has no vectors.
func (v *Vectors) Rows(ids []chunk.Ident) *View {
	w := &View{v: v, dims: v.dims, n: len(ids), rowOf: make([]int32, len(ids))}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.remap()
	// A counting sort of the documents by row: how many each row has, where they
	// begin, then each to its place.
	begin := make([]int32, len(v.rows)+1)
	for d, id := range ids {
		r, ok := v.index[id]
		if !ok {
			w.rowOf[d] = -1
			w.missing = append(w.missing, d)
			continue
		}
		w.rowOf[d] = r
		begin[r+1]++
	}
	place := make([]int32, len(v.rows)) // of a row in the view
	for r := range v.rows {
		if begin[r+1] > 0 {
			place[r] = int32(len(w.rows))
			w.take(&v.rows[r], begin[r])
		}
		begin[r+1] += begin[r]
	}
	n := int32(len(ids) - len(w.missing))
	w.first = append(w.first, n)
	w.docs = make([]int32, n)
	for d, r := range w.rowOf {
		if r < 0 {
			continue
		}
		w.rowOf[d] = place[r]
		w.docs[begin[r]] = int32(d)
		begin[r]++
	}
	return w
}

// take appends a row whose documents begin at first.
func (w *View) take(r *row, first int32) {
	w.rows = append(w.rows, *r)
	w.scales = append(w.scales, scales{&r.code[0], r.scale, r.miss})
	w.first = append(w.first, first)
}

// Len is the number of documents, those without a vector included.
func (w *View) Len() int { return w.n }

// Missing are the documents without a vector, ascending. The caller must not
// change it.
func (w *View) Missing() []int { return w.missing }

// Similarity is the cosine of q and a document, the same number that Search
// gives; false when the document has no vector, or q another length.
func (w *View) Similarity(q []float32, doc int) (float64, bool) {
	if doc < 0 || doc >= w.n || w.rowOf[doc] < 0 || len(q) != w.dims {
		return 0, false
	}
	if !w.v.gate.enter() {
		return 0, false
	}
	defer w.v.gate.leave()
	var c float64
	err := guarded(func() { c = cosine(unit(q), w.rows[w.rowOf[doc]].x) })
	return c, err == nil
}

// unit is q, or a copy of unit length.
func unit(q []float32) []float32 {
	c := slices.Clone(q)
	toUnit(c)
	return c
}

// cosine of two vectors of unit length. Rounding may leave the range by a hair.
func cosine(a, b []float32) float64 {
	return max(-1, min(1, float64(vek32.Dot(a, b))))
}
