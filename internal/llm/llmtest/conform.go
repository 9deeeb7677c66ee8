package llmtest

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/repgen/repgen/internal/llm"
)

// Behaviour is what the backend behind a model under test must do with every
// request.
type Behaviour struct {
	// Text is the answer; Finish is llm.FinishStop where it is empty.
	Text   string
	Finish llm.Finish
	// Usage that the backend reports; zero: it reports none.
	Usage llm.Usage
	// Hang: never answer; the connection stays open.
	Hang bool
	// Fail with this kind instead of answering.
	Fail llm.Kind
}

// Reply plays it.
func (b Behaviour) Reply() Reply {
	switch {
	case b.Hang:
		return Hang()
	case b.Fail != "":
		return Fail(llm.Error{Kind: b.Fail, Why: "as told", Next: "nothing"})
	}
	return func(_ context.Context, _ int, r llm.Request) (llm.Response, error) {
		res := Answer(r, b.Text)
		if b.Finish != "" {
			res.Finish = b.Finish
		}
		res.Usage = b.Usage
		if b.Usage == (llm.Usage{}) {
			res.Usage = llm.EstimateUsage(r, b.Text)
		}
		return res, nil
	}
}

// Open gives a model over a backend that behaves as told, and nil for what
// cannot happen to it. What it starts it ends in t.Cleanup.
type Open func(t *testing.T, b Behaviour) llm.Model

// within is how fast a cancelled call must return, in one of some tries: a busy
// machine may wake nobody for a second. patience is how long a test waits for
// anything else.
const (
	within   = time.Second
	tries    = 5
	patience = 30 * time.Second
)

