package dense

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
)

// Hit is a document that was found. Doc is its index in the identities that
// the View was made of.
type Hit struct {
	Doc int
	// Cosine is in [-1, 1].
	Cosine float64
}

// stripe is how many rows a worker takes at a time: 512 rows of 384 numbers
// are 0.8 MB, about 0.1 ms; small enough to end soon after ctx, large enough
// that taking one costs nothing.
const stripe = 512

// Search gives the k documents nearest to q, nearest first and equal ones by
// document, of those that keep accepts (nil accepts all; it is called from
// several goroutines, and only for documents that could be among the k). It is
// exact: every row is read. Errors: q of another length or not finite, ctx's,
// ErrClosed, a file that was cut short under the process.
func (w *View) Search(ctx context.Context, q []float32, k int, keep func(doc int) bool) ([]Hit, error) {
	if err := w.v.check(q); err != nil {
		return nil, fmt.Errorf("search vectors: %w", err)
	}
	if !w.v.gate.enter() {
		return nil, ErrClosed
	}
	defer w.v.gate.leave()
	k = min(k, len(w.docs)) // no more than there are: k is room in heaps
	if k <= 0 {
		return nil, ctx.Err()
	}
	s := &search{w: w, q: unit(q), keep: keep, k: k}
	var hits []Hit
	var err error
	if k*plainShare > len(w.rows) {
		hits, err = s.plain(ctx)
	} else {
		hits, err = s.byCodes(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("search vectors: %w", err)
	}
	return hits, nil
}

// plainShare: when more than an eighth of the rows is asked for, most would be
// read as float32 anyway (a guess; both ways give the same).
const plainShare = 8

// search is one search under way.
type search struct {
	w    *View
	q    []float32 // of unit length
	keep func(doc int) bool
	k    int
	next atomic.Int64 // the first row that no worker has taken
}

// plain reads every row as float32.
func (s *search) plain(ctx context.Context) ([]Hit, error) {
	tops, err := share(ctx, s, func(t *top, from, to int) { s.read(from, to, t) })
	if err != nil {
		return nil, err
	}
	var all []Hit
	for _, t := range tops {
		all = append(all, t.heap...)
	}
	return best(all, s.k), nil
}

// share lets workers take stripes of rows until there are no more; each has a
// T of its own.
func share[T any](ctx context.Context, s *search, read func(t *T, from, to int)) ([]T, error) {
	rows := len(s.w.rows)
	n := min(runtime.GOMAXPROCS(0), (rows+stripe-1)/stripe)
	own, errs := make([]T, n), make([]error, n)
	work := func(i int) error {
		for {
			from := int(s.next.Add(stripe)) - stripe
			if from >= rows {
				return nil
			}
			err := ctx.Err()
			if err == nil {
				err = guarded(func() { read(&own[i], from, min(from+stripe, rows)) })
			}
			if err != nil {
				return err
			}
		}
	}
	var wg sync.WaitGroup
	for i := range n - 1 {
		wg.Go(func() { errs[i] = work(i) })
	}
	errs[n-1] = work(n - 1) // this goroutine works too
	wg.Wait()
	return own, errors.Join(errs...)
}

// read scores the rows [from, to).
func (s *search) read(from, to int, t *top) {
	w := s.w
	t.k = s.k
	for r := from; r < to; r++ {
		c := cosine(s.q, w.rows[r].x)
		if !t.could(c) {
			continue
		}
		for _, d := range w.docs[w.first[r]:w.first[r+1]] {
			h := Hit{int(d), c}
			if t.takes(h) && (s.keep == nil || s.keep(h.Doc)) {
				t.add(h)
			}
		}
	}
}

// errShort is what a read of mapped memory comes to when the file behind it is
// gone: cut short by somebody, or on a disk that fails.
var errShort = errors.New("the file of vectors was cut short or cannot be read any more")

// guarded runs f and makes a fault of mapped memory an error. Other panics go
// on.
func guarded(f func()) (err error) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		r := recover()
		if r == nil {
			return
		}
		if _, fault := r.(interface{ Addr() uintptr }); !fault {
			panic(r)
		}
		err = errShort
	}()
	f()
	return nil
}

// before says whether a comes before b in an answer.
func before(a, b Hit) bool {
	if a.Cosine != b.Cosine {
		return a.Cosine > b.Cosine
	}
	return a.Doc < b.Doc
}

// top holds the k best seen so far, the worst of them at the root of a heap.
type top struct {
	k    int
	heap []Hit
}

// could says whether a cosine may be among the k; a NaN may not.
func (t *top) could(c float64) bool {
	return len(t.heap) < t.k && c == c || len(t.heap) == t.k && c >= t.heap[0].Cosine
}

// full says that there are k: from now on the worst of them is a limit.
func (t *top) full() bool { return len(t.heap) == t.k }

// takes says whether h belongs among them.
func (t *top) takes(h Hit) bool { return len(t.heap) < t.k || before(h, t.heap[0]) }

// add takes h in, in the place of the worst when there are k.
func (t *top) add(h Hit) {
	if len(t.heap) < t.k {
		t.heap = append(t.heap, h)
		t.up(len(t.heap) - 1)
		return
	}
	t.heap[0] = h
	t.down(0)
}

// up moves a document towards the root, where the worst is, past better ones.
func (t *top) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !before(t.heap[parent], t.heap[i]) {
			return
		}
		t.heap[parent], t.heap[i] = t.heap[i], t.heap[parent]
		i = parent
	}
}

// down moves the root to its place after it was replaced.
func (t *top) down(i int) {
	for {
		worst := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(t.heap); c++ {
			if before(t.heap[worst], t.heap[c]) {
				worst = c
			}
		}
		if worst == i {
			return
		}
		t.heap[worst], t.heap[i] = t.heap[i], t.heap[worst]
		i = worst
	}
}

// best are the first k hits, in order.
func best(hits []Hit, k int) []Hit {
	slices.SortFunc(hits, func(a, b Hit) int {
		if before(a, b) {
			return -1
		}
		return 1
	})
	return hits[:min(k, len(hits))]
}
