// Package fusion makes one order of two: what was found by words (BM25) and
// what was found by meaning (cosine).
//
// # How ours was chosen
//
// Measured on 20 real fixes (10 of keras, 10 of torchmetrics), each searched
// in the project as it was before the fix, tests left out, identifiers split,
// files by their best chunk; recall@5 / recall@20 / MRR. One query is 0.05 of
// "both", so differences below 0.1 say nothing.
//
//	                           keras            torchmetrics     both
//	BM25                       .533 .700 .483   .692 .775 .678   .613 .738 .581
//	dense                      .400 .667 .390   .792 .975 .699   .596 .821 .545
//	paper .55                  .667 .700 .502   .658 .775 .738   .662 .738 .620
//	paper .55, dense pool only .667 .900 .539   .658 .875 .746   .662 .887 .643
//	own pools .5               .500 .900 .488   .817 .900 .775   .658 .900 .631
//	z-scores .5                .600 .900 .498   .817 .900 .775   .708 .900 .636
//	ranks of files, k 10       .600 .700 .440   .683 1.00 .775   .642 .850 .608
//	united pool .5             .600 .900 .499   .717 .900 .771   .658 .900 .635
//	united pool .55 (ours)     .600 .900 .503   .717 .900 .755   .658 .900 .629
//	united pool .6             .500 .900 .501   .817 .900 .758   .658 .900 .630
//
// Every way to bring both scores to a common spread does as well as the next:
// what matters is that neither decides alone (recall@20 .900 against .738). So
// the simplest was taken, with the share that the paper gives: min-max over
// the united pool. With common words left out of the query, and then with path
// and name in the text, .54 to .6 stays the best of .3 to .8 (.708 .900 .633
// and .708 .900 .635 at .55), and the gain over BM25 at recall@5 is +.100
// [.000, .200] both times (90 % bootstrap over pairs). Over the three variants
// a share chosen on torchmetrics alone (.6) costs keras .08 recall@5 of its
// best, one chosen on keras alone (.32) costs torchmetrics .14: the middle
// loses least. A sum of a file's best two or three chunks, each weighing less
// by a factor of .1 to 1, gave .54 to .71 recall@5 and .76 to .94 recall@20:
// no better than the best chunk alone, and worse the heavier the others weigh.
//
// The figures above are with a plain splitting of identifiers. With this
// project's own tokens, both sets: .708 .900 .633 (BM25 alone .613 .738 .581,
// paper .679 .738 .620), and in the other two variants .708 .900 .635 and
// .696 .900 .637.
package fusion

import "cmp"

// Scored is a document with a score: BM25, or a cosine in [-1, 1].
type Scored struct {
	Doc   int
	Score float64
}

// Kind is a way to mix.
type Kind string

// The ways to mix.
const (
	// RepGen is ours: both scores by min-max over the united pool.
	RepGen Kind = "repgen"
	// Paper is the published one: BM25 over its maximum, and 1 - angle / pi.
	// The spread of the second over a pool is about 0.1, so BM25 decides.
	Paper Kind = "paper"
	// MinMax is min-max of each side over its own pool; what only the other
	// side found and lies below counts as the lowest.
	MinMax Kind = "minmax"
	// RRF goes by the rank of the document's file: 1 / (k + rank), k = 10.
	RRF Kind = "rrf"
)

// Kinds are all of them.
var Kinds = []Kind{RepGen, Paper, MinMax, RRF}

const (
	// DefaultPool is how many documents of each side take part (source: the
	// paper).
	DefaultPool = 200
	// rankOffset is k of RRF. The literature has 60, for thousands of ranks; of
	// 1, 5, 10 and 60, ten was as good as any (measured as above).
	rankOffset = 10
)

// defaultAlpha is the share of the dense side: .55 from the paper, which is in
// the middle of the best range of ours; an even share where none was chosen.
var defaultAlpha = map[Kind]float64{RepGen: .55, Paper: .55, MinMax: .5, RRF: .5}

// Options of Fuse. The zero value is ours.
type Options struct {
	Kind Kind // "" for RepGen; an unknown one too
	// Alpha is the share of the dense side, 0 to 1; nil for the kind's own.
	Alpha *float64
	// Pool is how many of each side take part, 0 for DefaultPool.
	Pool int
	// Lexical and Dense give the exact score of a document that only the other
	// side found. nil, or false, counts as the lowest of the pool.
	Lexical func(doc int) float64
	Dense   func(doc int) (float64, bool)
	// File gives the file of a document, for RRF; nil takes each for its own.
	File func(doc int) int
}

func (o Options) alpha() float64 {
	if o.Alpha != nil {
		return max(0, min(1, *o.Alpha))
	}
	return defaultAlpha[o.Kind]
}

// Term is one addend of a score.
type Term struct {
	Name   string // "bm25" or "dense"
	Raw    float64
	Norm   float64 // 0 to 1
	Weight float64
	Value  float64 // Weight times Norm
	// Missing says that there is no raw score.
	Missing bool
}

// Fused is a document with the score of both sides.
type Fused struct {
	Doc   int
	Score float64 // the sum of the terms, 0 to 1
	// Terms are those of the sides that took part: BM25, then dense.
	Terms []Term
	// tie orders documents of equal score before their number does: by the
	// document's own ranks where Score goes by its file's.
	tie float64
}

// Fuse unites both pools and orders them, best first, equal ones by document.
// An empty side is switched off: the other then has the whole weight. The
// result does not depend on the order of the inputs; of a document that is
// twice in one the higher score counts, and one that is not a number is left
// out.
func Fuse(lexical, dense []Scored, o Options) []Fused {
	if _, known := defaultAlpha[o.Kind]; !known {
		o.Kind = RepGen
	}
	if o.Pool <= 0 {
		o.Pool = DefaultPool
	}
	lex := newSide("bm25", lexical, o.Pool)
	den := newSide("dense", dense, o.Pool)
	docs := union(lex, den)
	lex.fill(docs, func(doc int) (float64, bool) {
		if o.Lexical == nil {
			return 0, false
		}
		return o.Lexical(doc), true
	})
	den.fill(docs, o.Dense)
	lex.weight, den.weight = 1-o.alpha(), o.alpha()
	switch {
	case len(den.pool) == 0:
		lex.weight, den.weight = 1, 0
	case len(lex.pool) == 0:
		lex.weight, den.weight = 0, 1
	}
	out := make([]Fused, len(docs))
	for i, doc := range docs {
		out[i].Doc = doc
	}
	for _, s := range []*side{lex, den} {
		if len(s.pool) > 0 {
			s.addTerms(out, o)
		}
	}
	sortFused(out)
	return out
}

// better orders a before b.
func better(a, b Fused) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.tie, a.tie), cmp.Compare(a.Doc, b.Doc))
}
