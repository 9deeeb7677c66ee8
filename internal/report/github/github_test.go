package github

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/report"
)

func recorded(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// serve answers the issue and its comments as recorded and passes each request
// to see.
func serve(t *testing.T, see func(*http.Request)) *httptest.Server {
	t.Helper()
	issue, comments := recorded(t, "issue.json"), recorded(t, "comments.json")
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		see(r)
		body := issue
		switch r.URL.Path {
		case "/repos/acme/tensorlib/issues/77":
		case "/repos/acme/tensorlib/issues/77/comments":
			body = comments
		default:
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if _, err := w.Write(body); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

func TestFetch(t *testing.T) {
	var auth, page string
	srv := serve(t, func(r *http.Request) {
		auth = r.Header.Get("Authorization")
		if strings.HasSuffix(r.URL.Path, "/comments") {
			page = r.URL.Query().Get("per_page")
		}
	})
	r, err := Fetch(t.Context(), Options{BaseURL: srv.URL + "/", Token: "sesame"}, "acme", "tensorlib", 77)
	if err != nil {
		t.Fatal(err)
	}
	if auth != "Bearer sesame" || page != "30" {
		t.Errorf("sent authorization %q, per_page %q", auth, page)
	}
	if r.Title != "argmax is off by one on float16" || r.Repo != "acme/tensorlib" || len(r.Labels) != 2 {
		t.Errorf("title %q, repo %q, labels %q", r.Title, r.Repo, r.Labels)
	}
	if want := time.Date(2024, 3, 5, 21, 13, 44, 0, time.UTC); !r.Created.Equal(want) {
		t.Errorf("created %v, want %v", r.Created, want)
	}
	if r.Source != (report.Source{Kind: "github", Name: "acme/tensorlib#77", URL: "https://github.com/acme/tensorlib/issues/77"}) {
		t.Errorf("source %+v", r.Source)
	}
	if len(r.Blocks) != 1 || r.Blocks[0].Kind != report.BlockPython {
		t.Errorf("blocks %+v", r.Blocks)
	}
	checkComments(t, r)
}

// checkComments: replies are sections of the role other, without names, and
// state nothing in the reporter's place.
func checkComments(t *testing.T, r *report.Report) {
	t.Helper()
	if strings.Contains(r.Text, "someone-filing") || strings.Contains(r.Text, "a-maintainer") {
		t.Error("a person's name is in the text")
	}
	var heads []string
	for _, s := range r.Sections {
		if strings.HasPrefix(s.Heading, "Comment ") {
			heads = append(heads, s.Heading)
			if s.Role != report.RoleOther {
				t.Errorf("%s has role %s", s.Heading, s.Role)
			}
		}
	}
	if strings.Join(heads, "; ") != "Comment 1; Comment 2 (reporter)" {
		t.Errorf("comment sections %q", heads)
	}
	for _, s := range r.Statements {
		if s.Role == report.RoleExpected && s.Text != "1" {
			t.Errorf("a reply became the statement %+v", s)
		}
	}
}

func TestFetchKeepsTheIssueWhenCommentsFail(t *testing.T) {
	issue := recorded(t, "issue.json")
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/comments") {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		if _, err := w.Write(issue); err != nil {
			t.Error(err)
		}
	}))
	defer srv.Close()
	r, err := Fetch(t.Context(), Options{BaseURL: srv.URL}, "acme", "tensorlib", 77)
	if err != nil {
		t.Fatal(err)
	}
	if r.Title == "" || !strings.Contains(strings.Join(r.Notes, "\n"), "comments could not be fetched") {
		t.Errorf("notes %q", r.Notes)
	}
}

func TestFetchErrors(t *testing.T) {
	limit := &RateLimitError{}
	tests := []struct {
		name   string
		status int
		header map[string]string
		body   string
		want   error
		says   string
	}{
		{"absent", 404, nil, `{"message": "Not Found"}`, ErrNotFound, "private"},
		{"deleted", 410, nil, `{}`, ErrNotFound, "no such issue"},
		{"bad token", 401, nil, `{"message": "Bad credentials"}`, ErrUnauthorized, "token was refused"},
		{"forbidden", 403, nil, `{}`, ErrUnauthorized, "token was refused"},
		{"rate limit", 403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1893456000"}, `{}`, limit, "2030-01-01T00:00:00Z"},
		{"secondary limit", 429, map[string]string{"Retry-After": "60", "Date": "Tue, 01 Jan 2030 00:00:00 GMT"}, `{}`, limit, "2030-01-01T00:01:00Z"},
		{"limit without a time", 429, nil, `{}`, limit, "rate limit is reached: wait"},
		{"server error", 502, nil, ``, &StatusError{}, "502"},
		{"a page instead of an issue", 200, nil, `<html>hello</html>`, ErrMalformed, "no issue"},
		{"half an issue", 200, nil, `{"title": "x", "body": 3}`, ErrMalformed, "no issue"},
		{"truncated", 200, nil, `{"title": "x", "body": "`, ErrMalformed, "no issue"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for k, v := range tt.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(tt.status)
				if _, err := w.Write([]byte(tt.body)); err != nil {
					t.Error(err)
				}
			}))
			defer srv.Close()
			_, err := Fetch(t.Context(), Options{BaseURL: srv.URL, Token: "sesame"}, "acme", "tensorlib", 77)
			checkError(t, err, tt.want, tt.says)
		})
	}
}

