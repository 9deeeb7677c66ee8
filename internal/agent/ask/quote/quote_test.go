package quote_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/agent/ask/quote"
)

func TestFind(t *testing.T) {
	const text = "  It gives\n\tshape (4, 3),\u00a0not ä (3, 4).\n"
	for _, c := range []struct {
		quote string
		least int
		want  string
		found bool
	}{
		{"gives shape (4, 3)", 3, "gives\n\tshape (4, 3)", true},
		{"  gives \n shape ", 3, "gives\n\tshape", true},
		{"(4, 3), not ä", 3, "(4, 3),\u00a0not ä", true},
		{"ä", 1, "ä", true},
		{"It", 3, "", false},
		{"gives shape (4,3)", 3, "", false},
		{"GIVES", 3, "", false},
		{"", 0, "", false},
		{" \n", 0, "", false},
	} {
		span, found := quote.In(text).Find(c.quote, c.least)
		if found != c.found {
			t.Errorf("%q: found %t", c.quote, found)
		}
		if found && quote.In(text).Cut(span) != c.want {
			t.Errorf("%q: found %q", c.quote, text[span.Start:span.End])
		}
	}
}

// TestFindProperty: every piece of a text is found in it, whatever is done to
// its white space, and what is found is the quote but for that.
func TestFindProperty(t *testing.T) {
	words := rapid.SliceOfN(rapid.StringMatching(`[a-zä漢(),.]{1,6}`), 1, 30)
	space := rapid.SampledFrom([]string{" ", "\n", "\t ", "\u00a0", "  \n"})
	rapid.Check(t, func(t *rapid.T) {
		w := words.Draw(t, "words")
		spaced := func(w []string, name string) string {
			var b strings.Builder
			for _, word := range w {
				b.WriteString(word + space.Draw(t, name))
			}
			return b.String()
		}
		text := spaced(w, "space")
		from := rapid.IntRange(0, len(w)-1).Draw(t, "from")
		to := rapid.IntRange(from, len(w)-1).Draw(t, "to")
		q := spaced(w[from:to+1], "other space")
		in := quote.In(text)
		span, found := in.Find(q, 1)
		if !found || quote.Fold(in.Cut(span)) != quote.Fold(q) {
			t.Fatalf("%q in %q: %t, %v", q, text, found, span)
		}
	})
}

func FuzzFind(f *testing.F) {
	f.Add("a  b\xff c", "b\xff")
	f.Fuzz(func(t *testing.T, text, q string) {
		in := quote.In(text)
		if span, found := in.Find(q, 1); found && quote.Fold(in.Cut(span)) != quote.Fold(q) {
			t.Errorf("%q in %q: found %q", q, text, in.Cut(span))
		}
	})
}
