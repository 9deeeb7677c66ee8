// Package onnx embeds texts with a BERT-like sentence model on onnxruntime.
package onnx

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/repgen/repgen/internal/codebase/embed"
	"github.com/repgen/repgen/internal/codebase/embed/wordpiece"
	"github.com/repgen/repgen/internal/codebase/models"
	"github.com/repgen/repgen/internal/codebase/ort"
	"github.com/repgen/repgen/internal/codebase/ort/encoder"
)

const (
	// batchTokens bounds a batch, padding included. The time a token takes is the
	// same from 128 to 4,096 of them (measured); a small batch ends sooner when
	// ctx ends, and needs little memory.
	batchTokens = 2048
	// version is part of the hash: a change of anything here that changes a vector
	// raises it.
	version = "1"
)

// Options say which model, on which library.
type Options struct {
	Model *models.Installed
	// Library is the file of onnxruntime (ort.Search).
	Library string
	// Threads that compute; 0: one a processor.
	Threads int
}

// Embedder is a model in memory. It implements embed.Embedder, embed.Counter
// and embed.Sizer.
type Embedder struct {
	info  embed.Info
	words *wordpiece.Tokenizer
	model *encoder.Encoder
}

// New loads a model. ort.ErrNoRuntime when the library cannot be used, an
// *encoder.ModelError when the model cannot.
func New(ctx context.Context, o Options) (embed.Embedder, error) {
	if o.Model == nil {
		return nil, errors.New("open an embedder: no model is named")
	}
	if o.Model.Kind != models.Embedder {
		return nil, fmt.Errorf("open an embedder: %s is a model of the kind %s", o.Model.Name, o.Model.Kind)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	words, err := wordpiece.Load(o.Model.Dir)
	if err != nil {
		return nil, fmt.Errorf("open the embedder %s: %w", o.Model.Name, err)
	}
	if err := ort.Load(o.Library); err != nil {
		return nil, err
	}
	model, err := encoder.Open(o.Model.Dir, encoder.Vectors, o.Threads)
	if err != nil {
		return nil, fmt.Errorf("open the embedder %s: %w", o.Model.Name, err)
	}
	e := &Embedder{words: words, model: model, info: embed.Info{
		Backend: "onnx", Name: o.Model.Name, Dims: o.Model.Dims, MaxTokens: o.Model.MaxTokens,
	}}
	if err := e.fit(); err != nil {
		return nil, errors.Join(fmt.Errorf("open the embedder %s: %w", o.Model.Name, err), model.Close())
	}
	e.info.Hash = hashOf(o.Model, model.Pooling(), e.info.MaxTokens)
	return e, nil
}

// fit checks what the manifest says against the model.
func (e *Embedder) fit() error {
	if d := e.model.Dims(); d != 0 {
		if e.info.Dims != 0 && e.info.Dims != d {
			return fmt.Errorf("it gives vectors of %d numbers, not %d", d, e.info.Dims)
		}
		e.info.Dims = d
	}
	if e.info.Dims < 1 {
		return errors.New("the length of its vectors is not known: import it again with --dims")
	}
	if e.info.MaxTokens < 3 { // [CLS], one piece, [SEP]
		return fmt.Errorf("it takes %d tokens", e.info.MaxTokens)
	}
	return nil
}

// hashOf covers everything that changes a vector.
func hashOf(m *models.Installed, pooling string, tokens int) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s %s %d\n", version, pooling, tokens) // a hash takes everything
	files := slices.Clone(m.Files)
	slices.SortFunc(files, func(a, b models.File) int {
		if a.Path < b.Path {
			return -1
		}
		return 1
	})
	for _, f := range files {
		_, _ = io.WriteString(h, f.Path+" "+f.SHA256+"\n")
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Info implements embed.Embedder.
func (e *Embedder) Info() embed.Info { return e.info }

// Tokens implements embed.Counter.
func (e *Embedder) Tokens(text string) int { return e.words.Count(text, e.info.MaxTokens) }

// BatchSize implements embed.Sizer: a full batch for each thread.
func (e *Embedder) BatchSize() (tokens, texts int) {
	n := e.model.Threads()
	return n * batchTokens, n * embed.DefaultBatchTexts
}

// Close implements embed.Embedder.
func (e *Embedder) Close() error { return e.model.Close() }

// Embed implements embed.Embedder. Texts of like length share a batch.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	ids := make([][]int32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ids[i] = e.words.Encode(text, e.info.MaxTokens)
	}
	vectors, err := e.model.Run(ctx, encoder.Batch{IDs: ids, Pad: e.words.PadID()}, batchTokens)
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	for _, v := range vectors {
		if len(v) != e.info.Dims {
			return nil, fmt.Errorf("embed: the model gives a vector of %d numbers, not %d", len(v), e.info.Dims)
		}
	}
	return vectors, nil
}
