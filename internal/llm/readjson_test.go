package llm_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/llm"
)

type answer struct {
	A int      `json:"a"`
	S string   `json:"s"`
	L []string `json:"l"`
	N *float64 `json:"n"`
	B bool     `json:"b"`
}

const answerSchema = `{"type":"object","required":["a"],"properties":{"a":{"type":"integer"},"s":{"type":"string"},"l":{"type":"array","items":{"type":"string"}}}}`

func TestReadJSON(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		want    string // of fmt %+v, without N
		repairs string // joined
	}{
		"plain":             {`{"a":1,"s":"x"}`, "{1 x [] false}", ""},
		"white space":       {"\n\n {\"a\": 1}\n", "{1  [] false}", ""},
		"fence":             {"Sure!\n```json\n{\"a\": 1}\n```\nDone.", "{1  [] false}", ""},
		"prose":             {`The answer is {"a": 2} as I said (see [1]).`, "{2  [] false}", ""},
		"BOM":               {"\uFEFF{\"a\":1}", "{1  [] false}", ""},
		"thinking":          {"<think>maybe {\"a\": 7}?</think>{\"a\": 8}", "{8  [] false}", ""},
		"thinking, no open": {"maybe {\"a\": 7}?\n</think>\n{\"a\": 8}", "{8  [] false}", ""},
		"several":           {`{"a":1} or rather {"a":2}`, "{2  [] false}", "of several values the last one was taken"},
		"inside":            {`{"result": {"a": 3}}`, "{3  [] false}", ""},
		"in a list":         {`[{"a": 3}]`, "{3  [] false}", ""},
		"trailing comma":    {`{"a":1,"l":["x","y",],}`, "{1  [x y] false}", "a comma too many"},
		"missing comma":     {"{\"a\":1\n\"s\":\"x\" \"l\":[\"p\" \"q\"]}", "{1 x [p q] false}", "a comma was missing"},
		"missing brace":     {`{"a":1,"l":["x"]`, "{1  [x] false}", "a closing bracket was missing"},
		"missing two":       {`{"a":1,"l":["x"`, "{1  [x] false}", "a closing bracket was missing"},
		"missing, fence":    {"```json\n{\"a\":1,\"s\":\"x\"\n```\n", "{1 x [] false}", "a closing bracket was missing"},
		"missing, prose":    {"{\"a\":1,\"s\":\"x\"\nI hope this helps!", "{1 x [] false}", "a closing bracket was missing"},
		"missing inside":    {`{"a":1,"l":["x","y"}`, "{1  [x y] false}", "a closing bracket was missing"},
		"smart quotes":      {`{“a”: 1, “s”: “x y”}`, "{1 x y [] false}", "it held other quotes than JSON's"},
		"single quotes":     {`{'a': 1, 's': 'it\'s'}`, "{1 it's [] false}", "it held other quotes than JSON's; a string held escapes that JSON does not know"},
		"python":            {`{'a': 1, 'b': True, 'n': None}`, "{1  [] true}", "it held other quotes than JSON's; it held literals of another language"},
		"no quotes":         {`{a: 1, s: "x"}`, "{1 x [] false}", "a key had no quotes"},
		"comments":          {"{\"a\": 1, // one\n /* two */ \"s\": \"x//y\"}", "{1 x//y [] false}", "it held comments"},
		"raw lines":         {"{\"a\":1,\"s\":\"x\ny\tz\"}", "{1 x\ny\tz [] false}", "a string held raw line breaks or control characters"},
		"inner quotes":      {`{"a":1,"s":"print("hi", "you")"}`, `{1 print("hi", "you") [] false}`, "a string held quotes that were not escaped"},
		"pattern":           {`{"a":1,"s":"\d+\.\x41"}`, `{1 \d+\.A [] false}`, "a string held escapes that JSON does not know"},
		"three quotes":      {"{\"a\":1,\"s\":\"\"\"x = \"1\"\n\"\"\"}", "{1 x = \"1\"\n [] false}", "it held other quotes than JSON's; a string held raw line breaks or control characters"},
		"numbers":           {`{"a": +1_0, "n": .5}`, "{10  [] false}", ""},
		"no JSON at first":  {"f(x) = {x | x > 1} and [maybe]\n{\"a\": 4}", "{4  [] false}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got answer
			repairs, err := llm.ReadJSON(c.text, []byte(answerSchema), &got)
			if err != nil {
				t.Fatal(err)
			}
			if s := fmt.Sprintf("{%d %s %v %v}", got.A, got.S, got.L, got.B); s != c.want {
				t.Errorf("got %q, want %q", s, c.want)
			}
			if r := strings.Join(repairs, "; "); r != c.repairs {
				t.Errorf("repairs %q, want %q", r, c.repairs)
			}
		})
	}
}

