package hosted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/llm"
)

// Ends of an answer that are none.
var (
	errCut     = errors.New("the answer was cut in the middle")
	errNothing = errors.New("the answer holds nothing of the protocol")
)

// Garbled is an answer that cannot be read.
type Garbled struct{ Err error }

func (e *Garbled) Error() string { return "read the answer: " + e.Err.Error() }

func (e *Garbled) Unwrap() error { return e.Err }

// Reported is an error that came inside a stream, as the JSON of a refusal.
type Reported struct{ Body []byte }

func (e *Reported) Error() string { return "the server reports an error in its answer" }

// failure makes the error that Complete promises. Nothing of the chain below it
// is kept but the end of ctx: requests and their headers hold the key.
func (c *Client) failure(ctx, bound context.Context, a *Answer, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("ask the language model: %w", ctx.Err())
	}
	f := c.classify(context.Cause(bound), err)
	f.Usage = a.Usage
	f.Why, f.Next = c.key.Redact(f.Why), c.key.Redact(f.Next)
	return f
}

func (c *Client) classify(cause, err error) *llm.Error {
	var refused *Refused
	var reported *Reported
	var elsewhere *redirected
	switch {
	case errors.Is(cause, errSlow):
		return c.slow(fmt.Sprintf("gave no whole answer within %v", c.o.Timeout))
	case errors.Is(cause, errSilent):
		return c.slow(fmt.Sprintf("was silent for %v", c.o.Timeout/silenceShare))
	case errors.As(err, &refused):
		return c.refusal(refused.Status, refused.Header, refused.Body)
	case errors.As(err, &reported):
		return c.refusal(0, nil, reported.Body)
	case errors.As(err, &elsewhere):
		return &llm.Error{Kind: llm.BadRequest, Why: fmt.Sprintf("%s: %v; a key must not travel there", c.Host(), elsewhere),
			Next: "if that is the right server, make it the base URL"}
	}
	return c.broken(err)
}

func (c *Client) slow(what string) *llm.Error {
	return &llm.Error{Kind: llm.Timeout, Why: c.Host() + " " + what,
		Next: `a slow server needs more: timeout = "1h" in its [llm.NAME] of the configuration`}
}

// broken are failures of the line, and answers that are no answers.
func (c *Client) broken(err error) *llm.Error {
	var garbled *Garbled
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var line net.Error
	switch {
	case errors.Is(err, errTooBig), errors.Is(err, errBigEvent), errors.Is(err, errNothing):
		return &llm.Error{Kind: llm.BadResponse, Why: c.Host() + ": " + err.Error(), Next: "check that the base URL is that of the protocol's server"}
	case errors.As(err, &garbled), errors.As(err, &syntax), errors.As(err, &kind):
		return &llm.Error{Kind: llm.BadResponse, Why: c.Host() + " answers what cannot be read: " + c.excerpt(err.Error()),
			Next: "check that the base URL is that of the protocol's server"}
	case errors.Is(err, errCut), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &llm.Error{Kind: llm.Connection, Why: c.Host() + " cut the answer in the middle", Next: "ask again; look at the server's own log if it stays"}
	case errors.As(err, &line), isDial(err):
		return &llm.Error{Kind: llm.Connection, Why: c.Host() + " cannot be reached: " + c.excerpt(innermost(err)),
			Next: "start the server, or check its base URL"}
	}
	return &llm.Error{Kind: llm.BadResponse, Why: c.Host() + ": " + c.excerpt(innermost(err)), Next: "repgen doctor --llm asks the model one tiny question"}
}

func isDial(err error) bool {
	var op *net.OpError
	var u *url.Error
	return errors.As(err, &op) || errors.As(err, &u)
}

// innermost leaves out the address: the host says enough, and a path may hold
// what is nobody's business.
func innermost(err error) string {
	var u *url.Error
	for errors.As(err, &u) {
		err = u.Err
	}
	return err.Error()
}

