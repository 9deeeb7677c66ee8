package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Role of a message.
type Role string

// The roles that every backend knows.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one turn.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content"`
}

// Request is one question with its sampling: nothing is set on a shared client.
type Request struct {
	Messages []Message `json:"messages"`
	// MaxTokens bounds the answer; it must be positive.
	MaxTokens int `json:"max_tokens"`
	// Temperature, nil: the backend's own default.
	Temperature *float64 `json:"temperature,omitempty"`
	// Schema is the JSON schema that the answer should meet; nil: free text. A
	// backend that cannot hold a model to it sends it along in words.
	Schema json.RawMessage `json:"json_schema,omitempty"`
	// Sample tells equal requests apart of which several answers are wanted. It
	// is part of what a record is found by, and is never sent.
	Sample int `json:"sample,omitempty"`
	// Purpose names the call in records and trajectories ("plan"); never sent.
	Purpose string `json:"purpose,omitempty"`
	// OnText is told of the answer's pieces as they come; nil: nobody. It is
	// called from one goroutine at a time.
	OnText func(piece string) `json:"-"`
}

// Usage is what a call took, in the backend's own tokens.
type Usage struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
	// CachedTokens of the input were read from the provider's cache, and
	// WrittenTokens were written to it at a price of their own. Both are counted
	// in InputTokens.
	CachedTokens  int `json:"cached_tokens,omitempty"`
	WrittenTokens int `json:"cache_write_tokens,omitempty"`
	// Estimated says that the backend reported nothing and ours is a guess.
	Estimated bool `json:"estimated,omitempty"`
}

// Finish says why the answer ended.
type Finish string

// The ends of an answer.
const (
	FinishStop   Finish = "stop"
	FinishLength Finish = "length" // max_tokens: the answer is cut off
	FinishFilter Finish = "filter" // refused by the provider
	FinishOther  Finish = "other"
)

// Sources of an answer.
const (
	SourceBackend = ""
	SourceCache   = "cache"  // another run asked the same
	SourceRecord  = "record" // this run asked before it was resumed
	SourceReplay  = "replay"
)

// Response is one answer.
type Response struct {
	Text   string `json:"text"`
	Model  string `json:"model"` // as the backend names it
	Usage  Usage  `json:"usage"`
	Finish Finish `json:"finish"`
	// Source says where it came from. What a record holds of a cache or a replay
	// keeps saying so.
	Source string `json:"source,omitempty"`
	// Attempts that the retry wrapper made, 1 for the first; every one of them
	// may have cost something that nobody reported.
	Attempts int     `json:"attempts,omitempty"`
	Seconds  float64 `json:"seconds"`
	// Record is the name of the file that Recorded keeps of the call.
	Record string `json:"record,omitempty"`
}

// Info says what a model is.
type Info struct {
	Backend string `json:"backend"` // "openai", "anthropic", "exec", "replay"
	Model   string `json:"model"`
	// Provider is whose price list applies (ProviderOf), "" where nobody knows:
	// the backend's own name then.
	Provider string `json:"provider,omitempty"`
	// Command tells apart the command lines of exec, whose programs may answer
	// as one model or another; it is a digest, since a line may hold anything.
	Command string `json:"command,omitempty"`
	// Schema: the backend holds the answer to a schema.
	Schema bool `json:"schema"`
}

// Same says that two of them are one model, for whoever finds answers again.
func (i Info) Same(o Info) bool {
	return i.Backend == o.Backend && i.Model == o.Model && i.Command == o.Command
}

// Model answers requests. Implementations are safe for concurrent use. Complete
// blocks until the whole answer is there or ctx ends (then ctx.Err() is in the
// error's chain); any other error is an *Error. The fakes are in llmtest, and
// every implementation passes llmtest.Conform.
type Model interface {
	Complete(ctx context.Context, r Request) (Response, error)
	Info() Info
}

// Kind is the kind of a failure, for whoever branches on it.
type Kind string

// The kinds of failure.
const (
	Auth        Kind = "auth"             // the key is wrong, missing or not allowed
	RateLimited Kind = "rate_limited"     // 429
	Overloaded  Kind = "overloaded"       // 5xx
	Timeout     Kind = "timeout"          // no answer in time
	Connection  Kind = "connection"       // refused, cut
	TooLong     Kind = "context_overflow" // the prompt does not fit the model
	NotFound    Kind = "not_found"        // no such model or server path
	BadRequest  Kind = "bad_request"
	BadResponse Kind = "bad_response" // garbage, or an empty stream
	Crashed     Kind = "crashed"      // exec: the command failed
	NoRecord    Kind = "no_record"    // replay: nothing was recorded for it
	Budget      Kind = "budget"       // the meter: the call could exceed a limit, and was not made
)

// Error is a failed call. Its text holds no key.
type Error struct {
	Kind   Kind
	Why    string
	Next   string // what the user can do
	Status int    // of HTTP, 0 elsewhere
	// RetryAfter is what the server asked for, 0 when it did not.
	RetryAfter time.Duration
	// Usage is what the failed call is known to have cost.
	Usage Usage
	Err   error
}

func (e *Error) Error() string {
	if e.Status > 0 {
		return fmt.Sprintf("ask the language model: %s (HTTP %d)", e.Why, e.Status)
	}
	return "ask the language model: " + e.Why
}

func (e *Error) Unwrap() error { return e.Err }

// Limit bounds what a Meter lets through; zero fields: no limit.
type Limit struct {
	// Calls, Tokens (in and out together) and USD of the whole run.
	Calls  int     `json:"calls,omitempty"`
	Tokens int     `json:"tokens,omitempty"`
	USD    float64 `json:"usd,omitempty"`
	// None: nothing may be asked at all (a limit of zero that the user named).
	None bool `json:"none,omitempty"`
}

// Totals are what was asked so far. An answer that came from a record of this
// run counts as if it had been asked now, so that a resumed run shows what an
// uninterrupted one does. Answers of a cache and of a replay count as they were
// recorded too, and stand in Cached, Replayed and UnpaidUSD as well.
type Totals struct {
	// Calls are requests that were let through; the attempts of a retry belong
	// to one call.
	Calls        int `json:"calls"`
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
	// CachedTokens and WrittenTokens as in Usage.
	CachedTokens  int     `json:"cached_tokens,omitempty"`
	WrittenTokens int     `json:"cache_write_tokens,omitempty"`
	USD           float64 `json:"usd"`
	// Priced is false when a model has no known price: USD is then too low.
	Priced bool `json:"priced"`
	// Estimated: some calls reported no usage.
	Estimated bool `json:"estimated,omitempty"`
	// Failed calls, and answers that could not be read as what was asked for.
	Failed   int `json:"failed,omitempty"`
	Unparsed int `json:"unparsed,omitempty"`
	// Cached and Replayed are the calls that nobody was asked for now; UnpaidUSD
	// is what of USD they make up.
	Cached    int     `json:"cached,omitempty"`
	Replayed  int     `json:"replayed,omitempty"`
	UnpaidUSD float64 `json:"unpaid_usd,omitempty"`
}
