package github

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// The ways in which a fetch fails, each with its own message and remedy.
var (
	ErrNotFound     = errors.New("no such issue, or it is private (a token that may read it is needed)")
	ErrUnauthorized = errors.New("the token was refused: check that it is valid and may read this repository")
	ErrNetwork      = errors.New("the tracker cannot be reached: check the network, or save the issue to a file")
	ErrTimeout      = errors.New("the tracker did not answer in time")
	ErrMalformed    = errors.New("the tracker's answer is no issue")
)

// RateLimitError says that the tracker wants fewer requests.
type RateLimitError struct {
	// Reset is when requests are answered again; zero when it was not said.
	Reset time.Time
}

func (e *RateLimitError) Error() string {
	if e.Reset.IsZero() {
		return "the tracker's rate limit is reached: wait, or give a token"
	}
	return fmt.Sprintf("the tracker's rate limit is reached until %s: wait, or give a token", e.Reset.UTC().Format(time.RFC3339))
}

// StatusError is any other answer that is no success.
type StatusError struct{ Code int }

func (e *StatusError) Error() string {
	return fmt.Sprintf("the tracker answered %d %s", e.Code, http.StatusText(e.Code))
}

// statusError reads the answer's status. 403 means the rate limit when no
// request remains or a wait is asked for, and a lack of rights otherwise.
func statusError(resp *http.Response) error {
	limited := resp.Header.Get("X-RateLimit-Remaining") == "0" || resp.Header.Get("Retry-After") != ""
	switch code := resp.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusTooManyRequests, code == http.StatusForbidden && limited:
		return &RateLimitError{Reset: resetTime(resp.Header)}
	case code == http.StatusNotFound, code == http.StatusGone:
		return ErrNotFound
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return ErrUnauthorized
	default:
		return &StatusError{Code: code}
	}
}

// resetTime reads the end of the wait: a moment, or seconds from the answer's
// own date (never from our clock, which may be wrong).
func resetTime(h http.Header) time.Time {
	if at, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil && at > 0 {
		return time.Unix(at, 0).UTC()
	}
	wait, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil {
		return time.Time{}
	}
	date, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return date.Add(time.Duration(wait) * time.Second).UTC()
}
