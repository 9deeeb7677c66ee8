package openai

import (
	"strings"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/hosted"
)

// sent are the words of a request that a server might refuse.
func sent(r llm.Request, q hosted.Quirks) hosted.Quirks {
	could := hosted.OtherMaxTokens
	if q&hosted.NoStream == 0 {
		could |= hosted.NoStream | hosted.NoStreamUsage
	}
	if r.Temperature != nil {
		could |= hosted.NoTemperature
	}
	if len(r.Schema) > 0 {
		could |= hosted.NoSchema
	}
	for _, m := range r.Messages {
		if m.Role == llm.System {
			could |= hosted.NoSystem
		}
	}
	return could
}

// params writes the request without the words that are known to be refused.
func (m *Model) params(r llm.Request, q hosted.Quirks) (request, error) {
	p := request{Model: m.o.Model, Stream: q&hosted.NoStream == 0}
	if r.Temperature != nil && q&hosted.NoTemperature == 0 {
		p.Temperature = r.Temperature
	}
	newer := strings.EqualFold(m.client.Host(), hostedName)
	if newer != (q&hosted.OtherMaxTokens != 0) {
		p.MaxCompletionTokens = r.MaxTokens
	} else {
		p.MaxTokens = r.MaxTokens
	}
	if q&(hosted.NoStream|hosted.NoStreamUsage) == 0 {
		p.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	messages := r.Messages
	if len(r.Schema) > 0 {
		var err error
		if messages, err = m.schema(&p, r, q); err != nil {
			return p, err
		}
	}
	if q&hosted.NoSystem != 0 {
		messages = hosted.WithoutSystem(messages)
	}
	p.Messages = turns(messages)
	return p, nil
}

// schema holds the answer to r.Schema, by the protocol or in words.
func (m *Model) schema(p *request, r llm.Request, q hosted.Quirks) ([]llm.Message, error) {
	if q&hosted.NoSchema != 0 {
		return hosted.InWords(r.Messages, r.Schema)
	}
	p.ResponseFormat = &format{Type: "json_schema", JSONSchema: schema{Name: "answer", Strict: hosted.Strict(r.Schema), Schema: r.Schema}}
	return r.Messages, nil
}

func turns(messages []llm.Message) []message {
	out := make([]message, 0, len(messages))
	for _, m := range messages {
		role := llm.User
		if m.Role == llm.System || m.Role == llm.Assistant {
			role = m.Role
		}
		out = append(out, message{Role: string(role), Content: m.Content})
	}
	return out
}
