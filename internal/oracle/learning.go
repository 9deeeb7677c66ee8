package oracle

import (
	"fmt"
	"math"
	"slices"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
)

// Thresholds of a printed series (guesses, with a gap between yes and no).
const (
	// minSeries points are the fewest in which a trend can be seen at all.
	minSeries = 3
	// improved is the change, relative to where the series began, that counts as
	// learning: a loss on one repeated batch falls by far more in a few steps.
	improved = 0.10
	// stalled is the change that is none, and spread the part of the step-to-step
	// changes that a net change must exceed to be more than their noise.
	stalled = 0.05
)

// judgeLearning: a printed series does not go where it should. The symptom is a
// series without a change beyond its own noise (or one in the wrong direction);
// the control one that changes by a tenth or more, by trend and not by one jump.
func judgeLearning(e Expectation, ex sandbox.Execution) Judgement {
	if !ended(ex) {
		return unfinished(e, ex)
	}
	if e.Series == nil {
		return absent("the report names no series")
	}
	series := seriesOf(e.Series.Label, ex)
	if len(series) < minSeries {
		return absent(fmt.Sprintf("%d numbers of the series were printed, at least %d are needed", len(series), minSeries))
	}
	xs := make([]float64, len(series))
	for i, n := range series {
		if math.IsNaN(n.value) || math.IsInf(n.value, 0) {
			return absent("the series holds " + n.text + ", which is another symptom")
		}
		xs[i] = n.value
	}
	t := trendOf(xs, e.Series.Want, series)
	words := fmt.Sprintf("%d values from %s to %s: %s", len(series), series[0].text, series[len(series)-1].text, t.words)
	switch {
	case t.stands:
		return hitOf(symptom.NoLearning, symptom.FieldMatch{
			Field: "series", Expected: "does not do so: " + e.Series.Want, Observed: words,
		}, e, words)
	case t.moves:
		return clean(words)
	}
	return absent(words + ", too little to say either")
}

// seriesOf are the numbers behind a label, in the order of printing; without a
// label the last number of each line of the largest family.
func seriesOf(label string, ex sandbox.Execution) []number {
	out := stdoutLines(ex)
	if label == "" {
		var largest family
		for _, f := range families(out) {
			if len(f.rows) > len(largest.rows) {
				largest = f
			}
		}
		return lastOfEach(largest.rows)
	}
	var series []number
	want := tokens(label, false)
	for i := range out.lines {
		rest := afterLabel(out.tokens(i, false), want)
		if ns := numbers(rest); len(ns) > 0 {
			series = append(series, ns[0])
		}
	}
	return series
}

// lastOfEach is the last number of each line, also of a single one.
func lastOfEach(rows [][]token) []number {
	var out []number
	for _, r := range rows {
		if ns := numbers(r); len(ns) > 0 {
			out = append(out, ns[len(ns)-1])
		}
	}
	return out
}

// trend says where a series goes.
type trend struct {
	stands, moves bool
	words         string
}

// trendOf compares the medians of the first and the last third, so that no single
// point decides, with the noise from step to step (its median), and asks Mann's
// count of ordered pairs (Mann 1945) for the direction.
func trendOf(xs []float64, want string, printed []number) trend {
	if want == "changes" {
		return changes(xs, printed)
	}
	sign := -1.0 // "falls"
	if want == "rises" {
		sign = 1
	}
	third := max(1, len(xs)/3)
	first, last := median(xs[:third]), median(xs[len(xs)-third:])
	scale := max(math.Abs(first), math.Abs(last))
	if want != "rises" {
		scale = math.Abs(first)
	}
	steps := make([]float64, len(xs)-1)
	for i := range steps {
		steps[i] = math.Abs(xs[i+1] - xs[i])
	}
	noise := median(steps)
	net, tau := sign*(last-first), sign*mann(xs)
	part := 0.0
	if scale > 0 {
		part = net / scale
	}
	// A steady fall has small equal steps: its net change is many of them. Noise
	// is what goes to and fro, so it counts in full only where the order is none.
	back := noise * (1 - max(tau, 0))
	t := trend{words: fmt.Sprintf("changes by %.1f %% in the direction wanted (%s), order %.2f", 100*part, want, tau)}
	t.stands = part < stalled || net <= back
	t.moves = !t.stands && part >= improved && tau > 0
	return t
}

// changes: "the weights never change" is a series that is printed the same; the
// control differs by more than the last digits.
func changes(xs []float64, printed []number) trend {
	lo, hi := slices.Min(xs), slices.Max(xs)
	ulp := 0.0
	for _, n := range printed {
		ulp = max(ulp, n.ulp)
	}
	t := trend{words: fmt.Sprintf("lies between %g and %g", lo, hi)}
	t.stands = hi == lo
	t.moves = hi-lo > max(10*ulp, equalTolerance*max(math.Abs(lo), math.Abs(hi)))
	if len(printed) > 0 && printed[0].integer {
		t.moves = hi != lo
	}
	return t
}

// mann is Kendall's tau of a series against its order: 1 rises throughout, -1
// falls throughout, 0 has no direction.
func mann(xs []float64) float64 {
	s, pairs := 0, 0
	for i := range xs {
		for k := i + 1; k < len(xs) && k < i+maxPairs; k++ {
			pairs++
			switch {
			case xs[k] > xs[i]:
				s++
			case xs[k] < xs[i]:
				s--
			}
		}
	}
	if pairs == 0 {
		return 0
	}
	return float64(s) / float64(pairs)
}

// maxPairs bounds the pairs of one point, so that a series of 20,000 lines costs
// no 200 million comparisons (guess; a trend shows within so many points).
const maxPairs = 500

// median is the middle of the values, 0 of none.
func median(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(xs))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}
