package httpembed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/repgen/repgen/internal/codebase/embed"
	"github.com/repgen/repgen/internal/codebase/httpjson"
)

// request sends one batch. An error that wraps embed.ErrInput is a text's fault.
func (e *Embedder) request(ctx context.Context, texts []string) ([][]float32, error) {
	// Nothing but the two fields that every such server knows: some refuse a
	// request with another in it (encoding_format, dimensions).
	body, err := json.Marshal(struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}{e.o.Model, texts})
	if err != nil {
		return nil, fmt.Errorf("write request: %w", err)
	}
	answer, err := e.server.Post(ctx, body, e.limit(len(texts)))
	var status *httpjson.StatusError
	if errors.As(err, &status) && status.Input() {
		return nil, fmt.Errorf("%w: %w", embed.ErrInput, err)
	}
	if err != nil {
		return nil, err
	}
	v, err := parse(answer, len(texts), e.info.Dims)
	if err != nil && errors.Is(err, embed.ErrInput) {
		return nil, err
	}
	return v, e.server.Redact(err)
}

// limit is the most bytes that an answer of n vectors may have: 32 bytes a
// number are more than any server writes, 8,192 numbers more than any model
// gives.
func (e *Embedder) limit(n int) int64 {
	dims := e.info.Dims
	if dims == 0 {
		dims = 8192
	}
	return 1<<20 + int64(n)*int64(dims)*32
}