func checkError(t *testing.T, err, want error, says string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	ok := errors.Is(err, want)
	switch want.(type) {
	case *RateLimitError:
		var e *RateLimitError
		ok = errors.As(err, &e)
	case *StatusError:
		var e *StatusError
		ok = errors.As(err, &e)
	}
	if !ok || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "acme/tensorlib#77") {
		t.Errorf("error %v, want %v saying %q", err, want, says)
	}
	if strings.Contains(err.Error(), "sesame") {
		t.Errorf("the token is in the error %v", err)
	}
}

func TestFetchNetworkDown(t *testing.T) {
	// A port that was free a moment ago and on which nobody listens now.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = Fetch(t.Context(), Options{BaseURL: "http://" + addr}, "acme", "tensorlib", 77)
	checkError(t, err, ErrNetwork, "cannot be reached")
}

// silent never answers until it is closed.
func silent(t *testing.T) *httptest.Server {
	t.Helper()
	stop := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stop }))
	t.Cleanup(func() { close(stop); srv.Close() })
	return srv
}

func TestFetchTimeout(t *testing.T) {
	srv := silent(t)
	_, err := Fetch(t.Context(), Options{BaseURL: srv.URL, Client: &http.Client{Timeout: 20 * time.Millisecond}}, "acme", "tensorlib", 77)
	checkError(t, err, ErrTimeout, "in time")
}

func TestFetchCancelled(t *testing.T) {
	srv := silent(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Fetch(ctx, Options{BaseURL: srv.URL}, "acme", "tensorlib", 77)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

func TestParseRef(t *testing.T) {
	tests := []struct {
		in    string
		owner string
		repo  string
		n     int
	}{
		{"acme/tensorlib#77", "acme", "tensorlib", 77},
		{" acme/tensor.lib-2#1 ", "acme", "tensor.lib-2", 1},
		{"https://github.com/acme/tensorlib/issues/77", "acme", "tensorlib", 77},
		{"http://www.github.com/acme/tensorlib/issues/77#issuecomment-1", "acme", "tensorlib", 77},
		{"github.com/acme/tensorlib/pull/8/files?x=1", "acme", "tensorlib", 8},
		{"https://api.github.com/repos/acme/tensorlib/issues/77", "acme", "tensorlib", 77},
		{"https://git.example.org/api/v3/repos/acme/tensorlib/issues/77", "acme", "tensorlib", 77},
	}
	for _, tt := range tests {
		owner, repo, n, ok := ParseRef(tt.in)
		if !ok || owner != tt.owner || repo != tt.repo || n != tt.n {
			t.Errorf("ParseRef(%q) = %q, %q, %d, %v", tt.in, owner, repo, n, ok)
		}
	}
	for _, in := range []string{"", "report.md", "#7", "acme#7", "acme/tensorlib", "acme/tensorlib#0", "acme/tensorlib#x", "acme/..#3", "../report#1", "a/b/c#1", "https://example.org/acme/tensorlib/issues/77", "https://github.com/acme/tensorlib", "acme/tensorlib#99999999999999999999"} {
		if owner, repo, n, ok := ParseRef(in); ok {
			t.Errorf("ParseRef(%q) = %q, %q, %d, want none", in, owner, repo, n)
		}
	}
}

func FuzzParseRef(f *testing.F) {
	for _, s := range []string{"acme/tensorlib#77", "https://github.com/a/b/issues/1", "x", "a/b#", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		owner, repo, n, ok := ParseRef(s)
		if ok && (owner == "" || repo == "" || n <= 0 || strings.ContainsAny(owner+repo, "/?#%\n")) {
			t.Errorf("ParseRef(%q) = %q, %q, %d", s, owner, repo, n)
		}
	})
}