// refusal says what a status and a body mean; status 0: an error in a stream.
func (c *Client) refusal(status int, h http.Header, body []byte) *llm.Error {
	s := readSaid(body)
	if status == 0 {
		status = s.Status
	}
	kind := kindOf(status, s)
	e := &llm.Error{Kind: kind, Status: status, Why: fmt.Sprintf("%s answers: %s", c.Host(), c.excerpt(s.Message)), Next: c.advice(kind)}
	if h != nil && (kind == llm.RateLimited || kind == llm.Overloaded) {
		e.RetryAfter = retryAfter(h, time.Now())
	}
	return e
}

func (c *Client) advice(k llm.Kind) string {
	key := c.o.KeyFrom
	switch k {
	case llm.Auth:
		switch {
		case !c.HasKey() && key != "":
			return "no key was sent: set " + key
		case !c.HasKey():
			return "no key was sent: name its variable with key_env, or its file with key_file, in [llm.NAME] of the configuration"
		}
		return "check the key in " + key + ", and what its account may use"
	case llm.RateLimited, llm.Overloaded:
		return "wait, or use another model; a run that ended goes on with --resume"
	case llm.TooLong:
		return "give less: a smaller token budget, a shorter report, or a model that reads more"
	case llm.NotFound:
		return "check the model's name and the base URL"
	case llm.Timeout:
		return `a slow server needs more: timeout = "1h" in its [llm.NAME] of the configuration`
	}
	return "check the model's name and settings; repgen doctor --llm asks it one tiny question"
}

// passing are the types that errors in a stream have instead of a status.
var passing = []struct {
	word string
	kind llm.Kind
}{
	{"overloaded", llm.Overloaded}, {"rate_limit", llm.RateLimited}, {"rate limit", llm.RateLimited}, {"authentication", llm.Auth}, {"permission", llm.Auth},
	{"not_found", llm.NotFound}, {"invalid_request", llm.BadRequest}, {"timeout", llm.Timeout},
}

// kindOf judges by the body where a status says too little.
func kindOf(status int, s said) llm.Kind {
	words := s.words()
	switch {
	case hasAny(words, "insufficient_quota", "credit balance", "billing"):
		return llm.Auth // waiting does not fill an account
	case tooLong(status, words):
		return llm.TooLong
	}
	switch status {
	case 0:
		for _, p := range passing {
			if strings.Contains(words, p.word) {
				return p.kind
			}
		}
		return llm.Overloaded // it had begun to answer: the server's own trouble
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusPaymentRequired:
		return llm.Auth
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone:
		return llm.NotFound
	case http.StatusRequestTimeout:
		return llm.Timeout
	case http.StatusTooManyRequests:
		return llm.RateLimited
	case http.StatusConflict, http.StatusTooEarly:
		return llm.Overloaded
	case http.StatusNotImplemented:
		return llm.BadRequest
	case http.StatusNoContent:
		return llm.BadResponse
	}
	if status >= 500 {
		return llm.Overloaded
	}
	return llm.BadRequest
}

// overflow are the words that servers have for a prompt that does not fit, as
// they stand in their sources and manuals: the hosted services, vLLM, llama.cpp,
// Ollama, TGI, LM Studio.
var overflow = []string{
	"context_length_exceeded", "maximum context length", "exceed_context_size", "exceeds the available context size",
	"prompt is too long", "exceed context limit", "longer than the maximum model length", "exceeds maximum context length",
	"exceeds the context window", "exceeds the maximum number of tokens", "context window exceeded", "context overflow",
	"when context the overflows", "too large for model with", "`inputs` must have less than", "`max_new_tokens` must be <=",
	"context length is only", "request_too_large", "larger than the maximum context", "exceeds the model's context",
	"exceed the model's maximum context", "input is too long", "context size has been exceeded",
}

func tooLong(status int, words string) bool {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return true
	case 0, http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusInternalServerError:
		return hasAny(words, overflow...)
	}
	return false
}

func hasAny(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
