package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
)

func TestRetryWhichFailures(t *testing.T) {
	for _, f := range llmtest.Faults() {
		if f.Kind == "" || f.Name == "hang" {
			continue
		}
		want := 1
		switch f.Kind {
		case llm.RateLimited, llm.Overloaded, llm.Timeout, llm.Connection:
			want = 3
		}
		t.Run(f.Name, func(t *testing.T) {
			back := llmtest.Scripted(map[string]llmtest.Reply{"": f.Reply})
			told := 0
			m := llm.Retry(back, llm.RetryOptions{Attempts: 3, Base: time.Millisecond, Cap: time.Millisecond,
				OnRetry: func(attempt int, wait time.Duration, err error) {
					if told++; attempt != told || wait <= 0 || kindOf(err) != f.Kind {
						t.Errorf("told of attempt %d, %s, %v", attempt, wait, err)
					}
				}})
			_, err := m.Complete(t.Context(), llmtest.Request("x"))
			if kindOf(err) != f.Kind {
				t.Errorf("error %v", err)
			}
			if n := len(back.Asked()); n != want || told != want-1 {
				t.Errorf("%d attempts, told of %d, want %d", n, told, want)
			}
			if want > 1 && !strings.Contains(err.Error(), "after 3 attempts") {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestRetrySumsUsage(t *testing.T) {
	one := llm.Usage{InputTokens: 10, OutputTokens: 1}
	failure := llm.Error{Kind: llm.Overloaded, Why: "as told", Usage: one}
	back := llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.FailFirst(2, failure,
		llmtest.Behaviour{Text: "x", Usage: one}.Reply())})
	m := llm.Retry(back, llm.RetryOptions{Attempts: 3, Base: time.Millisecond})
	res, err := m.Complete(t.Context(), llmtest.Request("x"))
	if err != nil || res.Attempts != 3 || res.Usage.InputTokens != 30 || res.Usage.OutputTokens != 3 {
		t.Errorf("%+v, %v", res, err)
	}
	m = llm.Retry(llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Fail(failure)}), llm.RetryOptions{Attempts: 4, Base: time.Millisecond})
	_, err = m.Complete(t.Context(), llmtest.Request("x"))
	var last *llm.Error
	if !errors.As(err, &last) || last.Usage.InputTokens != 40 {
		t.Errorf("error %+v", last)
	}
}

func TestRetryHonoursRetryAfter(t *testing.T) {
	back := llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.FailFirst(1,
		llm.Error{Kind: llm.RateLimited, Why: "as told", RetryAfter: 150 * time.Millisecond}, llmtest.Text("x"))})
	began := time.Now()
	m := llm.Retry(back, llm.RetryOptions{Base: time.Millisecond, Cap: time.Millisecond})
	if _, err := m.Complete(t.Context(), llmtest.Request("x")); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(began); d < 150*time.Millisecond {
		t.Errorf("asked again after %s", d)
	}
	// One that is longer than the whole time limit is not waited for.
	back = llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Fail(llm.Error{Kind: llm.RateLimited, RetryAfter: time.Hour})})
	began = time.Now()
	_, err := llm.Retry(back, llm.RetryOptions{Total: time.Minute}).Complete(t.Context(), llmtest.Request("x"))
	if kindOf(err) != llm.RateLimited || time.Since(began) > 10*time.Second || len(back.Asked()) != 1 {
		t.Errorf("error %v after %s", err, time.Since(began))
	}
}

// The total time ends an attempt under way, as a time-out and not as the
// caller's own deadline.
func TestRetryTotal(t *testing.T) {
	m := llm.Retry(llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Hang()}), llm.RetryOptions{Total: 50 * time.Millisecond})
	_, err := m.Complete(t.Context(), llmtest.Request("x"))
	if kindOf(err) != llm.Timeout || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestRetryIsCancelledWhileWaiting(t *testing.T) {
	m := llm.Retry(llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.RateLimited()}), llm.RetryOptions{Base: time.Hour, Cap: time.Hour, Total: 10 * time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	began := time.Now()
	if _, err := m.Complete(ctx, llmtest.Request("x")); !errors.Is(err, context.Canceled) || time.Since(began) > time.Minute { // of an hour
		t.Errorf("error %v after %s", err, time.Since(began))
	}
}
