package openai

import (
	"encoding/json"

	"github.com/repgen/repgen/internal/llm/hosted"
)

// The protocol, as far as it is used here: POST chat/completions, as the hosted
// service's reference and the local servers' manuals have it. The order of the
// fields is the order in which they are sent.

// request is a question.
type request struct {
	Messages            []message      `json:"messages"`
	Model               string         `json:"model"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	Temperature         *float64       `json:"temperature,omitempty"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
	ResponseFormat      *format        `json:"response_format,omitempty"`
	Stream              bool           `json:"stream,omitempty"`
}

type message struct {
	Content string `json:"content"`
	Role    string `json:"role"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type format struct {
	JSONSchema schema `json:"json_schema"`
	Type       string `json:"type"`
}

type schema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict,omitempty"`
	Schema json.RawMessage `json:"schema"`
}

// reply is a whole answer, or one piece of a stream: they differ in where a
// choice has its text.
type reply struct {
	Error   json.RawMessage `json:"error"`
	Model   string          `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
}

type choice struct {
	Index        int    `json:"index"`
	FinishReason string `json:"finish_reason"`
	Delta        text   `json:"delta"`
	Message      text   `json:"message"`
}

type text struct {
	Content string `json:"content"`
	Refusal string `json:"refusal"`
}

type usage struct {
	PromptTokens     hosted.Count `json:"prompt_tokens"`
	CompletionTokens hosted.Count `json:"completion_tokens"`
	Details          struct {
		Cached  hosted.Count `json:"cached_tokens"`
		Written hosted.Count `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
}
