package ort

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	onnxruntime "github.com/yalue/onnxruntime_go"
)

// Model is what a session runs: a file, or bytes with the folder of the file
// in which their constants lie.
type Model struct {
	Path     string
	Data     []byte
	External string
	// Inputs and Outputs are the names that Run takes and gives, in order.
	Inputs  []string
	Outputs []string
}

// Session is a loaded model. Run is safe for concurrent use, and each call
// computes on its caller's thread.
type Session struct {
	inner   *onnxruntime.DynamicAdvancedSession
	inputs  int
	outputs int
}

// Tensor is a block of numbers, the last dimension running fastest.
type Tensor struct {
	Shape []int64
	Data  []float32
}

// Open loads a model into the runtime, which Load must have loaded before.
func Open(m Model) (_ *Session, err error) {
	if library, _ := Loaded(); library == "" {
		return nil, &NoRuntimeError{Tried: []string{"none is loaded"}, Next: next}
	}
	if len(m.Inputs) == 0 || len(m.Outputs) == 0 {
		return nil, errors.New("open a model: no input or no output is asked for")
	}
	options, err := sessionOptions(m.External)
	if err != nil {
		return nil, fmt.Errorf("open a model: %w", err)
	}
	defer func() { err = errors.Join(err, options.Destroy()) }()
	s := &Session{inputs: len(m.Inputs), outputs: len(m.Outputs)}
	if m.Path != "" {
		s.inner, err = onnxruntime.NewDynamicAdvancedSession(m.Path, m.Inputs, m.Outputs, options)
	} else if len(m.Data) > 0 {
		s.inner, err = onnxruntime.NewDynamicAdvancedSessionWithONNXData(m.Data, m.Inputs, m.Outputs, options)
	} else {
		err = errors.New("neither a file nor bytes")
	}
	if err != nil {
		return nil, fmt.Errorf("open a model: %w", plain(err))
	}
	return s, nil
}

// sessionOptions are the runtime's options. It writes nothing to standard error
// by itself: what matters comes back as an error. It has no threads of its own:
// they would wait for each other after every operator, and spin meanwhile.
func sessionOptions(external string) (*onnxruntime.SessionOptions, error) {
	options, err := onnxruntime.NewSessionOptions()
	if err != nil {
		return nil, plain(err)
	}
	steps := []func() error{
		func() error { return options.SetIntraOpNumThreads(1) },
		func() error { return options.SetInterOpNumThreads(1) },
		func() error {
			return options.SetGraphOptimizationLevel(onnxruntime.GraphOptimizationLevelEnableAll)
		},
		func() error { return options.SetLogSeverityLevel(onnxruntime.LoggingLevelFatal) },
	}
	if external != "" {
		steps = append(steps, func() error {
			return options.AddSessionConfigEntry("session.model_external_initializers_file_folder_path", external)
		})
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, errors.Join(plain(err), options.Destroy())
		}
	}
	return options, nil
}

// Run computes the outputs for inputs of one shape, rows by columns each. When
// ctx ends it stops between two operators and returns ctx's error.
func (s *Session) Run(ctx context.Context, rows, columns int, inputs ...[]int64) (_ []Tensor, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(inputs) != s.inputs {
		return nil, fmt.Errorf("run a model: %d inputs for %d", len(inputs), s.inputs)
	}
	var clean []func() error
	defer func() {
		for _, c := range clean {
			err = errors.Join(err, c())
		}
	}()
	in := make([]onnxruntime.Value, len(inputs))
	for i, data := range inputs {
		t, err := onnxruntime.NewTensor(onnxruntime.NewShape(int64(rows), int64(columns)), data)
		if err != nil {
			return nil, fmt.Errorf("run a model: input %d: %w", i, plain(err))
		}
		clean = append(clean, t.Destroy)
		in[i] = t
	}
	out := make([]onnxruntime.Value, s.outputs)
	err = s.run(ctx, in, out)
	for _, o := range out {
		if o != nil {
			clean = append(clean, o.Destroy)
		}
	}
	if err != nil {
		return nil, err
	}
	return floats(out)
}

// run calls the runtime so that the end of ctx ends it.
func (s *Session) run(ctx context.Context, in, out []onnxruntime.Value) error {
	options, err := onnxruntime.NewRunOptions()
	if err != nil {
		return fmt.Errorf("run a model: %w", plain(err))
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		_ = options.Terminate() // it can fail only on options that are gone
	})
	err = s.inner.RunWithOptions(in, out, options)
	if !stop() {
		<-ended // the options must outlive the call that ends them
	}
	if e := options.Destroy(); err == nil && e != nil {
		err = e
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("run a model: %w", plain(err))
	}
	return nil
}

// floats takes the numbers out of the runtime's values.
func floats(values []onnxruntime.Value) ([]Tensor, error) {
	out := make([]Tensor, len(values))
	for i, v := range values {
		t, ok := v.(*onnxruntime.Tensor[float32])
		if !ok {
			return nil, fmt.Errorf("run a model: output %d holds no 32-bit numbers", i)
		}
		// The wrapper has copied the numbers into Go's memory, so they stay.
		out[i] = Tensor{Shape: t.GetShape(), Data: t.GetData()}
	}
	return out, nil
}

// Close frees the model.
func (s *Session) Close() error {
	if s.inner == nil {
		return nil
	}
	err := s.inner.Destroy()
	s.inner = nil
	return err
}

// Want checks the shape of a tensor: -1 fits every size.
func (t Tensor) Want(dims ...int) error {
	ok := len(dims) == len(t.Shape)
	for i := range dims {
		ok = ok && (dims[i] < 0 || int64(dims[i]) == t.Shape[i])
	}
	if !ok {
		return fmt.Errorf("the model gives the shape %v, not %s", t.Shape, shapeText(dims))
	}
	return nil
}

func shapeText(dims []int) string {
	s := "["
	for i, d := range dims {
		if i > 0 {
			s += " "
		}
		if d < 0 {
			s += "any"
		} else {
			s += strconv.Itoa(d)
		}
	}
	return s + "]"
}

// Finite says whether every number is one.
func (t Tensor) Finite() bool {
	for _, v := range t.Data {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return false
		}
	}
	return true
}
