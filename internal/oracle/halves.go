package oracle

import (
	"slices"
	"strings"
)

// sameHalves: the output is as long as the stated one, its first half came as
// stated, and its second half is the first one once more. So the right output
// looks where two prints of the same thing should agree ("jax gives another
// result than numpy"), also where the values hold no numbers to be compared
// (True against 1.0), or where their number changes the form of a line.
func sameHalves(stated []Line, out *output) bool {
	n := len(stated) / 2
	if n == 0 || len(stated)%2 != 0 || len(out.lines) < 2*n {
		return false
	}
	for i, want := range stated[:n] {
		if want.Fragment || want.Prefix || want.Approximate || !newPattern(want).matches(out.tokens(i, false)) {
			return false
		}
	}
	// What was stated of the second half has to be something else, or the
	// relation would say nothing of it.
	differs := false
	for i, l := range stated[n:] {
		differs = differs || squeezed(l.Text) != squeezed(stated[i].Text)
	}
	return differs && slices.EqualFunc(out.lines[:n], out.lines[n:2*n], func(a, b string) bool { return squeezed(a) == squeezed(b) })
}

// squeezed is a line without its spaces, with which arrays are aligned.
func squeezed(s string) string { return strings.Join(strings.Fields(s), "") }
