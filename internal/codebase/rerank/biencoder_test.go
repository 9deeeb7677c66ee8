package rerank_test

import (
	"context"
	"errors"
	"hash/fnv"
	"math"
	"strings"
	"testing"
	"unicode"

	"github.com/repgen/repgen/internal/codebase/embed"
	"github.com/repgen/repgen/internal/codebase/rerank"
	"github.com/repgen/repgen/internal/codebase/rerank/reranktest"
)

// bag embeds a text as the counts of its words: enough to find the text that
// shares most with a question.
type bag struct {
	closed int
	err    error
	short  bool
}

func (b *bag) Info() embed.Info { return embed.Info{Name: "bag", Hash: "bag", Dims: 64} }
func (b *bag) Close() error     { b.closed++; return nil }

func (b *bag) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var out [][]float32
	for i, text := range texts {
		v := make([]float32, 64)
		v[0] = .1
		for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
			h := fnv.New32a()
			_, _ = h.Write([]byte(w))
			v[h.Sum32()%64]++
		}
		var sum float64
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(sum))
		}
		if b.short && i > 0 {
			v = v[:3]
		}
		out = append(out, v)
	}
	return out, b.err
}

func TestBiEncoder(t *testing.T) {
	reranktest.Run(t, reranktest.Options{Reads: true}, func(*testing.T) rerank.Reranker {
		return rerank.BiEncoder(&bag{})
	})
	b := &bag{}
	r := rerank.BiEncoder(b)
	if name := r.Name(); name != "bi-encoder bag" {
		t.Errorf("it is called %q", name)
	}
	got, err := r.Score(context.Background(), "one two", []string{"one two", "three"})
	if err != nil || math.Abs(got[0]-1) > 1e-6 || got[1] > .5 {
		t.Errorf("%v, %v", got, err)
	}
	if err := r.Close(); err != nil || b.closed != 1 {
		t.Errorf("closed %d times, %v", b.closed, err)
	}
}

func TestBiEncoderErrors(t *testing.T) {
	broken := errors.New("broken")
	if _, err := rerank.BiEncoder(&bag{err: broken}).Score(context.Background(), "q", []string{"x"}); !errors.Is(err, broken) {
		t.Errorf("broken: %v", err)
	}
	if _, err := rerank.BiEncoder(&bag{short: true}).Score(context.Background(), "q", []string{"x"}); err == nil {
		t.Error("vectors of two lengths were compared")
	}
}
