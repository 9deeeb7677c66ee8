package anthropic

import (
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/hosted"
)

// hottest is the service's highest temperature; other services go to 2.
const hottest = 1

// cacheFrom is the length of a prompt's beginning, in bytes, from which it is
// worth marking for the service's cache: it keeps prefixes of 1,024 tokens and
// more (its manual), and a token has about four bytes.
const cacheFrom = 4 * 1024

// ephemeral is the service's word for five minutes since the last use.
var ephemeral = &cacheControl{Type: "ephemeral"}

// sent are the words of a request that a service might refuse.
func sent(r llm.Request) hosted.Quirks {
	var could hosted.Quirks
	if r.Temperature != nil {
		could |= hosted.NoTemperature
	}
	if len(r.Schema) > 0 {
		could |= hosted.NoSchema
	}
	return could
}

// params writes the request without the words that are known to be refused.
func (m *Model) params(r llm.Request, q hosted.Quirks) (request, error) {
	p := request{Model: m.o.Model, MaxTokens: r.MaxTokens, Stream: true}
	if r.Temperature != nil && q&hosted.NoTemperature == 0 {
		heat := min(*r.Temperature, hottest)
		p.Temperature = &heat
	}
	messages := r.Messages
	switch {
	case len(r.Schema) == 0:
	case q&hosted.NoSchema != 0:
		var err error
		if messages, err = hosted.InWords(messages, r.Schema); err != nil {
			return p, err
		}
	default:
		closed, err := hosted.Closed(r.Schema)
		if err != nil {
			return p, err
		}
		p.OutputConfig = &outputConfig{Format: format{Type: "json_schema", Schema: closed}}
	}
	turns(&p, messages)
	return p, nil
}

// turns puts what the system says where the protocol wants it.
func turns(p *request, messages []llm.Message) {
	for _, m := range messages {
		one := block{Type: "text", Text: m.Content}
		switch m.Role {
		case llm.System:
			p.System = append(p.System, one)
		case llm.Assistant:
			p.Messages = append(p.Messages, message{Role: "assistant", Content: []block{one}})
		default:
			p.Messages = append(p.Messages, message{Role: "user", Content: []block{one}})
		}
	}
	mark(p)
}

// mark marks two ends for the cache, of the four that the service allows: that of
// what the system says, which the questions of a purpose share, and that of the
// user's first message, which is the same in every attempt of a run. The first
// attempt must write what the second is to read, so that a question which is
// asked only once pays the price of writing (a quarter more) for nothing.
func mark(p *request) {
	length := 0
	for _, s := range p.System {
		length += len(s.Text)
	}
	if length >= cacheFrom {
		p.System[len(p.System)-1].CacheControl = ephemeral
	}
	if len(p.Messages) == 0 || p.Messages[0].Role != "user" {
		return
	}
	if first := p.Messages[0].Content; first[0].Text != "" && length+len(first[0].Text) >= cacheFrom {
		first[0].CacheControl = ephemeral
	}
}