func TestReadJSONFails(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want error
		why  string
	}{
		"nothing":            {"", llm.ErrEmpty, ""},
		"blanks":             {" \n\t", llm.ErrEmpty, ""},
		"prose":              {"I cannot do that.", llm.ErrNoJSON, ""},
		"in a string":        {`{"a":1,"s":"x`, llm.ErrTruncated, ""},
		"after a colon":      {`{"a":`, llm.ErrTruncated, ""},
		"after a comma":      {`{"a":1,`, llm.ErrTruncated, ""},
		"at once":            {`{`, llm.ErrTruncated, ""},
		"in a literal":       {`{"a":1,"b":tr`, llm.ErrTruncated, ""},
		"in an escape":       {`{"a":1,"s":"\`, llm.ErrTruncated, ""},
		"part of it fits":    {`{"x":[{"a":1},{"a":2},{"a`, llm.ErrTruncated, ""},
		"in thought":         {"<think>well, {\"a\": 1} could", llm.ErrTruncated, "thinks aloud"},
		"wrong type":         {`{"a":"one"}`, llm.ErrNoJSON, "/a"},
		"missing property":   {`{"s":"x"}`, llm.ErrNoJSON, "'a'"},
		"steers a terminal":  {"{\"a\":\"\\u001b[31m\"}", llm.ErrNoJSON, ""},
		"elided":             {`{"a": 1, "l": ["x", ...]}`, llm.ErrNoJSON, ""},
		"deep":               {strings.Repeat("[", 100_000), llm.ErrNoJSON, ""},
		"deep objects":       {strings.Repeat(`{"a":`, 100_000), llm.ErrNoJSON, ""},
		"another language's": {`{"a" => 1}`, llm.ErrNoJSON, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := answer{A: 42}
			_, err := llm.ReadJSON(c.text, []byte(answerSchema), &got)
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if !strings.Contains(err.Error(), c.why) || strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("error %q", err)
			}
			if got.A != 42 {
				t.Error("the value was touched")
			}
		})
	}
}

// Without a schema any object fits a type: a part of another value is not taken.
func TestReadJSONWithoutSchema(t *testing.T) {
	for text, want := range map[string]int{
		`{"x": {"a": 1}}`: 0, `{"x": [{"a": 1}, ...]}`: -1, `{x | x} {"a": 2}`: 2, `[{"a": 1}]`: -1, `{"a": 1} {"a": 2`: 2,
	} {
		got := answer{A: -1}
		_, err := llm.ReadJSON(text, nil, &got)
		if (err != nil) != (want == -1) || got.A != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

func TestReadJSONMisuse(t *testing.T) {
	if _, err := llm.ReadJSON("{}", nil, answer{}); err == nil {
		t.Error("no pointer was taken")
	}
	if _, err := llm.ReadJSON("{}", nil, nil); err == nil {
		t.Error("nil was taken")
	}
	var got answer
	for _, schema := range []string{"{", `{"type": 7}`, `{"$ref": "file:///etc/passwd"}`, `{"$ref": "https://example.com/x.json"}`} {
		if _, err := llm.ReadJSON("{}", []byte(schema), &got); err == nil || known(err) {
			t.Errorf("schema %s: %v", schema, err)
		}
	}
}
