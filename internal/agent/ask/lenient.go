package ask

import (
	"encoding/json"

	"github.com/repgen/repgen/internal/llm"
)

// readJSON reads an answer by its schema, or else by what is left of the schema
// when nothing is required: small models leave out what is empty, and whoever
// asked checks what there must be anyway. The strict reading goes first because
// it tells the answer from an example in the prose around it.
func readJSON(text string, schema []byte, into any) ([]string, error) {
	repairs, strict := llm.ReadJSON(text, schema, into)
	if strict == nil {
		return repairs, nil
	}
	loose, err := loosened(schema)
	if err != nil {
		return nil, strict
	}
	if repairs, err = llm.ReadJSON(text, loose, into); err != nil {
		return nil, strict
	}
	return append(repairs, "fields that are missing were taken as empty"), nil
}

// loosened is a schema that requires no property, allows others, and takes null
// for nothing.
func loosened(schema []byte) ([]byte, error) {
	var s any
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, err
	}
	loosen(s)
	return json.Marshal(s)
}

func loosen(node any) {
	switch n := node.(type) {
	case []any:
		for _, v := range n {
			loosen(v)
		}
	case map[string]any:
		if kind, ok := n["type"].(string); ok {
			if _, ok := n["required"].([]any); ok {
				delete(n, "required")
			}
			if _, ok := n["additionalProperties"].(bool); ok {
				delete(n, "additionalProperties")
			}
			n["type"] = []any{kind, "null"}
		}
		for _, v := range n {
			loosen(v)
		}
	}
}
