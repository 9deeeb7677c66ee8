package servers

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/llm"
)

// Behaviour of a server.
type Behaviour string

// The ways to misbehave; "" is none.
const (
	Hangs          Behaviour = "hangs"            // no byte at all
	HangsMidway    Behaviour = "hangs midway"     // some of the answer, then silence
	Dribbles       Behaviour = "dribbles"         // comments that keep the line open, for ever
	Garbage        Behaviour = "garbage"          // a page of HTML, 200
	GarbageStream  Behaviour = "garbage stream"   // events whose data is no JSON
	Binary         Behaviour = "binary"           // bytes
	RateLimited    Behaviour = "rate limited"     // 429
	NoCredit       Behaviour = "no credit"        // 429 that no waiting helps against
	Broken         Behaviour = "broken"           // 500
	Overloaded     Behaviour = "overloaded"       // 529
	Cut            Behaviour = "cut"              // the connection is reset in the middle
	CutQuietly     Behaviour = "cut quietly"      // the stream ends without an end
	Overflowing    Behaviour = "overflowing"      // Options.Overflow
	EchoesKey      Behaviour = "echoes key"       // 401 that repeats the key in every form
	EchoesKeyInOwn Behaviour = "echoes key in it" // an answer that repeats the key
	Empty          Behaviour = "empty"            // an answer without text
	EmptyStream    Behaviour = "empty stream"     // no event at all
	NoContent      Behaviour = "no content"       // 204
	Missing        Behaviour = "missing"          // 404: no such model
	Long           Behaviour = "long"             // 1 MB
	Endless        Behaviour = "endless"          // knows no max_tokens
	NoUsage        Behaviour = "no usage"         // tells no usage in a stream
	Redirect       Behaviour = "redirect"         // 307 to Options.Target
	ErrorMidway    Behaviour = "error midway"     // an error event in the middle
	Whole          Behaviour = "whole"            // answers in one piece, whatever was asked
	Filtered       Behaviour = "filtered"         // refused by the provider
)

