package openai

import (
	"bytes"
	"context"
	"net/http"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/hosted"
)

// DefaultBaseURL is the hosted service.
const DefaultBaseURL = "https://api.openai.com/v1"

// hostedName is the service whose newer models want max_completion_tokens; the
// local servers know max_tokens, and some nothing else.
const hostedName = "api.openai.com"

// Options of New.
type Options = hosted.Options

// Model asks one model of one server. Nothing is read from the environment but
// the proxy settings of the system.
type Model struct {
	o       Options
	client  *hosted.Client
	learned hosted.Learned
}

// New checks the settings; nothing is sent.
func New(o Options) (*Model, error) {
	client, o, err := hosted.Open(o, DefaultBaseURL, "/chat/completions")
	if err != nil {
		return nil, err
	}
	return &Model{o: o, client: client}, nil
}

// Plain says that the key would travel unencrypted to another machine.
func (m *Model) Plain() bool { return m.client.Plain() }

// Info says whether the server has refused schemas so far.
func (m *Model) Info() llm.Info {
	return llm.Info{Backend: "openai", Model: m.o.Model, Provider: llm.ProviderOf(m.o.BaseURL), Schema: m.learned.Get()&hosted.NoSchema == 0}
}

// Complete implements llm.Model.
func (m *Model) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	if err := r.Validate(); err != nil {
		return llm.Response{}, err
	}
	return m.client.Complete(ctx, r, func(ctx context.Context, a *hosted.Answer) error {
		return m.learned.Ask(func(q hosted.Quirks) hosted.Quirks { return sent(r, q) }, func(q hosted.Quirks) error {
			return m.ask(ctx, r, q, a)
		})
	})
}

// ask sends one request, and reads its answer.
func (m *Model) ask(ctx context.Context, r llm.Request, q hosted.Quirks, a *hosted.Answer) error {
	p, err := m.params(r, q)
	if err != nil {
		return err
	}
	if !p.Stream {
		a.Whole()
	}
	header := http.Header{}
	if m.client.HasKey() {
		header.Set("Authorization", "Bearer "+m.client.Secret())
	}
	return m.client.Post(ctx, hosted.Question{Path: "chat/completions", Header: header, Body: p}, hosted.Reading{
		Event: func(e hosted.Event) (bool, error) { return readEvent(e, a) },
		Whole: func(body []byte) error { return readWhole(body, a) },
	})
}

// readEvent reads one piece of a stream; false when there has been enough.
func readEvent(e hosted.Event, a *hosted.Answer) (bool, error) {
	data := bytes.TrimSpace(e.Data)
	switch {
	case bytes.HasPrefix(data, []byte("[DONE]")):
		return false, nil
	case e.Name == "error":
		return false, &hosted.Reported{Body: data}
	case len(data) == 0:
		return true, nil
	}
	var c reply
	if err := hosted.Decode(data, &c); err != nil {
		return false, err
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return false, &hosted.Reported{Body: data}
	}
	return readChunk(c, a), nil
}

func readChunk(c reply, a *hosted.Answer) bool {
	if c.Model != "" {
		a.Model = c.Model
	}
	setUsage(c.Usage, a)
	for _, one := range c.Choices {
		if one.Index != 0 {
			continue
		}
		a.Heard = true
		setFinish(one.FinishReason, a)
		if one.Delta.Refusal != "" {
			a.Finish = llm.FinishFilter
		}
		if !a.Text(one.Delta.Content) || !a.Text(one.Delta.Refusal) {
			return false
		}
	}
	return true
}

func readWhole(body []byte, a *hosted.Answer) error {
	var c reply
	if err := hosted.Decode(body, &c); err != nil {
		return err
	}
	a.Model = c.Model
	setUsage(c.Usage, a)
	if len(c.Choices) == 0 {
		return nil // told as an answer that holds nothing
	}
	first := c.Choices[0]
	a.Heard = true
	a.Text(first.Message.Content)
	a.Text(first.Message.Refusal)
	a.Finish = llm.FinishOther // a whole answer is whole, whatever it calls its end
	setFinish(first.FinishReason, a)
	if first.Message.Refusal != "" {
		a.Finish = llm.FinishFilter
	}
	return nil
}

// setUsage takes what the server counted; nothing at all for a prompt is no
// count. The tokens of hidden reasoning are in those of the answer.
func setUsage(u *usage, a *hosted.Answer) {
	if u == nil || u.PromptTokens <= 0 {
		return
	}
	a.Known = true
	a.Usage = llm.Usage{
		InputTokens: int(u.PromptTokens), OutputTokens: int(u.CompletionTokens),
		CachedTokens: int(u.Details.Cached), WrittenTokens: int(u.Details.Written),
	}
}

func setFinish(reason string, a *hosted.Answer) {
	if a.Finish == llm.FinishFilter {
		return
	}
	switch reason {
	case "":
	case "stop", "eos", "end_turn":
		a.Finish = llm.FinishStop
	case "length", "max_tokens":
		a.Finish = llm.FinishLength
	case "content_filter":
		a.Finish = llm.FinishFilter
	default:
		a.Finish = llm.FinishOther
	}
}
