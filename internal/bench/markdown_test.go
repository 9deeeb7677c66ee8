package bench

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/system/inert/inerttest"
)

// TestTablesAreInert: the name of a case is that of somebody's folder, and an
// error or a kept outcome may say anything.
func TestTablesAreInert(t *testing.T) {
	pages := map[string]func(words string) string{
		"cases": func(words string) string {
			var b strings.Builder
			if err := Markdown(&b, Summarise(words, strange(words))); err != nil {
				t.Fatal(err)
			}
			return b.String()
		},
		"strategies": func(words string) string {
			var b strings.Builder
			table := Summarise(words, strange(words))
			if err := StrategiesMarkdown(&b, Compare([]Column{{Strategy: "auto", Table: table}, {Strategy: "cot", Table: table}})); err != nil {
				t.Fatal(err)
			}
			return b.String()
		},
		"retrieval": func(words string) string {
			var b strings.Builder
			table := &RetrievalTable{Identity: words, Missing: map[string]string{"bm25": words}, Ranked: []Ranked{{ID: words, Skipped: words}}, Rows: []RetrievalRow{{Set: words, Method: "bm25"}}}
			if err := MarkdownRetrieval(&b, table); err != nil {
				t.Fatal(err)
			}
			return b.String()
		},
	}
	for name, page := range pages {
		plain := inerttest.Read(page("x"))
		for _, words := range []string{"@octocat", "a|b", "x\n\n# y\n", "see http://evil.example #1 GH-2", "![x](http://evil.example) <img>", "*a* `b @c"} {
			if got := inerttest.Read(page(words)); got.Shape != plain.Shape || len(got.Live) > len(plain.Live) {
				t.Errorf("%s, %q: %s, want %s; %q", name, words, got.Shape, plain.Shape, got.Live)
			}
		}
	}
}

func strange(words string) []Outcome {
	return []Outcome{{
		ID: words, Expected: oracle.NotABug, Headline: oracle.Reproduced, Grade: oracle.Grade("C"), Error: words,
		Stages: map[string]float64{words: 1}, Also: []oracle.Headline{oracle.Headline(words)},
	}, {ID: words, Expected: oracle.Reproduced, Headline: oracle.Failed, Error: words}}
}
