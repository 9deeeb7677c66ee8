package codebase

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/codebase/embed"
	"github.com/repgen/repgen/internal/codebase/fusion"
	"github.com/repgen/repgen/internal/codebase/query"
	"github.com/repgen/repgen/internal/codebase/source"
)

var lastBatch = query.FromText("The last batch is lost when the loader cuts data of unequal size with drop_last")

func find(t testing.TB, x *Index, q query.Query, o SearchOptions) *Result {
	t.Helper()
	r, err := x.Search(t.Context(), q, o)
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, r)
	return r
}

// checkResult wants what holds for every result.
func checkResult(t testing.TB, r *Result) {
	t.Helper()
	for _, hits := range [][]Hit{r.Hits, r.Tests} {
		for i, h := range hits {
			sum := 0.0
			for _, term := range h.Terms {
				sum += term.Value
				if term.Norm < 0 || term.Norm > 1 {
					t.Errorf("%s: norm of %+v", h.Chunk.Name, term)
				}
			}
			if sum != h.Score {
				t.Errorf("%s: score %v, the terms sum up to %v", h.Chunk.Name, h.Score, sum)
			}
			if i > 0 && h.Score > hits[i-1].Score {
				t.Errorf("hits out of order at %d", i)
			}
			if h.Chunk.Test != (len(r.Tests) > 0 && &hits[0] == &r.Tests[0]) {
				t.Errorf("%s is ranked with the wrong ones", h.Chunk.Path)
			}
		}
	}
	for i, f := range r.Files {
		if f.Best >= 0 && r.Hits[f.Best].Chunk.Path != f.Path {
			t.Errorf("the best of %s is in %s", f.Path, r.Hits[f.Best].Chunk.Path)
		}
		if i > 0 && f.Score > r.Files[i-1].Score {
			t.Errorf("files out of order at %d", i)
		}
	}
}

func TestSearchModes(t *testing.T) {
	model, cheap := &bag{name: "model"}, &bag{name: "cheap"}
	for _, c := range []struct {
		name   string
		opts   Options
		search SearchOptions
		mode   string
		notice string
	}{
		{"words only", Options{}, SearchOptions{}, ModeLexical, "no vectors"},
		{"static", Options{Static: cheap}, SearchOptions{}, ModeStaticHybrid, ""},
		{"model", Options{Embedder: model, Static: cheap}, SearchOptions{}, ModeHybrid, ""},
		{"model without static", Options{Embedder: model}, SearchOptions{}, ModeHybrid, ""},
		{"candidates", Options{Embedder: model, Static: cheap}, SearchOptions{Candidates: 3}, ModeCandidates, "3 candidates"},
		{"candidates, with the rest", Options{Embedder: model, Static: cheap, Rest: "repgen index pond"}, SearchOptions{Candidates: 3}, ModeCandidates, "3 candidates were compared; repgen index pond embeds the rest"},
		{"candidates by words", Options{Embedder: model}, SearchOptions{Candidates: 3}, ModeCandidates, "3 candidates"},
		{"exact", Options{Embedder: model, Static: cheap}, SearchOptions{Candidates: 3, Exact: true}, ModeHybrid, ""},
		{"the model is not wanted", Options{Embedder: model, Static: cheap}, SearchOptions{NoModel: true}, ModeStaticHybrid, ""},
		{"no words", Options{Embedder: model}, SearchOptions{Without: []Part{PartBM25}}, ModeDense, "lexical search is switched off"},
		{"no words, static", Options{Static: cheap}, SearchOptions{Without: []Part{PartBM25}}, ModeStatic, ""},
		{"no vectors", Options{Embedder: model}, SearchOptions{Without: []Part{PartANN}}, ModeLexical, "dense search is switched off"},
		{"no words, candidates", Options{Embedder: model, Static: cheap}, SearchOptions{Candidates: 3, Without: []Part{PartBM25}}, ModeDenseCandidates, ""},
		{"neither", Options{Embedder: model}, SearchOptions{Without: []Part{PartANN, PartBM25}}, ModeExact, ""},
		{"reranked", Options{Embedder: model, Reranker: &liking{word: "drop_last"}}, SearchOptions{}, ModeHybrid + "+rerank", ""},
		{"reranker off", Options{Embedder: model, Reranker: &liking{word: "x"}}, SearchOptions{Without: []Part{PartReranker}}, ModeHybrid, "reranker is switched off"},
		{"reranker fails", Options{Embedder: model, Reranker: &liking{fail: errBroken}}, SearchOptions{}, ModeHybrid, "cable"},
		{"model fails", Options{Embedder: &bag{name: "x", fail: errBroken}, Static: cheap}, SearchOptions{}, ModeStaticHybrid, "cable"},
		{"all fails", Options{Embedder: &bag{name: "x", fail: errBroken}, Static: &bag{name: "y", fail: errBroken}}, SearchOptions{}, ModeLexical, "static vectors failed"},
		{"was not there", Options{Unavailable: []string{"no model here"}}, SearchOptions{}, ModeLexical, "no model here"},
		{"published mixture", Options{Embedder: model}, SearchOptions{Fusion: string(fusion.Paper)}, ModeHybrid, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := find(t, open(t, pond, c.opts), lastBatch, c.search)
			if r.Mode != c.mode {
				t.Errorf("mode %q, want %q (%v)", r.Mode, c.mode, r.Notices)
			}
			if c.notice != "" && !hasNotice(r.Notices, c.notice) {
				t.Errorf("notices %q lack %q", r.Notices, c.notice)
			}
			if c.mode != ModeExact && (len(r.Files) == 0 || r.Files[0].Path != "src/pond/data.py") {
				t.Errorf("files %v", paths(r.Files))
			}
		})
	}
}

