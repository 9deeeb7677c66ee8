package bench

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestScoreRanks(t *testing.T) {
	for name, tt := range map[string]struct {
		ranks []int
		want  Scores
	}{
		"none":       {nil, Scores{}},
		"not found":  {[]int{0, 0}, Scores{}},
		"first":      {[]int{1}, Scores{1, 1, 1, 1}},
		"fifth":      {[]int{5}, Scores{0, 1, 1, 0.2}},
		"sixth":      {[]int{6}, Scores{0, 0, 1, 1.0 / 6}},
		"twentieth":  {[]int{20}, Scores{0, 0, 1, 0.05}},
		"deep":       {[]int{200}, Scores{0, 0, 0, 0.005}},
		"two of two": {[]int{4, 2}, Scores{0, 1, 1, 0.5}},
		"one of two": {[]int{0, 1}, Scores{0.5, 0.5, 0.5, 1}},
	} {
		if got := scoreRanks(tt.ranks); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

// TestScoresBounded: every score lies in [0, 1], recall grows with depth, and a
// better rank never makes one worse.
func TestScoresBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.SliceOfN(rapid.IntRange(0, 300), 1, 6).Draw(t, "ranks")
		s := scoreRanks(ranks)
		if s.R1 < 0 || s.R1 > s.R5 || s.R5 > s.R20 || s.R20 > 1+1e-12 || s.MRR < 0 || s.MRR > 1 {
			t.Fatalf("%v: %+v", ranks, s)
		}
		i := rapid.IntRange(0, len(ranks)-1).Draw(t, "i")
		better := append([]int(nil), ranks...)
		better[i] = 1
		b := scoreRanks(better)
		if b.R1 < s.R1 || b.R5 < s.R5 || b.R20 < s.R20 || b.MRR < s.MRR {
			t.Fatalf("%v: %+v, better %+v", ranks, s, b)
		}
	})
}

func TestBootstrap(t *testing.T) {
	if got := bootstrap(nil); got != (Interval{}) {
		t.Errorf("nothing: %v", got)
	}
	if got := bootstrap([]float64{0.4}); got != (Interval{0.4, 0.4}) {
		t.Errorf("one value: %v", got)
	}
	// Of 20 pairs with 12 hits, the normal interval is .6 ± .215.
	values := make([]float64, 20)
	for i := range 12 {
		values[i] = 1
	}
	got := bootstrap(values)
	if math.Abs(got.Low-0.385) > 0.04 || math.Abs(got.High-0.815) > 0.04 {
		t.Errorf("12 of 20: %v", got)
	}
	if again := bootstrap(values); again != got {
		t.Errorf("%v, then %v", got, again)
	}
}

// TestBootstrapHolds: the interval lies within the values and holds their mean.
func TestBootstrapHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 30).Draw(t, "values")
		i, m := bootstrap(values), mean(values)
		if i.Low < -1e-9 || i.High > 1+1e-9 || i.Low > m+1e-9 || i.High < m-1e-9 {
			t.Fatalf("%v: %v, mean %v", values, i, m)
		}
	})
}
