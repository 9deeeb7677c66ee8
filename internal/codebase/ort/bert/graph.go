package bert

import (
	"fmt"
	"math"
	"strconv"

	"github.com/repgen/repgen/internal/codebase/ort/onnxfile"
	"github.com/repgen/repgen/internal/codebase/ort/safetensors"
)

// Names of the inputs and outputs, as published encoders have them.
const (
	InputIDs      = "input_ids"
	AttentionMask = "attention_mask"
	TokenTypes    = "token_type_ids"
	Hidden        = "last_hidden_state"
	Sentence      = "sentence_embedding"
	Logits        = "logits"
)

// builder holds what the parts of the graph share.
type builder struct {
	g       *onnxfile.Graph
	c       *Config
	weights *weights
}

// Build gives the ONNX model of the weights. Their 32-bit tensors stay in
// their file, called location beside the model; others are converted and put
// into the model.
//
// It takes input_ids and token_type_ids of texts of one length, and no mask:
// nothing is spent on padding, and attention without a mask is the faster one
// (together 6 to 10 % of the time at 256 tokens, measured).
//
// The operators are onnxruntime's fused ones (its domain com.microsoft): its own
// optimiser would make the same of the plain ones, but needs the matrices
// transposed, which would mean a copy of the file.
func Build(c *Config, file *safetensors.File, location string) ([]byte, error) {
	b := &builder{g: &onnxfile.Graph{Name: "bert", External: location}, c: c}
	b.weights = newWeights(b.g, file)
	for _, in := range []string{InputIDs, TokenTypes} {
		b.g.Input(in, onnxfile.Int64, "batch", "sequence")
	}
	x := b.embeddings()
	for layer := range c.Layers {
		x = b.layer(layer, x)
	}
	if c.CrossEncoder() {
		b.classify(x)
	} else {
		b.g.Node("", "Identity", []string{x}, Hidden)
		b.g.Output(Hidden, "batch", "sequence", strconv.FormatInt(c.Hidden, 10))
		b.pool()
	}
	if err := b.weights.err; err != nil {
		return nil, err
	}
	return b.g.Model(), nil
}

// embeddings sums word, segment and position and normalises.
func (b *builder) embeddings() string {
	g, w, h := b.g, b.weights, b.c.Hidden
	words := g.Node("", "Gather", []string{w.matrix("embeddings.word_embeddings.weight", b.c.Vocabulary, h), InputIDs}, "words")
	types := g.Node("", "Gather", []string{w.matrix("embeddings.token_type_embeddings.weight", b.c.Types, h), TokenTypes}, "types")
	shape := g.Node("", "Shape", []string{InputIDs}, "shape")
	length := g.Node("", "Gather", []string{shape, g.Ints("second", nil, 1)}, "length")
	numbers := g.Node("", "Range", []string{g.Ints("zero", nil, 0), length, g.Ints("one", nil, 1)}, "numbers")
	positions := g.Node("", "Gather", []string{w.matrix("embeddings.position_embeddings.weight", b.c.Positions, h), numbers}, "positions")
	sum := g.Node("", "Add", []string{g.Node("", "Add", []string{words, types}, "words_types"), positions}, "embedded")
	return g.Node("", "LayerNormalization", append([]string{sum}, b.norm("embeddings.LayerNorm")...), "embedded_norm",
		onnxfile.Attr{Name: "axis", Value: int64(-1)}, b.epsilon())
}

func (b *builder) epsilon() onnxfile.Attr { return onnxfile.Attr{Name: "epsilon", Value: b.c.Epsilon} }

// norm are scale and shift of a normalisation.
func (b *builder) norm(name string) []string {
	return []string{b.weights.vector(b.weights.either(name+".weight", name+".gamma"), b.c.Hidden), b.weights.vector(b.weights.either(name+".bias", name+".beta"), b.c.Hidden)}
}

// times multiplies by a weight matrix as it is stored, outputs by inputs.
func (b *builder) times(x, weight string, out, in int64, name string) string {
	return b.g.Node(onnxfile.Contrib, "FusedMatMul", []string{x, b.weights.matrix(weight, out, in)}, name,
		onnxfile.Attr{Name: "transB", Value: int64(1)})
}

