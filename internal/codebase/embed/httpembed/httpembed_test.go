package httpembed

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/codebase/embed"
	"github.com/repgen/repgen/internal/codebase/embed/embedtest"
	"github.com/repgen/repgen/internal/codebase/httpjson"
)

func TestConformance(t *testing.T) {
	s := serve(t)
	embedtest.Run(t, func(t *testing.T) embed.Embedder {
		e, err := New(t.Context(), Options{BaseURL: s.URL + "/v1", Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		return e
	})
}

func TestBatchesAndOrder(t *testing.T) {
	s := serve(t)
	e, _ := open(t, s, Options{Batch: 4, Dims: 16})
	texts := make([]string, 10)
	for i := range texts {
		texts[i] = fmt.Sprintf("word%d", i)
	}
	v, err := e.Embed(t.Context(), texts)
	if err != nil || len(v) != 10 {
		t.Fatalf("%d vectors, %v", len(v), err)
	}
	for i, text := range texts {
		want := vector(text)
		embed.Normalize(want)
		for j := range want {
			if v[i][j] != want[j] {
				t.Fatalf("text %d has the vector of another", i)
			}
		}
	}
	if sent := s.sent(); len(sent) != 3 || len(sent[0]) != 4 || len(sent[2]) != 2 {
		t.Errorf("requests: %v", sent)
	}
}

func TestPrepare(t *testing.T) {
	s := serve(t)
	e, _ := open(t, s, Options{Dims: 16, MaxTokens: 10})
	if _, err := e.Embed(t.Context(), []string{"", " \n", "a\x00b\xff", strings.Repeat("é", 100)}); err != nil {
		t.Fatal(err)
	}
	got := s.sent()[0]
	want := []string{"(empty)", "(empty)", "ab\ufffd", strings.Repeat("é", 15)}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestDimensionAsked(t *testing.T) {
	s := serve(t)
	e, _ := open(t, s, Options{})
	if i := e.Info(); i.Dims != 16 || i.MaxTokens != 512 || i.Backend != "http" {
		t.Errorf("%+v", i)
	}
	known, _ := open(t, s, Options{Dims: 16})
	if known.Info() != e.Info() {
		t.Errorf("asked %+v, told %+v", e.Info(), known.Info())
	}
	if other, _ := open(t, s, Options{Dims: 16, MaxTokens: 99}); other.Info().Hash == e.Info().Hash {
		t.Error("another cut, the same hash")
	}
}

// status answers the first n requests with a status.
func status(n, code int, header ...string) func(int, http.ResponseWriter, *http.Request, []string) bool {
	return func(i int, w http.ResponseWriter, _ *http.Request, _ []string) bool {
		if i > n {
			return false
		}
		if len(header) == 2 {
			w.Header().Set(header[0], header[1])
		}
		http.Error(w, `{"error":{"message":"slow down, `+key+`"}}`, code)
		return true
	}
}

func TestRetries(t *testing.T) {
	for name, c := range map[string]struct {
		fault    func(int, http.ResponseWriter, *http.Request, []string) bool
		requests int
		wait     time.Duration // of the first pause; 0: the usual
		fails    bool
	}{
		"too many":          {status(2, 429), 3, 0, false},
		"asked to wait":     {status(1, 429, "Retry-After", "7"), 2, 7 * time.Second, false},
		"asked for ages":    {status(1, 503, "Retry-After", "86400"), 1, 0, true},
		"server error":      {status(3, 500), 4, 0, false},
		"always busy":       {status(99, 503), 4, 0, true},
		"not authorised":    {status(99, 401), 1, 0, true},
		"no such page":      {status(99, 404), 1, 0, true},
		"redirected":        {status(99, 307, "Location", "http://other.invalid/"), 1, 0, true},
		"connection broken": {func(i int, _ http.ResponseWriter, _ *http.Request, _ []string) bool { return i == 1 && hangUp() }, 2, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("EMBED_KEY", key)
			s := serve(t)
			s.Config.ErrorLog = nil
			s.fault = c.fault
			e, waits := open(t, s, Options{Dims: 16, KeyEnv: "EMBED_KEY"})
			_, err := e.Embed(t.Context(), []string{"a"})
			if (err != nil) != c.fails || len(s.sent()) != c.requests {
				t.Fatalf("%d requests, %v", len(s.sent()), err)
			}
			if err != nil && strings.Contains(err.Error(), key) {
				t.Errorf("the key is in the error: %v", err)
			}
			if c.wait > 0 && (*waits)[0] != c.wait {
				t.Errorf("waited %v, want %v", (*waits)[0], c.wait)
			}
			for i, w := range *waits {
				if least := httpjson.FirstPause << i; c.wait == 0 && (w < least || w > least*5/4) {
					t.Errorf("pause %d: %v", i, w)
				}
			}
		})
	}
}

// hangUp breaks the connection without an answer.
func hangUp() bool { panic(http.ErrAbortHandler) }

func TestBadAnswers(t *testing.T) {
	one := func(body string) string { return `{"data":[` + body + `]}` }
	good := `{"index":0,"embedding":[1,2]}`
	for name, c := range map[string]struct{ body, want string }{
		"html page":     {"<!DOCTYPE html><html><body>Log in</body></html>", "not that of an embedding server"},
		"empty":         {"", "not that of an embedding server"},
		"cut short":     {one(good)[:20], "not that of an embedding server"},
		"no vector":     {one(""), "0 vectors for 2 texts"},
		"too few":       {one(good), "1 vectors for 2 texts"},
		"too many":      {one(good + "," + good + "," + good), "3 vectors for 2 texts"},
		"index twice":   {one(good + "," + good), "index 0"},
		"index outside": {one(good + `,{"index":2,"embedding":[1,2]}`), "index 2"},
		"dimension":     {one(good + `,{"index":1,"embedding":[1,2,3]}`), "3 numbers, expected 2"},
		"zero":          {one(good + `,{"index":1,"embedding":[0,0]}`), "zero or not finite"},
		"NaN":           {one(good + `,{"index":1,"embedding":[NaN,1]}`), "not that of an embedding server"},
		"null":          {one(good + `,{"index":1,"embedding":[null,1]}`), "no number"},
		"text":          {one(good + `,{"index":1,"embedding":"AAAA"}`), "not an array"},
		"huge number":   {one(good + `,{"index":1,"embedding":[1e999,1]}`), "no number"},
		"error as 200":  {`{"error":{"message":"model is loading"}}`, "model is loading"},
		"huge":          {strings.Repeat(" ", 2<<20), "more than 1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			s.fault = func(_ int, w http.ResponseWriter, _ *http.Request, _ []string) bool {
				_, _ = w.Write([]byte(c.body))
				return true
			}
			e, _ := open(t, s, Options{Dims: 2})
			v, err := e.Embed(t.Context(), []string{"a", "b"})
			if v != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, %v, want %q", v, err, c.want)
			}
		})
	}
}

