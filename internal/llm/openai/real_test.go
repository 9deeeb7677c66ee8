package openai

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest/servers"
)

// TestRealServer asks a real model behind llama.cpp's server. It is far too
// small to know anything: what is tested is the line, the stream, the counts and
// the ends.
func TestRealServer(t *testing.T) {
	url := servers.Local(t)
	m, err := New(Options{BaseURL: url, Model: "local"})
	if err != nil {
		t.Fatal(err)
	}
	cold := 0.0
	question := func(most int, text string) llm.Request {
		return llm.Request{MaxTokens: most, Temperature: &cold, Messages: []llm.Message{{Role: llm.System, Content: "Be brief."}, {Role: llm.User, Content: text}}}
	}
	t.Run("streams", func(t *testing.T) {
		q := question(200, "What is the capital of France?")
		var pieces []string
		q.OnText = func(piece string) { pieces = append(pieces, piece) }
		got, err := m.Complete(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if got.Finish != llm.FinishStop || len(pieces) < 2 || strings.Join(pieces, "") != got.Text || !strings.Contains(got.Text, "Paris") {
			t.Errorf("%+v in %d pieces", got, len(pieces))
		}
		if u := got.Usage; u.Estimated || u.InputTokens < 20 || u.OutputTokens < len(pieces)-1 || u.OutputTokens > len(pieces)+3 {
			t.Errorf("the usage %+v for %d pieces", u, len(pieces))
		}
		if strings.Contains(got.Model, "/") || got.Model == "" {
			t.Errorf("the model is called %q", got.Model)
		}
	})
	t.Run("is cut off", func(t *testing.T) {
		got, err := m.Complete(t.Context(), question(5, "Count from one to one hundred in words."))
		if err != nil || got.Finish != llm.FinishLength || got.Usage.OutputTokens != 5 {
			t.Errorf("%+v %v", got, err)
		}
	})
	t.Run("holds to a schema", func(t *testing.T) {
		q := question(120, "Describe a red apple.")
		q.Schema = json.RawMessage(`{"type":"object","properties":{"color":{"enum":["red","green"]},"ripe":{"type":"boolean"}},"required":["color","ripe"],"additionalProperties":false}`)
		got, err := m.Complete(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		var apple struct { // nothing of any length: on other processors it finds no end of digits
			Color string
			Ripe  bool
		}
		if err := json.Unmarshal([]byte(got.Text), &apple); err != nil || apple.Color != "red" && apple.Color != "green" || !m.Info().Schema {
			t.Errorf("%q: %v", got.Text, err)
		}
	})
	t.Run("ends when told", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		q := question(1500, "Tell a long story.")
		q.OnText = func(string) { cancel() }
		began := time.Now()
		_, err := m.Complete(ctx, q)
		if !errors.Is(err, context.Canceled) || time.Since(began) > 30*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
	t.Run("overflows", func(t *testing.T) {
		_, err := m.Complete(t.Context(), question(5, strings.Repeat("word ", servers.LocalContext()+100)))
		servers.Want(t, err, llm.TooLong)
	})
	t.Run("other path", func(t *testing.T) {
		_, err := open(t, url+"/elsewhere", time.Minute).Complete(t.Context(), question(5, "hi"))
		servers.Want(t, err, llm.NotFound)
	})
}
