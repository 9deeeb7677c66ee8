package llm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Validate says what is wrong with a request before anybody is asked: an *Error
// of kind BadRequest. Every backend calls it first.
func (r Request) Validate() error {
	bad := func(why string) error {
		return &Error{Kind: BadRequest, Why: why, Next: "this is a defect of repgen: please report it"}
	}
	switch {
	case len(r.Messages) == 0:
		return bad("the request holds no message")
	case r.MaxTokens <= 0:
		return bad("the request's max_tokens is not positive")
	case len(r.Schema) > 0 && !json.Valid(r.Schema):
		return bad("the request's JSON schema is no JSON")
	case r.Temperature != nil && (*r.Temperature < 0 || *r.Temperature > 2):
		return bad(fmt.Sprintf("the request's temperature %g is not between 0 and 2", *r.Temperature))
	}
	for i, m := range r.Messages {
		if m.Role != System && m.Role != User && m.Role != Assistant {
			return bad(fmt.Sprintf("message %d has the unknown role %q", i+1, m.Role))
		}
	}
	return nil
}

// hash is what a record of the request is found by: everything that is sent, and
// Sample. Whoever asks for a longer answer asks something else, so MaxTokens
// belongs to it; the purpose is a name only.
func (r Request) hash() string {
	r.Purpose, r.OnText = "", nil
	r.Schema = compact(r.Schema)
	r.Messages = slices.Clone(r.Messages)
	for i, m := range r.Messages {
		// A file cannot hold other bytes, and is to be found again by its text.
		r.Messages[i].Content = strings.ToValidUTF8(m.Content, "\uFFFD")
	}
	data, err := json.Marshal(r)
	if err != nil {
		// Only a schema that is no JSON fails, and Validate has refused that.
		data = fmt.Appendf(nil, "%#v", r)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// compact takes white space out of a schema, so that its layout means nothing.
func compact(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 {
		return nil
	}
	var out bytes.Buffer
	if json.Compact(&out, schema) != nil {
		return schema
	}
	return out.Bytes()
}

// tell hands a whole answer to whoever watches: for answers that nobody streams.
func (r Request) tell(text string) {
	if r.OnText != nil && text != "" {
		r.OnText(text)
	}
}
