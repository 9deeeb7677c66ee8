package symptom

import (
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// spoken names what FromProse found as testdata/prose.txt does.
func spoken(found []Symptom) string {
	var names []string
	for _, s := range found {
		name := string(s.Kind)
		if s.Signal != "" {
			name = s.Signal
		}
		names = append(names, name)
	}
	if names == nil {
		return "-"
	}
	return strings.Join(names, ",")
}

// TestProse reads the table of sentences.
func TestProse(t *testing.T) {
	data, err := os.ReadFile("testdata/prose.txt")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for row := range strings.Lines(string(data)) {
		want, sentence, ok := strings.Cut(strings.TrimSpace(row), " | ")
		if strings.HasPrefix(row, "#") || !ok {
			continue
		}
		count++
		if got := spoken(FromProse(sentence)); got != want {
			t.Errorf("%s: %s, want %s", sentence, got, want)
		}
	}
	if count < 150 {
		t.Errorf("only %d sentences", count)
	}
}

// proseBits are what sentences of the property test are made of.
var proseBits = []string{"The loss", "becomes NaN", "It hangs", "no longer", "does not", ".", ", but", "\n\n", "\n- ", "```", "memory grows", "wrong result", "ſK", "İ", "twice", "seed", "of shape (3,)", "instead of (4,)", "é", "。"}

// TestProseSpans: the words stand where the span says, in order.
func TestProseSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(proseBits), 0, 30).Draw(t, "bits"), " ")
		checkTalk(t, text, FromProse(text))
	})
}

func checkTalk(t *rapid.T, text string, found []Symptom) {
	t.Helper()
	for _, s := range found {
		if s.Start < 0 || s.End > len(text) || s.Start >= s.End || text[s.Start:s.End] != s.Message {
			t.Fatalf("span %d-%d of %q does not hold %q", s.Start, s.End, text, s.Message)
		}
	}
	if !slices.IsSortedFunc(found, func(a, b Symptom) int { return a.Start - b.Start }) {
		t.Fatalf("out of order: %+v", found)
	}
}

// TestProseLayout: where sentences begin and end decides what a word denies.
func TestProseLayout(t *testing.T) {
	for text, want := range map[string]string{
		"It does not crash. It hangs.":                 "hang",
		"The loss does\nnot decrease":                  "no_learning",
		"# Hang in join\nSome words":                   "hang",
		"- no leak\n- hangs on exit":                   "hang",
		"```\nprint('it hangs')\n```\nMemory leak":     "memory",
		"It hangs. It hangs again. It hangs.":          "hang,hang,hang",
		"":                                             "-",
		"```":                                          "-",
		"Version 1.2.3 of the package hangs":           "hang",
		"no such thing e.g. a hang":                    "-",
		"程序卡死了":                                        "hang",
		"The HANG":                                     "hang",
		"It worked in 1.0.\n\nNow memory usage grows.": "memory",
	} {
		if got := spoken(FromProse(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func FuzzFromProse(f *testing.F) {
	for _, s := range []string{"It hangs.", "The loss becomes NaN, but not in 2.1", "```\nx", "exit code 139", "a\n\n\n#\n-\n1. ", "\xff\xfe memory leak"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range FromProse(text) {
			if s.Start < 0 || s.End > len(text) || s.Start >= s.End || text[s.Start:s.End] != s.Message {
				t.Fatalf("span %d-%d does not hold %q", s.Start, s.End, s.Message)
			}
		}
	})
}
