package llm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// RetryOptions bound Retry; zero fields take the defaults.
type RetryOptions struct {
	// Attempts in all, the first included.
	Attempts int
	// Base and Cap of the wait between two attempts; it doubles each time. What
	// a server asks for is kept to even beyond Cap.
	Base, Cap time.Duration
	// Total bounds everything, an attempt under way included.
	Total time.Duration
	// OnRetry is told of each failed attempt that is followed by another.
	OnRetry func(attempt int, wait time.Duration, err error)
}

// Defaults of RetryOptions; guesses. A hosted model's limits are counted by the
// minute, so five attempts outlast one; a local model on a slow machine needs
// ten minutes for a long answer.
const (
	DefaultAttempts  = 5
	DefaultRetryBase = 2 * time.Second
	DefaultRetryCap  = 60 * time.Second
	DefaultTotal     = 20 * time.Minute
)

type retry struct {
	m Model
	o RetryOptions
}

// Retry asks again after a rate limit, an overload, a time-out or a broken
// connection, and after nothing else: a wrong key, a prompt that is too long or
// a bad request stay what they are. The usage of the failed attempts is summed
// into the response's or the error's. A meter outside reserves for each attempt;
// when it refuses, the failure of the last attempt is what is returned.
//
// OnText may be told the same text again by the next attempt.
func Retry(m Model, o RetryOptions) Model {
	if o.Attempts <= 0 {
		o.Attempts = DefaultAttempts
	}
	if o.Base <= 0 {
		o.Base = DefaultRetryBase
	}
	if o.Cap <= 0 {
		o.Cap = DefaultRetryCap
	}
	if o.Total <= 0 {
		o.Total = DefaultTotal
	}
	return &retry{m, o}
}

func (t *retry) Info() Info { return t.m.Info() }

func (t *retry) Complete(ctx context.Context, r Request) (Response, error) {
	began := time.Now()
	within, cancel := context.WithDeadline(ctx, began.Add(t.o.Total))
	defer cancel()
	book := entryOf(ctx)
	var spent Usage
	for attempt := 1; ; attempt++ {
		res, err := t.m.Complete(within, r)
		if err == nil {
			res.Usage = res.Usage.Add(spent)
			res.Attempts = attempt
			res.Seconds = time.Since(began).Seconds()
			return res, nil
		}
		if ctx.Err() != nil {
			return Response{}, err
		}
		err = overall(within, err, t.o.Total)
		spent = spent.Add(book.attemptFailed(r, err))
		wait, ok := t.wait(within, attempt, err)
		if !ok {
			return Response{}, summed(err, spent, attempt)
		}
		if t.o.OnRetry != nil {
			t.o.OnRetry(attempt, wait, err)
		}
		if again := t.pause(within, book, r, wait); again != nil {
			if ctx.Err() != nil {
				return Response{}, ctx.Err()
			}
			return Response{}, summed(err, spent, attempt)
		}
	}
}

// pause waits, and then asks the meter for another attempt.
func (t *retry) pause(ctx context.Context, book *entry, r Request, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return book.again(ctx, r)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// wait says how long to wait for the next attempt, false when there is none.
func (t *retry) wait(ctx context.Context, attempt int, err error) (time.Duration, bool) {
	var failure *Error
	if attempt >= t.o.Attempts || !errors.As(err, &failure) || !transient(failure.Kind) {
		return 0, false
	}
	longest := t.o.Base << min(attempt-1, 20)
	if longest > t.o.Cap || longest <= 0 {
		longest = t.o.Cap
	}
	// Half of it is random, so that parallel calls do not come back together.
	wait := max(longest/2+rand.N(longest/2+1), failure.RetryAfter)
	deadline, _ := ctx.Deadline()
	if time.Now().Add(wait).After(deadline) {
		return 0, false
	}
	return wait, true
}

func transient(k Kind) bool {
	switch k {
	case RateLimited, Overloaded, Timeout, Connection:
		return true
	}
	return false
}

// overall names our own time limit where it ended an attempt. The inner error is
// kept in words only: its context.DeadlineExceeded is not the caller's.
func overall(within context.Context, err error, total time.Duration) error {
	var failure *Error
	known := errors.As(err, &failure)
	if within.Err() == nil || known && failure.Kind != Timeout {
		return err
	}
	out := &Error{
		Kind: Timeout,
		Why:  fmt.Sprintf("no answer within %s", total),
		Next: "see whether the server is at work; a slow model needs a longer time limit or shorter answers",
		Err:  errors.New(err.Error()),
	}
	if known {
		out.Usage = failure.Usage
	}
	return out
}

// summed is the last failure with what all attempts cost.
func summed(err error, spent Usage, attempts int) error {
	var failure *Error
	if !errors.As(err, &failure) {
		return err
	}
	out := *failure
	out.Usage = spent
	if attempts > 1 {
		out.Why = fmt.Sprintf("%s (after %d attempts)", failure.Why, attempts)
	}
	return &out
}
