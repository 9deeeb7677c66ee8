// Package httpembed embeds through a server that speaks the OpenAI form of
// POST {base}/embeddings, local or remote.
package httpembed

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/repgen/repgen/internal/codebase/embed"
	"github.com/repgen/repgen/internal/codebase/httpjson"
)

// Options say where the server is and how to ask it.
type Options struct {
	BaseURL string // ".../v1"; "/embeddings" is appended
	Model   string // sent as "model"
	Dims    int    // of a vector; 0: New asks the server with one short text
	// MaxTokens is what the model takes of a text; 0 is 512, the least of the
	// usual models. Texts are cut to three bytes a token before they are sent.
	MaxTokens int
	KeyEnv    string // environment variable that holds the key; "" for none
	Batch     int    // texts a request; 0 is 64
	// Timeout bounds one request, its answer included; Patience all waiting
	// between the tries of one. 0 is what package httpjson has.
	Timeout, Patience time.Duration
	Client            *http.Client // nil for a plain one

	sleep func(context.Context, time.Duration) error // nil for a real wait
}

// bytesPerToken is how many bytes of a text are sent for each token that the
// model takes. Source code has 3.6 (measured with BERT's vocabulary); a text
// that is still too long is halved when the server says so.
const bytesPerToken = 3

// Embedder is the backend; it implements embed.Embedder.
type Embedder struct {
	o      Options
	server *httpjson.Client
	info   embed.Info
}

// New makes the embedder. It contacts the server only when Dims is 0, and then
// fails when that does. The key stays out of every error.
func New(ctx context.Context, o Options) (*Embedder, error) {
	if o.Model == "" {
		return nil, errors.New("no model named for the embedding server")
	}
	address := o.BaseURL
	if u, err := url.Parse(address); err == nil { // else httpjson refuses it
		address = u.JoinPath("embeddings").String()
	}
	server, err := httpjson.New(httpjson.Options{URL: address, KeyEnv: o.KeyEnv, Timeout: o.Timeout, Patience: o.Patience, Client: o.Client, Sleep: o.sleep})
	if err != nil {
		return nil, fmt.Errorf("embedding server: %w", err)
	}
	if o.KeyEnv != "" && !server.HasKey() {
		return nil, fmt.Errorf("the environment variable %s, which is to hold the key, is empty", o.KeyEnv)
	}
	e := &Embedder{o: o.filled(), server: server}
	e.info = embed.Info{Backend: "http", Name: o.Model, Dims: o.Dims, MaxTokens: e.o.MaxTokens}
	if o.Dims == 0 {
		v, err := e.request(ctx, []string{"dimension"})
		if err != nil {
			return nil, fmt.Errorf("ask the embedding server for its dimension: %w", err)
		}
		e.info.Dims = len(v[0])
	}
	// Another server may serve other weights under the same name.
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d\n%d", address, o.Model, e.info.Dims, e.o.MaxTokens))
	e.info.Hash = fmt.Sprintf("%x", sum[:16])
	return e, nil
}

func (o Options) filled() Options {
	if o.MaxTokens <= 0 {
		o.MaxTokens = 512
	}
	if o.Batch <= 0 {
		o.Batch = 64
	}
	return o
}

// Info says which model the server was asked for.
func (e *Embedder) Info() embed.Info { return e.info }

// BatchSize is a request's worth: the server pads as it likes.
func (e *Embedder) BatchSize() (tokens, texts int) { return e.o.Batch * e.o.MaxTokens, e.o.Batch }

// Close lets idle connections go.
func (e *Embedder) Close() error {
	e.server.Close()
	return nil
}

// Embed asks the server, Batch texts at a time. An error that wraps
// embed.ErrInput is a text's fault.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n := min(e.o.Batch, len(texts))
		v, err := e.some(ctx, texts[:n])
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("embedding server: %w", err)
		}
		out = append(out, v...)
		texts = texts[n:]
	}
	return out, nil
}

// shortest is the length in bytes under which a refused text is not halved:
// its length cannot be the reason.
const shortest = 200

// some embeds one batch; a single text that the server refuses is halved, since
// its tokens may be more than its bytes told.
func (e *Embedder) some(ctx context.Context, texts []string) ([][]float32, error) {
	send := make([]string, len(texts))
	for i, t := range texts {
		send[i] = prepare(t, e.o.MaxTokens*bytesPerToken)
	}
	for {
		v, err := e.request(ctx, send)
		if !errors.Is(err, embed.ErrInput) || len(send) > 1 || len(send[0]) < shortest {
			return v, err
		}
		send[0] = prepare(send[0], len(send[0])/2)
	}
}

// prepare makes a text that a server takes: cut at a character's border, valid,
// without NUL (which some refuse), and not blank (which most refuse).
func prepare(text string, most int) string {
	if len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		text = text[:most]
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "")
	if strings.TrimSpace(text) == "" {
		return "(empty)"
	}
	return text
}
