package codebase

import (
	"context"
	"errors"
	"hash/fnv"
	"math"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/codebase/bm25"
	"github.com/repgen/repgen/internal/codebase/embed"
	"github.com/repgen/repgen/internal/codebase/source"
)

// bag embeds a text as the bag of its words: near is what shares words.
type bag struct {
	name  string
	fail  error // of every call
	after int   // calls until cancel is called
	stop  context.CancelFunc
	texts int // embedded so far
	calls int
}

const bagDims = 64

func (b *bag) Info() embed.Info {
	return embed.Info{Backend: "fake", Name: b.name, Hash: "hash-of-" + b.name, Dims: bagDims, MaxTokens: 256}
}

func (b *bag) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if b.fail != nil {
		return nil, b.fail
	}
	if b.calls++; b.stop != nil && b.calls > b.after {
		b.stop()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = bagOf(t)
		b.texts++
	}
	return out, nil
}

func (b *bag) Close() error { return nil }

func bagOf(text string) []float32 {
	v := make([]float32, bagDims)
	v[0] = 0.01
	for _, w := range bm25.Tokens(text) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(w))
		v[h.Sum32()%bagDims]++
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// liking is a reranker that likes texts with a word.
type liking struct {
	word string
	fail error
	read int
}

func (l *liking) Name() string { return "liking " + l.word }

func (l *liking) Score(ctx context.Context, query string, texts []string) ([]float64, error) {
	if l.fail != nil {
		return nil, l.fail
	}
	l.read += len(texts)
	out := make([]float64, len(texts))
	for i, t := range texts {
		out[i] = -3
		if strings.Contains(t, l.word) {
			out[i] = 4
		}
	}
	return out, ctx.Err()
}

func (l *liking) Close() error { return nil }

// pond is a made-up project.
var pond = map[string]string{
	"src/pond/__init__.py":      "from .core.fit import Fitter\n",
	"src/pond/core/__init__.py": "",
	"src/pond/core/fit.py": `"""Fitting."""
from .loss import squared
from pond.data import Loader


class Fitter:
    """Fits a model to batches."""

    def __init__(self, model, rate=0.1):
        self.model = model
        self.rate = rate

    def fit(self, data):
        """Run one epoch over the loader."""
        loader = Loader(data, drop_last=True)
        for batch in loader:
            self.optimizer.zero_grad()
            loss = squared(self.model(batch), batch)
            loss.backward()
            self.optimizer.step()
        return self

    def evaluate(self, data):
        return [squared(self.model(b), b) for b in Loader(data)]


def helper(fitter):
    return fitter.fit([1, 2, 3])
`,
	"src/pond/core/loss.py": `def squared(a, b):
    """Squared distance."""
    return clamp((a - b) ** 2)


def clamp(x):
    return min(x, 1e9)
`,
	"src/pond/data.py": `class Loader:
    """Cuts data into batches of equal size."""

    def __init__(self, data, drop_last=False, size=4):
        self.data, self.drop_last, self.size = data, drop_last, size

    def __iter__(self):
        for i in range(0, len(self.data), self.size):
            batch = self.data[i:i + self.size]
            if len(batch) < self.size and self.drop_last:
                return
            yield batch
`,
	"src/pond/plot.py": `def colour(name):
    """Look up a colour by its name."""
    return {"red": 1, "blue": 2}[name]


def draw(curve, canvas):
    """Draw the curve of the loss on a canvas."""
    canvas.line(colour("red"), curve)
`,
	"tests/test_fit.py": `from pond import Fitter


def test_fit_drops_last_batch():
    assert Fitter(None).fit([1, 2, 3, 4, 5])
`,
}

func open(t testing.TB, files map[string]string, o Options) *Index {
	t.Helper()
	x, err := Open(t.Context(), source.Memory(files), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

var errBroken = errors.New("the cable is broken")

func paths(files []FileHit) []string {
	var out []string
	for _, f := range files {
		out = append(out, f.Path)
	}
	return out
}

// names are the qualified names of hits.
func names(hits []Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Chunk.Name)
	}
	return out
}

func hasNotice(notices []string, part string) bool {
	for _, n := range notices {
		if strings.Contains(n, part) {
			return true
		}
	}
	return false
}

// term finds a term of a hit.
func (h Hit) term(name string) (Term, bool) {
	for _, t := range h.Terms {
		if t.Name == name {
			return t, true
		}
	}
	return Term{}, false
}
