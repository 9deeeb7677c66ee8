package rerank

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/repgen/repgen/internal/codebase/httpjson"
)

// HTTPOptions configure an HTTP reranker.
type HTTPOptions struct {
	// URL is the whole address ("https://api.example/v1/rerank"). Credentials in
	// it are refused: they would end in logs.
	URL   string
	Model string // "" leaves it to the server
	// KeyEnv is the name of the environment variable that holds the key; "" or
	// an unset one sends none. The key is never shown, also not in what a server
	// says back.
	KeyEnv string
	Client *http.Client // nil for one of its own
	Log    *slog.Logger
	// Timeout bounds one request, 0 for a minute.
	Timeout time.Duration
	// Patience bounds all waiting between tries, 0 for half a minute: a server
	// that asks for more ends the attempt at once.
	Patience time.Duration
}

const (
	// maxAnswer bounds what is read of an answer; twenty scores are a few
	// kilobytes, with the texts repeated some 200.
	maxAnswer = 4 << 20
	// maxText bounds a text: the models read 512 tokens, about 2,500 bytes of
	// code, the longest 8,192.
	maxText = 32 << 10
)

// httpReranker speaks to a server.
type httpReranker struct {
	model  string
	server *httpjson.Client
}

// NewHTTP gives a Reranker over the common shape {"model", "query",
// "documents"} -> {"results": [{"index", "relevance_score"}]}. It asks nothing
// yet. Errors: an address that cannot be used.
func NewHTTP(o HTTPOptions) (Reranker, error) {
	c, err := httpjson.New(httpjson.Options{URL: o.URL, KeyEnv: o.KeyEnv, Client: o.Client, Log: o.Log, Timeout: o.Timeout, Patience: o.Patience})
	if err != nil {
		return nil, fmt.Errorf("rerank over HTTP: %w", err)
	}
	return &httpReranker{model: o.Model, server: c}, nil
}

// Name says which model, and where.
func (r *httpReranker) Name() string {
	if r.model == "" {
		return "http reranker at " + r.server.Host()
	}
	return r.model + " at " + r.server.Host()
}

func (r *httpReranker) Close() error {
	r.server.Close()
	return nil
}

// Score asks the server, again where the trouble may pass.
func (r *httpReranker) Score(ctx context.Context, query string, texts []string) ([]float64, error) {
	if len(texts) == 0 {
		return nil, ctx.Err()
	}
	body, err := r.request(query, texts)
	if err != nil {
		return nil, fmt.Errorf("rerank over HTTP: %w", err)
	}
	answer, err := r.server.Post(ctx, body, maxAnswer)
	if err != nil {
		return nil, fmt.Errorf("rerank over HTTP: %w", err)
	}
	scores, err := parseAnswer(answer, len(texts))
	if err != nil {
		return nil, r.server.Redact(fmt.Errorf("rerank over HTTP: the answer of %s: %w", r.server.Host(), err))
	}
	return scores, nil
}

// request is the body of a request. Texts become valid UTF-8 and are cut to
// what any model reads.
func (r *httpReranker) request(query string, texts []string) ([]byte, error) {
	documents := make([]string, len(texts))
	for i, t := range texts {
		documents[i] = clip(t)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // code is full of < and &
	err := e.Encode(struct {
		Model     string   `json:"model,omitempty"`
		Query     string   `json:"query"`
		Documents []string `json:"documents"`
		TopN      int      `json:"top_n"`
	}{r.model, clip(query), documents, len(documents)})
	return b.Bytes(), err
}

func clip(s string) string {
	if len(s) > maxText {
		cut := maxText
		for cut > maxText-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
