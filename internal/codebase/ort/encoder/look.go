package encoder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/codebase/ort"
	"github.com/repgen/repgen/internal/codebase/ort/bert"
	"github.com/repgen/repgen/internal/codebase/ort/onnxfile"
	"github.com/repgen/repgen/internal/codebase/ort/safetensors"
)

// Names of the files of a model's folder.
const (
	SafetensorsFile = "model.safetensors"
	ONNXFile        = "model.onnx"
	ConfigFile      = "config.json"
)

// ModelError says that a model cannot be used, and what it has.
type ModelError struct {
	What string
	// Has lists the inputs and outputs of an ONNX model.
	Has  string
	Next string
	Err  error
}

func (e *ModelError) Error() string {
	text := "this model cannot be used: " + e.What
	if e.Has != "" {
		text += " (it has " + e.Has + ")"
	}
	return text
}

// Unwrap gives the cause.
func (e *ModelError) Unwrap() error { return e.Err }

// plan is how a model is run.
type plan struct {
	model  ort.Model
	want   Want
	inputs []string
	output string
	dims   int
	// even says that the texts of a batch must be of one length.
	even bool
}

// vectorOutputs are the outputs that vectors are made of, best first: the
// pooled vector, or those of the tokens under the names that exporters use.
var vectorOutputs = []string{bert.Sentence, bert.Hidden, "token_embeddings"}

// look reads a folder's model and finds out how it would be run.
func look(dir string, want Want) (*plan, error) {
	weights := filepath.Join(dir, SafetensorsFile)
	_, err := os.Stat(weights)
	if err == nil {
		return lookSafetensors(dir, weights, want)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for a model: %w", err)
	}
	return lookONNX(filepath.Join(dir, ONNXFile), want)
}

// lookSafetensors builds the graph over the weights.
func lookSafetensors(dir, weights string, want Want) (_ *plan, err error) {
	text, err := os.ReadFile(filepath.Join(dir, ConfigFile))
	if err != nil {
		return nil, fmt.Errorf("read the model's configuration: %w", err)
	}
	c, err := bert.ReadConfig(text)
	if err != nil {
		return nil, &ModelError{What: err.Error(), Err: err}
	}
	if c.CrossEncoder() != (want == Scores) {
		return nil, &ModelError{What: fmt.Sprintf("%s is wanted, its configuration names the architecture %s", want, strings.Join(c.Architectures, ", "))}
	}
	file, err := safetensors.Open(weights)
	if err != nil {
		return nil, &ModelError{What: err.Error(), Next: "repgen models verify", Err: err}
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	data, err := bert.Build(c, file, SafetensorsFile)
	if err != nil {
		return nil, &ModelError{What: err.Error(), Err: err}
	}
	p := &plan{
		want: want, model: ort.Model{Data: data, External: dir}, output: bert.Sentence, dims: int(c.Hidden),
		inputs: []string{bert.InputIDs, bert.TokenTypes}, even: true,
	}
	if want == Scores {
		p.output, p.dims = bert.Logits, 0
	}
	return p, nil
}

// lookONNX chooses among the inputs and outputs of a file.
func lookONNX(path string, want Want) (*plan, error) {
	m, err := describe(path)
	if err != nil {
		return nil, err
	}
	p := &plan{want: want, model: ort.Model{Path: path}}
	if err := p.chooseInputs(m); err != nil {
		return nil, err
	}
	if err := p.chooseOutput(m); err != nil {
		return nil, err
	}
	for _, name := range m.External {
		if name != filepath.Base(name) {
			return nil, &ModelError{What: fmt.Sprintf("its weights lie outside its folder (%.80q)", name)}
		}
	}
	return p, nil
}

// describe maps a file only as long as its names are read.
func describe(path string) (_ *onnxfile.Model, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open a model: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("open a model: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return nil, &ModelError{What: path + " is empty", Next: "repgen models verify"}
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("map a model: %w", err)
	}
	defer func() { err = errors.Join(err, unix.Munmap(data)) }()
	m, err := onnxfile.Describe(data)
	if err != nil {
		return nil, &ModelError{What: err.Error(), Next: "repgen models verify", Err: err}
	}
	return m, nil
}

func (p *plan) chooseInputs(m *onnxfile.Model) error {
	known := []string{bert.InputIDs, bert.AttentionMask, bert.TokenTypes}
	for _, in := range m.Inputs {
		switch {
		case !slices.Contains(known, in.Name):
			return refuse(m, "nothing is known to give its input "+strconv.Quote(in.Name))
		case in.Type != onnxfile.Int64:
			return refuse(m, fmt.Sprintf("its input %s takes %s, not int64", in.Name, onnxfile.TypeName(in.Type)))
		case len(in.Dims) != 2:
			return refuse(m, fmt.Sprintf("its input %s has %d dimensions, not batch and sequence", in.Name, len(in.Dims)))
		}
		p.inputs = append(p.inputs, in.Name)
	}
	for _, need := range known[:2] {
		if !slices.Contains(p.inputs, need) {
			return refuse(m, "it has no input "+need)
		}
	}
	return nil
}

func (p *plan) chooseOutput(m *onnxfile.Model) error {
	names := vectorOutputs
	if p.want == Scores {
		names = []string{bert.Logits}
	}
	for _, name := range names {
		for _, out := range m.Outputs {
			if out.Name != name {
				continue
			}
			if out.Type != onnxfile.Float {
				return refuse(m, fmt.Sprintf("its output %s gives %s, not float32", name, onnxfile.TypeName(out.Type)))
			}
			p.output = name
			if n := len(out.Dims); n > 0 && p.want == Vectors {
				p.dims, _ = strconv.Atoi(out.Dims[n-1]) // a name is no number: 0
			}
			return nil
		}
	}
	return refuse(m, fmt.Sprintf("it has no output %s", strings.Join(names, ", ")))
}

// refuse names what a model has.
func refuse(m *onnxfile.Model, what string) error {
	list := func(values []onnxfile.Value) string {
		var out []string
		for i, v := range values {
			if i == 10 {
				out = append(out, "...")
				break
			}
			out = append(out, v.String())
		}
		return strings.Join(out, ", ")
	}
	return &ModelError{
		What: what, Has: "inputs " + list(m.Inputs) + "; outputs " + list(m.Outputs),
		Next: "export it with int64 inputs input_ids, attention_mask and, optional, token_type_ids, and a float32 output sentence_embedding or last_hidden_state (logits for a reranker)",
	}
}
