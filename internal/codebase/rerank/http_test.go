package rerank_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/repgen/repgen/internal/codebase/rerank"
	"github.com/repgen/repgen/internal/codebase/rerank/reranktest"
)

const (
	keyEnv = "REPGEN_TEST_RERANK_KEY"
	secret = "sk-very-secret-4711"
)

// serve starts a server and gives a reranker over it.
func serve(t *testing.T, o rerank.HTTPOptions, h http.HandlerFunc) rerank.Reranker {
	t.Helper()
	t.Setenv(keyEnv, secret)
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	o.URL, o.KeyEnv, o.Client = s.URL+"/v1/rerank", keyEnv, s.Client()
	r, err := rerank.NewHTTP(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

type request struct {
	Model     string   `json:"model"`
	Query     string   `json:"query"`
	Documents []string `json:"documents"`
	TopN      int      `json:"top_n"`
}

// overlap is a server that counts shared words, and answers best first as the
// real ones do.
func overlap(t *testing.T, field string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var req request
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &req); err != nil || !utf8.Valid(body) {
			t.Errorf("request: %v", err)
		}
		if r.Method != http.MethodPost || r.Header.Get("Authorization") != "Bearer "+secret || req.Model != "m" || req.TopN != len(req.Documents) {
			t.Errorf("%s %v %+v", r.Method, r.Header, req)
		}
		type result map[string]any
		var results []result
		for i, d := range req.Documents {
			n := 0.0
			for _, word := range strings.Fields(strings.ReplaceAll(req.Query, "_", " ")) {
				if strings.Contains(d, word) {
					n++
				}
			}
			results = append(results, result{"index": i, field: n, "document": map[string]string{"text": d[:min(3, len(d))]}})
		}
		slices.SortStableFunc(results, func(a, b result) int { return int(b[field].(float64) - a[field].(float64)) })
		_ = json.NewEncoder(w).Encode(map[string]any{"id": "1", "results": results})
	}
}

func TestHTTP(t *testing.T) {
	for _, field := range []string{"relevance_score", "score"} {
		reranktest.Run(t, reranktest.Options{Reads: true}, func(t *testing.T) rerank.Reranker {
			return serve(t, rerank.HTTPOptions{Model: "m"}, overlap(t, field))
		})
	}
}

// say answers always the same.
func say(status int, header, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if header != "" {
			w.Header().Set("Retry-After", header)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

const good = `{"results": [{"index": 1, "relevance_score": 0.25}, {"index": 0, "relevance_score": -3}]}`

func TestHTTPAnswers(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"usual", good, "[-3 0.25]"},
		{"bare list", `[{"index":0,"score":1},{"index":1,"score":2}]`, "[1 2]"},
		{"data", `{"object":"list","data":[{"index":0,"relevance_score":1},{"index":1,"relevance_score":2}]}`, "[1 2]"},
		{"empty", ``, "the answer of"},
		{"no JSON", `<html>Welcome</html>`, "<html>Welcome</html>"},
		{"other JSON", `{"message": "no such model"}`, "0 scores for 2 texts"},
		{"one missing", `{"results":[{"index":0,"relevance_score":1}]}`, "1 scores for 2 texts"},
		{"twice", `{"results":[{"index":1,"relevance_score":1},{"index":1,"relevance_score":1}]}`, "there twice"},
		{"out of range", `{"results":[{"index":0,"relevance_score":1},{"index":2,"relevance_score":1}]}`, "index 2"},
		{"negative", `{"results":[{"index":-1,"relevance_score":1},{"index":0,"relevance_score":1}]}`, "index -1"},
		{"no index", `{"results":[{"relevance_score":1},{"relevance_score":1}]}`, "without index"},
		{"null", `{"results":[{"index":0,"relevance_score":null},{"index":1,"relevance_score":1}]}`, "or score"},
		{"NaN", `{"results":[{"index":0,"relevance_score":NaN},{"index":1,"relevance_score":1}]}`, "invalid character"},
		{"too large", `{"results":[{"index":0,"relevance_score":1e999},{"index":1,"relevance_score":1}]}`, "1e999"},
		{"huge", strings.Repeat(" ", 5<<20) + good, "more than 4 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := serve(t, rerank.HTTPOptions{}, say(200, "", c.body))
			got, err := r.Score(context.Background(), "q", []string{"a", "b"})
			if text := fmt.Sprint(got, err); !strings.Contains(text, c.want) {
				t.Errorf("%.300s, want %s", text, c.want)
			}
			if err != nil && got != nil {
				t.Error("an error with scores")
			}
		})
	}
}

