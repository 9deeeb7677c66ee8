package watch

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/sandbox"
)

func TestSeriesShort(t *testing.T) {
	var s series
	for i := range 10 {
		s.add(time.Duration(i)*20*time.Millisecond, int64(i))
	}
	if len(s.points) != 2 || s.points[1].At != 0.1 || s.points[1].Bytes != 5 {
		t.Errorf("%+v", s.points)
	}
}

// TestSeries: bounded, in order, first and about the last point kept, spread
// over the whole time.
func TestSeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5000).Draw(t, "n")
		step := time.Duration(rapid.IntRange(1, 3000).Draw(t, "ms")) * time.Millisecond
		var s series
		for i := range n {
			s.add(time.Duration(i)*step, int64(i))
		}
		if len(s.points) == 0 || len(s.points) > sandbox.MemorySamples || s.points[0].At != 0 {
			t.Fatalf("%d points, first %+v", len(s.points), s.points[0])
		}
		for i := 1; i < len(s.points); i++ {
			if s.points[i].At <= s.points[i-1].At {
				t.Fatalf("out of order at %d", i)
			}
		}
		last, end := s.points[len(s.points)-1].At, (time.Duration(n-1) * step).Seconds()
		if missed := end - last; missed > 2*s.step.Seconds() {
			t.Fatalf("the last point is at %v of %v, step %v", last, end, s.step)
		}
	})
}
