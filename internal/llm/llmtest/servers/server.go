package servers

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/repgen/repgen/internal/llm"
)

// Protocol that a server speaks.
type Protocol string

// The protocols.
const (
	OpenAI    Protocol = "openai"
	Anthropic Protocol = "anthropic"
)

// paths of the question.
var paths = map[Protocol]string{OpenAI: "/v1/chat/completions", Anthropic: "/v1/messages"}

// ModelName is what every server calls its model.
const ModelName = "fake-model-1"

// Options of a server; the zero value answers well.
type Options struct {
	Protocol Protocol
	Does     Behaviour
	// Reply makes the answer, nil: "the answer". More words than max_tokens are
	// cut off, and the finish reason says so.
	Reply func(Asked) string
	// Finish that is reported of the whole of Reply's text, "": as it is.
	Finish llm.Finish
	// Key that is wanted; "": none.
	Key string
	// Usage that is reported, nil: CountTokens of the prompt and the answer.
	Usage *llm.Usage
	// FailFirst requests misbehave as Does says, the rest are answered well; 0:
	// all misbehave.
	FailFirst int
	// RetryAfter is the header of RateLimited; "": none.
	RetryAfter string
	// Refuse answers 400 to a request whose JSON holds the word as a key, with
	// the message given.
	Refuse map[string]string
	// Target is the URL that Redirect sends to.
	Target string
	// Overflow is what Overflowing answers.
	Overflow Overflow
}

// Asked is a request as a server saw it.
type Asked struct {
	Path   string
	Header http.Header
	Body   string

	Model       string
	Messages    []llm.Message
	MaxTokens   int
	Temperature *float64
	Schema      json.RawMessage
	Stream      bool
	// WantsUsage: stream_options asks for it.
	WantsUsage bool
}

// Server is a running server. It ends with the test.
type Server struct {
	// URL as the adapters want it.
	URL string

	o    Options
	mu   sync.Mutex
	seen []Asked
	done chan struct{}
}

// New starts a server on a free port of the loopback.
func New(t testing.TB, o Options) *Server {
	t.Helper()
	s := &Server{o: o, done: make(chan struct{})}
	h := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		close(s.done) // ends who hangs
		h.CloseClientConnections()
		h.Close()
	})
	s.URL = h.URL
	if o.Protocol == OpenAI {
		s.URL += "/v1"
	}
	return s
}

// Asked are the requests so far.
func (s *Server) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Asked(nil), s.seen...)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client left
	}
	a := read(r, body)
	s.mu.Lock()
	s.seen = append(s.seen, a)
	n := len(s.seen)
	s.mu.Unlock()
	if r.URL.Path != paths[s.o.Protocol] {
		s.refuse(w, http.StatusNotFound, "not_found_error", "no such path")
		return
	}
	if s.o.Key != "" && keyOf(r.Header) != s.o.Key {
		s.refuse(w, http.StatusUnauthorized, "authentication_error", "invalid api key: "+keyOf(r.Header))
		return
	}
	for word, message := range s.o.Refuse {
		if strings.Contains(a.Body, `"`+word+`":`) {
			s.refuse(w, http.StatusBadRequest, "invalid_request_error", message)
			return
		}
	}
	if s.o.FailFirst == 0 || n <= s.o.FailFirst {
		if misbehave := behaviours[s.o.Does]; misbehave != nil {
			misbehave(s, w, r, a)
			return
		}
	}
	s.answer(w, a, s.text(a))
}

// text is the answer, and whether max_tokens cut it off.
func (s *Server) text(a Asked) answer {
	full := "the answer"
	if s.o.Reply != nil {
		full = s.o.Reply(a)
	}
	out := answer{text: full, finish: llm.FinishStop, usage: llm.Usage{InputTokens: CountPrompt(a.Messages), OutputTokens: CountTokens(full)}}
	if a.MaxTokens > 0 && CountTokens(full) > a.MaxTokens {
		words := strings.SplitAfter(full, " ")
		out.text, out.finish, out.usage.OutputTokens = strings.Join(words[:a.MaxTokens], ""), llm.FinishLength, a.MaxTokens
	}
	if s.o.Finish != "" {
		out.text, out.finish = full, s.o.Finish
	}
	if s.o.Usage != nil {
		out.usage = *s.o.Usage
	}
	out.silent = s.o.Does == NoUsage
	return out
}

// CountTokens is the servers' tokenizer: what stands between spaces.
func CountTokens(text string) int {
	if text == "" {
		return 0
	}
	return strings.Count(text, " ") + 1
}

// CountPrompt counts a prompt, with three tokens of a template a message.
func CountPrompt(messages []llm.Message) int {
	n := 0
	for _, m := range messages {
		n += CountTokens(m.Content) + 3
	}
	return n
}

func keyOf(h http.Header) string {
	if k := h.Get("X-Api-Key"); k != "" {
		return k
	}
	return strings.TrimPrefix(h.Get("Authorization"), "Bearer ")
}

// refuse answers with an error in the protocol's form.
func (s *Server) refuse(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, s.errorJSON(kind, message))
}

func (s *Server) errorJSON(kind, message string) string {
	inner := map[string]string{"message": message, "type": kind}
	if s.o.Protocol == Anthropic {
		return encode(map[string]any{"type": "error", "error": inner})
	}
	return encode(map[string]any{"error": inner})
}

func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // our own maps and strings
	}
	return string(data)
}