// TestHTTPRefusals: which answers are final, what they say, and that the key
// is not in it.
func TestHTTPRefusals(t *testing.T) {
	for _, c := range []struct {
		status       int
		header, want string
		asked        int32
	}{
		{400, "", "400 Bad Request", 1},
		{401, "", "401 Unauthorized", 1},
		{404, "", "404 Not Found", 1},
		{302, "", "302 Found", 1},
		{500, "", "500 Internal", 2},
		{503, "0.001", "503", 2},
		{429, "3600", "429", 1},
		{429, "Fri, 31 Dec 2049 23:59:59 GMT", "24h", 1},
	} {
		t.Run(fmt.Sprint(c.status, c.header), func(t *testing.T) {
			var asked atomic.Int32
			body := "key " + secret + " is " + strings.Repeat("bad ", 500)
			o := rerank.HTTPOptions{Patience: 700 * time.Millisecond}
			var log bytes.Buffer
			o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			r := serve(t, o, func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				w.Header().Set("Location", "/elsewhere")
				say(c.status, c.header, body)(w, r)
			})
			_, err := r.Score(context.Background(), "q", []string{"a"})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "[key]") {
				t.Fatalf("%v, want %s", err, c.want)
			}
			if strings.Contains(err.Error()+log.String()+r.Name(), secret) || len(err.Error()) > 500 {
				t.Errorf("shown: %v %s", err, log.String())
			}
			if n := asked.Load(); n != c.asked {
				t.Errorf("asked %d times, want %d", n, c.asked)
			}
		})
	}
}

// TestHTTPAgain: trouble that passes, of the server and of the line.
func TestHTTPAgain(t *testing.T) {
	for name, fail := range map[string]http.HandlerFunc{
		"too many":     say(429, "0.01", "slow down"),
		"bad gateway":  say(502, "", ""),
		"line dropped": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			r := serve(t, rerank.HTTPOptions{}, func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) == 1 {
					fail(w, r)
					return
				}
				say(200, "", good)(w, r)
			})
			got, err := r.Score(context.Background(), "q", []string{"a", "b"})
			if err != nil || len(got) != 2 || asked.Load() != 2 {
				t.Errorf("%v, %v, asked %d times", got, err, asked.Load())
			}
		})
	}
}

func TestHTTPSlow(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	hang := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not see the end
		<-r.Context().Done()
	}
	t.Run("server", func(t *testing.T) {
		r := serve(t, rerank.HTTPOptions{Timeout: 50 * time.Millisecond}, hang)
		_, err := r.Score(context.Background(), "q", []string{"a"})
		if err == nil || !strings.Contains(err.Error(), "no answer within 50ms") {
			t.Errorf("%v", err)
		}
	})
	t.Run("caller", func(t *testing.T) {
		r := serve(t, rerank.HTTPOptions{}, hang)
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		if _, err := r.Score(ctx, "q", []string{"a"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
	t.Run("between tries", func(t *testing.T) {
		r := serve(t, rerank.HTTPOptions{}, say(429, "20", ""))
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		if _, err := r.Score(ctx, "q", []string{"a"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

func TestHTTPAddress(t *testing.T) {
	for _, url := range []string{"", "rerank", "ftp://host/x", "http://", "https://me:" + secret + "@host/x", "http://ho st/" + secret} {
		_, err := rerank.NewHTTP(rerank.HTTPOptions{URL: url})
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", url, err)
		}
	}
	for model, want := range map[string]string{"": "http reranker at host:1", "m": "m at host:1"} {
		r, err := rerank.NewHTTP(rerank.HTTPOptions{URL: "http://host:1/v1/rerank?key=" + secret, Model: model})
		if err != nil || r.Name() != want {
			t.Errorf("%v, %v", r, err)
		}
	}
}

// TestHTTPNobody: the address is not repeated when nobody listens.
func TestHTTPNobody(t *testing.T) {
	r, err := rerank.NewHTTP(rerank.HTTPOptions{URL: "http://127.0.0.1:1/rerank?key=" + secret, Patience: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Score(context.Background(), "q", []string{"a"})
	if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("%v", err)
	}
}

// TestHTTPNoKey: no variable, no header; and the refusal says so.
func TestHTTPNoKey(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("a key was sent")
		}
		w.WriteHeader(401)
	}))
	defer s.Close()
	t.Setenv(keyEnv, "")
	r, err := rerank.NewHTTP(rerank.HTTPOptions{URL: s.URL, KeyEnv: keyEnv})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Score(context.Background(), "q", []string{"a"}); err == nil || !strings.Contains(err.Error(), "no key was sent") {
		t.Errorf("%v", err)
	}
}

// TestHTTPClips: what is sent is valid and no longer than a model reads.
func TestHTTPClips(t *testing.T) {
	r := serve(t, rerank.HTTPOptions{}, func(w http.ResponseWriter, r *http.Request) {
		var req request
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || len(req.Documents[0]) > 32<<10 || req.Documents[1] != "<&>" {
			t.Errorf("%v, %d bytes, %q", err, len(req.Documents[0]), req.Documents[1])
		}
		say(200, "", good)(w, r)
	})
	if _, err := r.Score(context.Background(), "q", []string{strings.Repeat("日本", 20_000), "<&>"}); err != nil {
		t.Error(err)
	}
}
