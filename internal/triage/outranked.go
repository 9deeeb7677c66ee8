package triage

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
)

// dropOutranked leaves out the corrections that were read from words where a
// pasted output of what should come has the line itself. A value in the prose
// beside it ("the factor is `0`", "here the mean is `0.5`") speaks of an argument
// or a step on the way, and as a correction would ask for lines that no release
// prints.
func dropOutranked(p *oracle.Printed, block []oracle.Line) {
	p.Expected = slices.DeleteFunc(p.Expected, func(l oracle.Line) bool {
		if l.Replaces < 0 || l.Replaces >= len(p.Actual) || slices.Contains(block, l) {
			return false
		}
		came := p.Actual[l.Replaces].Text
		return slices.ContainsFunc(block, func(b oracle.Line) bool { return sameForm(came, b.Text) })
	})
}

// sameForm: the same words, and as many values.
func sameForm(a, b string) bool {
	return label(a) == label(b) && len(strings.Fields(a)) == len(strings.Fields(b))
}
