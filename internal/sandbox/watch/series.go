package watch

import (
	"time"

	"github.com/repgen/repgen/internal/sandbox"
)

// series keeps a curve in bounded space: when it is full, every second point
// goes and the step doubles, so that a long run is covered as evenly as a
// short one.
type series struct {
	points []sandbox.MemoryPoint
	step   time.Duration
	next   time.Duration
}

// add takes a measurement made at a time since the start.
func (s *series) add(at time.Duration, bytes int64) {
	if s.step == 0 {
		s.step = slowPoll // finer says nothing of a leak
	}
	if at < s.next {
		return
	}
	if len(s.points) == sandbox.MemorySamples {
		half := s.points[:0]
		for i := 0; i < len(s.points); i += 2 {
			half = append(half, s.points[i])
		}
		s.points, s.step = half, 2*s.step
	}
	s.points = append(s.points, sandbox.MemoryPoint{At: at.Seconds(), Bytes: bytes})
	s.next = at + s.step
}
