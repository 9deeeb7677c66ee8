package httpembed

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-very-secret-0123456789"

// server is an embedding server on this machine: hashed words, and faults.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	requests [][]string
	// fault answers instead of the server for the nth request (from 1) when it
	// returns true.
	fault func(n int, w http.ResponseWriter, r *http.Request, input []string) bool
}

func serve(t *testing.T) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Close)
	return s
}

func (s *server) answer(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/embeddings" || q.Model != "m" {
		http.Error(w, "bad request", http.StatusTeapot)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, q.Input)
	n := len(s.requests)
	s.mu.Unlock()
	if s.fault != nil && s.fault(n, w, r, q.Input) {
		return
	}
	type item struct {
		Object    string    `json:"object"`
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var data []item
	for i, text := range q.Input {
		if text == "" {
			http.Error(w, `{"error":{"message":"input cannot be an empty string"}}`, http.StatusBadRequest)
			return
		}
		data = append([]item{{"embedding", i, vector(text)}}, data...) // last first: the index counts
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "model": "m"})
}

// vector is not of unit length, as many servers' are not.
func vector(text string) []float32 {
	v := make([]float32, 16)
	v[15] = 0.5
	for _, f := range strings.Fields(strings.ToLower(text)) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(strings.TrimRight(f, "s.,")))
		v[h.Sum32()%15] += 2
	}
	return v
}

// sent is what was asked for, request by request.
func (s *server) sent() [][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// open makes an embedder that does not really wait; waits records how long it
// would have.
func open(t *testing.T, s *server, o Options) (e *Embedder, waits *[]time.Duration) {
	t.Helper()
	o.BaseURL, o.Model = s.URL+"/v1/", "m"
	waits = new([]time.Duration)
	o.sleep = func(ctx context.Context, d time.Duration) error {
		*waits = append(*waits, d)
		return ctx.Err()
	}
	e, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e, waits
}
