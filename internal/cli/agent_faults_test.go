package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// faultyServer speaks the protocol of openai and fails in one way.
func faultyServer(t *testing.T, how string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fail := func(status int, code, message string) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, `{"error":{"message":%q,"type":%q,"code":%q}}`, message, code, code)
		}
		switch how {
		case "wrong key":
			fail(http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided: "+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		case "429 for ever":
			fail(http.StatusTooManyRequests, "rate_limit_exceeded", "Slow down.")
		case "cut":
			if h, ok := w.(http.Hijacker); ok {
				if c, _, err := h.Hijack(); err == nil {
					_ = c.Close()
				}
			}
		case "overflow":
			fail(http.StatusBadRequest, "context_length_exceeded", "This model's maximum context length is 128 tokens.")
		case "garbage":
			_, _ = fmt.Fprint(w, "<html>not what you asked for</html>")
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// A backend that fails for good: the report that only a model could help ends as
// failed with what to do, the one with a script of its own keeps its verdict, and
// the key that the server sends back is nowhere.
func TestBackendFailsForGood(t *testing.T) {
	const key = "sk-canary-4711-abcdefghijklmnop"
	m := newModelRig(t, axisScript)
	m.env["OPENAI_API_KEY"] = key
	own := m.file("own.md", strings.ReplaceAll(axisReport, "tinynet 1.2", "tinynet 1.3"))
	for _, how := range []string{"wrong key", "429 for ever", "cut", "overflow", "garbage"} {
		t.Run(how, func(t *testing.T) {
			m.env["OPENAI_BASE_URL"] = faultyServer(t, how)
			name := "runs/" + strings.ReplaceAll(how, " ", "-")
			e := m.run("reproduce", "--json", "--llm", "openai:made-up", "--out", name, m.report)
			e.want(t, 1, "failed")
			if e.result.Error == nil || e.result.Error.What == "" || e.result.Error.Next == "" || e.result.Model == nil || e.result.Model.Ending != "model_failed" {
				t.Errorf("error %+v, model %+v", e.result.Error, e.result.Model)
			}
			if strings.Contains(e.out+e.err, key) {
				t.Error("the key was printed")
			}
			t.Logf("%+v, %d calls failed", e.result.Error, e.result.Model.Failed)
			if how == "429 for ever" || how == "cut" {
				return // they are asked again for half a minute each
			}
			beside := m.run("reproduce", "--json", "--llm", "openai:made-up", "--out", name+"-own", own)
			beside.want(t, 3, "not_reproduced")
			if text := strings.Join(beside.result.Reasons, "\n"); !strings.Contains(text, "could not help") {
				t.Errorf("nothing is said of the model: %s", text)
			}
		})
	}
	nowhere(t, m.path("runs"), []string{key})
}
