package anthropic

import "github.com/repgen/repgen/internal/llm/hosted"

// The protocol, as far as it is used here: POST v1/messages, as the service's
// reference has it. The order of the fields is the order in which they are sent.

// version of the protocol, which every request names.
const version = "2023-06-01"

// request is a question.
type request struct {
	MaxTokens    int           `json:"max_tokens"`
	Messages     []message     `json:"messages"`
	Model        string        `json:"model"`
	Temperature  *float64      `json:"temperature,omitempty"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
	System       []block       `json:"system,omitempty"`
	Stream       bool          `json:"stream"`
}

type message struct {
	Content []block `json:"content"`
	Role    string  `json:"role"`
}

// block is a text, of a question or of an answer.
type block struct {
	Text         string        `json:"text"`
	CacheControl *cacheControl `json:"cache_control,omitempty"`
	Type         string        `json:"type"`
}

type cacheControl struct {
	Type string `json:"type"`
}

type outputConfig struct {
	Format format `json:"format"`
}

type format struct {
	Schema map[string]any `json:"schema"`
	Type   string         `json:"type"`
}

// event of a stream. What it holds depends on its type.
type event struct {
	Type         string `json:"type"`
	Message      reply  `json:"message"`
	ContentBlock block  `json:"content_block"`
	Delta        delta  `json:"delta"`
	Usage        usage  `json:"usage"`
}

// delta is more of a text, or the end.
type delta struct {
	Text       string `json:"text"`
	StopReason string `json:"stop_reason"`
}

// reply is a whole answer, or the beginning of a stream's.
type reply struct {
	Type       string  `json:"type"`
	Model      string  `json:"model"`
	Content    []block `json:"content"`
	StopReason string  `json:"stop_reason"`
	Usage      usage   `json:"usage"`
}

// usage counts what of the input was read from the service's cache, and what was
// written there, apart. Output is nil where nothing is said of it.
type usage struct {
	Input   hosted.Count  `json:"input_tokens"`
	Read    hosted.Count  `json:"cache_read_input_tokens"`
	Written hosted.Count  `json:"cache_creation_input_tokens"`
	Output  *hosted.Count `json:"output_tokens"`
}

// input is all of it.
func (u usage) input() int { return int(u.Input + u.Read + u.Written) }

// output is 0 where nothing is said of it.
func (u usage) output() int {
	if u.Output == nil {
		return 0
	}
	return int(*u.Output)
}
