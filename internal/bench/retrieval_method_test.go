package bench

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseMethod(t *testing.T) {
	for text, want := range map[string]Method{
		"bm25":                        {Base: BaseBM25},
		"bm25-frames":                 {Base: BaseBM25, NoFrames: true},
		"hybrid:paper":                {Base: BaseHybrid, Fusion: "paper"},
		"hybrid:rrf-frames+rerank":    {Base: BaseHybrid, Fusion: "rrf", NoFrames: true, Rerank: true},
		" static-hybrid+rerank ":      {Base: BaseStaticHybrid, Rerank: true},
		"first+rerank-frames":         {Base: BaseFirst, NoFrames: true, Rerank: true},
		"hybrid-names-frames":         {Base: BaseHybrid, NoFrames: true, NoNames: true},
		"dense+rerank":                {Base: BaseDense, Rerank: true},
		"static-hybrid:minmax-frames": {Base: BaseStaticHybrid, Fusion: "minmax", NoFrames: true},
	} {
		if got, err := ParseMethod(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "bm26", "bm25:paper", "dense:rrf", "+rerank", "hybrid+rerank+rerank", "hybrid-frames-frames", "hybrid+loops"} {
		if m, err := ParseMethod(text); err == nil {
			t.Errorf("%q is read as %+v", text, m)
		}
	}
}

// TestMethodNames: what String writes is read as the same method.
func TestMethodNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Method{Base: rapid.SampledFrom(bases).Draw(t, "base"), Rerank: rapid.Bool().Draw(t, "rerank"), NoFrames: rapid.Bool().Draw(t, "frames"), NoNames: rapid.Bool().Draw(t, "names")}
		if m.Mixed() {
			m.Fusion = rapid.SampledFrom([]string{"", "paper", "minmax", "rrf"}).Draw(t, "fusion")
		}
		if got, err := ParseMethod(m.String()); err != nil || got != m {
			t.Fatalf("%+v is written %q and read %+v, %v", m, m, got, err)
		}
	})
}

func TestParseMethods(t *testing.T) {
	got, err := ParseMethods(strings.Split(DefaultMethods, ","))
	if err != nil || len(got) < 8 || got[0].Base != BaseBM25 {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range [][]string{nil, {"bm25", "bm25"}, {"hybrid+rerank-frames", "hybrid-frames+rerank"}, {"bm25", "x"}} {
		if _, err := ParseMethods(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func TestMethodNeeds(t *testing.T) {
	for text, want := range map[string][3]bool{ // mixed, model, lexical
		"bm25":          {false, false, true},
		"bm25+rerank":   {false, false, false},
		"dense":         {false, true, false},
		"static":        {false, false, false},
		"static-hybrid": {true, false, false},
		"hybrid":        {true, true, false},
		"first":         {true, true, false},
	} {
		m, err := ParseMethod(text)
		if got := [3]bool{m.Mixed(), m.Model(), m.Lexical()}; err != nil || got != want {
			t.Errorf("%s: %v, want %v (%v)", text, got, want, err)
		}
	}
}
