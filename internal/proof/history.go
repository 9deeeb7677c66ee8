package proof

import (
	"math/bits"
	"slices"

	"github.com/repgen/repgen/internal/environment"
)

// The search over releases is a pure function of what was seen so far: a list
// of releases, what some of them showed, and the one to try next. On each side
// of the reported release (newer, older) it looks for the two neighbours of
// which the nearer shows the symptom and the farther does not. Where the answer
// is monotone it needs at most bound(n) probes among n releases. A release that
// says nothing (no environment, another failure, an absent name) is never taken
// for a good one: its neighbours are tried in its place.

// chooser names the release to try next, "" when there is none.
type chooser func(rs []environment.Release, from string, seen map[string]probed) string

// bound is how many probes a search over n releases needs when the answer is
// monotone: a bisection, and three for the guesses before it (the newest, the
// neighbour, the end of the series), which are right more often than not.
func bound(n int) int {
	if n <= 0 {
		return 1 // the newest, when that is all there is
	}
	return bits.Len(uint(n-1)) + 3
}

// around are the usable releases on both sides of the reported one, nearest
// first. The list is in order of version, as the index client gives it.
func around(rs []environment.Release, from string) (up, down []string) {
	at := slices.IndexFunc(rs, func(r environment.Release) bool { return r.Version == from })
	for i, r := range rs {
		switch {
		case !usable(r) || !r.Wheel || i == at:
		case i < at, at < 0 && older(r.Version, from):
			down = append(down, r.Version)
		default:
			up = append(up, r.Version)
		}
	}
	slices.Reverse(down)
	return up, down
}

// nextProbe chooses the release to try next: the newest first; then towards
// the pair of neighbours on a side where a release without the symptom is
// known; then the older side when the newest still shows it, both in turn when
// that is not known.
func nextProbe(rs []environment.Release, from string, seen map[string]probed) string {
	up, down := around(rs, from)
	if n := len(up); n > 0 && seen[up[n-1]] == untried {
		return up[n-1]
	}
	if v := nextOfPair(rs, from, seen); v != "" {
		return v
	}
	a, b := outward(up, from, false, seen), outward(down, from, true, seen)
	switch {
	case a == "":
		return b
	case b == "", tried(up, seen) <= tried(down, seen)+1: // the newest was no choice
		return a
	}
	return b
}

// nextOfPair goes on only where a release without the symptom is known.
func nextOfPair(rs []environment.Release, from string, seen map[string]probed) string {
	up, down := around(rs, from)
	if v := between(up, seen); v != "" {
		return v
	}
	return between(down, seen)
}

// bracket finds the nearest release without the symptom (len when none is
// known) and the farthest before it that shows it (-1: the reported one).
func bracket(side []string, seen map[string]probed) (last, first int) {
	last, first = -1, len(side)
	for i, v := range side {
		switch seen[v] {
		case shows:
			last = i
		case without:
			return last, i
		}
	}
	return last, first
}

// between chooses inside the bracket of a side: its very first release before
// anything else was tried there, because that one's requirements are the
// closest and the next patch sometimes is the fix; then the middle.
func between(side []string, seen map[string]probed) string {
	last, first := bracket(side, seen)
	if first == len(side) {
		return ""
	}
	if last < 0 && first > 0 && tried(side[:first], seen) == 0 {
		return side[0]
	}
	return middle(side, last, first, seen)
}

// outward chooses on a side where no release without the symptom is known: the
// neighbour, the end of the own series (upward its last patch, downward the
// last release before it), then the middle of what is left. Beyond a release
// that says nothing others tend to say nothing too, so what is nearer goes
// first.
func outward(side []string, from string, down bool, seen map[string]probed) string {
	last, first := bracket(side, seen)
	if first < len(side) || len(side) == 0 {
		return "" // known: the pair is found, or has nothing left to try
	}
	if last < 0 && seen[side[0]] == untried {
		return side[0]
	}
	if i := endOfSeries(side, from, down); i > last && seen[side[i]] == untried && silents(side[:i], seen) < 2 {
		return side[i]
	}
	limit := len(side)
	if i := slices.IndexFunc(side[last+1:], func(v string) bool { return seen[v] == silent }); i >= 0 {
		limit = last + 1 + i
	}
	if v := middle(side, last, limit, seen); v != "" {
		return v
	}
	for i, v := range side[last+1:] {
		if seen[v] == untried && i < dead {
			return v
		}
	}
	return ""
}

// dead is how many releases in a row, right after those that show the symptom,
// say nothing until the side is given up: what the script calls came later than
// they. A guess.
const dead = 3

// endOfSeries is the index of the last patch of the reported release's own
// series, or downward of the nearest release of another one.
func endOfSeries(side []string, from string, down bool) int {
	i := slices.IndexFunc(side, func(v string) bool { return series(v) != series(from) })
	switch {
	case i < 0:
		return len(side) - 1
	case down || i == 0:
		return i
	}
	return i - 1
}

// middle is the untried release nearest to the middle of an open interval.
func middle(side []string, last, first int, seen map[string]probed) string {
	best, mid := -1, (last+first)/2
	for i := last + 1; i < first; i++ {
		if seen[side[i]] == untried && (best < 0 || distance(i, mid) < distance(best, mid)) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	return side[best]
}

func distance(a, b int) int { return max(a-b, b-a) }

func tried(side []string, seen map[string]probed) int {
	n := 0
	for _, v := range side {
		if seen[v] != untried {
			n++
		}
	}
	return n
}

func silents(side []string, seen map[string]probed) int {
	n := 0
	for _, v := range side {
		if seen[v] == silent {
			n++
		}
	}
	return n
}
