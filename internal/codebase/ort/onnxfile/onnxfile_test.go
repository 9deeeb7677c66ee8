package onnxfile_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/repgen/repgen/internal/codebase/ort/onnxfile"
)

func graph() *onnxfile.Graph {
	g := &onnxfile.Graph{Name: "test", External: "weights.bin"}
	g.Input("ids", onnxfile.Int64, "batch", "sequence")
	g.Input("w", onnxfile.Float, "2")
	w := g.Floats("w", []int64{2}, []float32{1, 2})
	e := g.AddExternal("e", []int64{2}, 64, 8)
	x := g.Node("", "Cast", []string{"ids"}, "x", onnxfile.Attr{Name: "to", Value: int64(onnxfile.Float)})
	x = g.Node(onnxfile.Contrib, "BiasGelu", []string{x, w}, "y")
	g.Node("", "Add", []string{x, e}, "out", onnxfile.Attr{Name: "f", Value: float32(1.5)}, onnxfile.Attr{Name: "s", Value: "text"})
	g.Ints("i", nil, 7)
	g.Output("out", "batch", "2")
	return g
}

func TestDescribeWritten(t *testing.T) {
	m, err := onnxfile.Describe(graph().Model())
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Inputs) != 1 || m.Inputs[0].String() != "ids int64[batch,sequence]" {
		t.Errorf("inputs %v: a constant is no input", m.Inputs)
	}
	if len(m.Outputs) != 1 || m.Outputs[0].String() != "out float32[batch,2]" {
		t.Errorf("outputs %v", m.Outputs)
	}
	if m.Opset != 17 || !slices.Equal(m.Domains, []string{onnxfile.Contrib}) || !slices.Equal(m.External, []string{"weights.bin"}) {
		t.Errorf("%+v", m)
	}
}

func TestDescribeRefuses(t *testing.T) {
	whole := graph().Model()
	many := protowire.AppendTag(nil, 7, protowire.BytesType)
	var values []byte
	for range 1001 {
		values = protowire.AppendBytes(protowire.AppendTag(values, 12, protowire.BytesType), nil)
	}
	many = protowire.AppendBytes(many, values)
	for name, data := range map[string][]byte{
		"empty":            nil,
		"cut":              whole[:len(whole)/2],
		"text":             []byte("this is no model at all, only some words"),
		"two graphs":       append(slices.Clone(whole), whole...),
		"a thousand":       many,
		"a length of 2^40": append(protowire.AppendTag(nil, 7, protowire.BytesType), protowire.AppendVarint(nil, 1<<40)...),
	} {
		if _, err := onnxfile.Describe(data); !errors.Is(err, onnxfile.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTypeName(t *testing.T) {
	if onnxfile.TypeName(onnxfile.Float16) != "float16" || !strings.Contains(onnxfile.TypeName(99), "99") {
		t.Error("a type has no name")
	}
}

func FuzzDescribe(f *testing.F) {
	f.Add(graph().Model())
	f.Add([]byte{0x3a, 0x00})
	f.Add([]byte{0x3a, 0x05, 0x62, 0x03, 0x0a, 0x01, 0x61})
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := onnxfile.Describe(data)
		if err != nil {
			return
		}
		for _, v := range append(m.Inputs, m.Outputs...) {
			if v.String() == "" {
				t.Error("a value without words")
			}
		}
	})
}
