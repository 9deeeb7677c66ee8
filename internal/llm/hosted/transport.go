package hosted

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync/atomic"
	"time"
)

// Sizes, guesses: an event of a stream takes about 300 bytes a token, so that
// 64 MiB hold an answer of 200,000 tokens; nobody reads more of a refusal.
const (
	maxAnswer  = 64 << 20
	maxRefusal = 64 << 10
)

// errTooBig ends an answer that does not end.
var errTooBig = errors.New("the answer has more than 64 MiB")

// Refused is an answer that is not 200.
type Refused struct {
	Status int
	Header http.Header
	Body   []byte
}

func (e *Refused) Error() string { return fmt.Sprintf("HTTP %d", e.Status) }

// transport turns refusals into errors, bounds every body, and tells the call's
// watch of every byte.
type transport struct{ inner http.RoundTripper }

// RoundTrip implements http.RoundTripper. What it gives up on is closed.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.inner.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	w := watchOf(req.Context())
	w.heard()
	body := &bounded{inner: resp.Body, left: maxAnswer, watch: w}
	if resp.StatusCode >= 400 || resp.StatusCode == http.StatusNoContent {
		text, _ := io.ReadAll(io.LimitReader(body, maxRefusal))
		return nil, errors.Join(&Refused{Status: resp.StatusCode, Header: resp.Header, Body: text}, body.Close())
	}
	resp.Body = body
	return resp, nil
}

func isJSON(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// bounded is a body with an end.
type bounded struct {
	inner io.ReadCloser
	left  int64
	watch *watch
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooBig
	}
	n, err := b.inner.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if n > 0 {
		b.watch.heard()
	}
	return n, err
}

// Close implements io.Closer.
func (b *bounded) Close() error { return b.inner.Close() }

// Why a call was ended by us.
var (
	errSlow   = errors.New("no whole answer in time")
	errSilent = errors.New("no byte for long")
)

// watch ends a call that lasts too long, or that nothing is heard of.
type watch struct {
	silence time.Duration
	timer   *time.Timer
	stream  atomic.Bool
}

type watchKey struct{}

func watchOf(ctx context.Context) *watch {
	w, _ := ctx.Value(watchKey{}).(*watch)
	return w
}

// watched bounds a call; end must be called.
func watched(ctx context.Context, timeout time.Duration) (bound context.Context, w *watch, end func()) {
	bound, cancel := context.WithCancelCause(ctx)
	w = &watch{silence: timeout / silenceShare}
	w.stream.Store(true)
	slow := time.AfterFunc(timeout, func() { cancel(errSlow) })
	w.timer = time.AfterFunc(w.silence, func() { cancel(errSilent) })
	return context.WithValue(bound, watchKey{}, w), w, func() {
		slow.Stop()
		w.timer.Stop()
		cancel(nil)
	}
}

// heard begins the silence anew.
func (w *watch) heard() {
	if w != nil && w.streams() {
		w.timer.Reset(w.silence)
	}
}

// whole says that the answer is asked for in one piece, so that silence until
// then is no sign of anything.
func (w *watch) whole() {
	w.stream.Store(false)
	w.timer.Stop()
}

func (w *watch) streams() bool { return w != nil && w.stream.Load() }