// layer is one layer of the encoder. Of a cross-encoder's last layer only the
// first token is read, so only that one is computed: of twelve layers 7 % less.
func (b *builder) layer(n int, x string) string {
	g, h := b.g, b.c.Hidden
	p := fmt.Sprintf("encoder.layer.%d.", n)
	id := func(s string) string { return fmt.Sprintf("l%d_%s", n, s) }
	self := p + "attention.self."
	k := b.times(x, self+"key.weight", h, h, id("k"))
	v := b.times(x, self+"value.weight", h, h, id("v"))
	if n == b.c.Layers-1 && b.c.CrossEncoder() {
		x = g.Node("", "Gather", []string{x, g.Ints("first_row", []int64{1}, 0)}, "first_token", onnxfile.Attr{Name: "axis", Value: int64(1)})
	}
	q := b.times(x, self+"query.weight", h, h, id("q"))
	bias := b.weights.joined(id("qkv_bias"), h, self+"query.bias", self+"key.bias", self+"value.bias")
	attended := g.Node(onnxfile.Contrib, "MultiHeadAttention", []string{q, k, v, bias}, id("attended"),
		onnxfile.Attr{Name: "num_heads", Value: b.c.Heads},
		onnxfile.Attr{Name: "scale", Value: float32(1 / math.Sqrt(float64(h/b.c.Heads)))})
	out := b.times(attended, p+"attention.output.dense.weight", h, h, id("projected"))
	x = b.skipNorm(out, x, p+"attention.output", id("norm1"))
	inner := b.times(x, p+"intermediate.dense.weight", b.c.Inner, h, id("inner"))
	inner = b.activate(inner, b.weights.vector(p+"intermediate.dense.bias", b.c.Inner), id("active"))
	out = b.times(inner, p+"output.dense.weight", h, b.c.Inner, id("outer"))
	return b.skipNorm(out, x, p+"output", id("norm2"))
}

// skipNorm adds bias and the layer's own input, and normalises.
func (b *builder) skipNorm(x, skip, part, name string) string {
	inputs := append([]string{x, skip}, b.norm(part+".LayerNorm")...)
	inputs = append(inputs, b.weights.vector(part+".dense.bias", b.c.Hidden))
	return b.g.Node(onnxfile.Contrib, "SkipLayerNormalization", inputs, name, b.epsilon())
}

// activate adds the bias and applies the activation; gelu is the exact one, by
// the error function.
func (b *builder) activate(x, bias, name string) string {
	if b.c.Activation == "relu" {
		return b.g.Node("", "Relu", []string{b.g.Node("", "Add", []string{x, bias}, name+"_sum")}, name)
	}
	return b.g.Node(onnxfile.Contrib, "BiasGelu", []string{x, bias}, name)
}

// pool is the mean over the tokens, of unit length.
func (b *builder) pool() {
	g := b.g
	mean := g.Node("", "ReduceMean", []string{Hidden}, "mean", onnxfile.Attr{Name: "axes", Value: []int64{1}}, onnxfile.Attr{Name: "keepdims", Value: int64(0)})
	g.Node("", "LpNormalization", []string{mean}, Sentence, onnxfile.Attr{Name: "axis", Value: int64(1)}, onnxfile.Attr{Name: "p", Value: int64(2)})
	g.Output(Sentence, "batch", strconv.FormatInt(b.c.Hidden, 10))
}

// classify is pooler and classifier over the first token, the only one of x.
func (b *builder) classify(x string) {
	g, w, h := b.g, b.weights, b.c.Hidden
	first := g.Node("", "Squeeze", []string{x, g.Ints("axis_one", []int64{1}, 1)}, "first")
	transposed := onnxfile.Attr{Name: "transB", Value: int64(1)}
	pooled := g.Node("", "Gemm", []string{first, w.matrix("pooler.dense.weight", h, h), w.vector("pooler.dense.bias", h)}, "pooled", transposed)
	pooled = g.Node("", "Tanh", []string{pooled}, "pooled_tanh")
	labels := w.rows("classifier.weight", h)
	g.Node("", "Gemm", []string{pooled, w.matrix("classifier.weight", labels, h), w.vector("classifier.bias", labels)}, Logits, transposed)
	g.Output(Logits, "batch", strconv.FormatInt(labels, 10))
}
