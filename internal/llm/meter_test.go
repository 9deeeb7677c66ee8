package llm_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
)

// kindOf is the kind of an error, "" for none and "other" for what is no *Error.
func kindOf(err error) llm.Kind {
	var failure *llm.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &failure):
		return failure.Kind
	}
	return "other"
}

// billed is a backend that costs what it says and keeps to max_tokens.
type billed struct {
	usage func(r llm.Request) llm.Usage
	fail  func(n int64) error
	calls atomic.Int64
	mu    sync.Mutex
	bill  llm.Usage
	asked []int // MaxTokens
}

func (b *billed) Info() llm.Info { return llm.Info{Backend: "scripted", Model: "scripted"} }

func (b *billed) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	n := b.calls.Add(1)
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	u := b.usage(r)
	b.mu.Lock()
	b.bill = b.bill.Add(u)
	b.asked = append(b.asked, r.MaxTokens)
	b.mu.Unlock()
	if b.fail != nil {
		if err := b.fail(n); err != nil {
			return llm.Response{}, err
		}
	}
	return llm.Response{Text: "x", Model: "scripted", Usage: u, Finish: llm.FinishStop, Attempts: 1}, nil
}

// dearest takes as much as it can.
func dearest(r llm.Request) llm.Usage {
	return llm.Usage{InputTokens: llm.UpperTokens(r), OutputTokens: r.MaxTokens}
}

func request(prompt string, length int) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Content: prompt}}, MaxTokens: length, Purpose: "test"}
}

func TestMeterCounts(t *testing.T) {
	b := &billed{usage: func(llm.Request) llm.Usage {
		return llm.Usage{InputTokens: 100, OutputTokens: 20, CachedTokens: 40}
	}}
	half := 0.5
	m := llm.NewMeter(b, llm.Prices{Override: map[string]llm.Price{"scripted": {In: 1, Out: 10, Cached: &half}}}, llm.Limit{})
	for range 3 {
		if _, err := m.Complete(t.Context(), request("x", 50)); err != nil {
			t.Fatal(err)
		}
	}
	m.Unparsed()
	want := llm.Totals{
		Calls: 3, InputTokens: 300, OutputTokens: 60, CachedTokens: 120, Priced: true, Unparsed: 1,
		USD: (180*1 + 120*0.5 + 60*10) / 1e6,
	}
	if got := m.Totals(); math.Abs(got.USD-want.USD) > 1e-15 {
		t.Errorf("USD %g, want %g", got.USD, want.USD)
	} else if got.USD = want.USD; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if usd, ok := m.Cost(llm.Usage{InputTokens: 1e6}); !ok || usd != 1 {
		t.Errorf("cost %g, %v", usd, ok)
	}
}

func TestMeterUnknownPrice(t *testing.T) {
	b := &billed{usage: dearest}
	m := llm.NewMeter(b, llm.Prices{}, llm.Limit{})
	if _, err := m.Complete(t.Context(), request("x", 50)); err != nil {
		t.Fatal(err)
	}
	if got := m.Totals(); got.Priced || got.USD != 0 {
		t.Errorf("totals %+v", got)
	}
	// A limit in money cannot be kept then.
	m = llm.NewMeter(b, llm.Prices{}, llm.Limit{USD: 10})
	if _, err := m.Complete(t.Context(), request("x", 50)); kindOf(err) != llm.Budget {
		t.Errorf("error %v", err)
	}
}

func TestMeterRefuses(t *testing.T) {
	upper := llm.UpperTokens(request("x", 1))
	for name, c := range map[string]struct {
		limit llm.Limit
		calls int64 // that go through before one is refused
	}{
		"none":             {llm.Limit{None: true}, 0},
		"calls":            {llm.Limit{Calls: 2}, 2},
		"tokens":           {llm.Limit{Tokens: 2 * (upper + 500)}, 2},
		"not even one":     {llm.Limit{Tokens: upper + 255}, 0},
		"dollars":          {llm.Limit{USD: 2*(float64(upper)+500*10)/1e6 + 1e-9}, 2},
		"not even one USD": {llm.Limit{USD: 1e-9}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := &billed{usage: dearest}
			m := llm.NewMeter(b, priced, c.limit)
			for {
				can := m.CanAsk(request("x", 500))
				_, err := m.Complete(t.Context(), request("x", 500))
				if (can == nil) != (err == nil) {
					t.Fatalf("CanAsk %v, Complete %v", can, err)
				}
				if err != nil {
					if kindOf(err) != llm.Budget {
						t.Error(err)
					}
					break
				}
			}
			if n := b.calls.Load(); n != c.calls {
				t.Errorf("%d calls went through, want %d", n, c.calls)
			}
			if got := m.Totals(); got.Calls != int(c.calls) || got.Failed != 0 {
				t.Errorf("a refused call was booked: %+v", got)
			}
		})
	}
}

