package hosted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/system/worktime"
)

func client(t testing.TB, o Options) *Client {
	t.Helper()
	if o.BaseURL == "" {
		o.BaseURL = "https://models.example/v1"
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRefusals(t *testing.T) {
	c := client(t, Options{Key: secret, KeyFrom: "A_VARIABLE"})
	tests := []struct {
		status int
		body   string
		kind   llm.Kind
		why    string
	}{
		{401, `{"error":{"message":"Incorrect API key provided: ` + secret + `"}}`, llm.Auth, "Incorrect API key provided: [key]"},
		{403, `{"message":"no"}`, llm.Auth, "no"},
		{402, `pay`, llm.Auth, "pay"},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}`, llm.Auth, "credit"},
		{404, `{"error":{"message":"The model 'x' does not exist"}}`, llm.NotFound, "does not exist"},
		{404, `404 page not found`, llm.NotFound, "page not found"},
		{405, ``, llm.NotFound, "(no text)"},
		{408, `{"error":null}`, llm.Timeout, `null`},
		{429, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`, llm.RateLimited, "slow down"},
		{429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota"}}`, llm.Auth, "quota"},
		{500, `{"error":"boom"}`, llm.Overloaded, "boom"},
		{503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, llm.Overloaded, "Loading model"},
		{504, `<html>` + strings.Repeat("gateway ", 500), llm.Overloaded, "gateway"},
		{501, `{"detail":"not here"}`, llm.BadRequest, "not here"},
		{422, `{"detail":[{"loc":["body","x"],"msg":"extra fields"}]}`, llm.BadRequest, "extra fields"},
		{418, "tea\x1b[31m\x00\u202e pot\r\nof it", llm.BadRequest, "tea[31m pot of it"},
		{0, `{"error":{"message":"Overloaded","type":"overloaded_error"}}`, llm.Overloaded, "Overloaded"},
		{0, `{"error":{"message":"slow","type":"rate_limit_error"}}`, llm.RateLimited, "slow"},
		{0, `{"error":{"message":"the key","code":401}}`, llm.Auth, "the key"},
		{0, `{"error":{"message":"prompt is too long: 5 tokens > 3 maximum"}}`, llm.TooLong, "too long"},
		{0, `what`, llm.Overloaded, "what"},
	}
	for _, tt := range tests {
		e := c.refusal(tt.status, nil, []byte(tt.body))
		if e.Kind != tt.kind || !strings.Contains(e.Why, tt.why) || e.Next == "" || len(e.Why) > 400 || !strings.HasPrefix(e.Why, "models.example answers") {
			t.Errorf("%d %.80s: %+v", tt.status, tt.body, e)
		}
	}
}

// A body that nests errors for ever is read in no time.
func TestNestedError(t *testing.T) {
	body := strings.Repeat(`{"error":`, 6000) + "1" + strings.Repeat("}", 6000)
	var s said
	took := worktime.Of(func() { s = readSaid([]byte(body)) })
	if s.Message == "" || took > time.Second {
		t.Errorf("%v", took)
	}
}

func FuzzReadSaid(f *testing.F) {
	f.Add([]byte(`{"error":{"message":"a","code":400,"param":null}}`))
	f.Add([]byte(`[1]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		c := client(t, Options{Key: secret})
		for _, status := range []int{0, 400, 500} {
			if e := c.refusal(status, http.Header{}, body); e.Kind == "" || strings.Contains(e.Why, secret) || strings.ContainsAny(e.Why, "\x1b\n\x00") {
				t.Errorf("%+v", e)
			}
		}
		_ = quirkOf(&Refused{Status: 400, Body: body}, ^Quirks(0))
	})
}

func TestRetryAfter(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, " 1.5 ": 1500 * time.Millisecond, "-3": 0, "soon": 0, "NaN": 0, "1e300": 24 * time.Hour, "Inf": 24 * time.Hour,
		at.Add(time.Minute).Format(http.TimeFormat): time.Minute, at.Add(-time.Minute).Format(http.TimeFormat): 0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {header}}, at); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
	if got := retryAfter(http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"9"}}, at); got != 250*time.Millisecond {
		t.Error(got)
	}
}

// The advice to a user without a key is another than that to one with a wrong
// one.
func TestAdvice(t *testing.T) {
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{}, "key_env"}, {Options{KeyFrom: "THE_VARIABLE"}, "set THE_VARIABLE"}, {Options{Key: secret, KeyFrom: "THE_VARIABLE"}, "check the key in THE_VARIABLE"},
	} {
		if e := client(t, tt.o).refusal(401, nil, nil); !strings.Contains(e.Next, tt.want) {
			t.Errorf("%+v", e)
		}
	}
}

// Whatever an adapter's error holds, what comes out holds no key, and says so as
// an *llm.Error; the end of a context stays what it is.
func TestFailureHoldsNoKey(t *testing.T) {
	c := client(t, Options{Key: secret})
	for _, inner := range []error{
		errors.New("Authorization: Bearer " + secret), fmt.Errorf("x: %w", &Garbled{errors.New(secret)}), &Reported{[]byte(secret)},
		&Refused{Status: 400, Body: []byte(secret)}, &json.SyntaxError{}, &redirected{host: secret + ".example"},
	} {
		_, err := c.Complete(t.Context(), llm.Request{MaxTokens: 1}, func(context.Context, *Answer) error { return inner })
		var e *llm.Error
		if !errors.As(err, &e) || strings.Contains(fmt.Sprintf("%v %+v %s", err, e, e.Next), secret) {
			t.Errorf("%v", err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New(secret))
	_, err := c.Complete(ctx, llm.Request{MaxTokens: 1}, func(ctx context.Context, _ *Answer) error { return context.Cause(ctx) })
	if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), secret) {
		t.Errorf("%v", err)
	}
}

func TestPlain(t *testing.T) {
	for url, want := range map[string]bool{
		"https://h.example/v1": false, "http://h.example/v1": true, "http://localhost:8080": false, "http://127.0.0.1:1": false, "http://[::1]:1": false, "http://10.0.0.2": true,
	} {
		if got := client(t, Options{BaseURL: url, Key: secret}).Plain(); got != want {
			t.Errorf("%s: %v", url, got)
		}
		if client(t, Options{BaseURL: url}).Plain() {
			t.Errorf("%s: there is no key to be seen", url)
		}
	}
}
