// Package onnxfile writes and reads ONNX models as far as a transformer needs
// it: a graph of nodes over constants that may lie in another file, and the
// names and types of a model's inputs and outputs.
package onnxfile

import (
	"encoding/binary"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// Types of tensors, by ONNX's numbers.
const (
	Float   = 1
	Int32   = 6
	Int64   = 7
	Float16 = 10
)

// irVersion and the opset are those of ONNX 1.12 (2022): old enough for every
// onnxruntime that can be loaded here.
const (
	irVersion = 8
	opset     = 17
)

// Contrib is the domain of onnxruntime's own operators.
const Contrib = "com.microsoft"

// Graph is a model being built. Names of values are the caller's.
type Graph struct {
	Name    string
	nodes   []byte
	consts  []byte
	inputs  []byte
	outputs []byte
	// External is the file, beside the model, that AddExternal's constants are in.
	External string
}

// Attr is an attribute of a node: an int64, a float32, a string or []int64.
type Attr struct {
	Name  string
	Value any
}

// Node adds an operator with one output, which it returns, so that calls nest.
// An input "" is one that is left out.
func (g *Graph) Node(domain, op string, inputs []string, output string, attrs ...Attr) string {
	var n []byte
	for _, in := range inputs {
		n = text(n, 1, in)
	}
	n = text(n, 2, output)
	n = text(n, 3, output)
	n = text(n, 4, op)
	for _, a := range attrs {
		n = message(n, 5, a.encode())
	}
	if domain != "" {
		n = text(n, 7, domain)
	}
	g.nodes = message(g.nodes, 1, n)
	return output
}

// encode writes an attribute; a value of another type is written as none, which
// the runtime refuses by the attribute's name.
func (a Attr) encode() []byte {
	b := text(nil, 1, a.Name)
	switch v := a.Value.(type) {
	case float32:
		b = protowire.AppendTag(b, 2, protowire.Fixed32Type)
		b = protowire.AppendFixed32(b, math.Float32bits(v))
		return number(b, 20, 1)
	case int64:
		return number(number(b, 3, v), 20, 2)
	case string:
		return number(text(b, 4, v), 20, 3)
	case []int64:
		for _, n := range v {
			b = number(b, 8, n)
		}
		return number(b, 20, 7)
	}
	return b
}

// Floats adds a constant of numbers and returns its name.
func (g *Graph) Floats(name string, shape []int64, values []float32) string {
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return g.constant(name, shape, Float, raw)
}

// Ints adds a constant of whole numbers and returns its name. A nil shape is a
// single number.
func (g *Graph) Ints(name string, shape []int64, values ...int64) string {
	raw := make([]byte, 0, 8*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return g.constant(name, shape, Int64, raw)
}

func (g *Graph) constant(name string, shape []int64, kind int64, raw []byte) string {
	t := message(tensor(name, shape, kind), 9, raw)
	g.consts = message(g.consts, 5, t)
	return name
}

// AddExternal adds a constant of 32-bit numbers that lies in the file External,
// size bytes from offset on.
func (g *Graph) AddExternal(name string, shape []int64, offset, size int64) string {
	t := tensor(name, shape, Float)
	for _, kv := range [][2]string{
		{"location", g.External}, {"offset", strconv.FormatInt(offset, 10)}, {"length", strconv.FormatInt(size, 10)},
	} {
		t = message(t, 13, text(text(nil, 1, kv[0]), 2, kv[1]))
	}
	t = number(t, 14, 1)
	g.consts = message(g.consts, 5, t)
	return name
}

func tensor(name string, shape []int64, kind int64) []byte {
	var t []byte
	for _, d := range shape {
		t = number(t, 1, d)
	}
	return text(number(t, 2, kind), 8, name)
}

// Input declares an input of whole numbers with named dimensions.
func (g *Graph) Input(name string, kind int64, dims ...string) string {
	g.inputs = message(g.inputs, 11, value(name, kind, dims))
	return name
}

// Output declares an output of 32-bit numbers; a dimension is a name or a
// number.
func (g *Graph) Output(name string, dims ...string) {
	g.outputs = message(g.outputs, 12, value(name, Float, dims))
}

func value(name string, kind int64, dims []string) []byte {
	var shape []byte
	for _, d := range dims {
		var dim []byte
		if n, err := strconv.ParseInt(d, 10, 64); err == nil {
			dim = number(nil, 1, n)
		} else {
			dim = text(nil, 2, d)
		}
		shape = message(shape, 1, dim)
	}
	t := message(number(nil, 1, kind), 2, shape)
	return message(text(nil, 1, name), 2, message(nil, 1, t))
}

// Model is the whole, as ONNX's bytes.
func (g *Graph) Model() []byte {
	graph := make([]byte, 0, len(g.nodes)+len(g.consts)+len(g.inputs)+len(g.outputs)+len(g.Name)+16)
	graph = append(graph, g.nodes...)
	graph = text(graph, 2, g.Name)
	graph = append(append(append(graph, g.consts...), g.inputs...), g.outputs...)
	b := make([]byte, 0, len(graph)+128)
	b = text(number(b, 1, irVersion), 2, "repgen")
	b = message(b, 7, graph)
	b = message(b, 8, number(text(nil, 1, ""), 2, opset))
	return message(b, 8, number(text(nil, 1, Contrib), 2, 1))
}

func text(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func message(b []byte, field protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), m)
}

func number(b []byte, field protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(v))
}
