package anthropic

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest/servers"
)

const personSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"minimum":{"type":"number","minimum":3},"tags":{"type":"array","minItems":2,"items":{"type":"string","maxLength":9}}},"required":["minimum"]}`

// full is a request with every word that can be sent.
func full() llm.Request {
	heat := 1.5
	q := servers.Question()
	q.Temperature, q.Schema, q.Sample, q.Purpose = &heat, json.RawMessage(personSchema), 3, "plan"
	return q
}

// What is sent, to the letter. The schema has lost what the service refuses, but
// not the property that is called like a keyword.
func TestBody(t *testing.T) {
	s := servers.New(t, servers.Options{Protocol: servers.Anthropic})
	if _, err := open(t, s.URL, time.Minute).Complete(t.Context(), full()); err != nil {
		t.Fatal(err)
	}
	asked := s.Asked()[0]
	const want = `{"max_tokens":100,"messages":[{"content":[{"text":"what is 6 times 7","type":"text"}],"role":"user"}],"model":"m","temperature":1,` +
		`"output_config":{"format":{"schema":{"additionalProperties":false,"properties":{"minimum":{"type":"number"},"tags":{"items":{"type":"string"},"type":"array"}},"required":["minimum"],"type":"object"},"type":"json_schema"}},` +
		`"system":[{"text":"be brief","type":"text"}],"stream":true}`
	if asked.Body != want {
		t.Errorf("the body\n%s\nwant\n%s", asked.Body, want)
	}
	for name, values := range asked.Header {
		for _, v := range values {
			if strings.Contains(v, servers.Key) != (name == "X-Api-Key") {
				t.Errorf("the header %s: %s", name, v)
			}
		}
	}
}

// A long system prompt is marked for the service's cache, whose counts are part
// of the input.
func TestCache(t *testing.T) {
	usage := llm.Usage{InputTokens: 2000, OutputTokens: 3, CachedTokens: 1500, WrittenTokens: 300}
	s := servers.New(t, servers.Options{Protocol: servers.Anthropic, Usage: &usage})
	q := servers.Question()
	q.Messages[0].Content = strings.Repeat("be brief. ", 500)
	got, err := open(t, s.URL, time.Minute).Complete(t.Context(), q)
	if err != nil || got.Usage != usage {
		t.Errorf("%+v %v", got.Usage, err)
	}
	if !strings.Contains(s.Asked()[0].Body, `"cache_control":{"type":"ephemeral"}`) {
		t.Error("not marked for the cache")
	}
}

// The ends of what stays the same are marked where they are long enough, and
// nothing after them is.
func TestMarks(t *testing.T) {
	long := strings.Repeat("word ", 900)
	say := func(role llm.Role, text string) llm.Message { return llm.Message{Role: role, Content: text} }
	for name, tt := range map[string]struct {
		messages     []llm.Message
		system, user bool
	}{
		"short":             {[]llm.Message{say(llm.System, "s"), say(llm.User, "u")}, false, false},
		"long system":       {[]llm.Message{say(llm.System, long), say(llm.User, "u")}, true, true},
		"long user":         {[]llm.Message{say(llm.System, "s"), say(llm.User, long)}, false, true},
		"long together":     {[]llm.Message{say(llm.System, long[:2500]), say(llm.User, long[:2500])}, false, true},
		"later turns":       {[]llm.Message{say(llm.System, "s"), say(llm.User, "u"), say(llm.Assistant, long), say(llm.User, long)}, false, false},
		"no system":         {[]llm.Message{say(llm.User, long)}, false, true},
		"only a system":     {[]llm.Message{say(llm.System, long)}, true, false},
		"empty user":        {[]llm.Message{say(llm.System, long), say(llm.User, "")}, true, false},
		"assistant first":   {[]llm.Message{say(llm.Assistant, long), say(llm.User, long)}, false, false},
		"two system blocks": {[]llm.Message{say(llm.System, long), say(llm.System, "s"), say(llm.User, "u")}, true, true},
	} {
		var p request
		turns(&p, tt.messages)
		system, user, marks := false, false, 0
		for i, one := range p.System {
			system = system || i == len(p.System)-1 && one.CacheControl != nil
		}
		for i, one := range p.Messages {
			user = user || i == 0 && one.Content[0].CacheControl != nil
		}
		text, err := json.Marshal(p)
		if marks = strings.Count(string(text), `"cache_control":{"type":"ephemeral"}`); err != nil || system != tt.system || user != tt.user {
			t.Errorf("%s: system %v, user %v, %v", name, system, user, err)
		}
		want := 0
		for _, marked := range []bool{tt.system, tt.user} {
			if marked {
				want++
			}
		}
		if marks != want {
			t.Errorf("%s: %d marks", name, marks)
		}
	}
}

func TestQuirks(t *testing.T) {
	s := servers.New(t, servers.Options{Protocol: servers.Anthropic, Refuse: map[string]string{
		"temperature": "temperature: this model takes none", "output_config": "output_config.format: Extra inputs are not permitted",
	}})
	m := open(t, s.URL, time.Minute)
	for range 2 {
		if _, err := m.Complete(t.Context(), full()); err != nil {
			t.Fatal(err)
		}
	}
	asked := s.Asked()
	last := asked[len(asked)-1]
	if len(asked) != 4 || last.Temperature != nil || last.Schema != nil || !strings.Contains(last.Messages[1].Content, "meets this JSON schema") || m.Info().Schema {
		t.Errorf("asked %d times, at last %s", len(asked), last.Body)
	}
}

// Some gateways report the prompt's size only at the end.
func TestLateUsage(t *testing.T) {
	stream := `event: message_start
