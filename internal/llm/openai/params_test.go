package openai

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest/servers"
)

const personSchema = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}`

// full is a request with every word that can be sent.
func full() llm.Request {
	heat := 0.25
	q := servers.Question()
	q.Temperature, q.Schema, q.Sample, q.Purpose = &heat, json.RawMessage(personSchema), 3, "plan"
	return q
}

// What is sent, to the letter: a prefix that stays the same is what provider
// caches live on.
func TestBody(t *testing.T) {
	s := servers.New(t, servers.Options{Protocol: servers.OpenAI})
	if _, err := open(t, s.URL, time.Minute).Complete(t.Context(), full()); err != nil {
		t.Fatal(err)
	}
	asked := s.Asked()[0]
	const want = `{"messages":[{"content":"be brief","role":"system"},{"content":"what is 6 times 7","role":"user"}],"model":"m","max_tokens":100,"temperature":0.25,` +
		`"stream_options":{"include_usage":true},"response_format":{"json_schema":{"name":"answer","strict":true,"schema":` + personSchema + `},"type":"json_schema"},"stream":true}`
	if asked.Body != want {
		t.Errorf("the body\n%s\nwant\n%s", asked.Body, want)
	}
	for name, values := range asked.Header {
		for _, v := range values {
			if strings.Contains(v, servers.Key) != (name == "Authorization") {
				t.Errorf("the header %s: %s", name, v)
			}
		}
	}
}

// A server that refuses a word of the request is asked in others, once; the next
// question does without it at once.
func TestQuirks(t *testing.T) {
	tests := map[string]struct {
		refuse  map[string]string
		without []string
		with    string
		// asks are the requests that the first question takes.
		asks int
	}{
		"reasoning model": {map[string]string{"max_tokens": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."},
			[]string{`"max_tokens"`}, `"max_completion_tokens":100`, 2},
		"own temperature": {map[string]string{"temperature": "Unsupported value: 'temperature' does not support 0.25 with this model. Only the default (1) value is supported."},
			[]string{`"temperature"`}, `"max_tokens":100`, 2},
		"no schema":      {map[string]string{"response_format": "'response_format.type' must be 'text'"}, []string{`"response_format"`}, "meets this JSON schema", 2},
		"schema, unsaid": {map[string]string{"response_format": "Bad request"}, []string{`"response_format"`}, "meets this JSON schema", 2},
		"old server":     {map[string]string{"stream_options": "extra fields not permitted: stream_options"}, []string{`"stream_options"`}, `"stream":true`, 2},
		"no stream":      {map[string]string{"stream": "streaming is not supported"}, []string{`"stream":`, `"stream_options"`}, `"max_tokens":100`, 2},
		"all at once": {map[string]string{"temperature": "temperature?", "response_format": "json_schema?", "stream_options": "stream_options?"},
			[]string{`"temperature"`, `"response_format"`, `"stream_options"`}, "meets this JSON schema", 4},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			usage := llm.Usage{InputTokens: 20, OutputTokens: 4}
			s := servers.New(t, servers.Options{Protocol: servers.OpenAI, Refuse: tt.refuse, Usage: &usage})
			m := open(t, s.URL, time.Minute)
			for range 2 {
				got, err := m.Complete(t.Context(), full())
				if err != nil || got.Text != "the answer" || got.Finish != llm.FinishStop {
					t.Fatalf("%+v %v", got, err)
				}
				if estimated := tt.refuse["stream_options"] != ""; got.Usage.Estimated != estimated {
					t.Errorf("the usage %+v", got.Usage)
				}
			}
			asked := s.Asked()
			if len(asked) != tt.asks+1 {
				t.Fatalf("asked %d times for two questions, want %d", len(asked), tt.asks+1)
			}
			last := asked[len(asked)-1].Body
			for _, word := range tt.without {
				if strings.Contains(last, word) {
					t.Errorf("%s is still in %s", word, last)
				}
			}
			if !strings.Contains(last, tt.with) {
				t.Errorf("no %s in %s", tt.with, last)
			}
			if schema := tt.refuse["response_format"] == ""; m.Info().Schema != schema {
				t.Errorf("%+v", m.Info())
			}
		})
	}
}

func TestNoSystemRole(t *testing.T) {
	s := servers.New(t, servers.Options{Protocol: servers.OpenAI, FailFirst: 1, Does: servers.Overflowing,
		Overflow: servers.Overflow{Status: 400, Body: `{"error":"System role not supported"}`}})
	if _, err := open(t, s.URL, time.Minute).Complete(t.Context(), servers.Question()); err != nil {
		t.Fatal(err)
	}
	got := s.Asked()[1].Messages
	if len(got) != 1 || got[0] != (llm.Message{Role: llm.User, Content: "be brief\n\nwhat is 6 times 7"}) {
		t.Errorf("%+v", got)
	}
}

// What stays refused is an error after as many tries as there are words.
func TestRefusedForGood(t *testing.T) {
	s := servers.New(t, servers.Options{Protocol: servers.OpenAI, Does: servers.Overflowing,
		Overflow: servers.Overflow{Status: 400, Body: `{"error":{"message":"temperature, response_format, stream_options, stream, max_tokens and the system role are wrong"}}`}})
	_, err := open(t, s.URL, time.Minute).Complete(t.Context(), full())
	servers.Want(t, err, llm.BadRequest)
	if n := len(s.Asked()); n != 7 {
		t.Errorf("asked %d times, want once as it is and once for each of six words", n)
	}
}

func TestNoUsage(t *testing.T) {
	s := servers.New(t, servers.Options{Protocol: servers.OpenAI, Does: servers.NoUsage, FailFirst: 99})
	got, err := open(t, s.URL, time.Minute).Complete(t.Context(), servers.Question())
	if err != nil || !got.Usage.Estimated || got.Usage.InputTokens == 0 || got.Usage.OutputTokens == 0 {
		t.Errorf("%+v %v", got, err)
	}
}

func TestWhereTheNewerWordIsSent(t *testing.T) {
	for url, newer := range map[string]bool{"": true, "https://api.openai.com/v1/": true, "http://127.0.0.1:1/v1": false, "https://api.openai.com.evil.example/v1": false} {
		m, err := New(Options{BaseURL: url, Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.params(full(), 0)
		if err != nil || (p.MaxCompletionTokens == 100) != newer || (p.MaxTokens == 100) == newer {
			t.Errorf("%q: %+v %v", url, p, err)
		}
	}
}

func TestNew(t *testing.T) {
	for _, o := range []Options{
		{}, {Model: " "}, {Model: "m", BaseURL: "127.0.0.1:8080"}, {Model: "m", BaseURL: "ftp://h/v1"}, {Model: "m", BaseURL: "https://user:" + servers.Key + "@h/v1"},
		{Model: "m", BaseURL: "https://h/v1?key=" + servers.Key}, {Model: "m", Key: "two\nlines " + servers.Key}, {Model: "m", Timeout: -1}, {Model: "m", BaseURL: "https://h/" + servers.Key + "\x7f"},
	} {
		_, err := New(o)
		if err == nil {
			t.Errorf("%+v is taken", o)
			continue
		}
		servers.NoKey(t, err.Error())
	}
	m, err := New(Options{Model: "m", BaseURL: "http://127.0.0.1:8080/v1/chat/completions/"})
	if err != nil || m.o.BaseURL != "http://127.0.0.1:8080/v1" {
		t.Errorf("%v %v", m, err)
	}
	if i := m.Info(); i.Backend != "openai" || i.Model != "m" || !i.Schema {
		t.Errorf("%+v", i)
	}
}

// Nothing of the environment changes where a request goes or what is in it.
func TestNoEnvironment(t *testing.T) {
	other := servers.New(t, servers.Options{Protocol: servers.OpenAI})
	s := servers.New(t, servers.Options{Protocol: servers.OpenAI})
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"} {
		t.Setenv(name, servers.Key)
	}
	t.Setenv("OPENAI_BASE_URL", other.URL)
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Mine: "+servers.Key)
	m, err := New(Options{BaseURL: s.URL, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Complete(t.Context(), servers.Question()); err != nil {
		t.Fatal(err)
	}
	for name, values := range s.Asked()[0].Header {
		if strings.Contains(strings.Join(values, " "), servers.Key) || name == "Authorization" {
			t.Errorf("%s is sent", name)
		}
	}
	if len(other.Asked()) != 0 {
		t.Error("the environment's server was asked")
	}
}

func TestBadRequests(t *testing.T) {
	m := open(t, "http://127.0.0.1:1", time.Minute)
	for _, r := range []llm.Request{{}, {MaxTokens: 5}, {Messages: servers.Question().Messages}, {MaxTokens: 5, Messages: servers.Question().Messages, Schema: []byte(`{`)}} {
		_, err := m.Complete(t.Context(), r)
		servers.Want(t, err, llm.BadRequest)
	}
}

// FuzzChunk: no stream of a server makes the reader panic.
func FuzzChunk(f *testing.F) {
	f.Add([]byte(`data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}` + "\n\n"))
	f.Add([]byte(`data: {"usage":{"prompt_tokens":-5,"completion_tokens":1e300}}` + "\n\ndata: [DONE]\n\n"))
	f.Add([]byte(`data: {"error":{"message":"x"}}` + "\n\n"))
	f.Add([]byte(`data: {"choices":[{"index":9,"delta":null}],"model":7}` + "\n\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		r := servers.Replayed(body, "text/event-stream")
		m, err := New(Options{BaseURL: "http://h/v1", Model: "m", Transport: r})
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Complete(t.Context(), servers.Question())
		if err == nil && (got.Finish == "" || got.Usage.InputTokens < 0 || got.Usage.OutputTokens < 0) {
			t.Errorf("%+v", got)
		}
	})
}
