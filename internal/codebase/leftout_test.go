package codebase

import (
	"fmt"
	"slices"
	"testing"

	"github.com/repgen/repgen/internal/codebase/source"
	"github.com/repgen/repgen/internal/codebase/store"
)

func TestLeftOut(t *testing.T) {
	unreadable := func(n int) (s []source.Skip) {
		for i := range n {
			s = append(s, source.Skip{Path: fmt.Sprintf("f%d.py", i), Why: source.WhyUnreadable, More: "permission denied"})
		}
		return s
	}
	for name, c := range map[string]struct {
		skipped []source.Skip
		want    []string
	}{
		"nothing":     {nil, nil},
		"by design":   {[]source.Skip{{Path: "a", Why: source.WhyIgnored}, {Path: "b", Why: source.WhyVendored}, {Path: "c", Why: source.WhySymlink}}, nil},
		"one":         {unreadable(1), []string{"1 of the project's files and folders cannot be read and are not searched: f0.py (permission denied)"}},
		"no reason":   {[]source.Skip{{Path: "x", Why: source.WhyUnreadable}}, []string{"1 of the project's files and folders cannot be read and are not searched: x"}},
		"many":        {unreadable(5), []string{"5 of the project's files and folders cannot be read and are not searched: f0.py (permission denied), f1.py (permission denied), f2.py (permission denied), and 2 more"}},
		"over limits": {[]source.Skip{{Path: ".", Why: source.WhyTooMany, More: "only the first 2 files are read"}}, []string{"the project is too large: only the first 2 files are read"}},
	} {
		if got := leftOut(c.skipped); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestSearchSaysWhatIsMissing: who searches a project of which a part cannot be
// read must not take its silence for "not there".
func TestSearchSaysWhatIsMissing(t *testing.T) {
	skipped := []source.Skip{{Path: "gone", Why: source.WhyUnreadable, More: "permission denied"}}
	x := &Index{change: &store.Change{Skipped: skipped}}
	if got := x.notices(); !slices.Equal(got, leftOut(skipped)) {
		t.Errorf("%q", got)
	}
}
