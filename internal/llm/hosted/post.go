package hosted

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// userAgent is what servers are told of who asks.
const userAgent = "repgen"

// Question is one request of a protocol.
type Question struct {
	// Path below the base URL, without a slash before it.
	Path string
	// Header holds what the protocol wants, and its key.
	Header http.Header
	// Body is sent as JSON. Whether it asks for a stream is what Answer.Whole
	// says.
	Body any
}

// Reading is how a protocol's answer is read.
type Reading struct {
	// Event reads one event of a stream; false when there has been enough.
	Event func(e Event) (bool, error)
	// Whole reads an answer that came in one piece, as JSON.
	Whole func(body []byte) error
}

// Post asks once, within a call of Complete, and reads the answer. It comes whole
// when that was asked for, or when the server knows no streaming and says that
// it sends JSON.
func (c *Client) Post(ctx context.Context, q Question, read Reading) error {
	stream := watchOf(ctx).streams()
	req, err := c.request(ctx, q, stream)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // read only: nothing is lost
	if !stream || isJSON(resp.Header) {
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return err
		}
		return read.Whole(body)
	}
	events := NewEvents(resp.Body)
	for {
		e, err := events.Next()
		if errors.Is(err, io.EOF) {
			return nil // whether that was the end is for the protocol to say
		}
		if err != nil {
			return err
		}
		if more, err := read.Event(e); err != nil || !more {
			return err
		}
	}
}

func (c *Client) request(ctx context.Context, q Question, stream bool) (*http.Request, error) {
	body, err := encode(q.Body)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.JoinPath(q.Path).String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	// A connection for each call: servers close theirs after a stream, and a
	// question that meets that end is lost. A handshake is nothing to an answer.
	req.Close = true
	for name, values := range q.Header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", "application/json")
	if stream {
		req.Header.Set("Accept", "text/event-stream, application/json")
	}
	return req, nil
}

// encode writes <, > and & as they are: code is full of them, and their escapes
// say nothing else.
func encode(body any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(body); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// Decode reads an object that a server sent. A field of another kind than the
// protocol's is left as it was: servers take liberties, most of them with fields
// that nobody needs.
func Decode(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	var kind *json.UnmarshalTypeError
	if err == nil || errors.As(err, &kind) && kind.Field != "" {
		return nil
	}
	return &Garbled{Err: err}
}

// Count is a number of tokens. A server's 12.0 is 12; what no counter says (less
// than nothing, a text, more than 2^53) is 0.
type Count int

// mostCount is where a number of JSON is no longer exact.
const mostCount = 1 << 53

// UnmarshalJSON implements json.Unmarshaler.
func (c *Count) UnmarshalJSON(data []byte) error {
	var n float64
	*c = 0
	if json.Unmarshal(data, &n) == nil && n >= 0 && n <= mostCount {
		*c = Count(n)
	}
	return nil
}
