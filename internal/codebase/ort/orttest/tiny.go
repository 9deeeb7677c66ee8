// Package orttest makes small models with random weights for tests: the files
// of a BERT-like embedder or cross-encoder as they are published.
package orttest

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Spec is the size of a model. The zero value is one of two layers, hidden 32.
type Spec struct {
	Layers, Hidden, Inner, Heads, Positions int
	// Words is the vocabulary; nil: a small one of English and code.
	Words []string
	// Cross makes a cross-encoder (pooler and classifier of one label).
	Cross bool
	// Type of the weights: "F32", "F16" or "BF16"; "": F32.
	Type string
}

// words is a vocabulary that covers a few sentences; everything else is
// [UNK] or single letters.
var words = strings.Fields(`[PAD] [UNK] [CLS] [SEP] [MASK] the a of and to in is model loss nan train ##ing ##s layer keras torch
	error batch size shape not does when def class self return import fit optimizer ( ) _ . , : = 0 1 2 3 4 5 6 7 8 9`)

func (s Spec) filled() Spec {
	pick := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	pick(&s.Layers, 2)
	pick(&s.Hidden, 32)
	pick(&s.Inner, 64)
	pick(&s.Heads, 4)
	pick(&s.Positions, 128)
	if s.Type == "" {
		s.Type = "F32"
	}
	if s.Words == nil {
		s.Words = slices.Clone(words)
		for c := 'a'; c <= 'z'; c++ {
			s.Words = append(s.Words, string(c), "##"+string(c))
		}
	}
	return s
}

// Write makes the files in dir: model.safetensors, config.json, vocab.txt. The
// weights are the same at each call.
func (s Spec) Write(dir string) error {
	s = s.filled()
	if err := os.WriteFile(filepath.Join(dir, "vocab.txt"), []byte(strings.Join(s.Words, "\n")+"\n"), 0o600); err != nil {
		return err
	}
	config, err := json.Marshal(s.config())
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), config, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "model.safetensors"), Safetensors(s.tensors()), 0o600)
}

func (s Spec) config() any {
	architecture := "BertModel"
	if s.Cross {
		architecture = "BertForSequenceClassification"
	}
	return struct {
		Architectures []string `json:"architectures"`
		ModelType     string   `json:"model_type"`
		Hidden        int      `json:"hidden_size"`
		Inner         int      `json:"intermediate_size"`
		Layers        int      `json:"num_hidden_layers"`
		Heads         int      `json:"num_attention_heads"`
		Vocabulary    int      `json:"vocab_size"`
		Positions     int      `json:"max_position_embeddings"`
		Types         int      `json:"type_vocab_size"`
		Epsilon       float64  `json:"layer_norm_eps"`
		Activation    string   `json:"hidden_act"`
	}{[]string{architecture}, "bert", s.Hidden, s.Inner, s.Layers, s.Heads, len(s.Words), s.Positions, 2, 1e-12, "gelu"}
}

// tensors are the weights, random and of the usual size.
func (s Spec) tensors() []Tensor {
	random := rand.New(rand.NewPCG(1, 2))
	prefix := ""
	if s.Cross {
		prefix = "bert."
	}
	var out []Tensor
	add := func(name string, shift float64, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		t := Tensor{Name: name, Type: s.Type, Shape: shape, Values: make([]float32, n)}
		for i := range t.Values {
			t.Values[i] = float32(shift + random.NormFloat64()*0.1)
		}
		out = append(out, t)
	}
	dense := func(name string, to, from int) {
		add(name+".weight", 0, to, from)
		add(name+".bias", 0, to)
	}
	norm := func(name string) {
		add(name+".weight", 1, s.Hidden)
		add(name+".bias", 0, s.Hidden)
	}
	add(prefix+"embeddings.word_embeddings.weight", 0, len(s.Words), s.Hidden)
	add(prefix+"embeddings.position_embeddings.weight", 0, s.Positions, s.Hidden)
	add(prefix+"embeddings.token_type_embeddings.weight", 0, 2, s.Hidden)
	norm(prefix + "embeddings.LayerNorm")
	for l := range s.Layers {
		p := fmt.Sprintf("%sencoder.layer.%d.", prefix, l)
		for _, n := range []string{"query", "key", "value"} {
			dense(p+"attention.self."+n, s.Hidden, s.Hidden)
		}
		dense(p+"attention.output.dense", s.Hidden, s.Hidden)
		norm(p + "attention.output.LayerNorm")
		dense(p+"intermediate.dense", s.Inner, s.Hidden)
		dense(p+"output.dense", s.Hidden, s.Inner)
		norm(p + "output.LayerNorm")
	}
	if s.Cross {
		dense(prefix+"pooler.dense", s.Hidden, s.Hidden)
		dense("classifier", 1, s.Hidden)
	}
	return out
}

// Tensor is one tensor to be written.
type Tensor struct {
	Name   string
	Type   string // F32, F16, BF16
	Shape  []int
	Values []float32
}

// Safetensors are the bytes of a file with these tensors.
func Safetensors(tensors []Tensor) []byte {
	type entry struct {
		Type    string `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets []int  `json:"data_offsets"`
	}
	header := map[string]entry{}
	var body []byte
	for _, t := range tensors {
		begin := len(body)
		for _, v := range t.Values {
			bits := math.Float32bits(v)
			switch t.Type {
			case "F16":
				body = binary.LittleEndian.AppendUint16(body, half(v))
			case "BF16":
				body = binary.LittleEndian.AppendUint16(body, uint16(bits>>16))
			default:
				body = binary.LittleEndian.AppendUint32(body, bits)
			}
		}
		shape := t.Shape
		if shape == nil {
			shape = []int{}
		}
		header[t.Name] = entry{t.Type, shape, []int{begin, len(body)}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		panic(err) // the types above can always be written
	}
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), body...)
}

// half cuts a number to 16 bits; what is too small becomes 0, and nothing here
// is too large.
func half(v float32) uint16 {
	bits := math.Float32bits(v)
	sign := uint16(bits >> 16 & 0x8000)
	exp := int(bits>>23&0xff) - 127 + 15
	if exp <= 0 {
		return sign
	}
	return sign | uint16(exp)<<10 | uint16(bits>>13&0x3ff)
}
