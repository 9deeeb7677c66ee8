package proof

import (
	"slices"
	"strings"
)

// A variant differs from the script in the lines of one change. Guesses: a
// contrast replaces a name wherever it stands, a removed context moves the
// lines below it to the left.
const (
	fewLines  = 4
	fewOfMany = 3 // at most one line in so many
)

// smallChange compares two scripts by their lines without indentation.
func smallChange(before, after string) bool {
	a, b := trimmedLines(before), trimmedLines(after)
	gone := missing(a, b) + missing(b, a)
	return gone > 0 && gone <= max(fewLines, (len(a)+len(b))/fewOfMany)
}

func trimmedLines(script string) []string {
	var lines []string
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// missing counts lines of one list that the other has not, each as often as it
// stands there.
func missing(from, in []string) int {
	left, n := slices.Clone(in), 0
	for _, line := range from {
		if i := slices.Index(left, line); i >= 0 {
			left = slices.Delete(left, i, i+1)
		} else {
			n++
		}
	}
	return n
}
