package rerank

import (
	"context"
	"fmt"

	"github.com/repgen/repgen/internal/codebase/embed"
)

// BiEncoder scores by the cosine of two embeddings, so that the stage can be
// had with no cross-encoder; its name says so. It reads query and text apart:
// no better than a dense search over the same texts, but a different model
// than that of the search may be taken. Close closes e.
func BiEncoder(e embed.Embedder) Reranker { return &biEncoder{e} }

type biEncoder struct{ e embed.Embedder }

// Name says which model, and that it is no cross-encoder.
func (b *biEncoder) Name() string { return "bi-encoder " + b.e.Info().Name }

func (b *biEncoder) Score(ctx context.Context, query string, texts []string) ([]float64, error) {
	if len(texts) == 0 {
		return nil, ctx.Err()
	}
	all := append([]string{query}, texts...)
	vectors, err := b.e.Embed(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("score by embedding: %w", err)
	}
	if len(vectors) != len(all) {
		return nil, fmt.Errorf("score by embedding: %d vectors for %d texts", len(vectors), len(all))
	}
	scores := make([]float64, len(texts))
	for i, v := range vectors[1:] {
		if len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("score by embedding: vectors of %d and %d numbers", len(vectors[0]), len(v))
		}
		for j, x := range v {
			scores[i] += float64(x) * float64(vectors[0][j])
		}
	}
	return scores, nil
}

func (b *biEncoder) Close() error { return b.e.Close() }
