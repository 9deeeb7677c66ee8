// Package trace records what the agent did as spans: stages, model calls,
// executions and decisions, with their cost. A span is one line of JSON in the
// run folder, written in one piece when it ends, so that a killed run keeps
// every span but those that were open.
package trace

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/repgen/repgen/internal/llm"
)

// Span is one thing that was done. Spans form a tree by Parent.
type Span struct {
	ID     int    `json:"id"`
	Parent int    `json:"parent,omitempty"` // 0: the root
	Kind   Kind   `json:"kind"`
	Name   string `json:"name"`
	// Start and End are seconds since the agent began.
	Start float64 `json:"start_s"`
	End   float64 `json:"end_s"`
	// Text is what came of it, in one line.
	Text string `json:"text,omitempty"`
	// Call is set for Kind call.
	Call *Call `json:"call,omitempty"`
	// Sandbox seconds of a run.
	Sandbox float64 `json:"sandbox_s,omitempty"`
	Attempt int     `json:"attempt,omitempty"`
	// Detail is text of several lines worth keeping: a script, a feedback.
	Detail string `json:"detail,omitempty"`
	Failed bool   `json:"failed,omitempty"`
}

// Kind of a Span.
type Kind string

// The kinds.
const (
	KindStage    Kind = "stage"
	KindCall     Kind = "call"
	KindRun      Kind = "run"
	KindDecision Kind = "decision"
)

// Call is one model call: what was asked lies in the run's records, by Record.
type Call struct {
	Model        string    `json:"model"`
	Usage        llm.Usage `json:"usage"`
	USD          float64   `json:"usd"`
	Source       string    `json:"source,omitempty"`
	Record       string    `json:"record,omitempty"`
	PromptTokens int       `json:"prompt_tokens"` // our estimate before the call
	Dropped      []string  `json:"dropped,omitempty"`
	Template     string    `json:"template"` // name and version
}

// Recorder takes spans. Begin and its end function are safe for concurrent use;
// a nil *Recorder takes them and keeps nothing.
type Recorder struct {
	path  string
	now   func() time.Time
	began time.Time

	mu   sync.Mutex
	last int // ID
	file *os.File
	done bool // closed: what ends later is not kept
	err  error
}

// New is a Recorder into the file at path. The file is made with the first span
// and replaces what an earlier go at the same run left: a resumed run goes the
// same way again, from its records. A folder that cannot be written shows in
// Close's error and stops nothing before.
func New(path string) *Recorder { return NewAt(path, time.Now) }

// NewAt is New with a clock of the caller's.
func NewAt(path string, now func() time.Time) *Recorder {
	return &Recorder{path: path, now: now, began: now()}
}

type place struct{}

// where is what a context carries: the open span and the attempt.
type where struct{ span, attempt int }

func whereIs(ctx context.Context) where {
	w, _ := ctx.Value(place{}).(where)
	return w
}

// WithAttempt says that what is begun under the context belongs to an attempt.
func WithAttempt(ctx context.Context, number int) context.Context {
	w := whereIs(ctx)
	w.attempt = number
	return context.WithValue(ctx, place{}, w)
}

// Begin opens a span below the one that ctx carries. What is begun under the
// returned context is below the new one. The function ends the span: of its
// argument Text, Call, Sandbox, Detail and Failed are kept (Attempt too, where
// it is set); it counts once.
func (r *Recorder) Begin(ctx context.Context, kind Kind, name string) (context.Context, func(Span)) {
	if r == nil {
		return ctx, func(Span) {}
	}
	w := whereIs(ctx)
	s := Span{Parent: w.span, Kind: kind, Name: name, Attempt: w.attempt}
	r.mu.Lock()
	r.last++
	s.ID, s.Start = r.last, r.now().Sub(r.began).Seconds()
	r.mu.Unlock()
	w.span = s.ID
	var once sync.Once
	return context.WithValue(ctx, place{}, w), func(end Span) {
		once.Do(func() { r.end(s, end) })
	}
}

// Note records something that takes no time: a decision with its reason.
func (r *Recorder) Note(ctx context.Context, kind Kind, name, text string) {
	_, end := r.Begin(ctx, kind, name)
	end(Span{Text: text})
}

// end writes a span as one line, by one write.
func (r *Recorder) end(s, end Span) {
	s.Text, s.Call, s.Sandbox, s.Detail, s.Failed = end.Text, end.Call, end.Sandbox, end.Detail, end.Failed
	if end.Attempt != 0 {
		s.Attempt = end.Attempt
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s.End = r.now().Sub(r.began).Seconds()
	line, err := json.Marshal(s)
	if err == nil {
		err = r.write(append(line, '\n'))
	}
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("record the span %q: %w", s.Name, err)
	}
}

func (r *Recorder) write(line []byte) error {
	if r.done {
		return nil
	}
	if r.file == nil {
		if err := os.MkdirAll(filepath.Dir(r.path), 0o755); err != nil {
			return err
		}
		f, err := os.OpenFile(r.path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o644)
		if err != nil {
			return err
		}
		r.file = f
	}
	_, err := r.file.Write(line)
	return err
}

// Close closes the file and returns the first error of writing it. A span that
// ends later is not kept.
func (r *Recorder) Close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = true
	if r.file != nil {
		if err := r.file.Close(); err != nil && r.err == nil {
			r.err = fmt.Errorf("close the record of spans: %w", err)
		}
		r.file = nil
	}
	return r.err
}
