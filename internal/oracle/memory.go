package oracle

import (
	"fmt"
	"math"
	"slices"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
)

// Thresholds of growing memory (guesses, with a gap of a factor of two between
// yes and no, so that what is clean grows less than half as fast as what is not).
const (
	mebibyte = 1 << 20
	// growsBy is the slope, per second, of a leak that somebody reports: slower
	// ones do not show in the minutes that a script runs here.
	growsBy = 1 * mebibyte
	// growsShare of the peak, in the second half of the run, is growth at any slope.
	growsShare = 0.20
	// growsAtLeast keeps the allocator's own steps out of it: the arenas of glibc
	// and the pools of CPython and torch come in pieces of up to some MiB.
	growsAtLeast = 8 * mebibyte
	// steady is the share of the changes that must go up.
	steady = 0.7
	// minPoints of the second half are the fewest that make a slope.
	minPoints = 10
)

// judgeMemory reads the memory of the whole process tree as it was measured from
// outside: the second half of the run, since imports and the first batch always
// grow. The symptom is steady growth by Theil and Sen's slope, the median of the
// slopes of all pairs (Theil 1950, Sen 1968), which no single jump moves.
func judgeMemory(e Expectation, ex sandbox.Execution) Judgement {
	limited := ex.Outcome == sandbox.TimedOut || ex.Outcome == sandbox.OutOfMemory
	if !ended(ex) && !limited {
		return unfinished(e, ex)
	}
	points, what := memorySeries(e, ex)
	if len(points) < minPoints && len(points) < minSeries || len(points) == 0 {
		return unsampled(ex, limited)
	}
	g := growthOf(points, what)
	switch {
	case g.grows:
		return hitOf(symptom.Memory, symptom.FieldMatch{Field: "memory", Expected: "grows steadily", Observed: g.words}, e, g.words+killedBy(ex))
	case limited:
		j, _ := preflight(ex)
		j.Reasons = append(j.Reasons, g.words)
		return j
	case g.flat:
		return clean(g.words)
	}
	return absent(g.words + ": neither a steady growth nor flat")
}

// killedBy adds that our own limit ended the growth.
func killedBy(ex sandbox.Execution) string {
	if ex.Outcome == sandbox.OutOfMemory {
		return ", until our limit killed it"
	}
	return ""
}

// unsampled: too short a run, or nothing that measures.
func unsampled(ex sandbox.Execution, limited bool) Judgement {
	if limited {
		j, _ := preflight(ex)
		return j
	}
	return Judgement{
		Finding: Inconclusive, Match: symptom.Match{Relation: symptom.None},
		Reasons: []string{fmt.Sprintf("memory was measured %d times in %.1f s, too seldom to see it grow", len(ex.Memory), ex.WallSeconds)},
	}
}

// series is what is measured, as points of a plane.
type memoryPoint struct{ at, value float64 }

// memorySeries is the second half of the measured memory or, where the report
// says which printed numbers carry the claim, those.
func memorySeries(e Expectation, ex sandbox.Execution) (points []memoryPoint, what string) {
	if e.Cost != nil && len(e.Cost.Labels) > 0 {
		ns := seriesOf(e.Cost.Labels[0], ex)
		for i, n := range ns {
			if n.class == classFinite || n.class == classZero {
				points = append(points, memoryPoint{float64(i), n.value})
			}
		}
		if len(points) >= minSeries {
			return points[len(points)/4:], "printed"
		}
		points = nil
	}
	if len(ex.Memory) == 0 {
		return nil, ""
	}
	half := ex.Memory[len(ex.Memory)-1].At / 2
	for _, p := range ex.Memory {
		if p.At >= half {
			points = append(points, memoryPoint{p.At, float64(p.Bytes)})
		}
	}
	if len(points) < minPoints {
		return nil, ""
	}
	return points, "measured"
}

// growth is what a series of memory does.
type growth struct {
	grows, flat bool
	words       string
}

// growthOf measures a series. The direction of the changes is asked beside the
// slope: a sawtooth has a slope in any window that ends high.
func growthOf(points []memoryPoint, what string) growth {
	slope := theilSen(points)
	span := points[len(points)-1].at - points[0].at
	peak, ups, moves := 0.0, 0, 0
	for i, p := range points {
		peak = max(peak, p.value)
		if i == 0 || p.value == points[i-1].value {
			continue
		}
		moves++
		if p.value > points[i-1].value {
			ups++
		}
	}
	total, up := slope*span, 0.0
	if moves > 0 {
		up = float64(ups) / float64(moves)
	}
	// Both halves of what is looked at must take part: one late allocation, even
	// a large one, is no leak.
	early, late := theilSen(points[:len(points)/2+1]), theilSen(points[len(points)/2:])
	goesOn := early > slope/4 && late > slope/4
	share := total / max(peak, 1)
	if what == "printed" {
		g := growth{words: fmt.Sprintf("the printed memory grows by %.0f %% of its peak over %d values, %.0f %% of the changes upwards", 100*share, len(points), 100*up)}
		g.grows = share >= growsShare && up >= steady && goesOn
		g.flat = share < growsShare/2
		return g
	}
	g := growth{words: fmt.Sprintf("memory changes by %.2f MiB/s over the last %.1f s, %.0f %% of the peak of %.0f MiB, %.0f %% of the changes upwards",
		slope/mebibyte, span, 100*share, peak/mebibyte, 100*up)}
	living := whileItLives(points)
	third := max(len(living)/3, 1)
	base, rise := lowest(living), lowest(living[len(living)-third:])-lowest(living[:third])
	// What is taken and given back each time (a sawtooth) leaves the floor where it
	// was, whatever slope its teeth have.
	g.grows = (slope >= growsBy || share >= growsShare) && total >= growsAtLeast && up >= steady && goesOn && rise >= total/2
	// By slope, whatever it sums up to: a control that ends sooner has had less
	// time to grow, and a leak of the same speed is no fix.
	g.flat = slope < growsBy/2.0 && share < growsShare/2
	teeth := peak - base
	if !g.grows && teeth >= growsAtLeast && total <= teeth/2 && rise < growsAtLeast/2 && rise < growsBy/2.0*span && rise < growsShare/2*base {
		g.flat, g.words = true, g.words+", and it falls back to where it began"
	}
	return g
}

// whileItLives leaves out the end of a series at which the process is going: it
// holds less than where the series begins.
func whileItLives(points []memoryPoint) []memoryPoint {
	for n := len(points); n > minPoints/2 && points[n-1].value < points[0].value; n = len(points) {
		points = points[:n-1]
	}
	return points
}

func lowest(points []memoryPoint) float64 {
	low := math.Inf(1)
	for _, p := range points {
		low = min(low, p.value)
	}
	return low
}

// theilSen is the median slope of all pairs of points, 0 for fewer than two.
func theilSen(points []memoryPoint) float64 {
	var slopes []float64
	for i, p := range points {
		for _, q := range points[i+1:] {
			if dt := q.at - p.at; dt > 0 && !math.IsInf(q.value-p.value, 0) {
				slopes = append(slopes, (q.value-p.value)/dt)
			}
		}
	}
	slices.Sort(slopes)
	return median(slopes)
}
