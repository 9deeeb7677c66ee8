package bm25

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// goldenDocs and goldenScores come from rank_bm25 0.2.2 (BM25Okapi.get_scores)
// with its table of idf replaced by log(1 + (N-n+.5)/(n+.5)). Where it divides
// nothing by nothing (an empty document and b = 1) the score is 0.
var goldenDocs = []string{
	"def fit self x y loss loss nan",
	"class model fit predict evaluate",
	"loss nan",
	"optimizer step loss grad grad grad step step",
	"",
	"the loss of the model is nan and the loss of the other model is nan too",
}

var goldenScores = []struct {
	p     Params
	query string
	want  []float64
}{
	{Params{1.2, .75}, "nan loss", []float64{1.21589118101, 0, 1.59041774028, 0.408416829838, 0, 1.08681429913}},
	{Params{1.2, .75}, "grad step model", []float64{0, 1.1469178318, 0, 4.6424371097, 0, 0.985925013188}},
	{Params{1.2, .75}, "fit fit x absent", []float64{3.32743887634, 2.29383566359, 0, 0, 0, 0}},
	{Params{2, .3}, "nan loss", []float64{1.30993342936, 0, 1.31974410795, 0.424839184884, 0, 1.38131431989}},
	{Params{2, .3}, "grad step model", []float64{0, 1.08380991282, 0, 5.41562709708, 0, 1.25308651178}},
	{Params{2, .3}, "fit fit x absent", []float64{3.46123449549, 2.16761982564, 0, 0, 0, 0}},
	{Params{.5, 1}, "nan loss", []float64{1.15963250364, 0, 1.48040860805, 0.414218205262, 0, 1.03967627436}},
	{Params{.5, 1}, "grad step model", []float64{0, 1.12322118238, 0, 3.85111260237, 0, 0.943162824899}},
	{Params{.5, 1}, "fit fit x absent", []float64{3.3747036331, 2.24644236476, 0, 0, 0, 0}},
}

func TestGolden(t *testing.T) {
	data := merge(t, Older{}, map[int]string{}, goldenDocs)
	for _, tt := range goldenScores {
		ix, err := New(data, tt.p)
		if err != nil {
			t.Fatal(err)
		}
		q := Query(tt.query)
		for doc, want := range tt.want {
			if got := ix.Score(q, doc); math.Abs(got-want) > 1e-10 {
				t.Errorf("%v %q document %d: %.12g, want %.12g", tt.p, tt.query, doc, got, want)
			}
		}
		best := slices.Index(tt.want, slices.Max(tt.want))
		if hits := ix.Search(q, 1, nil); len(hits) != 1 || hits[0].Doc != best {
			t.Errorf("%v %q: %v, want document %d", tt.p, tt.query, hits, best)
		}
	}
}

// TestParamsAtTheirEnds: without B length does not matter, without K1 neither
// does repetition.
func TestParamsAtTheirEnds(t *testing.T) {
	data := merge(t, Older{}, map[int]string{}, []string{"loss", "loss and a long rest of words", "loss loss loss", "none"})
	tests := []struct {
		p    Params
		want string // of the scores of documents 0, 1 and 2
	}{
		{Params{1.2, .75}, "2>0 0>1"},
		{Params{1.2, 0}, "2>0 0=1"},
		{Params{0, .75}, "2=0 0=1"},
		{Params{0, 0}, "2=0 0=1"},
	}
	for _, tt := range tests {
		ix, err := New(data, tt.p)
		if err != nil {
			t.Fatal(err)
		}
		s := func(doc int) float64 { return ix.Score(Query("loss"), doc) }
		sign := func(a, b int) string {
			switch {
			case math.Abs(s(a)-s(b)) < 1e-12:
				return "="
			case s(a) > s(b):
				return ">"
			}
			return "<"
		}
		if got := fmt.Sprintf("2%s0 0%s1", sign(2, 0), sign(0, 1)); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.p, got, tt.want)
		}
	}
}
