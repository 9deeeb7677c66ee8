package oracle

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
)

// Thresholds of a claim about time.
const (
	// slower is the least ratio that is a difference: wall times of equal runs of
	// small scripts on two shared cores spread by up to 1.3 (guess with room).
	slower = 1.5
	// noiseFloor in seconds: start-up, the page cache and the scheduler move short
	// times by tens of milliseconds, so that times below it say nothing.
	noiseFloor = 0.05
	// unmistakable is the ratio that needs no second witness: runs here never
	// share a core among four (guess). Below it the extra time must also have been
	// computed (CPU seconds) and not only waited for, since a busy machine makes
	// everything wait.
	unmistakable = 4
	// minTimed executions of each side; fewer have no spread.
	minTimed = 3
)

// threshold is the ratio from which a time is the reported symptom: half of what
// the reporter states, since machines differ, and never less than slower.
func threshold(e Expectation) float64 {
	if e.Cost == nil {
		return slower
	}
	return max(slower, e.Cost.Ratio/2)
}

// atEase is the ratio up to which a time is none: halfway between equal and the
// threshold.
func atEase(e Expectation) float64 { return 1 + (threshold(e)-1)/2 }

// judgeSlow is what one execution shows of a claim about time. Two labelled times
// of one execution are compared with each other; anything else needs a control.
func judgeSlow(e Expectation, ex sandbox.Execution) Judgement {
	if !ended(ex) {
		return unfinished(e, ex)
	}
	if e.Cost == nil || len(e.Cost.Labels) < 2 {
		return absent("a time is slow only beside a control")
	}
	slow, okS := printedTime(e.Cost.Labels[0], ex)
	fast, okF := printedTime(e.Cost.Labels[1], ex)
	if !okS || !okF {
		return absent(fmt.Sprintf("no time was printed behind %q and %q", e.Cost.Labels[0], e.Cost.Labels[1]))
	}
	if slow < noiseFloor {
		return absent(fmt.Sprintf("%q took %s, which is too short to compare", e.Cost.Labels[0], seconds(slow)))
	}
	ratio := slow / max(fast, noiseFloor/10)
	words := fmt.Sprintf("%q took %s and %q %s, a ratio of %.2f (%.2f counts as slow)", e.Cost.Labels[0], seconds(slow), e.Cost.Labels[1], seconds(fast), ratio, threshold(e))
	switch {
	case ratio >= threshold(e):
		return hitOf(symptom.Slow, symptom.FieldMatch{Field: "time", Expected: ratioText(e), Observed: fmt.Sprintf("%.2f", ratio)}, e, words)
	case ratio <= atEase(e):
		return clean(words)
	}
	return absent(words)
}

// ratioText: the threshold, for a match.
func ratioText(e Expectation) string {
	return fmt.Sprintf("a ratio of %.2f or more", threshold(e))
}

// unitOf are the units that programs print behind a time, in seconds.
var unitOf = map[string]float64{
	"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1,
	"min": 60, "mins": 60, "minute": 60, "minutes": 60, "h": 3600,
}

// printedTime is the first number behind a label, in seconds: with the unit that
// follows it, and in seconds without.
func printedTime(label string, ex sandbox.Execution) (float64, bool) {
	out := stdoutLines(ex)
	want := tokens(label, true)
	for i := range out.lines {
		rest := afterLabel(out.tokens(i, true), want)
		for k, t := range rest {
			if t.number == nil || t.number.class != classFinite && t.number.class != classZero || t.number.value < 0 {
				continue
			}
			unit := 1.0
			if k+1 < len(rest) {
				if u, ok := unitOf[rest[k+1].text]; ok {
					unit = u
				}
			}
			return t.number.value * unit, true
		}
	}
	return 0, false
}

// seconds is a time for a person.
func seconds(s float64) string { return fmt.Sprintf("%.3g s", s) }

// timed is what one execution took: the claimed time, and the CPU time of the
// whole, 0 when it was not measured.
type timed struct {
	took, cpu float64
	// online: it tried to reach the network, and may have waited for that alone.
	online bool
}

// timeOf is the claimed time of an execution that ran through.
func timeOf(e Expectation, ex sandbox.Execution, start float64) (timed, bool) {
	if !ended(ex) {
		return timed{}, false
	}
	if e.Cost != nil && len(e.Cost.Labels) > 0 {
		s, ok := printedTime(e.Cost.Labels[0], ex)
		return timed{s, ex.CPUSeconds, online(ex)}, ok
	}
	if ex.WallSeconds <= 0 {
		return timed{}, false
	}
	return timed{max(ex.WallSeconds-start, 0), ex.CPUSeconds, online(ex)}, true
}

