package servers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
)

// Key is the secret of the suite's servers; no error, answer or record may hold
// it.
const Key = "sk-test+/5up3r=secret-0123456789abcdef"

// Open makes the adapter under test for a server.
type Open func(t *testing.T, url string, timeout time.Duration) llm.Model

// Question is a request that every server answers.
func Question() llm.Request {
	return llm.Request{MaxTokens: 100, Messages: []llm.Message{{Role: llm.System, Content: "be brief"}, {Role: llm.User, Content: "what is 6 times 7"}}}
}

// Suite holds an adapter to what each server does to it.
func Suite(t *testing.T, p Protocol, open Open) {
	t.Run("answers", func(t *testing.T) { suiteAnswers(t, p, open) })
	t.Run("failures", func(t *testing.T) { suiteFailures(t, p, open) })
	t.Run("overflows", func(t *testing.T) { suiteOverflows(t, p, open) })
	t.Run("ends", func(t *testing.T) { suiteEnds(t, p, open) })
	t.Run("key", func(t *testing.T) { suiteKey(t, p, open) })
	t.Run("redirect", func(t *testing.T) { suiteRedirect(t, p, open) })
	t.Run("cancel", func(t *testing.T) { suiteCancel(t, p, open) })
	t.Run("conform", func(t *testing.T) {
		llmtest.Conform(t, func(t *testing.T, b llmtest.Behaviour) llm.Model {
			s, ok := Behaving(t, p, b)
			if !ok {
				return nil
			}
			return open(t, s.URL, time.Minute)
		})
	})
}

func suiteAnswers(t *testing.T, p Protocol, open Open) {
	for _, does := range []Behaviour{"", Whole} {
		usage := llm.Usage{InputTokens: 1234, OutputTokens: 56, CachedTokens: 1000}
		s := New(t, Options{Protocol: p, Does: does, Key: Key, Usage: &usage, Reply: func(Asked) string { return "forty-two, ünïcode, 日本" }})
		m := open(t, s.URL, time.Minute)
		var pieces []string
		q := Question()
		q.OnText = func(piece string) { pieces = append(pieces, piece) }
		got, err := m.Complete(t.Context(), q)
		if err != nil {
			t.Fatalf("%q: %v", does, err)
		}
		if got.Text != "forty-two, ünïcode, 日本" || got.Model != ModelName || got.Usage != usage || got.Finish != llm.FinishStop {
			t.Errorf("%q: %+v", does, got)
		}
		if strings.Join(pieces, "") != got.Text || does == "" && len(pieces) < 3 {
			t.Errorf("%q: the pieces %q", does, pieces)
		}
		asked := s.Asked()
		if len(asked) != 1 || asked[0].MaxTokens != 100 || asked[0].Temperature != nil || fmt.Sprint(asked[0].Messages) != fmt.Sprint(q.Messages) {
			t.Errorf("%q: asked %+v", does, asked)
		}
	}
}

// failure is what a server's behaviour must come to.
type failure struct {
	does Behaviour
	kind llm.Kind
	// why is a part of the reason.
	why string
	// cost: the call is known to have cost something.
	cost bool
	// after is what the server asked for.
	after time.Duration
}

func failures() []failure {
	return []failure{
		{does: Hangs, kind: llm.Timeout, why: "silent"},
		{does: HangsMidway, kind: llm.Timeout, why: "silent", cost: true},
		{does: Dribbles, kind: llm.Timeout, why: "no whole answer"},
		{does: Garbage, kind: llm.BadResponse},
		{does: GarbageStream, kind: llm.BadResponse},
		{does: Binary, kind: llm.BadResponse},
		{does: RateLimited, kind: llm.RateLimited, why: "too many requests", after: 7 * time.Second},
		{does: NoCredit, kind: llm.Auth, why: "quota"},
		{does: Broken, kind: llm.Overloaded, why: "Internal Server Error"},
		{does: Overloaded, kind: llm.Overloaded, why: "Overloaded"},
		{does: Cut, kind: llm.Connection, why: "cut", cost: true},
		{does: CutQuietly, kind: llm.Connection, why: "cut", cost: true},
		{does: EmptyStream, kind: llm.BadResponse},
		{does: NoContent, kind: llm.BadResponse},
		{does: Missing, kind: llm.NotFound, why: "does not exist"},
		{does: ErrorMidway, kind: llm.Overloaded, why: "Overloaded", cost: true},
	}
}