// TestNoIndex takes the order as it comes when a server leaves the index out.
func TestNoIndex(t *testing.T) {
	v, err := parse([]byte(`{"data":[{"embedding":[0,2]},{"embedding":[ 3 , 0 ]}]}`), 2, 0)
	if err != nil || v[0][1] != 1 || v[1][0] != 1 {
		t.Errorf("%v, %v", v, err)
	}
}

func TestSlow(t *testing.T) {
	for name, headerFirst := range map[string]bool{"no answer": false, "slow body": true} {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			s.fault = func(_ int, w http.ResponseWriter, r *http.Request, _ []string) bool {
				if headerFirst {
					_, _ = w.Write([]byte(`{"data":`))
					_ = http.NewResponseController(w).Flush()
				}
				<-r.Context().Done()
				return true
			}
			e, waits := open(t, s, Options{Dims: 16, Timeout: 30 * time.Millisecond})
			_, err := e.Embed(t.Context(), []string{"a"})
			if err == nil || !strings.Contains(err.Error(), "no answer within 30ms") || len(*waits) != 0 {
				t.Errorf("%d pauses, %v", len(*waits), err)
			}
			e, _ = open(t, s, Options{Dims: 16})
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
			defer cancel()
			start := time.Now()
			if _, err := e.Embed(ctx, []string{"a"}); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Minute {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
		})
	}
}

