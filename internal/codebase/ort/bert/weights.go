package bert

import (
	"slices"

	"github.com/repgen/repgen/internal/codebase/ort/onnxfile"
	"github.com/repgen/repgen/internal/codebase/ort/safetensors"
)

// prefixes stand before the names of a checkpoint: none, or that of the encoder
// inside a model with a head.
var prefixes = []string{"", "bert.", "model.", "0.auto_model."}

// weights turns tensors of a file into constants of a graph. The first trouble
// is kept in err, and what follows gives names of nothing.
type weights struct {
	g    *onnxfile.Graph
	file *safetensors.File
	done map[string]bool
	err  error
}

func newWeights(g *onnxfile.Graph, f *safetensors.File) *weights {
	return &weights{g: g, file: f, done: map[string]bool{}}
}

func (w *weights) fail(format string, args ...any) {
	if w.err == nil {
		w.err = unsupported(format, args...)
	}
}

// find looks for a tensor under each prefix.
func (w *weights) find(name string) (safetensors.Tensor, bool) {
	for _, p := range prefixes {
		if t, ok := w.file.Get(p + name); ok {
			return t, true
		}
	}
	return safetensors.Tensor{}, false
}

// either is the first of two names that the file has: checkpoints from before
// 2019's renaming call a normalisation's scale and shift gamma and beta.
func (w *weights) either(name, old string) string {
	if _, ok := w.find(name); !ok {
		if _, ok := w.find(old); ok {
			return old
		}
	}
	return name
}

// rows is the first dimension of a matrix with the given columns.
func (w *weights) rows(name string, columns int64) int64 {
	t, ok := w.find(name)
	if !ok || len(t.Shape) != 2 || t.Shape[1] != columns || t.Shape[0] < 1 {
		w.fail("the weights have no %s of any by %d", name, columns)
		return 1
	}
	return t.Shape[0]
}

func (w *weights) matrix(name string, rows, columns int64) string {
	return w.constant(name, []int64{rows, columns})
}

func (w *weights) vector(name string, size int64) string { return w.constant(name, []int64{size}) }

// constant adds a tensor of the wanted shape, once.
func (w *weights) constant(name string, shape []int64) string {
	if w.done[name] {
		return name
	}
	w.done[name] = true
	t, ok := w.find(name)
	switch {
	case !ok:
		w.fail("the weights have no %s", name)
	case !slices.Equal(t.Shape, shape):
		w.fail("%s has the shape %v, not %v as the configuration says", name, t.Shape, shape)
	case t.Type == "F32" && t.Offset%4 == 0 && w.g.External != "":
		return w.g.AddExternal(name, shape, t.Offset, t.Size)
	default:
		values, err := w.file.Floats(t)
		if err != nil {
			w.fail("%v", err)
			return name
		}
		return w.g.Floats(name, shape, values)
	}
	return name
}

// joined is several vectors of one size, one behind the other.
func (w *weights) joined(as string, size int64, names ...string) string {
	var all []float32
	for _, name := range names {
		t, ok := w.find(name)
		if !ok || !slices.Equal(t.Shape, []int64{size}) {
			w.fail("the weights have no %s of %d", name, size)
			return as
		}
		values, err := w.file.Floats(t)
		if err != nil {
			w.fail("%v", err)
			return as
		}
		all = append(all, values...)
	}
	return w.g.Floats(as, []int64{int64(len(all))}, all)
}
