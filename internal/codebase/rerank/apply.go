package rerank

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Item is a document in the order so far.
type Item struct {
	Doc   int
	Score float64
	// Certain is the part of Score that is known and no guess (a frame of the
	// traceback is here): the reranker is not weighed up against it.
	Certain float64
	// Text is read for the first Top only.
	Text string
}

// Reranked is an Item in the order after.
type Reranked struct {
	Doc int
	// Score is that of the Item and Value: it keeps those that were read above
	// those that were not.
	Score float64
	// Raw is what the reranker gave, Norm the same by min-max over those it
	// read; Weight times Norm is Value. All zero where Seen is false: below the
	// first Top, whose order stays.
	Raw, Norm, Weight, Value float64
	Seen                     bool
}

// Options of Apply. The zero value is ours.
type Options struct {
	// Top is how many are read, 0 for DefaultTop.
	Top int
	// Share is the say of the reranker against the score so far, between 0 and
	// 1: each is taken by min-max over those that are read. 0 for DefaultShare;
	// above maxShare the reranker decides alone in all but name.
	Share float64
}

const (
	// DefaultTop is how many are reordered (source: the paper).
	DefaultTop = 20
	// DefaultShare is a guess: the published method lets the reranker decide
	// alone, with a model that has read web pages and no code; and what BM25 and
	// the vectors agreed on should not be lost to one score. To be measured
	// where the weights of a cross-encoder can be had.
	DefaultShare = 0.5
	maxShare     = 0.99
)

// Apply reorders the first Top items by a mix of their score and the
// reranker's; the others follow as they were. items must be ordered best
// first. The reranker's weight is such that over those it reads it moves a
// score as far as they lie apart (at a share of one half), which is the same
// as mixing both after min-max. Errors are the reranker's: the order so far is
// then the best there is.
func Apply(ctx context.Context, r Reranker, query string, items []Item, o Options) ([]Reranked, error) {
	if o.Top <= 0 {
		o.Top = DefaultTop
	}
	out := make([]Reranked, len(items))
	for i, it := range items {
		out[i] = Reranked{Doc: it.Doc, Score: it.Score}
	}
	top := items[:min(o.Top, len(items))]
	if r == nil || len(top) == 0 {
		return out, nil
	}
	scores, err := scored(ctx, r, query, top)
	if err != nil {
		return nil, err
	}
	weight := weightOf(top, o.Share)
	lo, hi := slices.Min(scores), slices.Max(scores)
	for i, raw := range scores {
		x := &out[i]
		x.Seen, x.Raw, x.Weight = true, raw, weight
		if hi > lo {
			x.Norm = (raw - lo) / (hi - lo)
		}
		x.Value = x.Weight * x.Norm
		x.Score += x.Value
	}
	slices.SortStableFunc(out[:len(top)], func(a, b Reranked) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return out, nil
}

// scored asks the reranker and does not believe it.
func scored(ctx context.Context, r Reranker, query string, top []Item) ([]float64, error) {
	texts := make([]string, len(top))
	for i, it := range top {
		texts[i] = it.Text
	}
	scores, err := r.Score(ctx, query, texts)
	if err != nil {
		return nil, fmt.Errorf("rerank with %s: %w", r.Name(), err)
	}
	if len(scores) != len(texts) {
		return nil, fmt.Errorf("rerank with %s: %d scores for %d texts", r.Name(), len(scores), len(texts))
	}
	for i, s := range scores {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return nil, fmt.Errorf("rerank with %s: score %d is %v", r.Name(), i, s)
		}
	}
	return scores, nil
}

// weightOf is the weight of the reranker's norm beside the scores of top.
func weightOf(top []Item, share float64) float64 {
	if share <= 0 {
		share = DefaultShare
	}
	share = min(share, maxShare)
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, it := range top {
		s := it.Score - it.Certain
		lo, hi = min(lo, s), max(hi, s)
	}
	spread := hi - lo
	if spread <= 0 {
		spread = 1 // all alike: whatever the weight, the reranker decides
	}
	return spread * share / (1 - share)
}