// The answer is bounded to what is left, down to a length that is of use.
func TestMeterShortensAnswers(t *testing.T) {
	upper := llm.UpperTokens(request("x", 1))
	b := &billed{usage: dearest}
	m := llm.NewMeter(b, priced, llm.Limit{Tokens: 2*upper + 1300})
	for range 3 {
		_, _ = m.Complete(t.Context(), request("x", 1000))
	}
	if len(b.asked) != 2 || b.asked[0] != 1000 || b.asked[1] != 300 {
		t.Errorf("asked for %v tokens", b.asked)
	}
}

// No mix of calls, one after the other or at once, with retries and failures that
// cost what they can, goes beyond a limit by one token.
func TestMeterNeverExceeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := llm.Limit{
			Calls:  rapid.IntRange(0, 12).Draw(t, "calls"),
			Tokens: rapid.SampledFrom([]int{0, 500, 3000, 20000}).Draw(t, "tokens"),
			USD:    rapid.SampledFrom([]float64{0, 0.001, 0.01, 0.1}).Draw(t, "usd"),
		}
		failing := rapid.SampledFrom([]llm.Kind{"", llm.Timeout, llm.Overloaded, llm.Connection, llm.BadResponse}).Draw(t, "failing")
		reported := rapid.Bool().Draw(t, "reported")
		b := &billed{usage: dearest}
		b.fail = func(n int64) error {
			if failing == "" || n%2 == 1 {
				return nil
			}
			e := &llm.Error{Kind: failing, Why: "as told"}
			if reported || failing == llm.Overloaded { // a full server bills nothing that it hides
				e.Usage = dearest(request("x", 400))
			}
			return e
		}
		m := llm.NewMeter(quick(b), priced, limit)
		var group sync.WaitGroup
		for range rapid.IntRange(1, 8).Draw(t, "at once") {
			group.Go(func() {
				for range 3 {
					_, _ = m.Complete(context.Background(), request("x", 400))
				}
			})
		}
		group.Wait()
		got := m.Totals()
		usd, _ := m.Cost(b.bill)
		if limit.Calls > 0 && got.Calls > limit.Calls ||
			limit.Tokens > 0 && b.bill.Tokens() > limit.Tokens || limit.USD > 0 && usd > limit.USD+1e-12 {
			t.Fatalf("limit %+v, billed %+v (%g USD), totals %+v", limit, b.bill, usd, got)
		}
	})
}

// A call that does not fit beside those under way waits for them, since they may
// cost less than they could.
func TestMeterWaits(t *testing.T) {
	upper := llm.UpperTokens(request("x", 1))
	release := make(chan struct{})
	var once sync.Once
	started := make(chan struct{})
	b := &billed{usage: func(llm.Request) llm.Usage {
		once.Do(func() { close(started); <-release })
		return llm.Usage{InputTokens: 1, OutputTokens: 1}
	}}
	m := llm.NewMeter(b, priced, llm.Limit{Tokens: upper + 1000 + 10})
	first := make(chan error, 1)
	go func() { _, err := m.Complete(t.Context(), request("x", 1000)); first <- err }()
	<-started
	// Who cannot wait is let go.
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := m.Complete(ctx, request("x", 1000)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	// What can never fit is refused at once.
	if _, err := m.Complete(t.Context(), request(string(make([]byte, 5000)), 1000)); kindOf(err) != llm.Budget {
		t.Errorf("error %v", err)
	}
	second := make(chan error, 1)
	go func() { _, err := m.Complete(t.Context(), request("x", 1000)); second <- err }()
	close(release)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if err := <-second; err != nil {
		t.Error(err)
	}
}

func TestMeterBooksFailures(t *testing.T) {
	for name, c := range map[string]struct {
		reply llmtest.Reply
		in    bool // something was booked for the prompt
		out   bool
	}{
		"reported":     {llmtest.Fail(llm.Error{Kind: llm.BadResponse, Usage: llm.Usage{InputTokens: 5, OutputTokens: 1}}), true, true},
		"garbage":      {llmtest.Garbage(), true, false},
		"cut":          {llmtest.Cut(), true, true},
		"rate limited": {llmtest.RateLimited(), false, false},
		"wrong key":    {llmtest.WrongKey(), false, false},
		"too long":     {llmtest.Overflow(), false, false},
		"server error": {llmtest.ServerError(), false, false},
		"crash":        {llmtest.Crash(), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, wrap := range []func(llm.Model) llm.Model{func(m llm.Model) llm.Model { return m }, quick} {
				m := llm.NewMeter(wrap(llmtest.Scripted(map[string]llmtest.Reply{"": c.reply})), priced, llm.Limit{Tokens: 100_000})
				_, err := m.Complete(t.Context(), llmtest.Request("x"))
				if err == nil {
					t.Fatal("no error")
				}
				got := m.Totals()
				if got.Calls != 1 || got.Failed != 1 || (got.InputTokens > 0) != c.in || (got.OutputTokens > 0) != c.out {
					t.Errorf("totals %+v", got)
				}
			}
		})
	}
}

