package bench

import (
	"context"
	"sync"

	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/codebase/embed"
)

// SharedEmbedder lets sets that are measured at the same time share one model,
// counts what is asked of it, and remembers every vector: a first answer wants
// candidates embedded that the full index has had embedded before.
type SharedEmbedder struct {
	inner embed.Embedder

	mu      sync.Mutex
	vectors map[chunk.Ident][]float32
	count   int
}

// Share wraps an embedder; the caller still closes it.
func Share(e embed.Embedder) *SharedEmbedder {
	return &SharedEmbedder{inner: e, vectors: map[chunk.Ident][]float32{}}
}

// Info implements embed.Embedder.
func (s *SharedEmbedder) Info() embed.Info { return s.inner.Info() }

// Count is the number of texts that were asked for, those remembered included.
func (s *SharedEmbedder) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Embed implements embed.Embedder.
func (s *SharedEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([][]float32, len(texts))
	var need []string
	var at []int
	for i, t := range texts {
		if v, ok := s.vectors[chunk.IdentOf(t)]; ok {
			out[i] = v
			continue
		}
		need, at = append(need, t), append(at, i)
	}
	if len(need) > 0 {
		got, err := s.inner.Embed(ctx, need)
		if err != nil {
			return nil, err
		}
		for i, v := range got {
			out[at[i]] = v
			s.vectors[chunk.IdentOf(need[i])] = v
		}
	}
	s.count += len(texts)
	return out, ctx.Err()
}

// Tokens implements embed.Counter: the model's own count, else a guess of four
// bytes a token.
func (s *SharedEmbedder) Tokens(text string) int {
	if c, ok := s.inner.(embed.Counter); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		return c.Tokens(text)
	}
	return len(text)/4 + 1
}

// Close does nothing: the model belongs to the caller.
func (s *SharedEmbedder) Close() error { return nil }
