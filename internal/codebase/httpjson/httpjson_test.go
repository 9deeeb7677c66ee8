package httpjson

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	keyEnv = "REPGEN_TEST_HTTPJSON_KEY"
	secret = "sk-very-secret-0815"
)

// serve gives a client of a server on this machine that does not really wait.
func serve(t *testing.T, o Options, h http.HandlerFunc) (*Client, *[]time.Duration) {
	t.Helper()
	t.Setenv(keyEnv, secret+"\n")
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	waits := new([]time.Duration)
	o.URL, o.KeyEnv = s.URL+"/v1/x", keyEnv
	o.Sleep = func(ctx context.Context, d time.Duration) error {
		*waits = append(*waits, d)
		return ctx.Err()
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, waits
}

func TestPost(t *testing.T) {
	c, _ := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.URL.Path != "/v1/x" || r.Header.Get("Authorization") != "Bearer "+secret || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		_, _ = w.Write(append([]byte("got "), body...))
	})
	answer, err := c.Post(t.Context(), []byte("{}"), 6)
	if err != nil || string(answer) != "got {}" {
		t.Errorf("%q, %v", answer, err)
	}
	if _, err := c.Post(t.Context(), []byte("{}"), 5); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("one byte too long: %v", err)
	}
}

// TestTries: which trouble is worth another try, and how long each pause is.
func TestTries(t *testing.T) {
	for name, c := range map[string]struct {
		code   int
		header string
		bad    int32 // answers before a good one
		asked  int32
		wait   time.Duration // at least, of the first pause
		fails  bool
	}{
		"busy twice":        {429, "", 2, 3, FirstPause, false},
		"asked to wait":     {429, "7", 1, 2, 7 * time.Second, false},
		"asked for ages":    {503, "86400", 1, 1, 0, true},
		"always busy":       {503, "", 99, Tries, FirstPause, true},
		"not authorised":    {401, "", 99, 1, 0, true},
		"no such page":      {404, "", 99, 1, 0, true},
		"not implemented":   {501, "", 99, 1, 0, true},
		"redirected":        {307, "", 99, 1, 0, true},
		"connection broken": {0, "", 1, 2, FirstPause, false},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			client, waits := serve(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
				if asked.Add(1) > c.bad {
					return
				}
				if c.code == 0 {
					panic(http.ErrAbortHandler)
				}
				w.Header().Set("Retry-After", c.header)
				w.Header().Set("Location", "/elsewhere")
				http.Error(w, `{"error":{"message":"no, `+secret+`"}}`, c.code)
			})
			_, err := client.Post(t.Context(), nil, 10)
			if (err != nil) != c.fails || asked.Load() != c.asked {
				t.Fatalf("asked %d times, %v", asked.Load(), err)
			}
			var status *StatusError
			if err != nil && (strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "no, [key]") || !errors.As(err, &status) || status.Code != c.code) {
				t.Errorf("the error: %v", err)
			}
			for i, w := range *waits {
				if least := c.wait << i; w < least || w > least*5/4 {
					t.Errorf("pause %d: %v, want about %v", i, w, least)
				}
			}
		})
	}
}

func TestSilence(t *testing.T) {
	var asked atomic.Int32
	came := make(chan struct{}, 10)
	c, _ := serve(t, Options{Timeout: 500 * time.Millisecond}, func(_ http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		came <- struct{}{}
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	_, err := c.Post(t.Context(), nil, 10)
	select {
	case <-came: // on a busy machine later than the client gives up
	case <-time.After(time.Minute):
	}
	if err == nil || !strings.Contains(err.Error(), "no answer within 500ms") || asked.Load() != 1 {
		t.Errorf("asked %d times, %v", asked.Load(), err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := c.Post(ctx, nil, 10); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's end: %v", err)
	}
}

// TestNobody: the address is not repeated when nobody listens.
func TestNobody(t *testing.T) {
	c, err := New(Options{URL: "http://127.0.0.1:1/x?key=" + secret, Patience: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Post(t.Context(), nil, 10); err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("%v", err)
	}
	if c.HasKey() || c.Host() != "127.0.0.1:1" {
		t.Errorf("key %v, host %s", c.HasKey(), c.Host())
	}
}

func TestAddress(t *testing.T) {
	for _, address := range []string{"", "x", "ftp://host/x", "http://", "https://me:" + secret + "@host/x", "http://ho st/" + secret, "http://%zz:" + secret + "@/"} {
		if _, err := New(Options{URL: address}); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestInput(t *testing.T) {
	for code, want := range map[int]bool{400: true, 413: true, 422: true, 401: false, 404: false, 500: false} {
		if (&StatusError{Code: code}).Input() != want {
			t.Errorf("%d: want %v", code, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"":                              0,
		"7":                             7 * time.Second,
		"0.5":                           500 * time.Millisecond,
		"0":                             0,
		"-3":                            0,
		"soon":                          0,
		"NaN":                           0,
		"1e300":                         24 * time.Hour,
		"Inf":                           24 * time.Hour,
		"Sun, 29 Nov 2026 12:00:20 GMT": 20 * time.Second,
		"Sun, 29 Nov 2026 11:00:00 GMT": 0,
		"Sun, 29 Nov 2099 12:00:00 GMT": 24 * time.Hour,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	for in, want := range map[string]string{
		"":                          "(no text)",
		" \n\t":                     "(no text)",
		"a\n  b\r\n\tc":             "a b c",
		`{"error":{"message":"m"}}`: "m",
		"\xff\xfe bad":              "? bad",
		strings.Repeat("x", 5000):   strings.Repeat("x", 200) + "...",
	} {
		if got := Excerpt([]byte(in)); got != want {
			t.Errorf("%.20q: %q, want %q", in, got, want)
		}
	}
}
