package embed

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"
)

// quadratic is the length in tokens at which attention costs as much as the
// rest of a transformer's layer: six times its width, by counting
// multiplications (24 d^2 a token against 4 d a pair of tokens). 384 is the
// width of MiniLM; a wider model is a little better than this says.
const quadratic = 6 * 384

// perBatch is what a batch costs beside its tokens, in tokens (guess: the call
// into the runtime, the reading of the texts).
const perBatch = 16

// cost is the work in n texts padded to length tokens, in tokens' worth.
func cost(n, length int) float64 {
	l := float64(length)
	return perBatch + float64(n)*l*(1+l/quadratic)
}

// pack sorts by length and cuts into batches of at most maxTokens padded
// tokens and maxTexts texts; a longer text is a batch of its own. The batches
// come in a shuffled order, the same each time: then the pace of the first few
// is that of all, and the time to go is honest from the beginning, whatever
// the model really costs by length.
func pack(items []item, maxTokens, maxTexts int) [][]item {
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(a.tokens, b.tokens) })
	var batches [][]item
	for len(items) > 0 {
		n := 1
		for n < len(items) && n < maxTexts && (n+1)*items[n].tokens <= maxTokens {
			n++
		}
		batches = append(batches, items[:n])
		items = items[n:]
	}
	// A fixed seed: runs can be compared.
	rnd := rand.New(rand.NewPCG(1, uint64(len(batches))))
	rnd.Shuffle(len(batches), func(i, j int) { batches[i], batches[j] = batches[j], batches[i] })
	return batches
}

// costOf is the cost of a batch of pack.
func costOf(b []item) float64 { return cost(len(b), b[len(b)-1].tokens) }

// guessTokens is for embedders that cannot count: about four bytes a token
// (measured: 3.6 on Python source with BERT's vocabulary).
func guessTokens(text string, most int) int {
	n := len(text)/4 + 2
	if most > 0 {
		n = min(n, most)
	}
	return n
}

// pace measures how fast batches go and says how long the rest takes.
type pace struct {
	left    float64 // cost still to do
	cost    float64 // cost and time done, older batches fading
	seconds float64
	batches int
}

// halfLife is the cost after which a measurement counts half: the machine's
// load changes. Source: guess, a minute or two of MiniLM on one core.
const halfLife = 200_000

func (p *pace) begin(batches [][]item) {
	p.left = 0
	for _, b := range batches {
		p.left += costOf(b)
	}
}

func (p *pace) did(b []item, took time.Duration) {
	c := costOf(b)
	p.left -= c
	p.batches++
	if p.batches == 2 {
		p.cost, p.seconds = 0, 0 // the first batch warms the model up
	}
	fade := 1 / (1 + c/halfLife)
	p.cost = p.cost*fade + c
	p.seconds = p.seconds*fade + took.Seconds()
}

// eta is unknown before the second batch: the first one warms up.
func (p *pace) eta() (time.Duration, bool) {
	if p.batches < 2 || p.cost <= 0 {
		return 0, false
	}
	return time.Duration(max(p.left, 0) * p.seconds / p.cost * float64(time.Second)), true
}
