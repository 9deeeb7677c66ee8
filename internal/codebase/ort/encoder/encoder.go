// Package encoder opens the model of a folder, from safetensors or from ONNX,
// and runs it over token numbers. It is what embedders and rerankers share.
package encoder

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/repgen/repgen/internal/codebase/ort"
	"github.com/repgen/repgen/internal/codebase/ort/bert"
)

// Want is what a model is to give.
type Want string

// What a model can give.
const (
	Vectors Want = "vectors" // one vector a text, of unit length
	Scores  Want = "scores"  // one number a pair
)

// Encoder is an open model. One goroutine at a time.
type Encoder struct {
	session *ort.Session
	plan    *plan
	threads int
}

// Open loads the model of a folder: model.safetensors with config.json, or
// model.onnx. A *ModelError says what of it cannot be used; ort.ErrNoRuntime
// that no library is loaded. Threads compute; 0: one a processor.
func Open(dir string, want Want, threads int) (*Encoder, error) {
	p, err := look(dir, want)
	if err != nil {
		return nil, err
	}
	m := p.model
	m.Outputs = []string{p.output}
	m.Inputs = p.inputs
	session, err := ort.Open(m)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", dir, err)
	}
	p.model.Data = nil // the runtime has it now
	if threads <= 0 {
		threads = runtime.NumCPU()
	}
	return &Encoder{session: session, plan: p, threads: threads}, nil
}

// Inspect says whether the model of a folder could be used, without running
// it, and the length of its vectors, 0 where it does not say it.
func Inspect(dir string, want Want) (dims int, err error) {
	p, err := look(dir, want)
	if err != nil {
		return 0, err
	}
	return p.dims, nil
}

// Dims is the length of a vector, where the model says it; else 0.
func (e *Encoder) Dims() int { return e.plan.dims }

// Pooling says how the vectors come about, for the hash of what made them.
func (e *Encoder) Pooling() string { return e.plan.output + "/mean/unit" }

// Threads is how many compute.
func (e *Encoder) Threads() int { return e.threads }

// Close frees the model.
func (e *Encoder) Close() error { return e.session.Close() }

// Batch is token numbers of several texts, padded to the longest where they are
// run together.
type Batch struct {
	IDs   [][]int32
	Types [][]int32 // nil: all 0
	Pad   int32     // the number of the padding token
}

// batch runs texts together.
func (e *Encoder) batch(ctx context.Context, b Batch) ([][]float32, error) {
	rows, columns := len(b.IDs), 0
	for _, ids := range b.IDs {
		columns = max(columns, len(ids))
	}
	if columns == 0 {
		return nil, errors.New("run a model: a text without tokens")
	}
	in := b.inputs(rows, columns)
	list := make([][]int64, len(e.plan.inputs))
	for i, name := range e.plan.inputs {
		list[i] = in[name]
	}
	out, err := e.session.Run(ctx, rows, columns, list...)
	if err != nil {
		return nil, err
	}
	if !out[0].Finite() {
		return nil, &ModelError{What: "it gives values that are no numbers", Next: "verify its files: repgen models verify"}
	}
	switch {
	case e.plan.want == Scores:
		return split(out[0], rows)
	case e.plan.output == bert.Sentence:
		vectors, err := split(out[0], rows)
		return unit(vectors), err
	}
	vectors, err := mean(out[0], b.IDs, columns)
	return unit(vectors), err
}

// inputs are the three inputs by name.
func (b Batch) inputs(rows, columns int) map[string][]int64 {
	ids, mask, types := make([]int64, rows*columns), make([]int64, rows*columns), make([]int64, rows*columns)
	for r := range rows {
		for c := range columns {
			at := r*columns + c
			if c >= len(b.IDs[r]) {
				ids[at] = int64(b.Pad)
				continue
			}
			ids[at], mask[at] = int64(b.IDs[r][c]), 1
			if b.Types != nil {
				types[at] = int64(b.Types[r][c])
			}
		}
	}
	return map[string][]int64{bert.InputIDs: ids, bert.AttentionMask: mask, bert.TokenTypes: types}
}

// split cuts a tensor of rows by any.
func split(t ort.Tensor, rows int) ([][]float32, error) {
	if err := t.Want(rows, -1); err != nil {
		return nil, &ModelError{What: err.Error()}
	}
	n := len(t.Data) / rows
	out := make([][]float32, rows)
	for i := range out {
		out[i] = t.Data[i*n : (i+1)*n : (i+1)*n]
	}
	return out, nil
}

// mean is the mean of the tokens that are no padding.
func mean(t ort.Tensor, ids [][]int32, columns int) ([][]float32, error) {
	if err := t.Want(len(ids), columns, -1); err != nil {
		return nil, &ModelError{What: err.Error()}
	}
	n := len(t.Data) / (len(ids) * columns)
	out := make([][]float32, len(ids))
	for r := range ids {
		sum := make([]float32, n)
		for c := range ids[r] {
			at := (r*columns + c) * n
			for i, v := range t.Data[at : at+n] {
				sum[i] += v
			}
		}
		for i := range sum {
			sum[i] /= float32(max(1, len(ids[r])))
		}
		out[r] = sum
	}
	return out, nil
}

// unit makes each vector one of unit length; one of length 0 stays.
func unit(vectors [][]float32) [][]float32 {
	for _, v := range vectors {
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if sum == 0 {
			continue
		}
		scale := float32(1 / math.Sqrt(sum))
		for i := range v {
			v[i] *= scale
		}
	}
	return vectors
}
