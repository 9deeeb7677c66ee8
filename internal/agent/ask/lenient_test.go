package ask

import (
	"strings"
	"testing"
)

func TestReadJSON(t *testing.T) {
	schema := []byte(`{"type":"object","additionalProperties":false,"required":["type","list"],
		"properties":{"type":{"type":"string","enum":["a","b"]},"list":{"type":"array","items":{"type":"object","required":["x"],"properties":{"x":{"type":"integer"}}}}}}`)
	type value struct {
		Type string `json:"type"`
		List []struct {
			X int `json:"x"`
		} `json:"list"`
	}
	for _, c := range []struct {
		name, text string
		n          int
		loose      bool
		fails      bool
	}{
		{"whole", `{"type":"a","list":[{"x":1}]}`, 1, false, false},
		{"a field is missing", `{"list":[{"x":1},{}]}`, 2, true, false},
		{"null for nothing", `{"type":"a","list":null}`, 0, true, false},
		{"a field of its own", `{"type":"a","list":[],"why":"so"}`, 0, true, false},
		{"an example before", "Like {\"y\":1}, so:\n{\"type\":\"a\",\"list\":[{\"x\":1}]}", 1, false, false},
		{"another type", `{"type":"a","list":"none"}`, 0, false, true},
		{"prose", `no`, 0, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var v value
			repairs, err := readJSON(c.text, schema, &v)
			if (err != nil) != c.fails || len(v.List) != c.n {
				t.Fatalf("%+v, %v", v, err)
			}
			if got := strings.Contains(strings.Join(repairs, ";"), "missing"); got != c.loose {
				t.Errorf("repairs %v", repairs)
			}
		})
	}
}
