package onnxfile

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// ErrFormat says that bytes are no whole ONNX model.
var ErrFormat = errors.New("not a whole ONNX model")

// maxValues bounds the inputs and outputs that are read, and maxConstants the
// constants. Guesses: large published models have some ten thousand constants.
const (
	maxValues    = 1000
	maxConstants = 1_000_000
)

// Value is an input or output of a model.
type Value struct {
	Name string
	Type int64 // ONNX's number, 0 when it is no tensor
	// Dims are numbers or names; "?" where nothing is said.
	Dims []string
}

// String shows a value for people: "input_ids int64[batch,sequence]".
func (v Value) String() string {
	return fmt.Sprintf("%s %s[%s]", v.Name, TypeName(v.Type), strings.Join(v.Dims, ","))
}

// Model is what of a model is needed to use it.
type Model struct {
	Inputs  []Value // constants left out
	Outputs []Value
	// Opset is the version of the standard operators, Domains the others.
	Opset   int64
	Domains []string
	// External are the files beside it in which constants lie.
	External []string
}

// TypeName is a tensor type in words.
func TypeName(t int64) string {
	names := map[int64]string{1: "float32", 2: "uint8", 3: "int8", 6: "int32", 7: "int64", 8: "string", 9: "bool", 10: "float16", 11: "float64", 16: "bfloat16"}
	if n, ok := names[t]; ok {
		return n
	}
	return "type " + strconv.FormatInt(t, 10)
}

// Describe reads a model's inputs and outputs and skips its constants, so that
// a mapped file is hardly read. It believes no length.
func Describe(data []byte) (*Model, error) {
	m := &Model{}
	r := reader{constants: map[string]bool{}, external: map[string]bool{}}
	graphs := 0
	err := fields(data, func(num protowire.Number, val field) error {
		switch num {
		case 7:
			graphs++
			return r.graph(val.bytes, m)
		case 8:
			return opsetOf(val.bytes, m)
		}
		return nil
	})
	if err == nil && graphs != 1 {
		err = fmt.Errorf("it has %d graphs", graphs)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	var inputs []Value
	for _, in := range m.Inputs {
		if !r.constants[in.Name] { // old models list their constants here too
			inputs = append(inputs, in)
		}
	}
	m.Inputs = inputs
	m.External = slices.Sorted(maps.Keys(r.external))
	return m, nil
}

// field is the value of one protobuf field.
type field struct {
	bytes  []byte
	number uint64
}

// fields walks over one message.
func fields(b []byte, visit func(protowire.Number, field) error) error {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		var v field
		switch typ {
		case protowire.BytesType:
			v.bytes, n = protowire.ConsumeBytes(b)
		case protowire.VarintType:
			v.number, n = protowire.ConsumeVarint(b)
		default:
			n = protowire.ConsumeFieldValue(num, typ, b)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if err := visit(num, v); err != nil {
			return err
		}
	}
	return nil
}

type reader struct {
	constants map[string]bool
	external  map[string]bool
}

func (r *reader) graph(b []byte, m *Model) error {
	return fields(b, func(num protowire.Number, v field) error {
		switch num {
		case 5:
			if len(r.constants) >= maxConstants {
				return fmt.Errorf("more than %d constants", maxConstants)
			}
			return r.constant(v.bytes)
		case 11:
			return appendValue(&m.Inputs, v.bytes)
		case 12:
			return appendValue(&m.Outputs, v.bytes)
		}
		return nil
	})
}

func (r *reader) constant(b []byte) error {
	return fields(b, func(num protowire.Number, v field) error {
		switch num {
		case 8:
			r.constants[string(v.bytes)] = true
		case 13:
			key, value, err := entry(v.bytes)
			if err != nil {
				return err
			}
			if key == "location" {
				r.external[value] = true
			}
		}
		return nil
	})
}

func entry(b []byte) (key, value string, err error) {
	err = fields(b, func(num protowire.Number, v field) error {
		switch num {
		case 1:
			key = string(v.bytes)
		case 2:
			value = string(v.bytes)
		}
		return nil
	})
	return key, value, err
}

func opsetOf(b []byte, m *Model) error {
	domain, version := "", int64(0)
	err := fields(b, func(num protowire.Number, v field) error {
		switch num {
		case 1:
			domain = string(v.bytes)
		case 2:
			version = int64(v.number)
		}
		return nil
	})
	if domain == "" || domain == "ai.onnx" {
		m.Opset = version
	} else if len(m.Domains) < maxValues {
		m.Domains = append(m.Domains, domain)
	}
	return err
}

func appendValue(list *[]Value, b []byte) error {
	if len(*list) >= maxValues {
		return fmt.Errorf("more than %d inputs or outputs", maxValues)
	}
	var v Value
	err := fields(b, func(num protowire.Number, f field) error {
		switch num {
		case 1:
			v.Name = string(f.bytes)
		case 2:
			return typeOf(f.bytes, &v)
		}
		return nil
	})
	*list = append(*list, v)
	return err
}

// typeOf reads a TypeProto; only tensors have a type here.
func typeOf(b []byte, v *Value) error {
	return fields(b, func(num protowire.Number, f field) error {
		if num != 1 {
			return nil
		}
		return fields(f.bytes, func(num protowire.Number, f field) error {
			switch num {
			case 1:
				v.Type = int64(f.number)
			case 2:
				return dimsOf(f.bytes, v)
			}
			return nil
		})
	})
}

func dimsOf(b []byte, v *Value) error {
	return fields(b, func(num protowire.Number, f field) error {
		if num != 1 {
			return nil
		}
		if len(v.Dims) >= maxValues {
			return errors.New("a shape has too many dimensions")
		}
		dim := "?"
		err := fields(f.bytes, func(num protowire.Number, f field) error {
			switch num {
			case 1:
				dim = strconv.FormatInt(int64(f.number), 10)
			case 2:
				dim = string(f.bytes)
			}
			return nil
		})
		v.Dims = append(v.Dims, dim)
		return err
	})
}
