package bench

import (
	"math/rand/v2"
	"slices"
)

// Depths at which recall is counted: the paper's pools end at 20 files or
// fewer, five modules go into a context, one is the top answer.
const (
	depth1  = 1
	depth5  = 5
	depth20 = 20
)

// Scores of one ranking, each 0 to 1: recall is the share of a pair's files
// among the first 1, 5, 20; MRR is one over the rank of the first of them.
type Scores struct {
	R1  float64 `json:"r1"`
	R5  float64 `json:"r5"`
	R20 float64 `json:"r20"`
	MRR float64 `json:"mrr"`
}

// scoreRanks scores the 1-based ranks of a pair's files; 0 is not found.
func scoreRanks(ranks []int) Scores {
	var s Scores
	if len(ranks) == 0 {
		return s
	}
	first, n := 0, float64(len(ranks))
	for _, r := range ranks {
		if r < 1 {
			continue
		}
		if first == 0 || r < first {
			first = r
		}
		s.R1 += within(r, depth1) / n
		s.R5 += within(r, depth5) / n
		s.R20 += within(r, depth20) / n
	}
	if first > 0 {
		s.MRR = 1 / float64(first)
	}
	return s
}

func within(rank, depth int) float64 {
	if rank <= depth {
		return 1
	}
	return 0
}

// Interval is a range of values, ends included.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

const (
	// resamples of the bootstrap: the ends of a 95 % interval move by under .01
	// between seeds (measured on 20 pairs).
	resamples = 4000
	// bootstrapSeed is fixed, so that equal rankings print equal tables.
	bootstrapSeed = 20
	// tail is what each side of the interval leaves out.
	tail = 0.025
)

// bootstrap gives the 95 % percentile interval of the mean of values, drawn
// with replacement. With one value there is nothing to say: it is that value.
func bootstrap(values []float64) Interval {
	if len(values) == 0 {
		return Interval{}
	}
	r := rand.New(rand.NewPCG(bootstrapSeed, uint64(len(values))))
	means := make([]float64, resamples)
	for i := range means {
		sum := 0.0
		for range values {
			sum += values[r.IntN(len(values))]
		}
		means[i] = sum / float64(len(values))
	}
	slices.Sort(means)
	cut := int(tail * resamples)
	return Interval{means[cut], means[resamples-1-cut]}
}

func mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
