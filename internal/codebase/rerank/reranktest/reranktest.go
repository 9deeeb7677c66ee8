// Package reranktest is what every rerank.Reranker must pass.
package reranktest

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/codebase/rerank"
)

// Options say what can be asked of a reranker.
type Options struct {
	// Reads says that the model understands: it must find the text that a
	// question is about. A made-up model cannot.
	Reads bool
	// Tolerance between the score of a text alone and among others, relative to
	// 1 + |score|; 0 for 1e-4 (padding changes the order of float32 sums).
	Tolerance float64
}

const question = "the learning rate is not restored from the checkpoint"

var texts = []string{
	"def load_checkpoint(self, path):\n    self.learning_rate = read(path)[\"learning_rate\"]\n",
	"def draw_circle(canvas, x, y, radius):\n    canvas.oval(x, y, radius)\n",
	"class Tokenizer:\n    def split(self, text):\n        return text.split()\n",
	"x",
}

// Run checks one reranker after another; open gives a new one, which Run
// closes.
func Run(t *testing.T, o Options, open func(t *testing.T) rerank.Reranker) {
	if o.Tolerance == 0 {
		o.Tolerance = 1e-4
	}
	s := suite{o}
	for _, c := range []struct {
		name  string
		check func(*testing.T, rerank.Reranker)
	}{
		{"name", s.name},
		{"one score a text", s.oneScoreEach},
		{"order of the texts", s.order},
		{"nothing to score", s.nothing},
		{"odd texts", s.odd},
		{"cancelled", s.cancelled},
		{"reads", s.reads},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := open(t)
			defer func() {
				if err := r.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}()
			c.check(t, r)
		})
	}
}

type suite struct{ o Options }

func (s suite) score(t *testing.T, r rerank.Reranker, query string, texts []string) []float64 {
	t.Helper()
	got, err := r.Score(context.Background(), query, texts)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(texts) {
		t.Fatalf("%d scores for %d texts", len(got), len(texts))
	}
	for i, x := range got {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("score %d is %v", i, x)
		}
	}
	return got
}

func (s suite) near(a, b float64) bool { return math.Abs(a-b) <= s.o.Tolerance*(1+math.Abs(a)) }

func (s suite) name(t *testing.T, r rerank.Reranker) {
	if strings.TrimSpace(r.Name()) == "" {
		t.Error("it has no name")
	}
}

// oneScoreEach: a text has the same score alone, among others and again.
func (s suite) oneScoreEach(t *testing.T, r rerank.Reranker) {
	all := s.score(t, r, question, texts)
	for i, text := range texts {
		if alone := s.score(t, r, question, []string{text})[0]; !s.near(alone, all[i]) {
			t.Errorf("text %d: %v alone, %v among others", i, alone, all[i])
		}
	}
	for i, again := range s.score(t, r, question, texts) {
		if !s.near(again, all[i]) {
			t.Errorf("text %d: %v, then %v", i, all[i], again)
		}
	}
}

// order: the scores stand in the order of the texts, also for equal ones.
func (s suite) order(t *testing.T, r rerank.Reranker) {
	all := s.score(t, r, question, texts)
	turned := slices.Clone(texts)
	slices.Reverse(turned)
	turned = append(turned, texts[1])
	got := s.score(t, r, question, turned)
	for i := range texts {
		if !s.near(got[len(texts)-1-i], all[i]) {
			t.Errorf("text %d: %v, in another place %v", i, all[i], got[len(texts)-1-i])
		}
	}
	if !s.near(got[len(texts)], all[1]) {
		t.Errorf("equal texts: %v and %v", all[1], got[len(texts)])
	}
}

func (s suite) nothing(t *testing.T, r rerank.Reranker) { s.score(t, r, question, nil) }

// odd texts have a score like any other.
func (s suite) odd(t *testing.T, r rerank.Reranker) {
	odd := []string{"", " \n\t", "\x00\xff\xfe", "日本語のテキスト", strings.Repeat("learning_rate = 0.1\n", 5000)}
	s.score(t, r, question, odd)
	for _, q := range odd {
		s.score(t, r, q, texts[:2])
	}
}

// cancelled: the context's error, and no scores.
func (s suite) cancelled(t *testing.T, r rerank.Reranker) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got, err := r.Score(ctx, question, texts)
	if !errors.Is(err, context.Canceled) || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func (s suite) reads(t *testing.T, r rerank.Reranker) {
	if !s.o.Reads {
		t.Skip("a made-up model understands nothing")
	}
	got := s.score(t, r, question, texts)
	for i, x := range got[1:] {
		if x >= got[0] {
			t.Errorf("text %d has %v, the one that the question is about %v", i+1, x, got[0])
		}
	}
}