data: {"type":"message_start","message":{"id":"1","type":"message","role":"assistant","model":"g","content":[],"usage":{"input_tokens":0,"output_tokens":0}}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hello"}}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":70,"cache_read_input_tokens":30,"output_tokens":2}}

`
	m, err := New(Options{Model: "m", Transport: servers.Replayed([]byte(stream), "text/event-stream")})
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Complete(t.Context(), servers.Question())
	if want := (llm.Usage{InputTokens: 100, OutputTokens: 2, CachedTokens: 30}); err != nil || got.Usage != want || got.Text != "hello" || got.Model != "g" {
		t.Errorf("%+v %v", got, err)
	}
}

func TestNew(t *testing.T) {
	for _, o := range []Options{{}, {Model: "m", BaseURL: "h"}, {Model: "m", Key: "a\nb"}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
	for _, url := range []string{"https://h/p", "https://h/p/", "https://h/p/v1", "https://h/p/v1/messages"} {
		m, err := New(Options{Model: "m", BaseURL: url})
		if err != nil || m.o.BaseURL != "https://h/p" {
			t.Errorf("%s: %v", url, err)
		}
	}
	m, err := New(Options{Model: "m"})
	if i := m.Info(); err != nil || i.Backend != "anthropic" || i.Provider != "anthropic" || !i.Schema {
		t.Errorf("%+v %v", i, err)
	}
}

// Nothing of the environment, no profile and no file changes where a request
// goes or what is in it.
func TestNoEnvironment(t *testing.T) {
	other := servers.New(t, servers.Options{Protocol: servers.Anthropic})
	s := servers.New(t, servers.Options{Protocol: servers.Anthropic})
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"} {
		t.Setenv(name, servers.Key)
	}
	t.Setenv("ANTHROPIC_BASE_URL", other.URL)
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Mine: "+servers.Key)
	m, err := New(Options{BaseURL: s.URL, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Complete(t.Context(), servers.Question()); err != nil {
		t.Fatal(err)
	}
	for name, values := range s.Asked()[0].Header {
		if strings.Contains(strings.Join(values, " "), servers.Key) || name == "X-Api-Key" {
			t.Errorf("%s is sent", name)
		}
	}
	if len(other.Asked()) != 0 {
		t.Error("the environment's server was asked")
	}
}

// FuzzEvents: no stream of a service makes the reader panic.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":-1}}}\n\n"))
	f.Add([]byte("event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":-7}}\n\n"))
	f.Add([]byte("event: error\ndata: {\"error\":3}\n\n"))
	f.Add([]byte("event: content_block_delta\ndata: []\n\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := New(Options{Model: "m", Transport: servers.Replayed(body, "text/event-stream")})
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Complete(t.Context(), servers.Question())
		if err == nil && (got.Finish == "" || got.Usage.InputTokens < 0 || got.Usage.OutputTokens < 0) {
			t.Errorf("%+v", got)
		}
	})
}
