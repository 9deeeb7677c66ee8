package hosted

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/repgen/repgen/internal/llm"
)

//go:embed schema.tmpl
var schemaText string

var schemaWords = template.Must(template.New("schema").Parse(schemaText))

// InWords puts a schema into the last message of the user, for a server that
// cannot hold its answer to one, unless the messages have it already.
func InWords(messages []llm.Message, schema json.RawMessage) ([]llm.Message, error) {
	if has(messages, schema) {
		return messages, nil
	}
	var words strings.Builder
	if err := schemaWords.Execute(&words, struct{ Schema string }{string(schema)}); err != nil {
		return nil, fmt.Errorf("write the schema in words: %w", err)
	}
	out := append([]llm.Message(nil), messages...)
	for i := len(out) - 1; i >= 0; i-- {
		if out[i].Role == llm.User {
			out[i].Content += words.String()
			return out, nil
		}
	}
	return append(out, llm.Message{Role: llm.User, Content: strings.TrimSpace(words.String())}), nil
}

// has: the schema stands in the messages as it is, white space aside.
func has(messages []llm.Message, schema json.RawMessage) bool {
	var short bytes.Buffer
	if json.Compact(&short, schema) != nil {
		return false
	}
	return slices.ContainsFunc(messages, func(m llm.Message) bool { return strings.Contains(m.Content, short.String()) })
}

// WithoutSystem puts what the system says before the user's first words.
func WithoutSystem(messages []llm.Message) []llm.Message {
	var system []string
	var out []llm.Message
	for _, m := range messages {
		if m.Role == llm.System {
			system = append(system, m.Content)
			continue
		}
		out = append(out, m)
	}
	if len(system) == 0 {
		return out
	}
	before := strings.Join(system, "\n\n")
	for i := range out {
		if out[i].Role == llm.User {
			out[i].Content = before + "\n\n" + out[i].Content
			return out
		}
	}
	return append([]llm.Message{{Role: llm.User, Content: before}}, out...)
}

// Strict says whether a schema is of the part of JSON schema that the hosted
// services can enforce to the letter: every object closed, all of its properties
// required, and none of the words that they refuse. (A property that is called
// like such a word makes it no less right, only less strict.)
func Strict(schema json.RawMessage) bool {
	var tree any
	return json.Unmarshal(schema, &tree) == nil && strict(tree)
}

func strict(node any) bool {
	switch n := node.(type) {
	case []any:
		for _, v := range n {
			if !strict(v) {
				return false
			}
		}
	case map[string]any:
		for _, word := range unenforced {
			if _, ok := n[word]; ok {
				return false
			}
		}
		if props, ok := n["properties"].(map[string]any); ok {
			required, _ := n["required"].([]any)
			if closed, ok := n["additionalProperties"].(bool); !ok || closed || len(required) != len(props) {
				return false
			}
		}
		for _, v := range n {
			if !strict(v) {
				return false
			}
		}
	}
	return true
}

// unenforced are the keywords that the hosted services refuse in a schema; the
// reader of the answer checks them.
var unenforced = []string{
	"$schema", "$id", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
	"maxItems", "uniqueItems", "minProperties", "maxProperties", "pattern", "default", "examples",
}

// Closed leaves out of a schema what a service would refuse it for, and closes
// its objects: a part that is enforced is worth more than a whole that is not.
func Closed(schema json.RawMessage) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	var tree map[string]any
	if err := d.Decode(&tree); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	closeObjects(tree)
	return tree, nil
}

func closeObjects(node map[string]any) {
	for _, word := range unenforced {
		delete(node, word)
	}
	if n, ok := node["minItems"].(json.Number); ok && n != "0" && n != "1" {
		delete(node, "minItems")
	}
	if _, ok := node["properties"].(map[string]any); ok {
		node["additionalProperties"] = false
	}
	for word, v := range node {
		switch {
		case word == "enum" || word == "const": // values, and no schemas
		case slices.Contains(byName, word):
			if names, ok := v.(map[string]any); ok {
				closeEach(slices.Collect(maps.Values(names)))
			}
		default:
			if list, ok := v.([]any); ok {
				closeEach(list)
			}
			closeEach([]any{v})
		}
	}
}

// byName are the words below which the keys are names, and no words.
var byName = []string{"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"}

func closeEach(nodes []any) {
	for _, n := range nodes {
		if m, ok := n.(map[string]any); ok {
			closeObjects(m)
		}
	}
}
