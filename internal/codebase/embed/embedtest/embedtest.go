// Package embedtest is the conformance suite of embedders: each backend runs
// it, so that the rooms behind the interface need not know which one they have.
package embedtest

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/codebase/embed"
)

// Same is how near two vectors of the same text must be, as a cosine: batches
// of another shape may add up in another order (measured with onnxruntime:
// above 0.99999).
const Same = 0.9999

// soon is how long after its context's end an embedder may take to return. A
// batch of the largest model may be under way.
const soon = 10 * time.Second

// Texts are the ones that a reader of reports and code meets sooner or later.
var Texts = map[string]string{
	"empty":       "",
	"blank":       " \t\r\n ",
	"one letter":  "a",
	"signs":       "!?.,;:-_()[]{}<>|\\/\"'`~@#$%^&*+=",
	"code":        "def fit(self, x, y=None, *, epochs: int = 1):\n    return self._loop(x, y, epochs)\n",
	"prose":       "The loss becomes NaN after a few hundred steps with mixed precision.",
	"very long":   strings.Repeat("model.fit(x_train, y_train)\n", 20_000),
	"long word":   strings.Repeat("x", 100_000),
	"invalid":     "loss \xff\xfe\xc3( is \xe2\x82",
	"nul":         "a\x00b\x00",
	"only nul":    "\x00\x00",
	"emoji":       "it crashes 😀👩‍👩‍👧‍👦🏳️‍🌈",
	"only emoji":  "🙂",
	"cjk":         "损失变成 NaN 了",
	"accents":     "naïve e\u0301tude ΣΟΦΟΣ İ",
	"marks":       "\u0301\u0302\u0303",
	"zero width":  "\u200b\ufeff\u2060",
	"right left":  "\u202eabc\u202c שלום",
	"replacement": "\ufffd\ufffd",
	"specials":    "[CLS] [SEP] [MASK] [PAD] [UNK] <s> </s>",
}

// Run tests an embedder; open makes a fresh one each time.
func Run(t *testing.T, open func(t *testing.T) embed.Embedder) {
	t.Run("info", func(t *testing.T) { testInfo(t, opened(t, open)) })
	t.Run("vectors", func(t *testing.T) { testVectors(t, opened(t, open)) })
	t.Run("order", func(t *testing.T) { testOrder(t, opened(t, open)) })
	t.Run("none", func(t *testing.T) { testNone(t, opened(t, open)) })
	t.Run("determinism", func(t *testing.T) { testDeterminism(t, opened(t, open), opened(t, open)) })
	t.Run("meaning", func(t *testing.T) { testMeaning(t, opened(t, open)) })
	t.Run("input kept", func(t *testing.T) { testInputKept(t, opened(t, open)) })
	t.Run("cancelled", func(t *testing.T) { testCancelled(t, opened(t, open)) })
	t.Run("counter", func(t *testing.T) { testCounter(t, opened(t, open)) })
	t.Run("close", func(t *testing.T) {
		if err := open(t).Close(); err != nil {
			t.Errorf("close an unused one: %v", err)
		}
	})
}

// opened closes the embedder when the test ends.
func opened(t *testing.T, open func(t *testing.T) embed.Embedder) embed.Embedder {
	t.Helper()
	e := open(t)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return e
}

func testInfo(t *testing.T, e embed.Embedder) {
	i := e.Info()
	if i.Backend == "" || i.Name == "" || i.Hash == "" || i.Dims <= 0 || i.MaxTokens <= 0 {
		t.Errorf("incomplete: %+v", i)
	}
	if i != e.Info() {
		t.Errorf("changes from one call to the next")
	}
}

// must embeds and checks each vector.
func must(t *testing.T, e embed.Embedder, texts []string) [][]float32 {
	t.Helper()
	vectors, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatalf("embed %d texts: %v", len(texts), err)
	}
	if len(vectors) != len(texts) {
		t.Fatalf("%d vectors of %d texts", len(vectors), len(texts))
	}
	for i, v := range vectors {
		if len(v) != e.Info().Dims {
			t.Fatalf("text %d: %d numbers, want %d", i, len(v), e.Info().Dims)
		}
		if l := math.Sqrt(dot(v, v)); math.IsNaN(l) || math.Abs(l-1) > 1e-3 {
			t.Errorf("text %d (%.30q): length %g, want 1", i, texts[i], l)
		}
	}
	return vectors
}

