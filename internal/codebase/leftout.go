package codebase

import (
	"fmt"
	"strings"

	"github.com/repgen/repgen/internal/codebase/source"
)

// namedSkips is how many of the files that cannot be read a notice names.
const namedSkips = 3

// leftOut says of what was left out against the user's will: files that cannot
// be read, and those over the limit. What is ignored, vendored or no text is
// only counted.
func leftOut(skipped []source.Skip) []string {
	var out, names []string
	n := 0
	for _, s := range skipped {
		switch s.Why {
		case source.WhyTooMany:
			out = append(out, "the project is too large: "+s.More)
		case source.WhyUnreadable:
			if n++; n > namedSkips {
				continue
			}
			name := s.Path
			if s.More != "" {
				name += " (" + s.More + ")"
			}
			names = append(names, name)
		}
	}
	if n > len(names) {
		names = append(names, fmt.Sprintf("and %d more", n-len(names)))
	}
	if n > 0 {
		out = append(out, fmt.Sprintf("%d of the project's files and folders cannot be read and are not searched: %s", n, strings.Join(names, ", ")))
	}
	return out
}
