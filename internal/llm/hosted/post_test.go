package hosted

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/llm"
)

func TestPost(t *testing.T) {
	var got *http.Request
	var sent string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got, sent = r, string(body)
		if r.Header.Get("Accept") == "application/json" {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = io.WriteString(w, `{}`)
			return
		}
		_, _ = io.WriteString(w, "data: a\n\ndata: b\n\ndata: c\n\n")
	}))
	defer s.Close()
	c, err := New(Options{BaseURL: s.URL + "/p%2Fq", Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer c.http.CloseIdleConnections()
	post := func(path string, whole bool) (read string) {
		_, err := c.Complete(t.Context(), llm.Request{MaxTokens: 1}, func(ctx context.Context, a *Answer) error {
			if whole {
				a.Whole()
			}
			a.Finish = llm.FinishStop
			return c.Post(ctx, Question{Path: path, Header: http.Header{"X-Mine": {"v"}}, Body: map[string]string{"a": "<&>"}}, Reading{
				Event: func(e Event) (bool, error) { read += string(e.Data); return string(e.Data) != "b", nil },
				Whole: func(body []byte) error { read += string(body); return nil },
			})
		})
		if err != nil {
			t.Error(err)
		}
		return read
	}
	if read := post("v1/x", false); read != "ab" {
		t.Errorf("the events %q", read)
	}
	if got.Method != http.MethodPost || got.URL.EscapedPath() != "/p%2Fq/v1/x" || sent != `{"a":"<&>"}` {
		t.Errorf("%s %s %s", got.Method, got.URL, sent)
	}
	for name, want := range map[string]string{
		"X-Mine": "v", "Content-Type": "application/json", "User-Agent": "repgen", "Accept": "text/event-stream, application/json", "Authorization": "", "Content-Length": "11",
	} {
		if v := got.Header.Get(name); v != want {
			t.Errorf("the header %s: %q", name, v)
		}
	}
	if read := post("v1/x", true); read != `{}` {
		t.Errorf("the whole %q", read)
	}
}

func TestDecode(t *testing.T) {
	type form struct {
		A string  `json:"a"`
		N Count   `json:"n"`
		L []Count `json:"l"`
	}
	for text, want := range map[string]form{
		`{"a":"x","n":7}`:               {A: "x", N: 7},
		`{"a":3,"n":12.0}`:              {N: 12},
		`{"a":null,"n":null}`:           {},
		`{"n":-5}`:                      {},
		`{"n":1e300}`:                   {},
		`{"n":"7"}`:                     {},
		`{"n":{"a":1},"a":"x"}`:         {A: "x"},
		`{"l":{"a":1},"a":"x","n":1e3}`: {A: "x", N: 1000},
	} {
		var got form
		if err := Decode([]byte(text), &got); err != nil || got.A != want.A || got.N != want.N {
			t.Errorf("%s: %+v %v", text, got, err)
		}
	}
	for _, text := range []string{``, `{`, `[]`, `3`, `"a"`, `<html>`, `{} {}`} {
		var garbled *Garbled
		if err := Decode([]byte(text), &form{}); !errors.As(err, &garbled) {
			t.Errorf("%q: %v", text, err)
		}
	}
	var c Count = 9
	if err := json.Unmarshal([]byte(`null`), &c); err != nil || c != 0 {
		t.Errorf("%d %v", c, err)
	}
}