func suiteFailures(t *testing.T, p Protocol, open Open) {
	for _, f := range failures() {
		t.Run(string(f.does), func(t *testing.T) {
			s := New(t, Options{Protocol: p, Does: f.does, RetryAfter: "7"})
			timeout := time.Minute
			if f.kind == llm.Timeout {
				timeout = 2 * time.Second // and what is sent before the silence must come
			}
			_, err := open(t, s.URL, timeout).Complete(t.Context(), Question())
			e := Want(t, err, f.kind)
			if !strings.Contains(e.Why, f.why) || e.RetryAfter != f.after || (e.Usage.Tokens() > 0) != f.cost {
				t.Errorf("%+v", e)
			}
			if len(s.Asked()) != 1 {
				t.Errorf("asked %d times: the retries are not the adapter's", len(s.Asked()))
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		_, err := open(t, "http://127.0.0.1:1/v1", time.Minute).Complete(t.Context(), Question())
		_ = Want(t, err, llm.Connection)
	})
	t.Run("other path", func(t *testing.T) {
		s := New(t, Options{Protocol: p})
		_, err := open(t, s.URL+"/elsewhere", time.Minute).Complete(t.Context(), Question())
		_ = Want(t, err, llm.NotFound)
	})
}

// Want wants an *llm.Error of a kind that tells the user everything.
func Want(t *testing.T, err error, kind llm.Kind) *llm.Error {
	t.Helper()
	var e *llm.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no *llm.Error", err)
	}
	if e.Kind != kind || e.Why == "" || e.Next == "" {
		t.Fatalf("kind %s, want %s: %+v", e.Kind, kind, e)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v holds the end of a context, which nobody ended", err)
	}
	return e
}

func suiteOverflows(t *testing.T, p Protocol, open Open) {
	for _, o := range Overflows {
		if o.Protocol != p {
			continue
		}
		s := New(t, Options{Protocol: p, Does: Overflowing, Overflow: o})
		q := Question()
		q.Schema = []byte(`{"type":"object","properties":{"a":{"type":"string"}}}`)
		_, err := open(t, s.URL, time.Minute).Complete(t.Context(), q)
		_ = Want(t, err, llm.TooLong)
		if len(s.Asked()) != 1 {
			t.Errorf("%s: asked again in other words, which helps nothing", o.Name)
		}
	}
}

// Behaving is a server that does what llmtest.Conform wants of a backend; false
// where no server can.
func Behaving(t *testing.T, p Protocol, b llmtest.Behaviour) (*Server, bool) {
	t.Helper()
	o := Options{Protocol: p, Reply: func(Asked) string { return b.Text }, Finish: b.Finish, Usage: &b.Usage}
	if o.Finish == "" {
		o.Finish = llm.FinishStop
	}
	if b.Usage == (llm.Usage{}) {
		o.Does = NoUsage
	}
	if b.Hang {
		o.Does = Hangs
	}
	if b.Fail != "" {
		does, ok := map[llm.Kind]Behaviour{
			llm.Auth: EchoesKey, llm.RateLimited: RateLimited, llm.Overloaded: Broken, llm.Connection: Cut, llm.TooLong: Overflowing,
			llm.NotFound: Missing, llm.BadResponse: Garbage,
		}[b.Fail]
		if !ok {
			return nil, false
		}
		o.Does = does
	}
	for _, one := range Overflows {
		if one.Protocol == p {
			o.Overflow = one
		}
	}
	return New(t, o), true
}

func suiteEnds(t *testing.T, p Protocol, open Open) {
	complete := func(o Options, most int) (llm.Response, *Server) {
		o.Protocol = p
		s := New(t, o)
		q := Question()
		q.MaxTokens = most
		got, err := open(t, s.URL, time.Minute).Complete(t.Context(), q)
		if err != nil {
			t.Fatalf("%s: %v", o.Does, err)
		}
		return got, s
	}
	if got, _ := complete(Options{Reply: func(Asked) string { return "one two three four five" }}, 3); got.Finish != llm.FinishLength || got.Usage.OutputTokens != 3 {
		t.Errorf("cut off: %+v", got)
	}
	if got, _ := complete(Options{Does: Filtered}, 100); got.Finish != llm.FinishFilter {
		t.Errorf("filtered: %+v", got)
	}
	if got, _ := complete(Options{Does: Empty}, 100); got.Finish != llm.FinishStop || got.Text != "" || got.Usage.InputTokens == 0 {
		t.Errorf("empty: %+v", got)
	}
	if got, _ := complete(Options{Does: Long}, 200_000); got.Finish != llm.FinishStop || len(got.Text) != 1<<20 || got.Usage.Estimated {
		t.Errorf("1 MB: %d bytes, %s", len(got.Text), got.Finish)
	}
	if got, _ := complete(Options{Does: Endless}, 100); got.Finish != llm.FinishLength || len(got.Text) > 4<<20 || !got.Usage.Estimated {
		t.Errorf("endless: %d bytes, %s", len(got.Text), got.Finish)
	}
}

func suiteKey(t *testing.T, p Protocol, open Open) {
	s := New(t, Options{Protocol: p, Does: EchoesKey, Key: Key})
	_, err := open(t, s.URL, time.Minute).Complete(t.Context(), Question())
	_ = Want(t, err, llm.Auth)
	NoKey(t, fmt.Sprintf("%v %+v %#v", err, err, errors.Unwrap(err)))
	s = New(t, Options{Protocol: p, Does: EchoesKeyInOwn, Key: Key})
	q := Question()
	var pieces strings.Builder
	q.OnText = func(piece string) { pieces.WriteString(piece) }
	got, err := open(t, s.URL, time.Minute).Complete(t.Context(), q)
	if err != nil || !strings.HasSuffix(got.Text, ".") || pieces.String() != got.Text {
		t.Fatalf("%+v %v, in pieces %q", got, err, pieces.String())
	}
	NoKey(t, got.Text)
}

// NoKey wants no form of Key in a text.
func NoKey(t *testing.T, text string) {
	t.Helper()
	if text == "" {
		t.Error("nothing was looked at")
	}
	for _, form := range KeyForms(Key) {
		if strings.Contains(text, form) {
			t.Errorf("the key, as %q, is in %q", form, text)
		}
	}
}

func suiteRedirect(t *testing.T, p Protocol, open Open) {
	other := New(t, Options{Protocol: p})
	s := New(t, Options{Protocol: p, Does: Redirect, Target: strings.Replace(other.URL, "127.0.0.1", "localhost", 1)})
	_, err := open(t, s.URL, time.Minute).Complete(t.Context(), Question())
	e := Want(t, err, llm.BadRequest)
	if !strings.Contains(e.Why, "localhost") || len(other.Asked()) != 0 {
		t.Errorf("the other host was asked %d times: %v", len(other.Asked()), err)
	}
	home := New(t, Options{Protocol: p, FailFirst: 1, Does: Redirect, Target: paths[p]})
	if _, err := open(t, home.URL, time.Minute).Complete(t.Context(), Question()); err != nil || len(home.Asked()) != 2 {
		t.Errorf("a redirect to the same host: %v", err)
	}
}

func suiteCancel(t *testing.T, p Protocol, open Open) {
	for _, does := range []Behaviour{Hangs, HangsMidway, Dribbles} {
		s := New(t, Options{Protocol: p, Does: does})
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		began := time.Now()
		_, err := open(t, s.URL, time.Minute).Complete(ctx, Question())
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 5*time.Second {
			t.Errorf("%s: %v after %v", does, err, time.Since(began))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := New(t, Options{Protocol: p})
	if _, err := open(t, s.URL, time.Minute).Complete(ctx, Question()); !errors.Is(err, context.Canceled) || len(s.Asked()) != 0 {
		t.Errorf("ended before it began: %v, asked %d times", err, len(s.Asked()))
	}
}
