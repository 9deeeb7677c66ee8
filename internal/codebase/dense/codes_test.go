package dense

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestProduct compares the vector instructions with the plain sum, up to the
// largest sums there can be.
func TestProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{32, 64, 96, 384, 1024, 4096, maxDims} {
		limit := min(math.MaxInt16, math.MaxInt32/(maxCode*n))
		for round := range 20 {
			q, c := make([]int16, n), make([]int8, n)
			var want int64
			for i := range q {
				switch {
				case round == 0: // all at the limit
					q[i], c[i] = int16(limit), maxCode
				case round == 1:
					q[i], c[i] = int16(-limit), maxCode
				default:
					q[i], c[i] = int16(r.IntN(2*limit+1)-limit), int8(r.IntN(2*maxCode+1)-maxCode)
				}
				want += int64(q[i]) * int64(c[i])
			}
			if got := product(q, &c[0]); int64(got) != want {
				t.Fatalf("%d numbers, round %d: %d, want %d", n, round, got, want)
			}
			if got := productGo(q, &c[0]); int64(got) != want {
				t.Fatalf("%d numbers, round %d: %d without vector instructions, want %d", n, round, got, want)
			}
		}
	}
}

// spread draws a vector whose numbers are of very different sizes, the worst
// case of a common scale.
func spread(t *rapid.T, dims int, name string) []float32 {
	x := rapid.SliceOfN(rapid.Float32Range(-1, 1), dims, dims).Draw(t, name)
	if rapid.Bool().Draw(t, name+" uneven") {
		for i := range x {
			x[i] *= float32(math.Pow(10, -float64(i%9)))
		}
	}
	return x
}

// TestBetween: the cosine that a search gives lies between the bounds.
func TestBetween(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.IntRange(1, 150).Draw(t, "dims")
		x, q := newRow(spread(t, dims, "x")), unit(spread(t, dims, "q"))
		if rapid.Bool().Draw(t, "the same") {
			q = slices.Clone(x.x)
		}
		a := newAsked(q)
		lo, hi := a.between(&x.code[0], x.scale, x.miss)
		if c := cosine(q, x.x); c < lo || c > hi {
			t.Fatalf("%v is not from %v to %v", c, lo, hi)
		}
		if hi-lo > .1 {
			t.Fatalf("from %v to %v says little", lo, hi)
		}
	})
}

// crowd are vectors of which many are nearly or wholly alike, so that the
// bounds decide little and ties are common.
func crowd(r *rand.Rand, n, dims int) [][]float32 {
	var xs [][]float32
	for i := range n {
		x := make([]float32, dims)
		switch i % 4 {
		case 0:
			x[i%3] = 1
		case 1:
			x[0], x[1] = .6, .8+float32(r.IntN(9))*1e-7
		case 2:
			for j := range x {
				x[j] = float32(1 + r.Float64()*1e-4)
			}
		default:
			for j := range x {
				x[j] = float32(r.NormFloat64())
			}
		}
		xs = append(xs, x)
	}
	return xs
}

// TestFirstPass: reading codes first gives the same hits as reading all, bit
// by bit, with filters, repeated documents and ties.
func TestFirstPass(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		n, dims := 200+r.IntN(4000), 3+r.IntN(60)
		v := open(t, "", info(dims))
		if err := v.Add(idents(0, n), crowd(r, n, dims)); err != nil {
			t.Fatal(err)
		}
		ids := idents(0, n+50)
		ids = append(ids, ids[:n/3]...)
		r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		w := v.Rows(ids)
		for _, k := range []int{1, 2, 20, 200, n} {
			for _, mod := range []int{1, 3, 500, 1 << 30} {
				q := crowd(r, 4, dims)[r.IntN(4)]
				keep := func(d int) bool { return d%mod == 1%mod }
				s := func() *search { return &search{w: w, q: unit(q), keep: keep, k: k} }
				want, err := s().plain(ctx)
				if err != nil {
					t.Fatal(err)
				}
				got, err := s().byCodes(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, k %d, one of %d: %d hits and %d, first %v and %v", seed, k, mod, len(got), len(want), got[:min(3, len(got))], want[:min(3, len(want))])
				}
			}
		}
	}
}

// TestFirstPassReadsLittle: of vectors spread like real ones, few are read as
// float32.
func TestFirstPassReadsLittle(t *testing.T) {
	const n, dims, k = 20_000, 384, 200
	v := open(t, "", info(dims))
	add(t, v, 0, n)
	s := &search{w: v.Rows(idents(0, n)), q: vector(-1, dims), k: k}
	q := newAsked(s.q)
	var f firsts
	s.bound(&q, &f, 0, n)
	least := f.least.heap[0].Cosine
	read := 0
	for _, c := range f.found {
		if c.most >= least {
			read++
		}
	}
	if read < k || read > 4*k {
		t.Errorf("%d rows of %d are read for %d hits", read, n, k)
	}
}

func BenchmarkProduct(b *testing.B) {
	q, c := make([]int16, 384), make([]int8, 384)
	b.Run("vector", func(b *testing.B) {
		for b.Loop() {
			product(q, &c[0])
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			productGo(q, &c[0])
		}
	})
}
