package servers

import (
	"encoding/json"
	"net/http"

	"github.com/repgen/repgen/internal/llm"
)

// content is a text, or blocks of text, as both protocols allow.
type content string

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(data []byte) error {
	var blocks []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(data, &blocks) == nil {
		for _, b := range blocks {
			*c += content(b.Text)
		}
		return nil
	}
	return json.Unmarshal(data, (*string)(c))
}

// read understands a request of either protocol.
func read(r *http.Request, body []byte) Asked {
	var q struct {
		Model     string   `json:"model"`
		System    content  `json:"system"`
		MaxTokens int      `json:"max_tokens"`
		MaxNewer  int      `json:"max_completion_tokens"`
		Heat      *float64 `json:"temperature"`
		Stream    bool     `json:"stream"`
		Messages  []struct {
			Role    llm.Role `json:"role"`
			Content content  `json:"content"`
		} `json:"messages"`
		StreamOptions struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
		ResponseFormat struct {
			JSONSchema struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
		OutputConfig struct {
			Format struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"format"`
		} `json:"output_config"`
	}
	a := Asked{Path: r.URL.Path, Header: r.Header.Clone(), Body: string(body)}
	if json.Unmarshal(body, &q) != nil {
		return a
	}
	a.Model, a.MaxTokens, a.Temperature, a.Stream = q.Model, q.MaxTokens+q.MaxNewer, q.Heat, q.Stream
	a.WantsUsage = q.StreamOptions.IncludeUsage
	a.Schema = append(q.ResponseFormat.JSONSchema.Schema, q.OutputConfig.Format.Schema...)
	if q.System != "" {
		a.Messages = append(a.Messages, llm.Message{Role: llm.System, Content: string(q.System)})
	}
	for _, m := range q.Messages {
		a.Messages = append(a.Messages, llm.Message{Role: m.Role, Content: string(m.Content)})
	}
	return a
}
