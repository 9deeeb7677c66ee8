package codebase

import (
	"strings"
	"testing"
)

const documented = `"""Module words.

Long words of the module that nobody needs to read here. Long words of the module
that nobody needs to read here. Long words of the module.
"""


class Fitter:
    def fit(self, data, rate=0.1):
        r"""Fits.

        Parameters
        ----------
        data: list
            A list of batches of numbers, each as long as the one before it was.
        rate: float
            How far each step goes; the default is good for most, and bad for some.
        """
        loss = data.sum()
        return loss * rate

    def short(self):
        """One line."""
        text = """not a docstring

        but a long text that stays where it is, since it is code; a long text that
        stays where it is, since it is code.
        """
        return text
`

func TestDocTails(t *testing.T) {
	tails := docTails([]byte(documented))
	if len(tails) != 2 {
		t.Fatalf("%d tails, want those of the module and of fit", len(tails))
	}
	for i, want := range []string{"Long words", "Parameters"} {
		got := documented[tails[i].start:tails[i].end]
		if !strings.Contains(got, want) || strings.Contains(got, `"""`) || !strings.HasSuffix(got, "\n") {
			t.Errorf("tail %d: %q", i, got)
		}
	}
	long := strings.Repeat("y\n", 200)
	for _, src := range []string{"", "def f():\n", "def f(): '''x\n\n" + long + "'''\n", "'''open\n\n" + long, "'''x\n\n" + long + "'''"} {
		for _, s := range docTails([]byte(src)) {
			if s.start >= s.end || s.end > len(src) {
				t.Errorf("%.20q: %+v", src, s)
			}
		}
	}
}

// A function that does not fit loses the end of its docstring before its code.
func TestDocstringIsCutBeforeCode(t *testing.T) {
	src := []byte(documented)
	start := strings.Index(documented, "    def fit")
	end := strings.Index(documented, "\n\n    def short")
	for room, want := range map[int]struct{ code, parameters bool }{400: {true, true}, 70: {true, false}, 25: {false, false}} {
		g := &gathering{left: room, given: given{}}
		text, cut, ok := g.take("a.py", start, end, src, room)
		if !ok || cut == want.code || strings.Contains(text, "return loss") != want.code || strings.Contains(text, "Parameters") != want.parameters {
			t.Errorf("room of %d (cut %v, %v):\n%s", room, cut, ok, text)
		}
		marked := strings.Contains(text, "        "+docCut+"\n        \"\"\"\n        loss =")
		if want.code && !want.parameters && !marked {
			t.Errorf("no mark in its place:\n%s", text)
		}
		if tokensOf(text) > room+1 {
			t.Errorf("%d tokens for a room of %d", tokensOf(text), room)
		}
	}
}