// TestTooLong halves a single text until the server takes it, and says of a
// batch that the input is at fault.
func TestTooLong(t *testing.T) {
	s := serve(t)
	s.fault = func(_ int, w http.ResponseWriter, _ *http.Request, input []string) bool {
		for _, text := range input {
			if len(text) > 400 || strings.Contains(text, "forbidden") {
				http.Error(w, `{"error":{"message":"maximum context length"}}`, http.StatusBadRequest)
				return true
			}
		}
		return false
	}
	e, _ := open(t, s, Options{Dims: 16})
	if _, err := e.Embed(t.Context(), []string{strings.Repeat("word ", 250)}); err != nil || len(s.sent()) != 3 {
		t.Errorf("%d requests, %v", len(s.sent()), err)
	}
	for _, texts := range [][]string{{"forbidden"}, {"a", strings.Repeat("b", 1000)}} {
		if _, err := e.Embed(t.Context(), texts); !errors.Is(err, embed.ErrInput) || !strings.Contains(err.Error(), "maximum context length") {
			t.Errorf("%v", err)
		}
	}
}

func TestKey(t *testing.T) {
	t.Setenv("EMBED_KEY", key+"\n")
	t.Setenv("EMBED_NO_KEY", "")
	s := serve(t)
	var got string
	s.fault = func(_ int, _ http.ResponseWriter, r *http.Request, _ []string) bool {
		got = r.Header.Get("Authorization")
		return false
	}
	if _, err := New(t.Context(), Options{BaseURL: s.URL + "/v1", Model: "m", KeyEnv: "EMBED_KEY"}); err != nil || got != "Bearer "+key {
		t.Errorf("sent %q, %v", got, err)
	}
	s.fault = status(99, 403)
	_, err := New(t.Context(), Options{BaseURL: s.URL + "/v1", Model: "m", KeyEnv: "EMBED_KEY"})
	if err == nil || strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), "[key]") {
		t.Errorf("%v", err)
	}
	if _, err := New(t.Context(), Options{BaseURL: s.URL, Model: "m", KeyEnv: "EMBED_NO_KEY"}); err == nil || !strings.Contains(err.Error(), "EMBED_NO_KEY") {
		t.Errorf("%v", err)
	}
}

func TestBadOptions(t *testing.T) {
	for _, o := range []Options{
		{}, {BaseURL: "localhost:80", Model: "m", Dims: 1}, {BaseURL: "ftp://a/", Model: "m", Dims: 1},
		{BaseURL: "http://u:" + key + "@a/", Model: "m", Dims: 1}, {BaseURL: "http://a/", Dims: 1},
		{BaseURL: "http://%zz:" + key + "@/", Model: "m", Dims: 1}, {BaseURL: "x://u:" + key + "@a/", Model: "m", Dims: 1},
	} {
		if _, err := New(t.Context(), o); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	// A server that is not there fails with its address, after the retries.
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := New(ctx, Options{BaseURL: "http://127.0.0.1:1/v1", Model: "m"}); err == nil {
		t.Error("no server, no error")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"data":[{"index":0,"embedding":[1,2.5,-3e-4]}]}`), 1, 3)
	f.Add([]byte(`{"data":[{"embedding":[]}]}`), 1, 0)
	f.Add([]byte(`{"data":[{"index":-1,"embedding":[[1]]}]}`), 1, 1)
	f.Fuzz(func(t *testing.T, answer []byte, n, dims int) {
		n, dims = min(max(n, 0), 100), min(max(dims, 0), 1000)
		v, err := parse(answer, n, dims)
		if err == nil && len(v) != n {
			t.Fatalf("%d vectors, want %d", len(v), n)
		}
		for _, x := range v {
			if len(x) == 0 {
				t.Fatal("a vector without numbers")
			}
		}
	})
}