// online says that the script or a library tried to connect to anything.
func online(ex sandbox.Execution) bool {
	return slices.ContainsFunc(ex.Record.Attempts, func(a probe.Attempt) bool { return a.Kind == "connect" })
}

// judgeSlowness judges times group against group. The measure is the slowest
// execution of the quickest control: what takes the threshold times as long shows
// the symptom, what is near it is clean.
func judgeSlowness(e Expectation, ev *Evidence) {
	if e.Cost != nil && len(e.Cost.Labels) >= 2 {
		return // each execution compares its own two times
	}
	start := startUp(e, *ev)
	base, from := baseline(e, *ev, start)
	if from < 0 {
		return
	}
	for i := range ev.Groups {
		g := &ev.Groups[i]
		if g.Side == SideNeutral || g.Side == SideRemoval || countTimed(e, *g, start) < minTimed {
			continue
		}
		for k := range g.Judgements {
			if k >= len(g.Executions) || g.Judgements[k].Finding != Absent {
				continue
			}
			if t, ok := timeOf(e, g.Executions[k], start); ok {
				g.Judgements[k] = compareTimes(e, t, base, ev.Groups[from].name())
				g.Judgements[k].Oracle = e.Oracle
			}
		}
	}
	sameWork(e, ev)
}

// compareTimes judges one time against the measure.
func compareTimes(e Expectation, t, base timed, control string) Judgement {
	against := max(base.took, noiseFloor)
	ratio := t.took / against
	words := fmt.Sprintf("it took %s, the slowest execution of %s %s: a ratio of %.2f (%.2f counts as slow)", seconds(t.took), control, seconds(base.took), ratio, threshold(e))
	switch {
	case ratio >= threshold(e) && (ratio < unmistakable || t.online) && !computed(t, base):
		return absent(words + ", but the extra time was not spent computing: the machine may have been busy, or the network was waited for")
	case ratio >= threshold(e):
		return hitOf(symptom.Slow, symptom.FieldMatch{Field: "time", Expected: ratioText(e), Observed: fmt.Sprintf("%.2f", ratio)}, e, words)
	case ratio <= atEase(e):
		return clean(words)
	}
	return absent(words)
}

// computed says that at least half of the extra time was CPU time.
func computed(t, base timed) bool {
	return t.cpu > 0 && base.cpu > 0 && t.cpu-base.cpu >= (t.took-base.took)/2
}

// startUp is the time of the interpreter and the imports, as the certificate
// script of the reported environment shows it: every side has it alike. Not where
// the printed times carry the claim, or importing itself is said to be slow.
func startUp(e Expectation, ev Evidence) float64 {
	if e.Cost != nil && len(e.Cost.Labels) > 0 || importMeant.MatchString(e.Symptom.Message) {
		return 0
	}
	start := 0.0
	for _, g := range ev.Groups {
		if g.Side != SideNeutral {
			continue
		}
		for _, ex := range g.Executions {
			if s := ex.WallSeconds; ended(ex) && (start == 0 || s < start) {
				start = s
			}
		}
	}
	// What remains must be a part of the whole that can be measured: where a fifth
	// of it is start-up noise, the remainder says nothing, and the whole is taken.
	for _, g := range ev.Groups {
		for _, ex := range g.Executions {
			if g.Side == SideReported && ended(ex) && ex.WallSeconds < 1.2*start {
				return 0
			}
		}
	}
	return start
}

// countTimed is how many executions of a group can be timed.
func countTimed(e Expectation, g Group, start float64) int {
	n := 0
	for _, ex := range g.Executions {
		if _, ok := timeOf(e, ex, start); ok {
			n++
		}
	}
	return n
}

// baseline is the slowest execution of the control that is quickest by that
// measure, and its group, -1 when no control was timed often enough.
func baseline(e Expectation, ev Evidence, start float64) (timed, int) {
	best, from := timed{}, -1
	for i, g := range ev.Groups {
		// Less of a script is always quicker: a removal is no measure of time.
		if g.Side.neverControl() || g.Side == SideRemoval || countTimed(e, g, start) < minTimed {
			continue
		}
		var all []timed
		for _, ex := range g.Executions {
			if t, ok := timeOf(e, ex, start); ok {
				all = append(all, t)
			}
		}
		slowest := slices.MaxFunc(all, func(a, b timed) int { return cmp.Compare(a.took, b.took) })
		for _, t := range all {
			slowest.cpu = max(slowest.cpu, t.cpu)
		}
		if from < 0 || slowest.took < best.took {
			best, from = slowest, i
		}
	}
	return best, from
}
