// Package onnx scores pairs of a query and a text with a cross-encoder on
// onnxruntime.
package onnx

import (
	"context"
	"errors"
	"fmt"

	"github.com/repgen/repgen/internal/codebase/embed/wordpiece"
	"github.com/repgen/repgen/internal/codebase/models"
	"github.com/repgen/repgen/internal/codebase/ort"
	"github.com/repgen/repgen/internal/codebase/ort/encoder"
	"github.com/repgen/repgen/internal/codebase/rerank"
)

const (
	// batchTokens bounds a batch, padding included (see the embedder's).
	batchTokens = 2048
	// defaultTokens cuts a pair where the caller names no length. The published
	// model takes 512, but twenty full pairs of a model of its size take 0.66 s at
	// 128 tokens, 0.98 at 192, 1.17 at 256 and 1.98 at 512 on two idle processors
	// (measured), and a search is to be done in 1.5 s. Its effect on the ranking
	// is not measured yet.
	defaultTokens = 192
)

// Options say which model, on which library.
type Options struct {
	Model *models.Installed
	// Library is the file of onnxruntime (ort.Search).
	Library string
	// Threads that compute; 0: one a processor.
	Threads int
	// MaxTokens cuts pairs; 0: 192. Never more than the model takes. Time is about
	// proportional to it.
	MaxTokens int
}

// Reranker is a model in memory. It implements rerank.Reranker.
type Reranker struct {
	name  string
	max   int
	words *wordpiece.Tokenizer
	model *encoder.Encoder
}

// New loads a model. ort.ErrNoRuntime when the library cannot be used, an
// *encoder.ModelError when the model cannot.
func New(ctx context.Context, o Options) (rerank.Reranker, error) {
	if o.Model == nil {
		return nil, errors.New("open a reranker: no model is named")
	}
	if o.Model.Kind != models.Reranker {
		return nil, fmt.Errorf("open a reranker: %s is a model of the kind %s", o.Model.Name, o.Model.Kind)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.MaxTokens == 0 {
		o.MaxTokens = defaultTokens
	}
	r := &Reranker{name: o.Model.Name, max: min(o.Model.MaxTokens, o.MaxTokens)}
	if r.max < 5 { // [CLS], one piece, [SEP], one piece, [SEP]
		return nil, fmt.Errorf("open the reranker %s: it takes %d tokens", r.name, r.max)
	}
	var err error
	if r.words, err = wordpiece.Load(o.Model.Dir); err != nil {
		return nil, fmt.Errorf("open the reranker %s: %w", r.name, err)
	}
	if err := ort.Load(o.Library); err != nil {
		return nil, err
	}
	if r.model, err = encoder.Open(o.Model.Dir, encoder.Scores, o.Threads); err != nil {
		return nil, fmt.Errorf("open the reranker %s: %w", r.name, err)
	}
	return r, nil
}

// Name implements rerank.Reranker.
func (r *Reranker) Name() string { return r.name }

// Close implements rerank.Reranker.
func (r *Reranker) Close() error { return r.model.Close() }

// Score implements rerank.Reranker: the logit of each pair.
func (r *Reranker) Score(ctx context.Context, query string, texts []string) ([]float64, error) {
	ids, types := make([][]int32, len(texts)), make([][]int32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ids[i], types[i] = r.words.EncodePair(query, text, r.max)
	}
	scores, err := r.model.Run(ctx, encoder.Batch{IDs: ids, Types: types, Pad: r.words.PadID()}, batchTokens)
	if err != nil {
		return nil, fmt.Errorf("rerank: %w", err)
	}
	out := make([]float64, len(texts))
	for i, s := range scores {
		if len(s) != 1 {
			return nil, fmt.Errorf("rerank: the model gives %d scores a pair, not one", len(s))
		}
		out[i] = float64(s[0])
	}
	return out, nil
}
