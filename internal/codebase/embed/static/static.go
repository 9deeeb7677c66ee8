// Package static embeds without a model: the mean of token vectors that are
// shipped inside the binary. They were distilled from all-MiniLM-L6-v2 (NOTICE,
// gen/): each token run through the model alone, weighted by how rare it is,
// reduced to few dimensions, and fitted to the model's own vectors of Python
// source and documentation. It is for choosing candidates, thousands of texts
// a second, whose exact vectors are then worth computing.
package static

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/repgen/repgen/internal/codebase/embed"
	"github.com/repgen/repgen/internal/codebase/embed/wordpiece"
)

// Source is the model that the vectors were distilled from: only its vectors
// can be projected. Others carry its name in theirs (an owner before it, "-int8"
// after it: measured, a cosine of 0.9995 to the original).
const Source = "all-MiniLM-L6-v2"

// maxTokens is how much of a text counts: what the model itself reads, less
// its two marks.
const maxTokens = 254

// Embedder is the backend; it implements embed.Embedder. Unlike others it is
// safe for concurrent use.
type Embedder struct {
	head  header
	parts func() (parts, error)
}

// parts are what takes time to unpack (about 40 ms).
type parts struct {
	words *wordpiece.Tokenizer
	table *table
}

// load reads the header once; the rest is unpacked when a text comes, since
// many a search needs none.
var load = sync.OnceValues(func() (*Embedder, error) {
	h, err := readHeader(packed)
	if err != nil {
		return nil, fmt.Errorf("read static vectors: %w", err)
	}
	return &Embedder{h, sync.OnceValues(unpackAll)}, nil
})

func unpackAll() (parts, error) {
	words, err := wordpiece.Uncased()
	if err != nil {
		return parts{}, err
	}
	t, err := unpack(packed)
	if err != nil {
		return parts{}, fmt.Errorf("unpack static vectors: %w", err)
	}
	if t.tokens != words.Size() {
		return parts{}, fmt.Errorf("static vectors of %d tokens for a vocabulary of %d", t.tokens, words.Size())
	}
	return parts{words, t}, nil
}

// New gives the static embedder. It fails only when the binary is damaged.
func New() (*Embedder, error) { return load() }

// Info names the vectors; the hash is of their bytes.
func (e *Embedder) Info() embed.Info {
	return embed.Info{Backend: "static", Name: Source + " distilled", Hash: e.head.hash, Dims: e.head.dims, MaxTokens: maxTokens}
}

// Close does nothing: the vectors belong to the binary.
func (e *Embedder) Close() error { return nil }

// BatchSize says that the length of a text does not matter.
func (e *Embedder) BatchSize() (tokens, texts int) { return 0, 4096 }

// perWorker is how many texts make a goroutine worth its start (about 5 ms).
const perWorker = 64

// Embed gives the unit vectors of texts, on all processors.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	p, err := e.parts()
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	dims := e.head.dims
	flat := make([]float32, len(texts)*dims)
	for i := range out {
		out[i] = flat[i*dims : (i+1)*dims : (i+1)*dims]
	}
	workers := min(runtime.GOMAXPROCS(0), (len(texts)+perWorker-1)/perWorker)
	var wg sync.WaitGroup
	for w := range workers {
		from, to := w*len(texts)/workers, (w+1)*len(texts)/workers
		wg.Go(func() {
			var ids []int32
			for i := from; i < to && ctx.Err() == nil; i++ {
				ids = p.words.Append(ids[:0], texts[i], maxTokens)
				p.table.mean(out[i], ids)
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

// Project brings an exact vector of the source model into this space; see
// embed.Projector. The model is known by its name and dimension, whoever runs
// it and however it is quantised.
func (e *Embedder) Project(info embed.Info, exact []float32) ([]float32, bool) {
	if !strings.Contains(strings.ToLower(info.Name), strings.ToLower(Source)) || len(exact) != e.head.source {
		return nil, false
	}
	p, err := e.parts()
	if err != nil {
		return nil, false
	}
	return p.table.project(exact)
}