func TestTestsAreApart(t *testing.T) {
	for _, o := range []Options{{}, {Static: &bag{name: "s"}}, {Embedder: &bag{name: "m"}}} {
		r := find(t, open(t, pond, o), query.FromText("test_fit_drops_last_batch fails"), SearchOptions{})
		if slices.Contains(paths(r.Files), "tests/test_fit.py") || !slices.Contains(paths(r.TestFiles), "tests/test_fit.py") {
			t.Errorf("files %v, tests %v", paths(r.Files), paths(r.TestFiles))
		}
	}
}

func TestCandidatesAreEmbeddedOnly(t *testing.T) {
	m := &bag{name: "m"}
	x := open(t, pond, Options{Embedder: m, Static: &bag{name: "s"}})
	find(t, x, lastBatch, SearchOptions{Candidates: 3})
	if m.texts > 3+1 {
		t.Errorf("%d texts were embedded for 3 candidates and a query", m.texts)
	}
	if got := x.Stats().Embedded; got != 3 {
		t.Errorf("%d chunks have their vector, want 3", got)
	}
	if err := x.EmbedAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	st := x.Stats()
	if st.Embedded != st.Chunks {
		t.Errorf("embedded %d of %d", st.Embedded, st.Chunks)
	}
	if r := find(t, x, lastBatch, SearchOptions{Candidates: 3}); r.Mode != ModeHybrid {
		t.Errorf("mode %q after all is embedded", r.Mode)
	}
}

// projecting is a cheap embedder into whose space the model's vectors can be
// brought.
type projecting struct {
	bag
	projected int
}

func (p *projecting) Project(info embed.Info, exact []float32) ([]float32, bool) {
	p.projected++
	return exact, info.Name == "m"
}

// Candidates are chosen with the model's own reading of the query where the
// cheap vectors allow it, and with their own where they do not.
func TestCandidatesAreChosenWithTheExactQuery(t *testing.T) {
	for _, c := range []struct {
		model   string
		queries int // texts embedded cheaply beside the chunks
	}{{"m", 0}, {"other", 1}} {
		cheap := &projecting{bag: bag{name: "s"}}
		x := open(t, pond, Options{Embedder: &bag{name: c.model}, Static: cheap})
		find(t, x, lastBatch, SearchOptions{Candidates: 3})
		if got := cheap.texts - x.Stats().Chunks; got != c.queries || cheap.projected != 1 {
			t.Errorf("%s: %d queries embedded cheaply, want %d; projected %d times", c.model, got, c.queries, cheap.projected)
		}
	}
}

func TestVectorsAreKept(t *testing.T) {
	dir, m := t.TempDir(), &bag{name: "m"}
	x := open(t, pond, Options{Dir: dir, Embedder: m})
	if err := x.EmbedAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := &bag{name: "m"}
	y := open(t, pond, Options{Dir: dir, Embedder: again})
	find(t, y, lastBatch, SearchOptions{})
	if again.texts != 1 {
		t.Errorf("%d texts were embedded again, want the query only", again.texts)
	}
}

// TestTidy: what is gone goes, what is there stays.
func TestTidy(t *testing.T) {
	dir := t.TempDir()
	x := open(t, pond, Options{Dir: dir, Embedder: &bag{name: "m"}})
	if err := x.EmbedAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := x.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if st := x.Stats(); st.Embedded != st.Chunks {
		t.Errorf("embedded %d of %d after tidying", st.Embedded, st.Chunks)
	}
	find(t, x, lastBatch, SearchOptions{})
	if err := open(t, pond, Options{}).Tidy(t.Context()); err != nil {
		t.Errorf("nothing to tidy: %v", err)
	}
}

func TestEmbedAllInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m := &bag{name: "m", stop: cancel}
	x := open(t, pond, Options{Embedder: m})
	if err := x.EmbedAll(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := x.Search(ctx, lastBatch, SearchOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("search: error %v", err)
	}
	cheap := open(t, pond, Options{Static: &bag{name: "s"}})
	if err := cheap.EmbedAll(t.Context()); err != nil || cheap.Stats().Embedded != cheap.Stats().Chunks {
		t.Errorf("static vectors: %v, %+v", err, cheap.Stats())
	}
	if err := open(t, pond, Options{}).EmbedAll(t.Context()); !errors.Is(err, ErrNoModel) {
		t.Errorf("without a model: %v", err)
	}
}

