package hosted

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
)

// Quirks are words of a request that a server or model turned out to refuse.
type Quirks uint32

// The quirks, each with what is sent instead.
const (
	// NoTemperature: the model samples in its own way; none is sent.
	NoTemperature Quirks = 1 << iota
	// OtherMaxTokens: the other one of max_tokens and max_completion_tokens.
	OtherMaxTokens
	// NoSchema: the schema is sent in words.
	NoSchema
	// NoStreamUsage: no stream_options; the usage is an estimate if none comes.
	NoStreamUsage
	// NoStream: the answer is asked for in one piece.
	NoStream
	// NoSystem: what the system says stands before the user's first words.
	NoSystem
)

// blamed are the words of a refusal that name a quirk, the more particular
// first. They were read off the servers' own messages.
var blamed = []struct {
	quirk Quirks
	words []string
}{
	{NoStreamUsage, []string{"stream_options", "include_usage"}},
	{OtherMaxTokens, []string{"max_completion_tokens", "max_tokens"}},
	{NoTemperature, []string{"temperature"}},
	{NoSchema, []string{"response_format", "json_schema", "output_config", "output_format", "schema", "grammar", "structured output", "guided"}},
	{NoSystem, []string{"system role", "system message", "system prompt", "role 'system'", `role "system"`, "roles must alternate", "developer instruction"}},
	{NoStream, []string{"stream"}},
}

// Learned are the quirks of one server and model that are known so far. Its
// zero value knows none.
type Learned struct{ bits atomic.Uint32 }

// Get gives them.
func (l *Learned) Get() Quirks { return Quirks(l.bits.Load()) }

// Ask asks with what is known, and again, each time with one quirk more, while
// the server refuses a word of the request that is sent. Refusals of that kind
// cost nothing. What helped is kept.
func (l *Learned) Ask(sent func(Quirks) Quirks, ask func(Quirks) error) error {
	q := l.Get()
	for {
		err := ask(q)
		if err == nil {
			l.bits.Or(uint32(q))
			return nil
		}
		more := quirkOf(err, sent(q)&^q)
		if more == 0 {
			return err
		}
		q |= more
	}
}

// quirkOf is the quirk that a refusal shows, of those that could help; 0: none.
func quirkOf(err error, could Quirks) Quirks {
	var r *Refused
	if !errors.As(err, &r) || r.Status != http.StatusBadRequest && r.Status != http.StatusUnprocessableEntity && r.Status != http.StatusNotImplemented {
		return 0
	}
	s := readSaid(r.Body)
	words := s.words()
	if kindOf(r.Status, s) != kindOf(r.Status, said{}) {
		return 0 // too long, or no credit: another wording does not help
	}
	for _, b := range blamed {
		if b.quirk&could == 0 {
			continue
		}
		for _, w := range b.words {
			if strings.Contains(words, w) {
				return b.quirk
			}
		}
	}
	return could & NoSchema // the word that most servers do not know, and the longest
}