func testVectors(t *testing.T, e embed.Embedder) {
	for name, text := range Texts {
		t.Run(name, func(t *testing.T) { must(t, e, []string{text}) })
	}
}

// testOrder wants the same vectors alone and in a batch, in the texts' order.
func testOrder(t *testing.T, e embed.Embedder) {
	texts := make([]string, 0, 2*len(Texts))
	for _, s := range Texts {
		texts = append(texts, s)
	}
	texts = append(texts, texts...) // equal texts in one batch
	batch := must(t, e, texts)
	for i, text := range texts {
		if i < len(Texts) && dot(batch[i], batch[i+len(Texts)]) < Same {
			t.Errorf("%.30q: twice in a batch, two vectors", text)
		}
		if i%5 != 0 {
			continue // alone is slow with a large model: a sample does
		}
		if alone := must(t, e, []string{text})[0]; dot(alone, batch[i]) < Same {
			t.Errorf("%.30q: cosine %g of alone and in a batch", text, dot(alone, batch[i]))
		}
	}
}

func testNone(t *testing.T, e embed.Embedder) {
	for _, texts := range [][]string{nil, {}} {
		if v, err := e.Embed(t.Context(), texts); err != nil || len(v) != 0 {
			t.Errorf("no texts: %d vectors, %v", len(v), err)
		}
	}
}

func testDeterminism(t *testing.T, a, b embed.Embedder) {
	if a.Info() != b.Info() {
		t.Errorf("two of them differ: %+v, %+v", a.Info(), b.Info())
	}
	texts := []string{Texts["code"], Texts["prose"], Texts["cjk"]}
	x, y, z := must(t, a, texts), must(t, a, texts), must(t, b, texts)
	for i := range texts {
		if dot(x[i], y[i]) < Same || dot(x[i], z[i]) < Same {
			t.Errorf("%q: another vector the second time", texts[i])
		}
	}
}

// testMeaning is the least that any embedder must do: a text is nearer to one
// with the same words than to one about something else.
func testMeaning(t *testing.T, e embed.Embedder) {
	v := must(t, e, []string{
		"The learning rate schedule is not saved with the optimizer.",
		"learning rate schedules of an optimizer",
		"Bread is baked from flour, water and salt.",
	})
	if near, far := dot(v[0], v[1]), dot(v[0], v[2]); near <= far {
		t.Errorf("same words %g, other words %g", near, far)
	}
}

// testInputKept wants vectors that are the caller's own and texts unchanged.
func testInputKept(t *testing.T, e embed.Embedder) {
	texts := []string{Texts["prose"], Texts["code"]}
	v := must(t, e, texts)
	before := append([]float32(nil), v[0]...)
	must(t, e, []string{Texts["code"], Texts["emoji"]})
	if dot(before, v[0]) < Same {
		t.Error("a later call changed the vectors of an earlier one")
	}
	if texts[0] != Texts["prose"] || texts[1] != Texts["code"] {
		t.Error("the texts were changed")
	}
}

func testCancelled(t *testing.T, e embed.Embedder) {
	ended, end := context.WithCancel(t.Context())
	end()
	if v, err := e.Embed(ended, []string{"a"}); !errors.Is(err, context.Canceled) || v != nil {
		t.Errorf("context ended before: %d vectors, %v", len(v), err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	many := make([]string, 2000)
	for i := range many {
		many[i] = strings.Repeat(Texts["prose"], 20)
	}
	start := time.Now()
	v, err := e.Embed(ctx, many)
	if took := time.Since(start); took > soon {
		t.Errorf("returned %v after the start", took)
	}
	if err == nil && len(v) == len(many) {
		return // faster than its time: nothing to cancel
	}
	if !errors.Is(err, context.DeadlineExceeded) || v != nil {
		t.Errorf("context ended inside: %d vectors, %v", len(v), err)
	}
	must(t, e, []string{"it goes on after that"})
}

func testCounter(t *testing.T, e embed.Embedder) {
	c, ok := e.(embed.Counter)
	if !ok {
		return
	}
	for name, text := range Texts {
		if n := c.Tokens(text); n < 0 || n > e.Info().MaxTokens {
			t.Errorf("%s: %d tokens of at most %d", name, n, e.Info().MaxTokens)
		}
	}
	if c.Tokens(Texts["prose"]) <= c.Tokens("a") {
		t.Error("a longer text has no more tokens")
	}
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