func TestMeterBooksCancelled(t *testing.T) {
	m := llm.NewMeter(llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Hang()}), priced, llm.Limit{Tokens: 1000})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := m.Complete(ctx, llmtest.Request("x")); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if got := m.Totals(); got.Calls != 1 || got.Failed != 1 || got.InputTokens == 0 || !got.Estimated {
		t.Errorf("totals %+v", got)
	}
}

// A backend with a prompt of its own goes beyond the reservation once.
func TestMeterLearnsExcess(t *testing.T) {
	b := &billed{usage: func(r llm.Request) llm.Usage {
		return llm.Usage{InputTokens: llm.UpperTokens(r) + 5000, OutputTokens: r.MaxTokens + 100}
	}}
	r := request("x", 300)
	each := llm.UpperTokens(r) + 5000 + 400
	m := llm.NewMeter(b, priced, llm.Limit{Tokens: 3*each - 200})
	for range 5 {
		_, _ = m.Complete(t.Context(), r)
	}
	// The third would fit but for the excess, and the shortest answer too.
	if got := m.Totals(); got.Calls != 2 || b.bill.Tokens() > 3*each-200 {
		t.Errorf("totals %+v", got)
	}
}

// A retry within the meter is reserved for like a call.
func TestMeterStopsRetries(t *testing.T) {
	r := request("x", 300)
	each := llm.UpperTokens(r) + 300
	b := &billed{usage: dearest, fail: func(int64) error {
		return &llm.Error{Kind: llm.Timeout, Why: "as told", Usage: dearest(r)}
	}}
	retry := llm.Retry(b, llm.RetryOptions{Attempts: 10, Base: time.Millisecond, Cap: time.Millisecond})
	m := llm.NewMeter(retry, priced, llm.Limit{Tokens: 3*each + 10})
	_, err := m.Complete(t.Context(), r)
	if kindOf(err) != llm.Timeout { // not Budget: what was wrong is the backend
		t.Errorf("error %v", err)
	}
	if n := b.calls.Load(); n != 3 {
		t.Errorf("%d attempts", n)
	}
	if got := m.Totals(); got.InputTokens+got.OutputTokens != 3*each || got.Calls != 1 || got.Failed != 1 {
		t.Errorf("totals %+v", got)
	}
}

// The answer's usage holds the failed attempts, and the totals hold them once.
func TestMeterWithRetry(t *testing.T) {
	r := request("x", 300)
	b := &billed{usage: func(llm.Request) llm.Usage { return llm.Usage{InputTokens: 10, OutputTokens: 3} }}
	b.fail = func(n int64) error {
		if n == 1 {
			return &llm.Error{Kind: llm.Overloaded, Usage: llm.Usage{InputTokens: 10}}
		}
		return nil
	}
	m := llm.NewMeter(quick(b), priced, llm.Limit{Tokens: 10_000})
	res, err := m.Complete(t.Context(), r)
	if err != nil || res.Attempts != 2 || res.Usage.InputTokens != 20 {
		t.Errorf("%+v, %v", res, err)
	}
	if got := m.Totals(); got.InputTokens != 20 || got.OutputTokens != 3 || got.Calls != 1 || got.Failed != 0 {
		t.Errorf("totals %+v", got)
	}
}
