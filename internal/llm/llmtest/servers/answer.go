package servers

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/repgen/repgen/internal/llm"
)

// answer is what a server says.
type answer struct {
	text   string
	finish llm.Finish
	usage  llm.Usage
	// silent: no usage is told.
	silent bool
}

// The protocols' words for an end.
var (
	openaiEnds    = map[llm.Finish]string{llm.FinishStop: "stop", llm.FinishLength: "length", llm.FinishFilter: "content_filter", llm.FinishOther: "tool_calls"}
	anthropicEnds = map[llm.Finish]string{llm.FinishStop: "end_turn", llm.FinishLength: "max_tokens", llm.FinishFilter: "refusal", llm.FinishOther: "tool_use"}
)

// answer says it all, in pieces when a stream was asked for.
func (s *Server) answer(w http.ResponseWriter, a Asked, out answer) {
	if !a.Stream {
		s.whole(w, out)
		return
	}
	s.begin(w, out)
	for _, piece := range pieces(out.text) {
		s.piece(w, piece)
	}
	s.end(w, out, a.WantsUsage)
}

// pieces cuts a text as tokenizers do, in the middle of words.
func pieces(text string) []string {
	r := []rune(text)
	size := max(3, len(r)/200)
	var out []string
	for len(r) > size {
		out, r = append(out, string(r[:size])), r[size:]
	}
	return append(out, string(r))
}

func (s *Server) whole(w http.ResponseWriter, out answer) {
	w.Header().Set("Content-Type", "application/json")
	if s.o.Protocol == Anthropic {
		_, _ = io.WriteString(w, encode(map[string]any{
			"id": "msg_1", "type": "message", "role": "assistant", "model": ModelName, "stop_reason": anthropicEnds[out.finish],
			"content": []any{map[string]string{"type": "text", "text": out.text}}, "usage": out.tell(anthropicUsage),
		}))
		return
	}
	_, _ = io.WriteString(w, encode(map[string]any{
		"id": "c-1", "object": "chat.completion", "model": ModelName, "usage": out.tell(openaiUsage),
		"choices": []any{map[string]any{"index": 0, "finish_reason": openaiEnds[out.finish], "message": map[string]string{"role": "assistant", "content": out.text}}},
	}))
}

func (s *Server) begin(w http.ResponseWriter, out answer) {
	w.Header().Set("Content-Type", "text/event-stream")
	if s.o.Protocol == Anthropic {
		first := out
		first.usage.OutputTokens = 1
		s.event(w, "message_start", map[string]any{"message": map[string]any{
			"id": "msg_1", "type": "message", "role": "assistant", "model": ModelName, "content": []any{}, "usage": first.tell(anthropicUsage),
		}})
		s.event(w, "content_block_start", map[string]any{"index": 0, "content_block": map[string]string{"type": "text", "text": ""}})
		s.event(w, "ping", map[string]any{})
		return
	}
	s.chunk(w, map[string]any{"role": "assistant", "content": ""}, nil)
}

func (s *Server) piece(w http.ResponseWriter, text string) {
	if s.o.Protocol == Anthropic {
		s.event(w, "content_block_delta", map[string]any{"index": 0, "delta": map[string]string{"type": "text_delta", "text": text}})
		return
	}
	s.chunk(w, map[string]any{"content": text}, nil)
}

func (s *Server) end(w http.ResponseWriter, out answer, usage bool) {
	if s.o.Protocol == Anthropic {
		s.event(w, "content_block_stop", map[string]any{"index": 0})
		s.event(w, "message_delta", map[string]any{
			"delta": map[string]any{"stop_reason": anthropicEnds[out.finish]},
			"usage": out.tell(func(u llm.Usage) map[string]any { return map[string]any{"output_tokens": u.OutputTokens} }),
		})
		s.event(w, "message_stop", map[string]any{})
		return
	}
	s.chunk(w, map[string]any{}, openaiEnds[out.finish])
	if usage && !out.silent {
		s.send(w, "", encode(map[string]any{"id": "c-1", "object": "chat.completion.chunk", "model": ModelName, "choices": []any{}, "usage": out.tell(openaiUsage)}))
	}
	s.send(w, "", "[DONE]")
}

// chunk is one event of the openai protocol; end is nil before the last.
func (s *Server) chunk(w http.ResponseWriter, delta map[string]any, end any) {
	s.send(w, "", encode(map[string]any{
		"id": "c-1", "object": "chat.completion.chunk", "model": ModelName, "usage": nil,
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": end}},
	}))
}

// event is one event of the anthropic protocol.
func (s *Server) event(w http.ResponseWriter, kind string, fields map[string]any) {
	fields["type"] = kind
	s.send(w, kind, encode(fields))
}

func (s *Server) send(w http.ResponseWriter, event, data string) {
	if event != "" {
		event = "event: " + event + "\n"
	}
	if _, err := fmt.Fprintf(w, "%sdata: %s\n\n", event, data); err != nil {
		return // the client left
	}
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// tell writes the usage as a protocol does, or nothing.
func (a answer) tell(write func(llm.Usage) map[string]any) any {
	if a.silent {
		return nil
	}
	return write(a.usage)
}

func openaiUsage(u llm.Usage) map[string]any {
	return map[string]any{
		"prompt_tokens": u.InputTokens, "completion_tokens": u.OutputTokens, "total_tokens": u.InputTokens + u.OutputTokens,
		"prompt_tokens_details": map[string]int{"cached_tokens": u.CachedTokens},
	}
}

// anthropicUsage counts the cached part of the input apart, as the service does.
func anthropicUsage(u llm.Usage) map[string]any {
	return map[string]any{
		"input_tokens": u.InputTokens - u.CachedTokens - u.WrittenTokens, "output_tokens": u.OutputTokens,
		"cache_read_input_tokens": u.CachedTokens, "cache_creation_input_tokens": u.WrittenTokens,
	}
}

// long is a text of n bytes in words.
func long(n int) string { return strings.Repeat("0123456 ", n/8) }
