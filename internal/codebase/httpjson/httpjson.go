// Package httpjson asks a model server one question in JSON and gets its
// answer: again where the trouble may pass, with the key in no error. Embedding
// and reranking servers are asked through it.
package httpjson

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Guesses, as most clients of such servers have them: four tries, half a second
// before the second, doubled each time, a minute for an answer, and at most
// half a minute of waiting between tries.
const (
	Tries           = 4
	FirstPause      = 500 * time.Millisecond
	defaultTimeout  = time.Minute
	defaultPatience = 30 * time.Second
	maxRefusal      = 64 << 10 // bytes read of an answer that is not 200
)

// Options say where the server is and how to ask it.
type Options struct {
	// URL is the whole address. Credentials in it are refused: they would end in
	// logs.
	URL string
	// KeyEnv names the environment variable that holds the key; "" sends none.
	// An unset one is the server's to refuse.
	KeyEnv string
	// Timeout bounds one request, its answer included; 0 is a minute.
	Timeout time.Duration
	// Patience bounds all waiting of one question between tries, 0 is half a
	// minute: a server that asks for more ends it at once.
	Patience time.Duration
	Client   *http.Client // nil for one of its own
	Log      *slog.Logger // nil for none
	// Sleep waits between tries; nil is a real wait. For tests.
	Sleep func(context.Context, time.Duration) error
}

// Client asks one address. It may be used by many goroutines.
type Client struct {
	o    Options
	url  *url.URL
	key  string
	http http.Client
}

// New checks the address and asks nothing yet.
func New(o Options) (*Client, error) {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		// Not repeated: it may hold a password.
		return nil, errors.New("the address of the server is no http:// or https:// URL")
	case u.User != nil:
		return nil, errors.New("the address of the server must not hold a password: name an environment variable for the key")
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Patience <= 0 {
		o.Patience = defaultPatience
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	c := &Client{o: o, url: u, http: http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 1}}}
	if o.Client != nil {
		c.http = *o.Client
	}
	// A redirected POST would carry the texts, if not the key, to a place that
	// nobody named.
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if o.KeyEnv != "" {
		c.key = strings.TrimSpace(os.Getenv(o.KeyEnv))
	}
	return c, nil
}

// Host is the part of the address that may be shown.
func (c *Client) Host() string { return c.url.Host }

// HasKey says whether a key is sent.
func (c *Client) HasKey() bool { return c.key != "" }

// Close lets idle connections go, of a client of its own.
func (c *Client) Close() {
	if c.o.Client == nil {
		c.http.CloseIdleConnections()
	}
}

// Post sends body and reads an answer of at most limit bytes. The error is
// ctx's when that ended, a *StatusError for an answer that is not 200.
func (c *Client) Post(ctx context.Context, body []byte, limit int64) ([]byte, error) {
	pause, left := FirstPause, c.o.Patience
	for try := 1; ; try++ {
		answer, err := c.once(ctx, body, limit)
		if err == nil {
			return answer, nil
		}
		if cerr := ctx.Err(); cerr != nil {
			return nil, cerr
		}
		again, after := passing(err)
		if !again {
			return nil, c.Redact(err)
		}
		if try == Tries {
			return nil, c.Redact(fmt.Errorf("%d tries: %w", Tries, err))
		}
		// A random part, so that many waiting clients do not come back at once.
		wait := max(pause+rand.N(pause/4), after)
		if after > left || wait > left {
			return nil, c.Redact(fmt.Errorf("%w (not asked again: %s to wait)", err, wait.Round(time.Second)))
		}
		c.o.Log.Debug("a server is asked again", "error", c.Redact(err), "wait", wait)
		if err := c.o.Sleep(ctx, wait); err != nil {
			return nil, err
		}
		left -= wait
		pause *= 2
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// once sends the question one time.
func (c *Client) once(ctx context.Context, body []byte, limit int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.trouble(err)
	}
	defer func() { _ = resp.Body.Close() }()
	most := limit
	if resp.StatusCode != http.StatusOK {
		most = maxRefusal
	}
	// One byte over the limit tells a long answer from one that fits.
	answer, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	answer = c.withoutKey(answer)
	switch {
	case err != nil:
		return nil, c.trouble(err)
	case resp.StatusCode != http.StatusOK:
		return nil, c.refused(resp, answer)
	case int64(len(answer)) > limit:
		return nil, fmt.Errorf("%s answers with more than %d MiB", c.url.Host, max(1, limit>>20))
	}
	return answer, nil
}
