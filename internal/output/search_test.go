package output

import (
	"bytes"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/codebase/imports"
	"github.com/repgen/repgen/internal/codebase/loops"
	"github.com/repgen/repgen/internal/codebase/query"
	"github.com/repgen/repgen/internal/system/inert"
	"github.com/repgen/repgen/internal/system/inert/inerttest"
)

func hit(path, name string, kind chunk.Kind, terms ...codebase.Term) codebase.Hit {
	h := codebase.Hit{Chunk: chunk.Chunk{Path: path, Name: name, Kind: kind, StartLine: 3, EndLine: 9, Part: 1, Parts: 1}, Terms: terms}
	for _, t := range terms {
		h.Score += t.Value
	}
	return h
}

func found() *codebase.Result {
	words := codebase.Term{Name: "bm25", Raw: 12.5, Norm: 1, Weight: 0.45, Value: 0.45, Why: "loss 8.1, batch 4.4"}
	frame := codebase.Term{Name: "frame", Raw: 1, Norm: 1, Weight: 0.8, Value: 0.8, Why: "raised here"}
	return &codebase.Result{
		Project: "pond 1.2 as installed", Mode: "lexical", Notices: []string{"no model\x1b[31m here"},
		Query:     query.Query{Title: "It breaks", Exception: "TypeError", Message: "no\x07 way", Names: []query.Name{{Text: "a.b", Weight: 1.5, Origin: query.InTitle}}, Frames: []query.Frame{{File: "pond/net.py", Function: "fit", Line: 7}}},
		Hits:      []codebase.Hit{hit("pond/net.py", "Net.fit", chunk.Method, words, frame), hit("pond/e\x1b[2Jvil.py", "Evil", chunk.Class, words), hit("pond/m.py", "", chunk.Module, words)},
		Files:     []codebase.FileHit{{Path: "pond/net.py", Score: 1.25, Best: 0}, {Path: "pond/far.py", Score: 0.1, Best: -1}},
		TestFiles: []codebase.FileHit{{Path: "tests/test_net.py", Score: 0.5, Best: 0}},
		Timings:   []codebase.Timing{{Step: "rank", Took: 1500000}, {Step: "rerank", Took: 300}},
	}
}

func shown(show func(*bytes.Buffer)) string {
	var b bytes.Buffer
	show(&b)
	return b.String()
}

func TestSearch(t *testing.T) {
	for _, c := range []struct {
		name string
		view SearchView
		want []string
		not  []string
	}{
		{"chunks", SearchView{}, []string{"searched     pond 1.2 as installed", "1. 1.250  pond/net.py:3-9  Net.fit", "2. 0.450  pond/evil.py:3-9  class Evil", "pond/m.py:3-9  module", "tests/test_net.py", "no model here"}, []string{"+0.450"}},
		{"files", SearchView{Files: true}, []string{"1. 1.250  pond/net.py\n", "2. 0.100  pond/far.py\n"}, []string{"Net.fit"}},
		{"explained", SearchView{Explain: true}, []string{"+0.450  bm25       = 0.45 x 1.000  (loss 8.1, batch 4.4; raw 12.5)", "+0.800  frame", "failure      TypeError: no way", "names        a.b (title, 1.5)", "frame        pond/net.py, line 7, in fit", "rank 1.5ms"}, []string{"rerank"}},
		{"files explained", SearchView{Files: true, Explain: true}, []string{"best: pond/net.py:3-9  Net.fit", "raised here"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := shown(func(b *bytes.Buffer) { Search(b, found(), c.view, Style{}) })
			for _, w := range c.want {
				if !strings.Contains(out, w) {
					t.Errorf("it lacks %q:\n%s", w, out)
				}
			}
			for _, w := range append(c.not, "\x1b", "\x07") {
				if strings.Contains(out, w) {
					t.Errorf("it has %q:\n%s", w, out)
				}
			}
		})
	}
	if out := shown(func(b *bytes.Buffer) { Search(b, &codebase.Result{Mode: "lexical"}, SearchView{}, Style{}) }); !strings.Contains(out, "nothing") {
		t.Errorf("nothing found is shown as %q", out)
	}
	if out := shown(func(b *bytes.Buffer) { Search(b, found(), SearchView{Explain: true}, Style{Color: true}) }); !strings.Contains(out, "\x1b[") || strings.Contains(out, "\x1b[2J") {
		t.Errorf("with colour:\n%q", out)
	}
}

func TestCodeContext(t *testing.T) {
	c := &codebase.CodeContext{Project: "pond", Mode: "hybrid", Tokens: 120, Budget: 8000, Notices: []string{"no reranker"}, Modules: []codebase.Module{{
		Path: "pond/net.py", Score: 1.5,
		Loop:         &codebase.LoopText{Loop: loops.Loop{Name: "Net.fit", StartLine: 4, EndLine: 8, Why: []string{"rule 5: backward"}}, Text: "for batch in data:\n    step(batch)"},
		Chunks:       []codebase.ChunkText{{Hit: hit("pond/net.py", "Net", chunk.Class), Text: "class Net:\x1b[2J\n    pass", Cut: true}},
		Dependencies: []codebase.DepText{{Dependency: imports.Dependency{Path: "pond/loss.py", Name: "squared", StartLine: 1, EndLine: 3}, Text: "def squared(a): ..."}},
	}}}
	out := shown(func(b *bytes.Buffer) { CodeContext(b, c, SearchView{Explain: true}, Style{}) })
	for _, w := range []string{"tokens       120 of 8000", "## 1. pond/net.py (1.500)", "### training loop, lines 4-8  Net.fit", "rule 5: backward", "```python\nfor batch in data:\n    step(batch)\n```\n", "### pond/net.py:3-9  class Net (0.000)", "... cut", "### needed: pond/loss.py:1-3  squared\n```python\ndef squared(a): ...\n```\n", "notice       no reranker"} {
		if !strings.Contains(out, w) {
			t.Errorf("it lacks %q:\n%s", w, out)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Errorf("it steers the terminal: %q", out)
	}
}

// FuzzCodeContextIsInert: names and code of a project are words and code in the
// page that is pasted into a tracker.
func FuzzCodeContextIsInert(f *testing.F) {
	for _, words := range []string{"pond/@octocat.py", "a\n# #1.py", "![x](http://evil.example/x.png)", "www.evil.example", "<img src=x>`b", "```\n@octocat http://evil.example\n# ours", "\u202e\U000e0069$x$"} {
		f.Add(words)
	}
	page := func(words string) inerttest.Page {
		c := &codebase.CodeContext{Project: words, Mode: words, Notices: []string{words}, Modules: []codebase.Module{{
			Path:         words,
			Loop:         &codebase.LoopText{Loop: loops.Loop{Name: words, Why: []string{words}}, Text: words},
			Chunks:       []codebase.ChunkText{{Hit: hit(words, words, chunk.Class, codebase.Term{Name: "bm25", Why: words}), Text: words}},
			Dependencies: []codebase.DepText{{Dependency: imports.Dependency{Path: words, Name: words}, Text: words}},
		}}}
		return inerttest.Read(shown(func(b *bytes.Buffer) { CodeContext(b, c, SearchView{Explain: true}, Style{}) }))
	}
	plain := page("x")
	f.Fuzz(func(t *testing.T, words string) {
		if inert.Line(words) == "" {
			return
		}
		if got := page(words); got.Shape != plain.Shape || len(got.Live) > len(plain.Live) {
			t.Errorf("%q: %s, want %s; %q", words, got.Shape, plain.Shape, got.Live)
		}
	})
}
