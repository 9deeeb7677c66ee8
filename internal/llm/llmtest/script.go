// Package llmtest has scripted language models and the conformance suite of
// llm.Model. Only tests import it.
package llmtest

import (
	"context"
	"sync"

	"github.com/repgen/repgen/internal/llm"
)

// Reply answers the n-th request (from 0) of one purpose.
type Reply func(ctx context.Context, n int, r llm.Request) (llm.Response, error)

// Model is a scripted model; it remembers what it was asked.
type Model struct {
	mu      sync.Mutex
	by      map[string]Reply
	asked   map[string]int
	history []llm.Request
}

// Scripted answers by llm.Request.Purpose; "" is for every other purpose. A
// purpose without a reply is an error of kind llm.NoRecord.
func Scripted(by map[string]Reply) *Model {
	return &Model{by: by, asked: map[string]int{}}
}

// Info says backend "scripted".
func (m *Model) Info() llm.Info { return llm.Info{Backend: "scripted", Model: "scripted"} }

// Complete answers by purpose and turn.
func (m *Model) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	if err := r.Validate(); err != nil {
		return llm.Response{}, err
	}
	reply, n := m.next(r)
	if reply == nil {
		return llm.Response{}, &llm.Error{Kind: llm.NoRecord, Why: "nothing is scripted for the purpose " + r.Purpose}
	}
	return reply(ctx, n, r)
}

func (m *Model) next(r llm.Request) (Reply, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.history = append(m.history, r)
	n := m.asked[r.Purpose]
	m.asked[r.Purpose]++
	if reply, ok := m.by[r.Purpose]; ok {
		return reply, n
	}
	return m.by[""], n
}

// Asked are the requests so far, in order.
func (m *Model) Asked() []llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]llm.Request(nil), m.history...)
}

// Text answers with the texts in turn, and with the last one for ever.
func Text(texts ...string) Reply {
	return func(_ context.Context, n int, r llm.Request) (llm.Response, error) {
		return Answer(r, texts[min(n, len(texts)-1)]), nil
	}
}

// Answer is a whole response with a usage; it streams the text in pieces.
func Answer(r llm.Request, text string) llm.Response {
	if r.OnText != nil && text != "" {
		half := len(text) / 2
		r.OnText(text[:half])
		r.OnText(text[half:])
	}
	usage := llm.EstimateUsage(r, text)
	usage.Estimated = false
	return llm.Response{Text: text, Model: "scripted", Usage: usage, Finish: llm.FinishStop, Attempts: 1}
}

// Func answers by a function of the request.
func Func(f func(n int, r llm.Request) string) Reply {
	return func(_ context.Context, n int, r llm.Request) (llm.Response, error) {
		return Answer(r, f(n, r)), nil
	}
}