func TestReranker(t *testing.T) {
	like := &liking{word: "canvas"}
	x := open(t, pond, Options{Static: &bag{name: "s"}, Reranker: like})
	r := find(t, x, query.FromText("the curve of the loss, batch, loader, data"), SearchOptions{})
	if len(r.Hits) == 0 || r.Hits[0].Chunk.Name != "draw" {
		t.Fatalf("hits %v", names(r.Hits))
	}
	if term, ok := r.Hits[0].term("rerank"); !ok || term.Raw != 4 || !strings.Contains(term.Why, "liking canvas") {
		t.Errorf("terms %+v", r.Hits[0].Terms)
	}
	like.read = 0
	find(t, x, lastBatch, SearchOptions{Rerank: 2})
	if like.read != 2 {
		t.Errorf("the reranker read %d, want 2", like.read)
	}
}

func TestReexportsAreNoPlace(t *testing.T) {
	files := map[string]string{
		"pond/__init__.py": "from .net import Cast, Mesh\n\n__all__ = ['Cast', 'Mesh']\n",
		"pond/net.py":      "class Cast:\n    \"\"\"Throws a mesh.\"\"\"\n    weight = 1\n\n\nclass Mesh:\n    \"\"\"A mesh to cast.\"\"\"\n    size = 2\n",
	}
	r := find(t, open(t, files, Options{}), query.FromText("cast mesh"), SearchOptions{})
	if r.Files[0].Path != "pond/net.py" || !slices.Contains(paths(r.Files), "pond/__init__.py") {
		t.Errorf("files %v", paths(r.Files))
	}
}

func TestNothingAsked(t *testing.T) {
	r := find(t, open(t, pond, Options{}), query.Query{}, SearchOptions{})
	if len(r.Hits) > 0 || !hasNotice(r.Notices, "nothing to search for") {
		t.Errorf("hits %v, notices %v", names(r.Hits), r.Notices)
	}
	if r := find(t, open(t, pond, Options{Embedder: &bag{name: "m"}}), query.Query{}, SearchOptions{}); len(r.Hits)+len(r.Tests) > 0 || r.Hits == nil {
		t.Errorf("vectors find %v of nothing", names(r.Hits))
	}
	r = find(t, open(t, pond, Options{}), query.FromText("zzzz qqqq"), SearchOptions{})
	if len(r.Hits) > 0 {
		t.Errorf("hits %v", names(r.Hits))
	}
}

func TestNoPython(t *testing.T) {
	x, err := Open(t.Context(), source.Memory(map[string]string{"a.txt": "hello", "empty.py": ""}), Options{})
	if !errors.Is(err, ErrNoPython) {
		t.Fatalf("error %v", err)
	}
	if st := x.Stats(); st.Chunks != 0 {
		t.Errorf("stats %+v", st)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

// A cache that cannot be written is said, and the search goes on.
func TestReadOnlyCache(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	x := open(t, pond, Options{Dir: filepath.Join(file, "index"), Embedder: &bag{name: "m"}})
	r := find(t, x, lastBatch, SearchOptions{})
	if r.Mode != ModeHybrid || r.Files[0].Path != "src/pond/data.py" {
		t.Errorf("mode %s, files %v", r.Mode, paths(r.Files))
	}
	for _, notices := range [][]string{r.Notices, x.Stats().Notices} {
		if !hasNotice(notices, "the index is in memory only") || !hasNotice(notices, "the vectors of m are in memory only") {
			t.Errorf("notices %q", notices)
		}
	}
}

func TestStats(t *testing.T) {
	files := map[string]string{"big.py": strings.Repeat("x = 1\n", source.MaxFile/6+1)}
	for p, text := range pond {
		files[p] = text
	}
	st := open(t, files, Options{Unavailable: []string{"no model here"}}).Stats()
	if st.TestFiles != 1 || st.Changed != st.Files || st.Skipped[source.WhyTooLarge] != 1 || !hasNotice(st.Notices, "no model here") {
		t.Errorf("stats %+v", st)
	}
}

// The same project and the same question give the same answer, whatever was
// asked before.
func TestSameAnswer(t *testing.T) {
	x := open(t, pond, Options{Static: &bag{name: "s"}})
	words := []string{"loss", "batch", "Fitter.fit", "drop_last", "colour", "the", "canvas", "squared", "loader"}
	rapid.Check(t, func(rt *rapid.T) {
		q := query.FromText(strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 12).Draw(rt, "words"), " "))
		o := SearchOptions{Pool: rapid.IntRange(1, 30).Draw(rt, "pool"), Top: rapid.IntRange(1, 30).Draw(rt, "top")}
		a, b := find(t, x, q, o), find(t, open(t, pond, Options{Static: &bag{name: "s"}}), q, o)
		a.Timings, b.Timings = nil, nil
		if !reflect.DeepEqual(a, b) {
			rt.Fatalf("two answers differ:\n%v\n%v", names(a.Hits), names(b.Hits))
		}
	})
}
