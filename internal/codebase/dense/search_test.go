package dense

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/codebase/chunk"
)

// naive is the search that a reader can check: float64, one sort.
func naive(q []float32, docs [][]float32, k int, keep func(int) bool) []Hit {
	var hits []Hit
	for d, x := range docs {
		if x == nil || keep != nil && !keep(d) {
			continue
		}
		var dot, qq, xx float64
		for i := range x {
			dot += float64(q[i]) * float64(x[i])
			qq += float64(q[i]) * float64(q[i])
			xx += float64(x[i]) * float64(x[i])
		}
		if qq > 0 && xx > 0 {
			dot /= math.Sqrt(qq * xx)
		}
		hits = append(hits, Hit{d, dot})
	}
	sort.SliceStable(hits, func(i, j int) bool { return hits[i].Cosine > hits[j].Cosine })
	return hits[:max(0, min(k, len(hits)))]
}

// TestSearchIsExact compares with the naive search: the cosines are those of
// float64 up to rounding, in order, and equal documents stand by number.
func TestSearchIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.IntRange(1, 40).Draw(t, "dims")
		number := rapid.Float32Range(-2, 2)
		rows := rapid.SliceOfN(rapid.SliceOfN(number, dims, dims), 1, 30).Draw(t, "rows")
		picks := rapid.SliceOfN(rapid.IntRange(-1, len(rows)-1), 0, 60).Draw(t, "documents")
		q := rapid.SliceOfN(number, dims, dims).Draw(t, "q")
		k := rapid.IntRange(-1, 70).Draw(t, "k")
		mod := rapid.IntRange(1, 4).Draw(t, "keep one of")
		keep := func(d int) bool { return d%mod == 0 }

		v, err := Open("", info(dims))
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Add(idents(0, len(rows)), rows); err != nil {
			t.Fatal(err)
		}
		ids := make([]chunk.Ident, len(picks))
		docs := make([][]float32, len(picks))
		for d, p := range picks {
			ids[d] = ident(p)
			if p >= 0 {
				docs[d] = rows[p]
			}
		}
		w := v.Rows(ids)
		got, err := w.Search(context.Background(), q, k, keep)
		if err != nil {
			t.Fatal(err)
		}
		want := naive(q, docs, k, keep)
		if len(got) != len(want) {
			t.Fatalf("%d hits, want %d", len(got), len(want))
		}
		for i := range got {
			if math.Abs(got[i].Cosine-want[i].Cosine) > 2e-5 {
				t.Fatalf("place %d: %v, want %v", i, got[i], want[i])
			}
			if !keep(got[i].Doc) || i > 0 && !before(got[i-1], got[i]) {
				t.Fatalf("place %d: %v after %v", i, got[i], got[i-1])
			}
			if c, ok := w.Similarity(q, got[i].Doc); !ok || c != got[i].Cosine {
				t.Fatalf("similarity %v, search %v", c, got[i])
			}
		}
	})
}

// TestTies has many equal documents over several workers: the lowest numbers
// win, whatever the order of the rows in the file.
func TestTies(t *testing.T) {
	v := open(t, "", info(4))
	n := 4 * stripe
	half := []float32{.5, .5, .5, .5}
	var rows [][]float32
	for range n {
		rows = append(rows, half)
	}
	if err := v.Add(idents(0, n), rows); err != nil {
		t.Fatal(err)
	}
	ids := idents(0, n)
	rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	ids = append(ids, ids[:10]...) // repeated texts
	hits, err := v.Rows(ids).Search(context.Background(), half, 50, func(d int) bool { return d%2 == 1 })
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range hits {
		if h != (Hit{2*i + 1, 1}) {
			t.Fatalf("place %d: %v", i, h)
		}
	}
	if len(hits) != 50 {
		t.Errorf("%d hits", len(hits))
	}
}

// TestOrderOfFile: the answer does not depend on the order in which vectors
// were added, nor on how many processors there are.
func TestOrderOfFile(t *testing.T) {
	const n, dims = 3000, 32
	order := rand.New(rand.NewPCG(3, 4)).Perm(n)
	a, b := open(t, "", info(dims)), open(t, "", info(dims))
	add(t, a, 0, n)
	for _, i := range order {
		add(t, b, i, i+1)
	}
	q := vector(-1, dims)
	want, err := a.Rows(idents(0, n)).Search(context.Background(), q, 100, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, procs := range []int{1, 2, 5} {
		old := runtime.GOMAXPROCS(procs)
		got, err := b.Rows(idents(0, n)).Search(context.Background(), q, 100, nil)
		runtime.GOMAXPROCS(old)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("with %d processors: another answer (%v)", procs, err)
		}
	}
}

