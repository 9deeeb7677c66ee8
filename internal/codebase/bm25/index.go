package bm25

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"sync"
)

// Data is an index as plain arrays, as they lie in a file. T terms sorted by
// their bytes, P postings in the order of their terms, N documents.
//
// Postings are not compressed: 6 bytes each are 9 MB for keras, and a search
// reads them as they are, where unpacking would be most of its time. Terms are
// sorted, not hashed, so that equal documents give equal bytes.
type Data struct {
	Terms    []byte   // all terms, joined
	TermEnds []uint32 // T: where each ends in Terms
	PostEnds []uint32 // T: where the postings of each end
	Docs     []uint32 // P: document numbers, ascending within a term
	Counts   []uint16 // P: how often the term stands in that document
	Lengths  []uint32 // N: tokens of each document
}

// Index answers searches. Any number of goroutines may use it at a time.
type Index struct {
	mu    sync.RWMutex // held by readers against Release
	d     Data
	p     Params
	avg   float64   // mean length
	norms []float64 // K1*(1 - B + B*length/avg) of each document
}

// ErrData says that arrays do not fit together.
var ErrData = errors.New("malformed index")

// New makes an index of arrays. It looks at the ends and lengths only, so that
// the postings of a mapped file are read when they are asked for: a document
// number that cannot be is passed over by the search. The error is ErrData,
// wrapped.
func New(d Data, p Params) (*Index, error) {
	if len(d.TermEnds) != len(d.PostEnds) || len(d.Docs) != len(d.Counts) {
		return nil, fmt.Errorf("%w: arrays of unlike length", ErrData)
	}
	if !ascending(d.TermEnds, len(d.Terms)) || !ascending(d.PostEnds, len(d.Docs)) {
		return nil, fmt.Errorf("%w: ends out of order", ErrData)
	}
	ix := &Index{d: d, p: p, norms: make([]float64, len(d.Lengths))}
	// What of the formula depends on the document alone is worked out once: the
	// search is left with one division a posting.
	var total uint64
	for _, n := range d.Lengths {
		total += uint64(n)
	}
	if total > 0 {
		ix.avg = float64(total) / float64(len(d.Lengths))
	}
	for i, n := range d.Lengths {
		rel := 0.0
		if ix.avg > 0 {
			rel = float64(n) / ix.avg
		}
		ix.norms[i] = float64(p.K1 * (1 - p.B + float64(p.B*rel)))
	}
	return ix, nil
}

// ascending wants ends that never fall and close with total.
func ascending(ends []uint32, total int) bool {
	last := uint32(0)
	for _, e := range ends {
		if e < last {
			return false
		}
		last = e
	}
	return uint64(last) == uint64(total)
}

// Len is the number of documents.
func (ix *Index) Len() int {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return len(ix.d.Lengths)
}

// Data gives the arrays of the index; they must not be changed.
func (ix *Index) Data() Data {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.d
}

// Release lets go of the arrays: the caller may unmap them afterwards. It
// waits for searches under way; later ones find nothing.
func (ix *Index) Release() {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.d = Data{}
	ix.norms = nil
}

// DF is the number of documents that hold the token.
func (ix *Index) DF(token string) int {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	t, ok := ix.d.find(token)
	if !ok {
		return 0
	}
	docs, _ := ix.d.postings(t)
	return len(docs)
}

// term is the bytes of the t-th term.
func (d *Data) term(t int) []byte {
	start := uint32(0)
	if t > 0 {
		start = d.TermEnds[t-1]
	}
	return d.Terms[start:d.TermEnds[t]]
}

// postings are the documents of the t-th term and its counts in them.
func (d *Data) postings(t int) (docs []uint32, counts []uint16) {
	start := uint32(0)
	if t > 0 {
		start = d.PostEnds[t-1]
	}
	end := d.PostEnds[t]
	return d.Docs[start:end], d.Counts[start:end]
}

// find looks a term up.
func (d *Data) find(token string) (int, bool) {
	key := []byte(token)
	t := sort.Search(len(d.TermEnds), func(i int) bool { return bytes.Compare(d.term(i), key) >= 0 })
	return t, t < len(d.TermEnds) && bytes.Equal(d.term(t), key)
}
