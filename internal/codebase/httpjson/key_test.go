package httpjson

import (
	"net/http"
	"strings"
	"testing"
)

// TestHalfAKey has a server say the key back wherever a message is shortened,
// as it stands and as JSON may write it: no part of it may remain.
func TestHalfAKey(t *testing.T) {
	const key = "sk-very/secret/4711"
	var answer string
	code := http.StatusUnauthorized
	c, _ := serve(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = w.Write([]byte(answer))
	})
	c.key = key
	forms := map[string]func(before string) string{
		"text": func(before string) string { return before + key + " is wrong" },
		"json": func(before string) string { return `{"error":{"message":"` + before + key + ` is wrong"}}` },
		"slashes": func(before string) string {
			return `{"error":{"message":"` + before + `sk-very\/secret\/4711 is wrong"}}`
		},
	}
	for name, form := range forms {
		for before := range 220 {
			code, answer = http.StatusUnauthorized, form(strings.Repeat("x", before))
			_, err := c.Post(t.Context(), nil, 1<<20)
			if err == nil || strings.Contains(err.Error(), key[:4]) {
				t.Fatalf("%s after %d letters: %v", name, before, err)
			}
			code = http.StatusOK
			got, err := c.Post(t.Context(), nil, 1<<20)
			if text := Excerpt(got); err != nil || strings.Contains(text, key[:4]) {
				t.Fatalf("%s after %d letters, an answer: %s %v", name, before, text, err)
			}
		}
	}
}
