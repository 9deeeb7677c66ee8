package bench

import (
	"context"
	"errors"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/codebase/bm25"
	"github.com/repgen/repgen/internal/codebase/embed"
	"github.com/repgen/repgen/internal/codebase/source"
)

// bag embeds a text as the words it has; texts are counted.
type bag struct {
	name  string
	dims  int // 0: 64
	texts int
}

func (b *bag) Info() embed.Info {
	return embed.Info{Backend: "made", Name: b.name, Hash: "hash-" + b.name, Dims: b.length(), MaxTokens: 256}
}

func (b *bag) length() int {
	if b.dims == 0 {
		return 64
	}
	return b.dims
}

func (b *bag) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	b.texts += len(texts)
	out := make([][]float32, len(texts))
	for i, t := range texts {
		v := make([]float32, b.length())
		v[0] = 0.01
		for _, w := range bm25.Tokens(t) {
			h := fnv.New32a()
			_, _ = h.Write([]byte(w))
			v[int(h.Sum32())%len(v)]++
		}
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(sum))
		}
		out[i] = v
	}
	return out, ctx.Err()
}

func (b *bag) Close() error { return nil }

// turned reranks from last to first.
type turned struct{}

func (turned) Name() string { return "turned" }

func (turned) Score(_ context.Context, _ string, texts []string) ([]float64, error) {
	out := make([]float64, len(texts))
	for i := range texts {
		out[i] = float64(i)
	}
	return out, nil
}

func (turned) Close() error { return nil }

// commits are two states of a made-up project.
var commits = map[string]map[string]string{
	"aaaaaaa": {
		"pkg/loss.py":            "def tversky_loss(alpha, beta):\n    return alpha / beta\n",
		"pkg/stopping.py":        "class EarlyStopping:\n    def on_epoch_end(self, patience):\n        return patience\n",
		"pkg/image.py":           "def resize(image, size):\n    return image[:size]\n",
		"pkg/tests/loss_test.py": "def test_tversky_loss():\n    tversky_loss(alpha=1, beta=2)\n",
	},
	"bbbbbbb": {
		"pkg/loss.py":   "def tversky_loss(alpha, beta):\n    return alpha / beta\n",
		"pkg/rotate.py": "def rotate(image, degrees):\n    return image\n",
	},
}

func madeIndexes(t testing.TB) *IndexCorpora {
	t.Helper()
	return &IndexCorpora{
		Tree: func(_ context.Context, _, commit string) (source.Tree, func() error, error) {
			files, ok := commits[commit]
			if !ok {
				return nil, nil, errors.New("no such commit")
			}
			return source.Memory(files), nil, nil
		},
		Dir: t.TempDir(), Why: func(part string) string { return "no " + part },
	}
}

func TestIndexCorpora(t *testing.T) {
	c := madeIndexes(t)
	model, cheap := &bag{name: "model"}, &bag{name: "cheap"}
	c.Embedder, c.Static, c.Reranker = Share(model), Share(cheap), turned{}
	pairs := []Pair{
		{ID: "s-1", Set: "s", Commit: "aaaaaaa", Query: "Tversky loss: alpha and beta are exchanged", Relevant: []string{"pkg/loss.py"}},
		{ID: "s-2", Set: "s", Commit: "bbbbbbb", Query: "rotate ignores the degrees", Relevant: []string{"pkg/rotate.py"}},
		{ID: "s-3", Set: "s", Commit: "bbbbbbb", Query: "early stopping has no patience", Relevant: []string{"pkg/stopping.py"}},
	}
	list := "bm25,dense,static,hybrid,static-hybrid,first,hybrid:paper,hybrid-frames,hybrid-names"
	got, err := MeasureRetrieval(t.Context(), c, pairs, methods(t, list), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got.Ranked[:2] {
		for _, m := range strings.Split(list, ",") {
			if !slices.Equal(r.Ranks[m], []int{1}) {
				t.Errorf("%s by %s: ranks %v", r.ID, m, r.Ranks[m])
			}
		}
		if r.Embedded["bm25"] != 0 || r.Embedded["static"] != 0 || r.Embedded["dense"] != 1 || r.Embedded["first"] < 2 {
			t.Errorf("%s embedded %v", r.ID, r.Embedded)
		}
	}
	if got.Ranked[2].Skipped == "" || len(got.Missing) != 0 {
		t.Errorf("%+v, missing %v", got.Ranked[2], got.Missing)
	}
	// What the two commits share is embedded once: the model sees each distinct
	// text of code once, and each query.
	if model.texts > 12 {
		t.Errorf("the model embedded %d texts", model.texts)
	}
}

// TestIndexCorporaRank: no test file is ranked, each file stands once, and the
// reranker is heard.
func TestIndexCorporaRank(t *testing.T) {
	c := madeIndexes(t)
	c.Embedder, c.Reranker = Share(&bag{name: "model"}), turned{}
	x, err := c.Open(t.Context(), "s", "aaaaaaa")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}()
	if !x.Has("pkg/loss.py") || x.Has("pkg/rotate.py") {
		t.Error("Has is wrong")
	}
	plain, err := x.Rank(t.Context(), "tversky loss alpha", Method{Base: BaseHybrid})
	if err != nil {
		t.Fatal(err)
	}
	if len(plain.Files) != 3 || plain.Files[0] != "pkg/loss.py" || plain.Took <= 0 {
		t.Errorf("%+v", plain)
	}
	again, err := x.Rank(t.Context(), "tversky loss alpha", Method{Base: BaseHybrid, Rerank: true})
	if err != nil || slices.Equal(again.Files, plain.Files) {
		t.Errorf("reranked %v, %v", again.Files, err)
	}
}

func TestIndexCorporaMissing(t *testing.T) {
	c := madeIndexes(t)
	pairs := []Pair{{ID: "s-1", Set: "s", Commit: "aaaaaaa", Query: "tversky", Relevant: []string{"pkg/loss.py"}}}
	got, err := MeasureRetrieval(t.Context(), c, pairs, methods(t, "bm25,dense,static,first,bm25+rerank"), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"dense": "no model", "static": "no static", "first": "no model", "bm25+rerank": "no reranker"}
	for m, why := range want {
		if got.Missing[m] != why {
			t.Errorf("%s: %q, want %q", m, got.Missing[m], why)
		}
	}
	if len(got.Ranked[0].Ranks) != 1 {
		t.Errorf("%v", got.Ranked[0].Ranks)
	}
	pairs[0].Commit = "ccccccc"
	if _, err := MeasureRetrieval(t.Context(), c, pairs, methods(t, "bm25"), nil); err == nil || !strings.Contains(err.Error(), "s-1") {
		t.Errorf("%v", err)
	}
}

func TestSharedEmbedder(t *testing.T) {
	inner := &bag{name: "model"}
	s := Share(inner)
	a, err := s.Embed(t.Context(), []string{"x y", "z"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Embed(t.Context(), []string{"z", "new", "x y"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a[0], b[2]) || !slices.Equal(a[1], b[0]) || inner.texts != 3 || s.Count() != 5 {
		t.Errorf("%d embedded, %d counted", inner.texts, s.Count())
	}
	if s.Info() != inner.Info() || s.Tokens("four") < 1 || s.Close() != nil {
		t.Error("it is not the inner one")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Embed(ctx, []string{"more"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
