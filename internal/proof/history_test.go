package proof

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/environment"
)

func TestNextProbe(t *testing.T) {
	rs := wheels("0.10.9", "0.11.3", "0.11.4", "0.11.5", "0.11.6", "0.11.7", "0.11.8", "0.11.12", "0.12.0", "0.13.8")
	for _, c := range []struct {
		name string
		seen map[string]probed
		want string
	}{
		{"nothing known: the newest", nil, "0.13.8"},
		{"the newest is without it: the very next one", map[string]probed{"0.13.8": without}, "0.11.6"},
		{"the next one shows it: the middle", map[string]probed{"0.13.8": without, "0.11.6": shows}, "0.11.8"},
		{"the middle is without it: nearer", map[string]probed{"0.13.8": without, "0.11.6": shows, "0.11.12": without}, "0.11.7"},
		{"the next one says nothing: the middle", map[string]probed{"0.13.8": without, "0.11.6": silent}, "0.11.8"},
		{"the newest says nothing: the very next one", map[string]probed{"0.13.8": silent}, "0.11.6"},
		{"nor does the next one: the one before", map[string]probed{"0.13.8": silent, "0.11.6": silent}, "0.11.4"},
		{"both neighbours say nothing: the end of the series", map[string]probed{"0.13.8": silent, "0.11.6": silent, "0.11.4": silent}, "0.11.12"},
		{"the newest shows it: only older ones", map[string]probed{"0.13.8": shows}, "0.11.4"},
		{"the one before shows it: the series before", map[string]probed{"0.13.8": shows, "0.11.4": shows}, "0.10.9"},
		{"an old one is without it: between", map[string]probed{"0.13.8": shows, "0.11.4": shows, "0.10.9": without}, "0.11.3"},
		{"the pair is known on the newer side: the older one", map[string]probed{"0.13.8": without, "0.11.6": without}, "0.11.4"},
		{"both pairs are known: none", map[string]probed{"0.13.8": shows, "0.11.4": without}, ""},
	} {
		if got := nextProbe(rs, "0.11.5", c.seen); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestNextOfPairStaysWhereOneIsKnown(t *testing.T) {
	rs := wheels("1.0", "1.1", "1.2", "1.3", "1.4", "1.5")
	for _, c := range []struct {
		seen map[string]probed
		want string
	}{
		{nil, ""},
		{map[string]probed{"1.5": shows}, ""},
		{map[string]probed{"1.5": without}, "1.3"},
		{map[string]probed{"1.5": without, "1.3": shows}, "1.4"},
		{map[string]probed{"1.5": without, "1.3": shows, "1.4": silent}, ""},
		{map[string]probed{"1.0": without}, "1.1"},
	} {
		if got := nextOfPair(rs, "1.2", c.seen); got != c.want {
			t.Errorf("%v: got %q, want %q", c.seen, got, c.want)
		}
	}
}

func TestBound(t *testing.T) {
	for n, want := range map[int]int{0: 1, 1: 3, 2: 4, 3: 5, 4: 5, 5: 6, 8: 6, 9: 7, 64: 9, 65: 10} {
		if got := bound(n); got != want {
			t.Errorf("%d releases: %d probes, want %d", n, got, want)
		}
	}
}

// history is a made-up past of a package: releases, oldest first, and what each
// shows.
type history struct {
	rs    []environment.Release
	from  string
	truth map[string]probed
}

// drawHistory makes n releases in series of a few patches, of which one is the
// reported one.
func drawHistory(t *rapid.T) history {
	h := history{truth: map[string]probed{}}
	n := rapid.IntRange(1, 120).Draw(t, "n")
	major, patch := 0, 0
	for range n {
		h.rs = append(h.rs, environment.Release{Version: fmt.Sprintf("1.%d.%d", major, patch), Wheel: true})
		if patch++; rapid.IntRange(0, 5).Draw(t, "next") == 0 {
			major, patch = major+1, 0
		}
	}
	at := rapid.IntRange(0, n-1).Draw(t, "from")
	h.from = h.rs[at].Version
	return h
}

// monotone gives the symptom to all releases from index came up to index gone.
func (h *history) monotone(came, gone int) {
	for i, r := range h.rs {
		h.truth[r.Version] = without
		if i >= came && i < gone {
			h.truth[r.Version] = shows
		}
	}
}

func (h *history) index(version string) int {
	for i, r := range h.rs {
		if r.Version == version {
			return i
		}
	}
	return -1
}

// walk asks next until it is content, and counts the probes on each side.
func (h *history) walk(t *rapid.T, next chooser, content func(seen map[string]probed) bool) (seen map[string]probed, up, down int) {
	seen = map[string]probed{}
	at := h.index(h.from)
	for !content(seen) {
		v := next(h.rs, h.from, seen)
		if v == "" {
			return seen, up, down
		}
		if v == h.from || seen[v] != untried {
			t.Fatalf("%s is proposed again", v)
		}
		seen[v] = h.truth[v]
		if h.index(v) > at {
			up++
		} else {
			down++
		}
		if len(seen) > len(h.rs) {
			t.Fatal("it does not end")
		}
	}
	return seen, up, down
}

// pair is the nearest known bracket of a side when its ends are neighbours.
func pair(side []string, seen map[string]probed) bool {
	last, first := bracket(side, seen)
	return first < len(side) && first == last+1
}

// A symptom that came with one release and went with another, or never: the
// pair on the side searched is found within ceil(log2 n) + 3 probes of that
// side, or it is known that there is none.
func TestSearchIsBoundedWhenTheAnswerIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		at := h.index(h.from)
		came, gone := rapid.IntRange(0, at).Draw(t, "came"), rapid.IntRange(at+1, len(h.rs)).Draw(t, "gone")
		h.monotone(came, gone)
		up, down := around(h.rs, h.from)
		found := func(seen map[string]probed) bool { return pair(up, seen) || pair(down, seen) }
		seen, ups, downs := h.walk(t, nextProbe, found)
		if ups > bound(len(up)) || downs > bound(len(down)) {
			t.Fatalf("%d of %d newer and %d of %d older releases were tried", ups, len(up), downs, len(down))
		}
		switch {
		case gone < len(h.rs): // fixed: its pair
			if !pair(up, seen) {
				t.Fatalf("the fix at %s was not found: %v", h.rs[gone].Version, seen)
			}
		case came > 0:
			if last, first := bracket(down, seen); first != last+1 || down[first] != h.rs[came-1].Version {
				t.Fatalf("the release before the first bad one is %s; the bracket is %d, %d of %v", h.rs[came-1].Version, last, first, down)
			}
		default:
			if found(seen) {
				t.Fatalf("a release without the symptom was found where there is none: %v", seen)
			}
		}
	})
}

