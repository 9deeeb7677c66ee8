package hosted

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/repgen/repgen/internal/llm"
)

// shortKey: below it a key is a placeholder that local servers are content with
// ("none", "EMPTY"), and taking it out of texts would spoil them. A guess; the
// keys of the hosted services have 40 characters and more.
const shortKey = 8

// masked stands where a key was.
const masked = "[key]"

// Key is a secret that must stand in no text of ours. Its zero value is none.
type Key struct {
	value    string
	forms    []string
	replacer *strings.Replacer
	longest  int
}

// NewKey takes the white space off that files and shells leave. A key that
// cannot be sent in a header is refused, without repeating it.
func NewKey(value string) (Key, error) {
	value = strings.TrimSpace(value)
	for _, r := range value {
		if r > unicode.MaxASCII || !unicode.IsPrint(r) {
			return Key{}, fmt.Errorf("the key holds characters that no key has (a line break, or more than one line)")
		}
	}
	k := Key{value: value}
	if len(value) < shortKey {
		return k, nil
	}
	k.forms = llm.KeyForms(value)
	var pairs []string
	for _, f := range k.forms {
		pairs = append(pairs, f, masked)
		k.longest = max(k.longest, len(f))
	}
	k.replacer = strings.NewReplacer(pairs...)
	return k, nil
}

// Empty says that there is no key.
func (k Key) Empty() bool { return k.value == "" }

// String keeps the key out of every format verb.
func (k Key) String() string {
	if k.Empty() {
		return ""
	}
	return masked
}

// GoString is String.
func (k Key) GoString() string { return k.String() }

// Redact takes the key out of a text, also as a URL, JSON, hexadecimal digits or
// base64 would write it.
func (k Key) Redact(text string) string {
	if k.replacer == nil {
		return text
	}
	return k.replacer.Replace(text)
}

// Redactor takes the key out of a text that comes in pieces.
type Redactor struct {
	key  Key
	held string
}

// Pieces begins a text.
func (k Key) Pieces() *Redactor { return &Redactor{key: k} }

// Next gives what can be shown of the text so far: an end that may be the
// beginning of the key is held back.
func (r *Redactor) Next(piece string) string {
	if r.key.replacer == nil {
		return piece
	}
	text := r.key.Redact(r.held + piece)
	cut := len(text) - r.key.open(text)
	r.held = text[cut:]
	return text[:cut]
}

// Rest gives what was held back; the text has ended.
func (r *Redactor) Rest() string {
	rest := r.held
	r.held = ""
	return rest
}

// open is the length of the longest end of text that begins a form of the key.
func (k Key) open(text string) int {
	for n := min(len(text), k.longest-1); n > 0; n-- {
		end := text[len(text)-n:]
		for _, f := range k.forms {
			if strings.HasPrefix(f, end) {
				return n
			}
		}
	}
	return 0
}