func TestSearchErrors(t *testing.T) {
	v := open(t, "", info(4))
	add(t, v, 0, 2000)
	w := v.Rows(idents(0, 2100))
	if w.Len() != 2100 || len(w.Missing()) != 100 || w.Missing()[0] != 2000 {
		t.Errorf("%d documents, %d missing", w.Len(), len(w.Missing()))
	}
	ctx := context.Background()
	for _, q := range [][]float32{nil, {1}, {1, 2, 3, 4, 5}, {1, 2, 3, float32(math.NaN())}} {
		if _, err := w.Search(ctx, q, 3, nil); err == nil {
			t.Errorf("%v was searched", q)
		}
	}
	for _, d := range []int{-1, 2050, 2100} {
		if _, ok := w.Similarity(vector(1, 4), d); ok {
			t.Errorf("document %d has a similarity", d)
		}
	}
	if hits, err := v.Rows(nil).Search(ctx, vector(1, 4), 3, nil); len(hits) != 0 || err != nil {
		t.Errorf("nothing listed: %v, %v", hits, err)
	}
	// The end comes in the middle.
	ctx, cancel := context.WithCancel(ctx)
	var calls atomic.Int32
	_, err := w.Search(ctx, vector(1, 4), 2000, func(int) bool {
		if calls.Add(1) == 5 {
			cancel()
		}
		return true
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestCloseWaits: Close lets a search end, also one that asks for more on the
// way.
func TestCloseWaits(t *testing.T) {
	v, err := Open(filepath.Join(t.TempDir(), "v.vec"), info(4))
	if err != nil {
		t.Fatal(err)
	}
	add(t, v, 0, 10)
	w := v.Rows(idents(0, 10))
	inside, closed := make(chan struct{}), make(chan error, 1)
	go func() {
		<-inside
		closed <- v.Close()
	}()
	first := true
	hits, err := w.Search(context.Background(), vector(1, 4), 10, func(d int) bool {
		if first {
			first = false
			close(inside)
			time.Sleep(10 * time.Millisecond)
		}
		_, _ = w.Similarity(vector(1, 4), d)
		return true
	})
	if err != nil || len(hits) != 10 {
		t.Errorf("%d hits, %v", len(hits), err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// TestCutUnderneath: somebody empties the file that is mapped; that is an
// error, not the end of the process.
func TestCutUnderneath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.vec")
	add(t, open(t, path, info(64)), 0, 2000)
	v := open(t, path, info(64))
	w := v.Rows(idents(0, 2000))
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Search(context.Background(), vector(1, 64), 3, nil); !errors.Is(err, errShort) {
		t.Errorf("search: %v", err)
	}
	if _, ok := w.Similarity(vector(1, 64), 3); ok {
		t.Error("a similarity without a file")
	}
}

// TestCutBeforeItIsMapped: the file loses what this process wrote before it is
// read from there; the rows in the heap go on serving.
func TestCutBeforeItIsMapped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.vec")
	v := open(t, path, info(1024))
	const n = remapBytes/(1024*4) + 1
	add(t, v, 0, n)
	want, err := v.Rows(idents(0, 1)).Search(t.Context(), vector(0, 1024), 1, nil)
	if err != nil || len(want) != 1 {
		t.Fatalf("%v %v", want, err)
	}
	v = open(t, filepath.Join(t.TempDir(), "w.vec"), info(1024))
	add(t, v, 0, n)
	if err := os.Truncate(v.path, headSize); err != nil {
		t.Fatal(err)
	}
	hits, err := v.Rows(idents(0, n)).Search(t.Context(), vector(0, 1024), 1, nil)
	if err != nil || len(hits) != 1 || hits[0] != want[0] {
		t.Errorf("%v %v, want %v", hits, err, want)
	}
}

// benchView lists 50,000 documents that were added so many at a time.
func benchView(b *testing.B, batch int) *View {
	b.Helper()
	const n, dims = 50_000, 384
	v := open(b, filepath.Join(b.TempDir(), "v.vec"), info(dims))
	r := rand.New(rand.NewPCG(1, 1))
	for from := 0; from < n; from += batch {
		var xs [][]float32
		for range batch {
			x := make([]float32, dims)
			for j := range x {
				x[j] = r.Float32() - .5
			}
			xs = append(xs, x)
		}
		if err := v.Add(idents(from, from+batch), xs); err != nil {
			b.Fatal(err)
		}
	}
	// Documents stand in another order than rows, as they do in a project.
	ids := idents(0, n)
	r.Shuffle(n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	again := open(b, v.path, info(dims)) // as a later process finds it
	return again.Rows(ids)
}

// BenchmarkSearch is the aim: 50,000 vectors of 384 numbers (77 MB) under 8 ms.
func BenchmarkSearch(b *testing.B) {
	for _, batch := range []int{5000, 10} {
		b.Run(fmt.Sprintf("added by %d", batch), func(b *testing.B) { benchSearch(b, benchView(b, batch)) })
	}
}

func benchSearch(b *testing.B, w *View) {
	q := vector(-1, w.dims)
	var took []float64
	before := cpuTime()
	for b.Loop() {
		began := time.Now()
		if _, err := w.Search(context.Background(), q, 200, func(d int) bool { return d%10 != 0 }); err != nil {
			b.Fatal(err)
		}
		took = append(took, float64(time.Since(began).Microseconds())/1000)
	}
	b.ReportMetric((cpuTime()-before)/float64(b.N), "cpu-ms")
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "p50-ms")
	b.ReportMetric(took[len(took)*95/100], "p95-ms")
}

// BenchmarkReopen opens the same file and lists all documents.
func BenchmarkReopen(b *testing.B) {
	for _, batch := range []int{5000, 10} {
		b.Run(fmt.Sprintf("added by %d", batch), func(b *testing.B) {
			w := benchView(b, batch)
			benchReopen(b, w.v.path, idents(0, w.n), w.dims)
		})
	}
}

// cpuTime is the processor time of this process so far, in milliseconds: what
// stays the same on a busy machine.
func cpuTime() float64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}

func benchReopen(b *testing.B, path string, ids []chunk.Ident, dims int) {
	before := cpuTime()
	defer func() { b.ReportMetric((cpuTime()-before)/float64(b.N), "cpu-ms") }()
	for b.Loop() {
		v, err := Open(path, info(dims))
		if err != nil {
			b.Fatal(err)
		}
		if m := v.Rows(ids).Missing(); len(m) > 0 {
			b.Fatalf("%d missing", len(m))
		}
		if err := v.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
