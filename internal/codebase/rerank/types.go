// Package rerank scores pairs of a query and a text by reading both together.
package rerank

import "context"

// Reranker scores texts against a query: higher is nearer, on a scale of its
// own that only orders (a cross-encoder's logit). One score a text, in order,
// never NaN. One goroutine at a time. Close is called once.
type Reranker interface {
	Name() string
	Score(ctx context.Context, query string, texts []string) ([]float64, error)
	Close() error
}