// behaviours do what they are called.
var behaviours = map[Behaviour]func(*Server, http.ResponseWriter, *http.Request, Asked){
	Hangs: func(s *Server, _ http.ResponseWriter, r *http.Request, _ Asked) { s.hang(r) },
	HangsMidway: func(s *Server, w http.ResponseWriter, r *http.Request, a Asked) {
		s.half(w, a)
		s.hang(r)
	},
	Dribbles: dribble,
	Garbage: func(_ *Server, w http.ResponseWriter, _ *http.Request, _ Asked) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<html><body>Welcome to the router's login page</body></html>")
	},
	GarbageStream: func(s *Server, w http.ResponseWriter, _ *http.Request, _ Asked) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 3 {
			s.send(w, "message_start", `{"choices":[{"delta":{"content": 12, `)
		}
	},
	Binary: func(_ *Server, w http.ResponseWriter, _ *http.Request, _ Asked) {
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(bytes.Repeat([]byte{0, 255, 254, 10, 13, 27, 91}, 1000))
	},
	RateLimited: func(s *Server, w http.ResponseWriter, _ *http.Request, _ Asked) {
		if s.o.RetryAfter != "" {
			w.Header().Set("Retry-After", s.o.RetryAfter)
		}
		s.refuse(w, http.StatusTooManyRequests, "rate_limit_error", "too many requests")
	},
	NoCredit: func(s *Server, w http.ResponseWriter, _ *http.Request, _ Asked) {
		s.refuse(w, http.StatusTooManyRequests, "insufficient_quota", "You exceeded your current quota, please check your plan and billing details.")
	},
	Broken: func(_ *Server, w http.ResponseWriter, _ *http.Request, _ Asked) {
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
	},
	Overloaded: func(s *Server, w http.ResponseWriter, _ *http.Request, _ Asked) {
		s.refuse(w, 529, "overloaded_error", "Overloaded")
	},
	Cut: func(s *Server, w http.ResponseWriter, _ *http.Request, a Asked) {
		s.half(w, a)
		panic(http.ErrAbortHandler)
	},
	CutQuietly: func(s *Server, w http.ResponseWriter, _ *http.Request, a Asked) { s.half(w, a) },
	Overflowing: func(s *Server, w http.ResponseWriter, _ *http.Request, _ Asked) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(s.o.Overflow.Status)
		_, _ = fmt.Fprint(w, s.o.Overflow.Body)
	},
	EchoesKey: func(s *Server, w http.ResponseWriter, r *http.Request, _ Asked) {
		w.Header().Set("X-Echo", keyOf(r.Header))
		s.refuse(w, http.StatusUnauthorized, "authentication_error", "no such key: "+everyForm(keyOf(r.Header)))
	},
	EchoesKeyInOwn: func(s *Server, w http.ResponseWriter, r *http.Request, a Asked) {
		s.answer(w, a, answer{text: "your key is " + everyForm(keyOf(r.Header)) + ".", finish: llm.FinishStop, usage: llm.Usage{InputTokens: 1, OutputTokens: 1}})
	},
	Empty: func(s *Server, w http.ResponseWriter, _ *http.Request, a Asked) {
		s.answer(w, a, answer{finish: llm.FinishStop, usage: llm.Usage{InputTokens: CountPrompt(a.Messages)}})
	},
	EmptyStream: func(s *Server, w http.ResponseWriter, _ *http.Request, _ Asked) {
		w.Header().Set("Content-Type", "text/event-stream")
		if s.o.Protocol == OpenAI {
			s.send(w, "", "[DONE]")
		}
	},
	NoContent: func(_ *Server, w http.ResponseWriter, _ *http.Request, _ Asked) { w.WriteHeader(http.StatusNoContent) },
	Missing: func(s *Server, w http.ResponseWriter, _ *http.Request, a Asked) {
		s.refuse(w, http.StatusNotFound, "not_found_error", "the model "+a.Model+" does not exist")
	},
	Long: func(s *Server, w http.ResponseWriter, _ *http.Request, a Asked) {
		text := long(1 << 20)
		s.answer(w, a, answer{text: text, finish: llm.FinishStop, usage: llm.Usage{InputTokens: CountPrompt(a.Messages), OutputTokens: CountTokens(text)}})
	},
	Endless: func(s *Server, w http.ResponseWriter, r *http.Request, a Asked) {
		s.begin(w, answer{})
		for r.Context().Err() == nil && !s.closed() {
			s.piece(w, long(1024))
		}
	},
	Redirect: func(s *Server, w http.ResponseWriter, r *http.Request, _ Asked) {
		http.Redirect(w, r, s.o.Target, http.StatusTemporaryRedirect)
	},
	ErrorMidway: func(s *Server, w http.ResponseWriter, _ *http.Request, a Asked) {
		s.half(w, a)
		s.send(w, "error", s.errorJSON("overloaded_error", "Overloaded"))
	},
	Whole: func(s *Server, w http.ResponseWriter, _ *http.Request, a Asked) {
		s.whole(w, s.text(a))
	},
	Filtered: func(s *Server, w http.ResponseWriter, _ *http.Request, a Asked) {
		out := s.text(a)
		out.finish = llm.FinishFilter
		s.answer(w, a, out)
	},
}

// half says the first half of an answer, and nothing of an end.
func (s *Server) half(w http.ResponseWriter, a Asked) {
	out := s.text(a)
	s.begin(w, out)
	s.piece(w, out.text[:len(out.text)/2])
}

func (s *Server) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.done:
	}
}

func (s *Server) closed() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// dribble keeps the line open with comments, as gateways do while they wait.
func dribble(s *Server, w http.ResponseWriter, r *http.Request, _ Asked) {
	w.Header().Set("Content-Type", "text/event-stream")
	for r.Context().Err() == nil && !s.closed() {
		if _, err := fmt.Fprint(w, ": waiting\n\n"); err != nil {
			return
		}
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// everyForm writes a key as logs, URLs and headers do.
func everyForm(key string) string {
	b := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("%s %s %s %s %s %x %q", key, url.QueryEscape(key), b([]byte(key)), b([]byte("Bearer "+key)), b([]byte("k="+key+"&x")), key, key)
}

// KeyForms are the ways in which EchoesKey writes a key, without the ends that
// depend on what stands around it.
func KeyForms(key string) []string {
	var forms []string
	for _, f := range strings.Fields(everyForm(key)) {
		f = strings.Trim(f, `"`)
		forms = append(forms, f[6:min(26, len(f))])
	}
	return forms
}
