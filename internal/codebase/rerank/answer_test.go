package rerank

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClip(t *testing.T) {
	for _, in := range []string{"", "x", strings.Repeat("a", maxText), strings.Repeat("é", maxText), strings.Repeat("日", maxText), "a\xffb", strings.Repeat("\x80", maxText+9)} {
		got := clip(in)
		if !utf8.ValidString(got) {
			t.Errorf("%.10q: not valid", in)
		}
		if utf8.ValidString(in) && (len(got) > maxText || len(got) < min(len(in), maxText-utf8.UTFMax) || !strings.HasPrefix(in, got)) {
			t.Errorf("%.10q: %d bytes of %d", in, len(got), len(in))
		}
	}
}

// FuzzAnswer: whatever a server says, it is n finite scores or an error.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"results": [{"index": 1, "relevance_score": 0.25}, {"index": 0, "relevance_score": -3}]}`), 2)
	f.Add([]byte(`[{"index": 0, "score": 1}]`), 1)
	f.Add([]byte(`{"data": [{"index": 0, "relevance_score": null, "score": 2}], "results": []}`), 1)
	f.Add([]byte(`{"results": [{}]}`), 1)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		if n < 0 || n > 1000 {
			return
		}
		scores, err := parseAnswer(data, n)
		if err != nil {
			if scores != nil || len(err.Error()) > 2000 {
				t.Fatalf("%v with %.200v", scores, err)
			}
			return
		}
		if len(scores) != n {
			t.Fatalf("%d scores for %d texts", len(scores), n)
		}
		for _, s := range scores {
			if math.IsNaN(s) || math.IsInf(s, 0) {
				t.Fatal(s)
			}
		}
	})
}
