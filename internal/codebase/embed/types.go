// Package embed turns texts into vectors. Backends implement Embedder; the
// conformance suite in embedtest is what each of them passes.
package embed

import "context"

// Info says which model made a vector.
type Info struct {
	Backend string `json:"backend"` // "onnx", "http", "static"
	Name    string `json:"name"`    // "all-MiniLM-L6-v2"
	// Hash identifies the weights and everything else that changes a vector
	// (pooling, truncation): vectors of different hashes are never compared.
	Hash      string `json:"hash"`
	Dims      int    `json:"dims"`
	MaxTokens int    `json:"max_tokens"` // longer texts are cut
}

// Embedder turns texts into vectors of unit length.
//
// Embed gives one vector a text, in order, each of Info().Dims numbers; a text
// without any word gives a vector too (never NaN). It may be called from one
// goroutine at a time. It returns ctx's error soon after ctx ends, and then no
// vectors. Close frees what the model holds; it is called once.
type Embedder interface {
	Info() Info
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	Close() error
}

// Counter is an Embedder that can say how long a text is for it, so that texts
// of like length can share a batch.
type Counter interface {
	Tokens(text string) int
}

// Sizer is an Embedder that wants batches of its own size: at most so many
// tokens with the padding, 0 when a text's length does not matter to it, and
// at most so many texts.
type Sizer interface {
	BatchSize() (tokens, texts int)
}

// Projector is a cheap Embedder into whose space the vectors of an exact one
// can be brought. A query embedded exactly and then projected finds more than
// one embedded cheaply, and the query is one text.
type Projector interface {
	// Project gives a unit vector of the cheap one's dimension; false when info
	// is not of the model that it was made from.
	Project(info Info, exact []float32) ([]float32, bool)
}
