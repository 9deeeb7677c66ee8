package bm25

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// TestScoreBounds: a score is above 0 and below the sum of what each token can
// give at most, whatever the documents.
func TestScoreBounds(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		texts, q := drawTexts(r, "texts"), drawQuery(r)
		p := Params{rapid.Float64Range(0, 3).Draw(r, "k1"), rapid.Float64Range(0, 1).Draw(r, "b")}
		ix, err := New(merge(t, Older{}, map[int]string{}, texts), p)
		if err != nil {
			r.Fatal(err)
		}
		for _, h := range ix.Search(q, len(texts), nil) {
			limit := 0.0
			for _, term := range ix.Explain(q, h.Doc) {
				most := term.Weight * term.IDF * (p.K1 + 1)
				if term.Score < 0 || term.Score > most*(1+1e-12) || (term.TF == 0) != (term.Score == 0) {
					r.Fatalf("term %+v gives at most %v", term, most)
				}
				if term.IDF <= 0 || term.TF > 0 && term.DF == 0 || term.DF > len(texts) {
					r.Fatalf("term %+v", term)
				}
				limit += most
			}
			if !(h.Score > 0) || h.Score > limit*(1+1e-12) {
				r.Fatalf("score %v, at most %v", h.Score, limit)
			}
		}
	})
}

// TestIDF falls with every further document and stays above 0.
func TestIDF(t *testing.T) {
	for _, n := range []int{1, 2, 3, 100, 1_000_000} {
		last := math.Inf(1)
		for df := 0; df <= min(n, 1000); df++ {
			v := idf(df, n)
			if !(v > 0) || v >= last {
				t.Fatalf("idf(%d, %d) = %v after %v", df, n, v, last)
			}
			last = v
		}
		if v := idf(n, n); !(v > 0) {
			t.Errorf("idf(%d, %d) = %v", n, n, v)
		}
	}
}

// TestKeepIsAFilter: leaving documents out is searching all and dropping them.
func TestKeepIsAFilter(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		texts, q := drawTexts(r, "texts"), drawQuery(r)
		ix := build(t, texts...)
		out := map[int]bool{}
		for _, d := range rapid.SliceOf(rapid.IntRange(0, len(texts)-1)).Draw(r, "out") {
			out[d] = true
		}
		keep := func(doc int) bool { return !out[doc] }
		k := rapid.IntRange(1, len(texts)).Draw(r, "k")
		want := slices.DeleteFunc(ix.Search(q, len(texts), nil), func(h Hit) bool { return out[h.Doc] })
		if got := ix.Search(q, k, keep); !slices.Equal(got, want[:min(k, len(want))]) {
			r.Fatalf("got %v, want %v", got, want)
		}
	})
}

// TestHeap picks the best of many equal scores as sorting does.
func TestHeap(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		scores := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0, 1, 2, 3, math.Inf(1)}), 1, 40).Draw(r, "scores")
		var want []Hit
		for doc, s := range scores {
			if s > 0 {
				want = append(want, Hit{doc, s})
			}
		}
		slices.SortStableFunc(want, func(a, b Hit) int {
			switch {
			case a.Score > b.Score:
				return -1
			case a.Score < b.Score:
				return 1
			}
			return 0
		})
		k := rapid.IntRange(1, len(scores)).Draw(r, "k")
		if got := best(scores, k, nil); !slices.Equal(got, want[:min(k, len(want))]) {
			r.Fatalf("best %d of %v: %v", k, scores, got)
		}
	})
}

// TestSearchesAtOnce share the buffers of scores.
func TestSearchesAtOnce(t *testing.T) {
	texts := make([]string, 300)
	for i := range texts {
		texts[i] = strings.Repeat("loss ", i%7) + "nan model"
	}
	ix := build(t, texts...)
	queries := []string{"loss", "nan loss", "model", "absent"}
	want := make([][]Hit, len(queries))
	for i, q := range queries {
		want[i] = ix.Search(Query(q), 20, nil)
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for n := range 50 {
				i := (g + n) % len(queries)
				if got := ix.Search(Query(queries[i]), 20, nil); !slices.Equal(got, want[i]) {
					t.Errorf("%q: %v, want %v", queries[i], got, want[i])
					return
				}
			}
		})
	}
	wg.Wait()
}
