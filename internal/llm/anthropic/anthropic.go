package anthropic

import (
	"bytes"
	"context"
	"net/http"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/hosted"
)

// DefaultBaseURL is the hosted service.
const DefaultBaseURL = "https://api.anthropic.com"

// Options of New.
type Options = hosted.Options

// Model asks one model. Nothing is read from the environment but the proxy
// settings of the system.
type Model struct {
	o       Options
	client  *hosted.Client
	learned hosted.Learned
}

// New checks the settings; nothing is sent.
func New(o Options) (*Model, error) {
	client, o, err := hosted.Open(o, DefaultBaseURL, "/messages", "/v1")
	if err != nil {
		return nil, err
	}
	return &Model{o: o, client: client}, nil
}

// Plain says that the key would travel unencrypted to another machine.
func (m *Model) Plain() bool { return m.client.Plain() }

// Info says whether the service has refused schemas so far.
func (m *Model) Info() llm.Info {
	return llm.Info{Backend: "anthropic", Model: m.o.Model, Provider: llm.ProviderOf(m.o.BaseURL), Schema: m.learned.Get()&hosted.NoSchema == 0}
}

// Complete implements llm.Model.
func (m *Model) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	if err := r.Validate(); err != nil {
		return llm.Response{}, err
	}
	return m.client.Complete(ctx, r, func(ctx context.Context, a *hosted.Answer) error {
		return m.learned.Ask(func(hosted.Quirks) hosted.Quirks { return sent(r) }, func(q hosted.Quirks) error {
			p, err := m.params(r, q)
			if err != nil {
				return err
			}
			return m.ask(ctx, p, a)
		})
	})
}

// ask sends one request, and reads its answer.
func (m *Model) ask(ctx context.Context, p request, a *hosted.Answer) error {
	header := http.Header{"Anthropic-Version": {version}}
	if m.client.HasKey() {
		header.Set("X-Api-Key", m.client.Secret())
	}
	return m.client.Post(ctx, hosted.Question{Path: "v1/messages", Header: header, Body: p}, hosted.Reading{
		Event: func(e hosted.Event) (bool, error) { return readEvent(e, a) },
		Whole: func(body []byte) error {
			var whole reply
			if err := hosted.Decode(body, &whole); err != nil {
				return err
			}
			readWhole(whole, a)
			return nil
		},
	})
}

// readEvent reads one event of a stream; false when there has been enough. Its
// type stands in its data too, which is the one that gateways keep.
func readEvent(e hosted.Event, a *hosted.Answer) (bool, error) {
	if len(bytes.TrimSpace(e.Data)) == 0 && e.Name != "error" {
		return true, nil
	}
	var one event
	err := hosted.Decode(e.Data, &one)
	if e.Name == "error" || one.Type == "error" {
		return false, &hosted.Reported{Body: bytes.Clone(e.Data)}
	}
	if err != nil {
		return false, err
	}
	return readPart(one, a), nil
}

func readPart(e event, a *hosted.Answer) bool {
	switch e.Type {
	case "message_start":
		a.Heard = true
		a.Model = e.Message.Model
		setUsage(e.Message.Usage, a)
		// The count of the answer is only its beginning.
		a.Known = false
	case "content_block_start":
		return a.Text(e.ContentBlock.Text)
	case "content_block_delta":
		// Only text: the deltas of hidden reasoning have other fields.
		return a.Text(e.Delta.Text)
	case "message_delta":
		setFinish(e.Delta.StopReason, a)
		setDelta(e.Usage, a)
	}
	return true
}

func readWhole(m reply, a *hosted.Answer) {
	a.Model = m.Model
	a.Heard = m.Type == "message" || len(m.Content) > 0
	if !a.Heard {
		return
	}
	for _, one := range m.Content {
		if one.Type == "text" {
			a.Text(one.Text)
		}
	}
	a.Finish = llm.FinishOther // a whole answer is whole, whatever it calls its end
	setFinish(m.StopReason, a)
	setUsage(m.Usage, a)
}

// setUsage sums the input, of which the service counts what came from its cache
// and what went there apart.
func setUsage(u usage, a *hosted.Answer) {
	if u.input() <= 0 {
		return
	}
	a.Known = true
	a.Usage = llm.Usage{InputTokens: u.input(), OutputTokens: u.output(), CachedTokens: int(u.Read), WrittenTokens: int(u.Written)}
}

// setDelta takes the counts at the end: they are totals, and some gateways
// report the input only there.
func setDelta(u usage, a *hosted.Answer) {
	if u.input() >= a.Usage.InputTokens {
		setUsage(usage{Input: u.Input, Read: u.Read, Written: u.Written}, a)
	}
	if u.Output != nil {
		a.Usage.OutputTokens = u.output()
		a.Known = a.Usage.InputTokens > 0
	}
}

func setFinish(reason string, a *hosted.Answer) {
	switch reason {
	case "":
	case "end_turn", "stop_sequence":
		a.Finish = llm.FinishStop
	case "max_tokens", "model_context_window_exceeded":
		a.Finish = llm.FinishLength
	case "refusal":
		a.Finish = llm.FinishFilter
	default:
		a.Finish = llm.FinishOther
	}
}