// Releases that say nothing are never good ones: every release that the search
// ends on really is without the symptom, and next to it lies one that shows it
// or only ones that say nothing.
func TestSearchWithHoles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		at := h.index(h.from)
		h.monotone(rapid.IntRange(0, at).Draw(t, "came"), rapid.IntRange(at+1, len(h.rs)).Draw(t, "gone"))
		for _, r := range h.rs {
			if r.Version != h.from && rapid.IntRange(0, 2).Draw(t, "hole") == 0 {
				h.truth[r.Version] = silent
			}
		}
		never := func(map[string]probed) bool { return false }
		seen, _, _ := h.walk(t, nextProbe, never)
		up, down := around(h.rs, h.from)
		for _, side := range [][]string{up, down} {
			last, first := bracket(side, seen)
			reachable := false
			for _, v := range side {
				reachable = reachable || h.truth[v] == without
			}
			if first == len(side) && len(side)-last > dead && silents(side[last+1:last+1+dead], seen) == dead {
				continue // given up
			}
			if reachable != (first < len(side)) {
				t.Fatalf("a good release is there: %v; it was found: %v", reachable, first < len(side))
			}
			if first == len(side) {
				continue
			}
			for i := last + 1; i < first; i++ {
				if h.truth[side[i]] != silent {
					t.Fatalf("%s lies between %d and %d and was not tried: %v", side[i], last, first, seen)
				}
			}
		}
	})
}

// Where the symptom comes and goes as it likes, the search still ends, and what
// it ends on is a true pair of neighbours.
func TestSearchWithoutOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		for _, r := range h.rs {
			h.truth[r.Version] = []probed{shows, without}[rapid.IntRange(0, 1).Draw(t, "truth")]
		}
		h.truth[h.from] = shows
		seen, _, _ := h.walk(t, nextProbe, func(map[string]probed) bool { return false })
		up, down := around(h.rs, h.from)
		for _, side := range [][]string{up, down} {
			last, first := bracket(side, seen)
			if first < len(side) && (first != last+1 || h.truth[side[first]] != without || last >= 0 && h.truth[side[last]] != shows) {
				t.Fatalf("no pair: %d and %d of %v", last, first, side)
			}
		}
	})
}

func BenchmarkSearch(b *testing.B) {
	var rs []environment.Release
	for i := range 500 { // as many as the busiest packages have
		rs = append(rs, environment.Release{Version: "1." + strconv.Itoa(i/10) + "." + strconv.Itoa(i%10), Wheel: true})
	}
	for b.Loop() {
		seen := map[string]probed{}
		for probes := 0; ; probes++ {
			v := nextProbe(rs, "1.30.0", seen)
			if v == "" {
				b.ReportMetric(float64(probes), "probes")
				break
			}
			seen[v] = shows
			if strings.HasPrefix(v, "1.0") {
				seen[v] = without
			}
		}
	}
}
