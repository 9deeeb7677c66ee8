package report_test

import (
	"testing"

	"github.com/repgen/repgen/internal/report"
)

func TestSpanWithin(t *testing.T) {
	for s, want := range map[report.Span]bool{
		{Start: 0, End: 0}:  true,
		{Start: 0, End: 3}:  true,
		{Start: 3, End: 3}:  true,
		{Start: 1, End: 4}:  false,
		{Start: 2, End: 1}:  false,
		{Start: -1, End: 1}: false,
		{Start: -1, End: 0}: false,
		{Start: 9, End: 2}:  false,
	} {
		if got := s.Within("abc"); got != want {
			t.Errorf("%+v in 3 bytes: %v, want %v", s, got, want)
		}
	}
}