// Conform runs the contract of llm.Model against an implementation.
func Conform(t *testing.T, open Open) {
	t.Helper()
	tests := []struct {
		name string
		test func(*testing.T, Open)
	}{
		{"answers", answers}, {"finish", finishes}, {"no usage", noUsage}, {"streams", streams}, {"long", long},
		{"together", together}, {"cancelled before", cancelledBefore}, {"cancelled", cancelled}, {"deadline", deadline},
		{"bad requests", badRequests}, {"failures", failures}, {"request is kept", requestIsKept}, {"info", info},
	}
	for _, c := range tests {
		before := goleak.IgnoreCurrent()
		t.Run(c.name, func(t *testing.T) { c.test(t, open) })
		if err := goleak.Find(before); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// usual is what most tests let the backend answer.
var usual = Behaviour{Text: "x = 'äöü €  \U0001F600'\n\"quoted\" \\ back\n", Usage: llm.Usage{InputTokens: 12, OutputTokens: 7}}

// Request is one that every model answers.
func Request(prompt string) llm.Request {
	zero := 0.0
	return llm.Request{
		Messages:  []llm.Message{{Role: llm.System, Content: "You write scripts."}, {Role: llm.User, Content: prompt}},
		MaxTokens: 100, Temperature: &zero, Purpose: "conform",
	}
}

// Requests are all that the suite asks and that are answered, for an
// implementation that must know them before (a replay).
func Requests() []llm.Request {
	out := []llm.Request{Request("plain"), Request(longPrompt), Request("streamed")}
	for i := range callsTogether {
		out = append(out, sampled(i))
	}
	return out
}

const callsTogether = 8

func sampled(i int) llm.Request {
	r := Request("sampled")
	warm := 0.7
	r.Temperature, r.Sample = &warm, i
	return r
}

var longPrompt = strings.Repeat("A long report. «Ünïcode» ```x``` {\"a\": 1}\n", 5000)

func ask(t *testing.T, m llm.Model, r llm.Request) llm.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	res, err := m.Complete(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// must opens a model, or skips what cannot happen to it.
func must(t *testing.T, open Open, b Behaviour) llm.Model {
	t.Helper()
	m := open(t, b)
	if m == nil {
		t.Skip("cannot happen here")
	}
	return m
}

func answers(t *testing.T, open Open) {
	m := must(t, open, usual)
	res := ask(t, m, Request("plain"))
	if res.Text != usual.Text {
		t.Errorf("text %q, want %q", res.Text, usual.Text)
	}
	if res.Finish != llm.FinishStop {
		t.Errorf("finish %q", res.Finish)
	}
	if res.Usage.InputTokens != 12 || res.Usage.OutputTokens != 7 || res.Usage.Estimated {
		t.Errorf("usage %+v", res.Usage)
	}
	if res.Model == "" || res.Seconds < 0 || res.Seconds > patience.Seconds() {
		t.Errorf("model %q, %g s", res.Model, res.Seconds)
	}
}

func finishes(t *testing.T, open Open) {
	for _, want := range []llm.Finish{llm.FinishLength, llm.FinishFilter} {
		t.Run(string(want), func(t *testing.T) {
			b := usual
			b.Finish = want
			if res := ask(t, must(t, open, b), Request("plain")); res.Finish != want {
				t.Errorf("finish %q", res.Finish)
			}
		})
	}
}

// noUsage: a backend that reports nothing is guessed for, and that is said.
func noUsage(t *testing.T, open Open) {
	b := usual
	b.Usage = llm.Usage{}
	u := ask(t, must(t, open, b), Request("plain")).Usage
	if !u.Estimated || u.InputTokens <= 0 || u.OutputTokens <= 0 {
		t.Errorf("usage %+v", u)
	}
}

// streams: the pieces are the whole, from one goroutine at a time.
func streams(t *testing.T, open Open) {
	m := must(t, open, usual)
	var got strings.Builder
	r := Request("streamed")
	r.OnText = func(piece string) { got.WriteString(piece) } // the race detector watches
	if res := ask(t, m, r); got.String() != res.Text {
		t.Errorf("streamed %q, answered %q", got.String(), res.Text)
	}
}

// long: neither a long prompt nor a long answer loses anything.
func long(t *testing.T, open Open) {
	b := usual
	b.Text = strings.Repeat("0123456789 äöü\n", 1<<14)
	if res := ask(t, must(t, open, b), Request(longPrompt)); res.Text != b.Text {
		t.Errorf("%d bytes of %d came", len(res.Text), len(b.Text))
	}
}

func together(t *testing.T, open Open) {
	m := must(t, open, usual)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var group sync.WaitGroup
	for i := range callsTogether {
		group.Go(func() {
			res, err := m.Complete(ctx, sampled(i))
			if err != nil || res.Text != usual.Text {
				t.Errorf("call %d: %q, %v", i, res.Text, err)
			}
		})
	}
	group.Wait()
}

func cancelledBefore(t *testing.T, open Open) {
	m := must(t, open, usual)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Complete(ctx, Request("plain")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func cancelled(t *testing.T, open Open) {
	endsSoon(t, must(t, open, Behaviour{Hang: true}), context.Canceled, func() (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(hangs, cancel)
		return ctx, cancel
	})
}

// hangs is how long a call is left alone.
const hangs = 200 * time.Millisecond

// endsSoon wants a call that hangs to return with its context.
func endsSoon(t *testing.T, m llm.Model, want error, start func() (context.Context, context.CancelFunc)) {
	t.Helper()
	for try := 1; ; try++ {
		ctx, cancel := start()
		began := time.Now()
		_, err := m.Complete(ctx, Request("plain"))
		d := time.Since(began) - hangs
		cancel()
		if !errors.Is(err, want) {
			t.Fatalf("error %v", err)
		}
		if d <= within {
			return
		}
		if try == tries {
			t.Fatalf("returned %s after its context ended", d)
		}
	}
}

func deadline(t *testing.T, open Open) {
	endsSoon(t, must(t, open, Behaviour{Hang: true}), context.DeadlineExceeded, func() (context.Context, context.CancelFunc) {
		return context.WithTimeout(t.Context(), hangs)
	})
}

func badRequests(t *testing.T, open Open) {
	m := must(t, open, usual)
	for name, change := range map[string]func(*llm.Request){
		"no messages": func(r *llm.Request) { r.Messages = nil },
		"no length":   func(r *llm.Request) { r.MaxTokens = 0 },
		"bad schema":  func(r *llm.Request) { r.Schema = []byte("{") },
		"no role":     func(r *llm.Request) { r.Messages = []llm.Message{{Role: "robot", Content: "x"}} },
	} {
		r := Request("plain")
		change(&r)
		_, err := m.Complete(t.Context(), r)
		var failure *llm.Error
		if !errors.As(err, &failure) || failure.Kind != llm.BadRequest {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// failures come as what they are, with what to do.
func failures(t *testing.T, open Open) {
	for _, kind := range []llm.Kind{
		llm.Auth, llm.RateLimited, llm.Overloaded, llm.Connection, llm.TooLong, llm.NotFound, llm.BadResponse, llm.Crashed,
	} {
		t.Run(string(kind), func(t *testing.T) {
			m := must(t, open, Behaviour{Fail: kind})
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			_, err := m.Complete(ctx, Request("plain"))
			var failure *llm.Error
			if !errors.As(err, &failure) {
				t.Fatalf("error %v", err)
			}
			if failure.Kind != kind || failure.Why == "" || failure.Next == "" {
				t.Errorf("error %+v", failure)
			}
		})
	}
}

func requestIsKept(t *testing.T, open Open) {
	m := must(t, open, usual)
	r, same := Request("plain"), Request("plain")
	ask(t, m, r)
	if !reflect.DeepEqual(r, same) {
		t.Errorf("the request became %+v", r)
	}
}

func info(t *testing.T, open Open) {
	m := must(t, open, usual)
	if i := m.Info(); i.Backend == "" || i.Model == "" {
		t.Errorf("info %+v", i)
	}
}
