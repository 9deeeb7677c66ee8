package bert_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/codebase/ort/bert"
	"github.com/repgen/repgen/internal/codebase/ort/onnxfile"
	"github.com/repgen/repgen/internal/codebase/ort/orttest"
	"github.com/repgen/repgen/internal/codebase/ort/safetensors"
)

const good = `{"architectures":["BertModel"],"hidden_size":32,"intermediate_size":64,"num_hidden_layers":2,"num_attention_heads":4,"vocab_size":60,"max_position_embeddings":64}`

func TestReadConfig(t *testing.T) {
	c, err := bert.ReadConfig([]byte(good))
	if err != nil || c.CrossEncoder() || c.Types != 2 || c.Epsilon != 1e-12 {
		t.Fatalf("%+v %v", c, err)
	}
	for name, edit := range map[string][2]string{
		"another kind":    {`{`, `{"model_type":"roberta",`},
		"other positions": {`{`, `{"position_embedding_type":"relative_key",`},
		"another act":     {`{`, `{"hidden_act":"gelu_new",`},
		"no layers":       {`"num_hidden_layers":2`, `"num_hidden_layers":0`},
		"million layers":  {`"num_hidden_layers":2`, `"num_hidden_layers":1000000`},
		"heads":           {`"num_attention_heads":4`, `"num_attention_heads":5`},
		"no heads":        {`"num_attention_heads":4`, `"num_attention_heads":0`},
		"hidden":          {`"hidden_size":32`, `"hidden_size":-32`},
		"words":           {`"vocab_size":60`, `"vocab_size":0`},
	} {
		text := strings.Replace(good, edit[0], edit[1], 1)
		if _, err := bert.ReadConfig([]byte(text)); !errors.Is(err, bert.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := bert.ReadConfig([]byte("{")); err == nil {
		t.Error("half a file was read")
	}
}

func FuzzReadConfig(f *testing.F) {
	f.Add([]byte(good))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := bert.ReadConfig(data); err == nil && c.Hidden%c.Heads != 0 {
			t.Error("heads do not divide")
		}
	})
}

// build writes a made-up model and builds its graph over the weights that edit
// changed.
func build(t *testing.T, s orttest.Spec, edit func(c *bert.Config)) (*onnxfile.Model, []byte, error) {
	t.Helper()
	dir := t.TempDir()
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := bert.ReadConfig(text)
	if err != nil {
		t.Fatal(err)
	}
	if edit != nil {
		edit(c)
	}
	file, err := safetensors.Open(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	data, err := bert.Build(c, file, "model.safetensors")
	if err != nil {
		return nil, nil, err
	}
	m, err := onnxfile.Describe(data)
	if err != nil {
		t.Fatal(err)
	}
	return m, data, nil
}

func names(values []onnxfile.Value) []string {
	var out []string
	for _, v := range values {
		out = append(out, v.String())
	}
	return out
}

func TestBuild(t *testing.T) {
	m, data, err := build(t, orttest.Spec{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := names(m.Inputs); !slices.Equal(got, []string{"input_ids int64[batch,sequence]", "token_type_ids int64[batch,sequence]"}) {
		t.Errorf("inputs %v", got)
	}
	if got := names(m.Outputs); !slices.Equal(got, []string{"last_hidden_state float32[batch,sequence,32]", "sentence_embedding float32[batch,32]"}) {
		t.Errorf("outputs %v", got)
	}
	if !slices.Equal(m.External, []string{"model.safetensors"}) || len(data) > 20_000 {
		t.Errorf("the weights are in the graph: %d bytes, %v", len(data), m.External)
	}
	again, _, err := build(t, orttest.Spec{}, nil)
	if err != nil || !slices.Equal(names(again.Outputs), names(m.Outputs)) {
		t.Error("the graph is not the same at each call")
	}
}

func TestBuildCross(t *testing.T) {
	m, _, err := build(t, orttest.Spec{Cross: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := names(m.Outputs); !slices.Equal(got, []string{"logits float32[batch,1]"}) {
		t.Errorf("outputs %v", got)
	}
}

// TestBuildHalf: 16-bit weights are converted into the graph.
func TestBuildHalf(t *testing.T) {
	for _, kind := range []string{"F16", "BF16"} {
		m, data, err := build(t, orttest.Spec{Type: kind}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.External) != 0 || len(data) < 50_000 {
			t.Errorf("%s: %d bytes, %v", kind, len(data), m.External)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spec orttest.Spec
		edit func(*bert.Config)
		want string
	}{
		"more layers": {orttest.Spec{}, func(c *bert.Config) { c.Layers = 3 }, "encoder.layer.2.attention.self.key.weight"},
		"words":       {orttest.Spec{}, func(c *bert.Config) { c.Vocabulary++ }, "embeddings.word_embeddings.weight has the shape"},
		"no head":     {orttest.Spec{}, func(c *bert.Config) { c.Architectures = []string{"BertForSequenceClassification"} }, "pooler.dense.weight"},
		"hidden":      {orttest.Spec{}, func(c *bert.Config) { c.Hidden = 64 }, "shape"},
	} {
		_, _, err := build(t, c.spec, c.edit)
		if !errors.Is(err, bert.ErrUnsupported) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
