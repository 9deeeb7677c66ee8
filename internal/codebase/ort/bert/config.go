// Package bert turns the weights of a BERT-like encoder (safetensors) into an
// ONNX model: a sentence embedder with mean pooling and unit length, or a
// cross-encoder with pooler and classifier.
package bert

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrUnsupported says that a model is not one that this package can build.
var ErrUnsupported = errors.New("unsupported model")

func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsupported, fmt.Sprintf(format, args...))
}

// Config is the published config.json, as far as it changes the graph.
type Config struct {
	Architectures []string          `json:"architectures"`
	ModelType     string            `json:"model_type"`
	Hidden        int64             `json:"hidden_size"`
	Inner         int64             `json:"intermediate_size"`
	Layers        int               `json:"num_hidden_layers"`
	Heads         int64             `json:"num_attention_heads"`
	Vocabulary    int64             `json:"vocab_size"`
	Positions     int64             `json:"max_position_embeddings"`
	Types         int64             `json:"type_vocab_size"`
	Epsilon       float32           `json:"layer_norm_eps"`
	Activation    string            `json:"hidden_act"`
	PositionKind  string            `json:"position_embedding_type"`
	Labels        map[string]string `json:"id2label"`
}

// Limits are guesses, several times what published encoders of this kind have;
// they keep a made-up configuration from asking for the machine's memory.
const (
	maxLayers = 128
	maxHidden = 16384
	maxVocab  = 10_000_000
)

// ReadConfig reads and checks a config.json. ErrUnsupported names what is not
// known.
func ReadConfig(data []byte) (*Config, error) {
	c := &Config{Epsilon: 1e-12, Types: 2, Activation: "gelu", PositionKind: "absolute", ModelType: "bert"}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("read the model's configuration: %w", err)
	}
	switch {
	case c.ModelType != "bert":
		return nil, unsupported("model_type %q (only bert)", c.ModelType)
	case c.PositionKind != "absolute":
		return nil, unsupported("position_embedding_type %q (only absolute)", c.PositionKind)
	case c.Activation != "gelu" && c.Activation != "relu":
		return nil, unsupported("hidden_act %q (only gelu and relu)", c.Activation)
	case c.Layers < 1 || c.Layers > maxLayers:
		return nil, unsupported("%d layers", c.Layers)
	case c.Hidden < 1 || c.Hidden > maxHidden || c.Inner < 1 || c.Inner > 16*maxHidden:
		return nil, unsupported("hidden sizes %d and %d", c.Hidden, c.Inner)
	case c.Heads < 1 || c.Hidden%c.Heads != 0:
		return nil, unsupported("%d heads over a hidden size of %d", c.Heads, c.Hidden)
	case c.Vocabulary < 1 || c.Vocabulary > maxVocab || c.Positions < 1 || c.Positions > maxVocab || c.Types < 1 || c.Types > maxVocab:
		return nil, unsupported("%d words, %d positions, %d segment types", c.Vocabulary, c.Positions, c.Types)
	}
	return c, nil
}

// CrossEncoder says that the model scores pairs.
func (c *Config) CrossEncoder() bool {
	return slices.ContainsFunc(c.Architectures, func(a string) bool { return strings.HasSuffix(a, "ForSequenceClassification") })
}
