package hosted

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/llm"
)

func TestInWords(t *testing.T) {
	before := []llm.Message{{Role: llm.System, Content: "s"}, {Role: llm.User, Content: "u"}, {Role: llm.Assistant, Content: "a"}}
	got, err := InWords(before, json.RawMessage(`{"x":"<&>"}`))
	if err != nil || len(got) != 3 || !strings.HasPrefix(got[1].Content, "u\n\nAnswer with one JSON object") || !strings.Contains(got[1].Content, `{"x":"<&>"}`) {
		t.Errorf("%+v %v", got, err)
	}
	if before[1].Content != "u" {
		t.Error("the caller's messages were changed")
	}
	if got, err := InWords(before[:1], json.RawMessage(`{}`)); err != nil || len(got) != 2 || got[1].Role != llm.User {
		t.Errorf("%+v %v", got, err)
	}
}

func TestWithoutSystem(t *testing.T) {
	got := WithoutSystem([]llm.Message{{Role: llm.System, Content: "a"}, {Role: llm.System, Content: "b"}, {Role: llm.User, Content: "c"}})
	if len(got) != 1 || got[0].Content != "a\n\nb\n\nc" {
		t.Errorf("%+v", got)
	}
	if got := WithoutSystem([]llm.Message{{Role: llm.System, Content: "a"}}); len(got) != 1 || got[0].Role != llm.User {
		t.Errorf("%+v", got)
	}
}

func TestStrict(t *testing.T) {
	for schema, want := range map[string]bool{
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`: true,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`:                              false,
		`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`:                  false,
		`{"type":"array","items":{"type":"object","properties":{"a":{}}}}`:                                     false,
		`{"anyOf":[{"type":"string"}]}`:                            true,
		`{"type":"array","items":{"type":"string","maxLength":3}}`: false,
		`{`: false,
	} {
		if got := Strict(json.RawMessage(schema)); got != want {
			t.Errorf("%s: %v", schema, got)
		}
	}
}

func TestClosed(t *testing.T) {
	got, err := Closed(json.RawMessage(`{"type":"object","properties":{"pattern":{"type":"string","pattern":"^a"},"list":{"type":"array","minItems":1,"items":{"anyOf":[{"type":"object","properties":{"n":{"type":"integer","maximum":9}}}]}}},"$defs":{"maximum":{"type":"number","maximum":1}},"enum":[{"maximum":1,"properties":{}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(got)
	const want = `{"$defs":{"maximum":{"type":"number"}},"additionalProperties":false,"enum":[{"maximum":1,"properties":{}}],"properties":{"list":{"items":{"anyOf":[{"additionalProperties":false,"properties":{"n":{"type":"integer"}},"type":"object"}]},"minItems":1,"type":"array"},"pattern":{"type":"string"}},"type":"object"}`
	if err != nil || string(text) != want {
		t.Errorf("%s", text)
	}
	for _, bad := range []string{``, `[]`, `3`, `{`} {
		if _, err := Closed(json.RawMessage(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestQuirkOf(t *testing.T) {
	all := NoTemperature | OtherMaxTokens | NoSchema | NoStreamUsage | NoStream | NoSystem
	for body, want := range map[string]Quirks{
		`{"error":{"param":"temperature","message":"unsupported"}}`:                                 NoTemperature,
		`{"error":{"message":"Use 'max_completion_tokens' instead."}}`:                              OtherMaxTokens,
		`{"detail":"stream_options not permitted"}`:                                                 NoStreamUsage,
		`{"error":"streaming is off"}`:                                                              NoStream,
		`{"message":"Conversation roles must alternate user/assistant; System role not supported"}`: NoSystem,
		`{"error":"invalid grammar"}`:                                                               NoSchema,
		`what?`:                                                                                     NoSchema,
		`{"error":{"message":"maximum context length is 5 tokens, you requested 9 (max_tokens)"}}`:  0,
		`{"error":{"message":"credit balance too low for temperature"}}`:                            0,
	} {
		if got := quirkOf(&Refused{Status: 400, Body: []byte(body)}, all); got != want {
			t.Errorf("%s: %d, want %d", body, got, want)
		}
	}
	for _, status := range []int{401, 404, 429, 500} {
		if got := quirkOf(&Refused{Status: status, Body: []byte("temperature")}, all); got != 0 {
			t.Errorf("%d: %d", status, got)
		}
	}
	if quirkOf(errors.New("temperature"), all) != 0 || quirkOf(&Refused{Status: 400, Body: []byte("temperature")}, NoStream) != 0 {
		t.Error("a quirk that cannot help")
	}
}

// What is learned is what helped.
func TestLearned(t *testing.T) {
	var l Learned
	could := func(Quirks) Quirks { return NoTemperature | NoSchema }
	refused := func(word string) error { return fmt.Errorf("post: %w", &Refused{Status: 400, Body: []byte(word)}) }
	err := l.Ask(could, func(q Quirks) error {
		if q&NoTemperature == 0 {
			return refused("temperature")
		}
		return refused("schema")
	})
	if err == nil || l.Get() != 0 {
		t.Errorf("%v, learned %d", err, l.Get())
	}
	err = l.Ask(could, func(q Quirks) error {
		if q&NoTemperature == 0 {
			return refused("temperature")
		}
		return nil
	})
	if err != nil || l.Get() != NoTemperature {
		t.Errorf("%v, learned %d", err, l.Get())
	}
}

func TestInWordsOnce(t *testing.T) {
	before := []llm.Message{{Role: llm.User, Content: `Answer by {"type":"object"}.`}}
	got, err := InWords(before, json.RawMessage("{ \"type\": \"object\" }"))
	if err != nil || len(got) != 1 || got[0].Content != before[0].Content {
		t.Errorf("%v, %v: the schema is there already", got, err)
	}
	if got, err := InWords(before, json.RawMessage(`{"type":"string"}`)); err != nil || got[0].Content == before[0].Content {
		t.Errorf("%v, %v: another schema is not", got, err)
	}
}
