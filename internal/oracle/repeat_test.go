package oracle

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNextRuns(t *testing.T) {
	for _, c := range []struct {
		name            string
		hits, runs, max int
		want            int
	}{
		{"nothing ran yet", 0, 0, 20, 5},
		{"the first look is completed", 1, 1, 20, 4},
		{"unanimous", 5, 5, 20, 0},
		{"never", 0, 5, 20, 0},
		{"never, and more often", 0, 20, 40, 0},
		{"four of five is over half", 4, 5, 20, 0},
		{"three of five is mixed", 3, 5, 20, 5},
		{"one of five is mixed", 1, 5, 20, 5},
		{"half and half goes on to the end", 5, 10, 20, 10},
		{"nine of ten", 9, 10, 20, 0},
		{"seven of ten is nearly over half", 7, 10, 20, 1},
		{"five of twenty: rare, and beyond chance", 5, 20, 40, 0},
		{"two of twenty: rare, and perhaps chance", 2, 20, 40, 20},
		{"the budget is small", 3, 5, 7, 2},
		{"no budget is left", 3, 5, 5, 0},
		{"a budget below the first look", 0, 0, 3, 3},
		{"a budget that was overdrawn", 3, 9, 5, 0},
	} {
		if got := NextRuns(c.hits, c.runs, c.max); got != c.want {
			t.Errorf("%s: %d more after %d of %d (of %d at most), want %d", c.name, got, c.hits, c.runs, c.max, c.want)
		}
	}
}

// TestNextRunsEnds: whatever comes, repetition ends within the budget, and ends
// early only on counts that decide.
func TestNextRunsEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(0, 60).Draw(t, "max")
		rate := rapid.IntRange(0, 10).Draw(t, "rate")
		hits, runs, looks := 0, 0, 0
		for {
			n := NextRuns(hits, runs, most)
			if n < 0 || runs+n > most {
				t.Fatalf("%d more after %d of %d", n, runs, most)
			}
			if n == 0 {
				break
			}
			for range n {
				if rapid.IntRange(1, 10).Draw(t, "run") <= rate {
					hits++
				}
			}
			runs += n
			if looks++; looks > 40 {
				t.Fatal("it does not end")
			}
		}
		if runs < most && (runs < firstLook || !decisive(hits, runs)) {
			t.Fatalf("stopped at %d of %d with %d left", hits, runs, most-runs)
		}
	})
}
