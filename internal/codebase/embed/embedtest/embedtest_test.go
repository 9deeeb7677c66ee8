package embedtest

import (
	"context"
	"hash/fnv"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/codebase/embed"
)

// words is the simplest embedder that passes: hashed words.
type words struct{}

func (w *words) Info() embed.Info {
	return embed.Info{Backend: "words", Name: "hashed words", Hash: "1", Dims: 64, MaxTokens: 1 << 20}
}

func (w *words) Close() error { return nil }

func (w *words) Tokens(text string) int { return len(strings.Fields(text)) }

func (w *words) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := [][]float32{}
	for _, t := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v := make([]float32, 64)
		v[63] = 0.1
		for _, f := range strings.Fields(strings.ToLower(t)) {
			h := fnv.New32a()
			_, _ = h.Write([]byte(f))
			v[h.Sum32()%63]++
		}
		embed.Normalize(v)
		out = append(out, v)
	}
	if len(texts) > 1000 {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
	return out, nil
}

func TestRun(t *testing.T) {
	Run(t, func(*testing.T) embed.Embedder { return &words{} })
}
