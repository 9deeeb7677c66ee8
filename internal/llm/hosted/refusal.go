package hosted

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// mostSaid are the characters of a server's words that a message shows. A
// guess: a sentence or two, and no page.
const mostSaid = 300

// said is what a server says about a refusal, in any of the usual forms:
// {"error":{"message","type","code","param"}}, {"error":"text"},
// {"message":"text"}, {"detail":"text"}.
type said struct {
	Message string
	// Type and Code are the server's names of the failure, Param the field of
	// the request that it blames.
	Type, Code, Param string
	// Status is an HTTP status inside the body, as gateways write it; 0: none.
	Status int
}

// words are all that it says, in lower case, for looking for words.
func (s said) words() string {
	return strings.ToLower(s.Message + " " + s.Type + " " + s.Code + " " + s.Param)
}

// readSaid reads a refusal's body, which may be anything.
func readSaid(body []byte) said { return readSaidIn(body, 2) }

// readSaidIn follows "error" no deeper than gateways nest it.
func readSaidIn(body []byte, deep int) said {
	var form struct {
		Error   json.RawMessage `json:"error"`
		Message json.RawMessage `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Type    json.RawMessage `json:"type"`
		Code    json.RawMessage `json:"code"`
		Param   json.RawMessage `json:"param"`
	}
	if json.Unmarshal(body, &form) != nil {
		return said{Message: string(body)}
	}
	s := said{Message: word(form.Message), Type: word(form.Type), Code: word(form.Code), Param: word(form.Param)}
	if deep > 0 && len(form.Error) > 0 && form.Error[0] == '{' {
		s = readSaidIn(form.Error, deep-1)
	} else if text := word(form.Error); text != "" {
		s.Message = text
	}
	if s.Message == "" {
		s.Message = word(form.Detail)
	}
	if s.Message == "" {
		s.Message = string(body)
	}
	if n, err := strconv.Atoi(s.Code); err == nil && n >= 400 && n < 600 {
		s.Status = n
	}
	return s
}

// word is a JSON text as it is, and another value as it is written.
func word(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}

// excerpt makes one line without control characters of what a server said; the
// key comes out before anything is cut, since half a key is not found.
func (c *Client) excerpt(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, c.key.Redact(strings.ToValidUTF8(text, "?")))
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > mostSaid {
		text = string(r[:mostSaid]) + "..."
	}
	if text == "" {
		return "(no text)"
	}
	return text
}

// longestWait bounds what a server may ask for: more would overflow, and nobody
// waits.
const longestWait = 24 * time.Hour

// retryAfter reads retry-after-ms, or retry-after in seconds or as a date; 0
// when there is neither.
func retryAfter(h http.Header, now time.Time) time.Duration {
	for _, form := range []struct {
		name string
		unit time.Duration
	}{{"Retry-After-Ms", time.Millisecond}, {"Retry-After", time.Second}} {
		n, err := strconv.ParseFloat(strings.TrimSpace(h.Get(form.name)), 64)
		if err == nil && n > 0 {
			return time.Duration(min(n*float64(form.unit), float64(longestWait)))
		}
	}
	if t, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		return max(0, min(longestWait, t.Sub(now)))
	}
	return 0
}
