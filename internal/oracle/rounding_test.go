package oracle

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/repgen/repgen/internal/sandbox/probe"
)

// reductions add up in float32 in the orders that libraries use.
var reductions = map[string]func([]float32) float32{
	"in order": func(x []float32) (s float32) {
		for _, v := range x {
			s += v
		}
		return s
	},
	"backwards": func(x []float32) (s float32) {
		for i := len(x) - 1; i >= 0; i-- {
			s += x[i]
		}
		return s
	},
	"eight lanes": func(x []float32) (s float32) {
		var lane [8]float32
		for i, v := range x {
			lane[i%8] += v
		}
		for _, v := range lane {
			s += v
		}
		return s
	},
	"pairs": pairwise,
}

func pairwise(x []float32) (s float32) {
	if len(x) <= 8 {
		for _, v := range x {
			s += v
		}
		return s
	}
	return pairwise(x[:len(x)/2]) + pairwise(x[len(x)/2:])
}

// draws are the terms of a sum: products are those of a dot product.
var draws = map[string]func(*rand.Rand) float32{
	"uniform":  func(r *rand.Rand) float32 { return r.Float32() },
	"normal":   func(r *rand.Rand) float32 { return float32(r.NormFloat64()) },
	"products": func(r *rand.Rand) float32 { return float32(r.NormFloat64()) * float32(r.NormFloat64()) },
	"squares":  func(r *rand.Rand) float32 { v := float32(r.NormFloat64()); return v * v },
	"wide":     func(r *rand.Rand) float32 { return float32(math.Exp(4 * r.NormFloat64())) },
}

// measured is what one distribution of terms showed at one length: errors and
// differences between two orders, in units of eps * sqrt(n) * magnitude.
type measured struct {
	error, between float64 // the worst of each
	over, sums     int     // sums whose error exceeds the bound
}

func measure(r *rand.Rand, n int, draw func(*rand.Rand) float32, orders []string) measured {
	var m measured
	for range max(1, min(100, 60_000/n)) {
		x := make([]float32, n)
		exact, top := 0.0, 0.0
		for i := range x {
			x[i] = draw(r)
			exact += float64(x[i])
			top = max(top, math.Abs(float64(x[i])))
		}
		array := []probe.Observation{{Kind: "array", DType: "float32", Size: n, Min: fmt.Sprint(-top), Max: fmt.Sprint(top)}}
		units := func(a, b float64) float64 {
			return math.Abs(a-b) * roundingFactor / tolerance(a, b, nil, array).value
		}
		var sums []float64
		for _, order := range orders {
			sums = append(sums, float64(reductions[order](x)))
		}
		for i, s := range sums {
			m.sums++
			off := units(s, exact)
			if off > roundingFactor {
				m.over++
			}
			m.error = max(m.error, off)
			for _, other := range sums[:i] {
				m.between = max(m.between, units(s, other))
			}
		}
	}
	return m
}

// TestRoundingFactor measures what the factor of the bound is a guess about:
// how far float32 sums and dot products of 10 to a million terms lie from the
// same sum in float64, and from each other, in the orders that libraries use.
// The figures stand beside roundingFactor.
func TestRoundingFactor(t *testing.T) {
	every, library := []string{"in order", "backwards", "eight lanes", "pairs"}, []string{"eight lanes", "pairs"}
	for _, c := range []struct {
		terms  string
		orders []string
		worst  float64 // in units; the bound is roundingFactor
		over   float64 // share of the sums that may exceed the bound
	}{
		{"uniform", every, 1, 0},
		{"squares", every, 5, 0},
		{"squares", library, 1, 0},
		{"wide", library, 4, 0},
		// Sums of both signs may cancel: then the result says nothing of what
		// was added up, and one or two in a hundred lie outside by any factor.
		{"normal", every, math.Inf(1), 0.02},
		{"products", every, math.Inf(1), 0.02},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		over, sums := 0, 0
		for n := 10; n <= 1_000_000; n *= 10 {
			m := measure(r, n, draws[c.terms], c.orders)
			t.Logf("%-8s n %7d: worst error %.2f, between two orders %.2f, over the bound %d of %d", c.terms, n, m.error, m.between, m.over, m.sums)
			if m.error > c.worst || m.between > 2*c.worst {
				t.Errorf("%s, %v, n %d: %.2f and %.2f units, at most %v was measured", c.terms, c.orders, n, m.error, m.between, c.worst)
			}
			over, sums = over+m.over, sums+m.sums
		}
		if float64(over) > c.over*float64(sums) {
			t.Errorf("%s: %d of %d sums lie outside", c.terms, over, sums)
		}
	}
}

// TestRoundingFactorStillSees: a bound that excuses everything would be easy. A
// sum that lost one of its terms lies outside for up to a thousand terms.
func TestRoundingFactorStillSees(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{10, 100, 1000} {
		x := make([]float32, n)
		for i := range x {
			x[i] = 0.5 + draws["uniform"](r)
		}
		whole, lost := float64(pairwise(x)), float64(pairwise(x[1:]))
		array := []probe.Observation{{Kind: "array", DType: "float32", Size: n}}
		if b := tolerance(whole, lost, nil, array); math.Abs(whole-lost) <= b.value {
			t.Errorf("n %d: %v and %v lie within %s", n, whole, lost, b)
		}
	}
}

// TestHalfPrecision: sums of 16-bit floats are accumulated in float32 by numpy,
// torch and XLA alike, so that their length adds float32's error only.
func TestHalfPrecision(t *testing.T) {
	long := []probe.Observation{{Kind: "array", DType: "bfloat16", Size: 1_000_000}}
	if b := tolerance(1, 1, nil, long); b.value > 0.08 || b.value < 8*eps["bfloat16"] {
		t.Errorf("%s", b)
	}
	short := []probe.Observation{{Kind: "array", DType: "float16", Size: 4}}
	if b := tolerance(1, 0.98, nil, short); b.value > 0.02 {
		t.Errorf("two per cent are no rounding of four numbers: %s", b)
	}
}
