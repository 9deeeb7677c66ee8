package dense

import (
	"context"
	"slices"
)

// candidate is a document that may be among the best, and how near it can be
// at most.
type candidate struct {
	doc, row int32
	most     float64
}

// firsts is what one worker found by codes: the k surest lower bounds, and
// every document that may reach them.
type firsts struct {
	least top
	found []candidate
}

// byCodes bounds the cosine of every row, and reads as float32 only those that
// can be among the k best: a document whose upper bound is below k lower bounds
// cannot, not even by a tie.
func (s *search) byCodes(ctx context.Context) ([]Hit, error) {
	q := newAsked(s.q)
	// A worker drops a document when it has seen k surer ones itself, which is
	// never wrong, and less than all workers together would drop.
	own, err := share(ctx, s, func(f *firsts, from, to int) { s.bound(&q, f, from, to) })
	if err != nil {
		return nil, err
	}
	var least []float64
	for i := range own {
		for _, h := range own[i].least.heap {
			least = append(least, h.Cosine)
		}
	}
	// Of all lower bounds the k-th best: k documents are at least so near.
	limit := -2.0 // below any cosine
	if len(least) >= s.k {
		slices.Sort(least)
		limit = least[len(least)-s.k]
	}
	t := top{k: s.k}
	err = guarded(func() {
		for i := range own {
			s.settle(own[i].found, limit, &t)
		}
	})
	if err != nil {
		return nil, err
	}
	return best(t.heap, s.k), nil
}

// bound reads the codes of the rows [from, to).
func (s *search) bound(q *asked, f *firsts, from, to int) {
	w := s.w
	f.least.k = s.k
	for r := from; r < to; r++ {
		x := &w.scales[r]
		lo, hi := q.between(x.code, x.scale, x.miss)
		if f.least.full() && hi < f.least.heap[0].Cosine {
			continue
		}
		for _, d := range w.docs[w.first[r]:w.first[r+1]] {
			if s.keep != nil && !s.keep(int(d)) {
				continue
			}
			// The limit only rises, so what is dropped above can never come back;
			// what is kept here may still fall below it at the end.
			f.found = append(f.found, candidate{d, int32(r), hi})
			if h := (Hit{int(d), lo}); f.least.takes(h) {
				f.least.add(h)
			}
		}
	}
}

// settle reads the candidates above the limit as float32. The documents of a
// row stand together.
func (s *search) settle(found []candidate, limit float64, t *top) {
	last, c := int32(-1), 0.0
	for _, x := range found {
		if x.most < limit {
			continue
		}
		if x.row != last {
			last, c = x.row, cosine(s.q, s.w.rows[x.row].x)
		}
		if h := (Hit{int(x.doc), c}); t.could(c) && t.takes(h) {
			t.add(h)
		}
	}
}
