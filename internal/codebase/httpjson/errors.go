package httpjson

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// StatusError is an answer that is not 200.
type StatusError struct {
	Code int
	text string
	// after is how long the server asks to wait, 0 when it does not.
	after time.Duration
}

func (e *StatusError) Error() string { return e.text }

// Input says that the question's texts are at fault (too long, refused), not
// the key or the server.
func (e *StatusError) Input() bool {
	switch e.Code {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// lineError is trouble on the way: refused, reset, broken off. Whoever starts a
// local server starts repgen moments later, so it is worth another try.
type lineError struct{ err error }

func (e *lineError) Error() string { return e.err.Error() }
func (e *lineError) Unwrap() error { return e.err }

// passing says whether trouble may be over soon, and how long the server asks
// to wait. What is not listed (no key, no such page, a redirect) stays until
// somebody changes a setting.
func passing(err error) (again bool, after time.Duration) {
	var line *lineError
	if errors.As(err, &line) {
		return true, 0
	}
	var status *StatusError
	if !errors.As(err, &status) {
		return false, 0
	}
	again = status.Code == http.StatusTooManyRequests || status.Code == http.StatusRequestTimeout ||
		status.Code >= 500 && status.Code != http.StatusNotImplemented
	return again, status.after
}

// trouble names what went wrong on the way, without the address: its host says
// enough, and the rest may hold what is nobody's business.
func (c *Client) trouble(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		// Silence would only be repeated.
		return fmt.Errorf("%s gave no answer within %v", c.url.Host, c.o.Timeout)
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return &lineError{fmt.Errorf("%s: %w", c.url.Host, err)}
}

// refused makes the error of an answer that is not 200.
func (c *Client) refused(resp *http.Response, body []byte) error {
	text := fmt.Sprintf("%s answers %d %s: %s", c.url.Host, resp.StatusCode, http.StatusText(resp.StatusCode), Excerpt(body))
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		if c.key == "" {
			text += " (no key was sent)"
		}
	}
	return &StatusError{Code: resp.StatusCode, text: text, after: retryAfter(resp.Header.Get("Retry-After"), time.Now())}
}

// withoutKey takes the key out of what a server says back, also where JSON
// escapes its slashes. It comes before any message is shortened: half a key is
// none that Redact would find.
func (c *Client) withoutKey(answer []byte) []byte {
	if c.key == "" {
		return answer
	}
	answer = bytes.ReplaceAll(answer, []byte(c.key), []byte("[key]"))
	return bytes.ReplaceAll(answer, []byte(strings.ReplaceAll(c.key, "/", `\/`)), []byte("[key]"))
}

// Redact takes the key out of what an error says; errors.Is and errors.As still
// see what it was.
func (c *Client) Redact(err error) error {
	if err == nil || c.key == "" || !strings.Contains(err.Error(), c.key) {
		return err
	}
	var status *StatusError
	if errors.As(err, &status) {
		return &StatusError{Code: status.Code, after: status.after, text: strings.ReplaceAll(err.Error(), c.key, "[key]")}
	}
	// The chain holds the key too: only the words are kept.
	return errors.New(strings.ReplaceAll(err.Error(), c.key, "[key]"))
}

// retryAfter reads seconds or a date; 0 when there is neither.
func retryAfter(header string, now time.Time) time.Duration {
	const longest = 24 * time.Hour // more would overflow, and nobody waits
	if s, err := strconv.ParseFloat(strings.TrimSpace(header), 64); err == nil && s > 0 {
		return time.Duration(min(s, longest.Seconds()) * float64(time.Second))
	}
	if t, err := http.ParseTime(header); err == nil {
		return max(0, min(longest, t.Sub(now)))
	}
	return 0
}

// Excerpt is the part of an answer that a message shows, on one line: the
// server's own words when it has the usual form of an error.
func Excerpt(body []byte) string {
	const most = 200 // characters; a guess: a sentence, and no page
	var usual struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	text := string(body[:min(len(body), maxRefusal)])
	if json.Unmarshal(body, &usual) == nil && usual.Error.Message != "" {
		text = usual.Error.Message
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "..."
	}
	if text == "" {
		return "(no text)"
	}
	return text
}
