package output

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/system/inert"
)

// TestJSONSteersNothing: whatever a text holds, the JSON says it and inert.Text finds
// nothing in it to remove.
func TestJSONSteersNothing(t *testing.T) {
	odd := rapid.OneOf(rapid.Rune(), rapid.RuneFrom(nil, unicode.Cc, unicode.Bidi_Control), rapid.SampledFrom([]rune("\u009b\ufeff\u2028\x7f\\\"<é模🙂")))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(odd).Draw(t, "text")
		var out bytes.Buffer
		if err := JSON(&out, map[string]string{text: text, "b": "x < y"}); err != nil {
			t.Fatal(err)
		}
		var back map[string]string
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || back[text] != text && text != "b" {
			t.Fatalf("%q came back as %q, %v", text, back, err)
		}
		if s := out.String(); inert.Text(s) != s {
			t.Fatalf("steers: %q", s)
		}
	})
}
