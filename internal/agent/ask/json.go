package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/llm"
)

// ErrUnreadable is in the chain of an error when the model answered, twice, with
// something else than was asked for.
var ErrUnreadable = errors.New("the model's answer could not be read")

// maxReturned bounds, in estimated tokens, how much of an unreadable answer is
// shown to the model again.
const maxReturned = 600

// maxWhy bounds what is wrong with it, in runes.
const maxWhy = 600

// JSON asks for a value of type T by a JSON schema. The schema is sent in words
// too, whatever the backend does with it: what one has learned of its server on
// the way must not change a question, or a resumed run would ask it again.
// check, which may be nil, says what is wrong with a value that could be read. An
// answer that cannot be read or is wrong is booked and asked for once more with
// the reason; a second one gives ErrUnreadable. Other errors are those of the
// model.
func JSON[T any](ctx context.Context, a *Asker, p Prompt, schema []byte, check func(*T) error) (T, Answer, error) {
	var answer Answer
	p.Task += "\n\nAnswer with one JSON object and nothing else, no prose and no fence. It must meet this JSON schema:\n" + compact(schema)
	var more []llm.Message
	for try := 0; ; try++ {
		var into T
		if _, err := a.call(ctx, p, schema, more, &answer); err != nil {
			return into, answer, err
		}
		repairs, err := readJSON(answer.Text, schema, &into)
		if err == nil && check != nil {
			err = check(&into)
		}
		if err == nil {
			answer.Repairs = repairs
			return into, answer, nil
		}
		a.unread(ctx, p, &answer, err)
		if try > 0 {
			var none T
			return none, answer, fmt.Errorf("read the answer to %s: %w: %s", p.Purpose, ErrUnreadable, OneLine(err.Error(), maxHidden))
		}
		more = again(answer, err)
	}
}

// unread books an answer that could not be read.
func (a *Asker) unread(ctx context.Context, p Prompt, answer *Answer, why error) {
	answer.Unparsed++
	if a.Unparsed != nil {
		a.Unparsed()
	}
	a.Trace.Note(ctx, trace.KindDecision, p.Purpose, "the answer could not be read: "+OneLine(why.Error(), maxHidden))
}

// again shows the model what it answered and what is wrong with it.
func again(answer Answer, why error) []llm.Message {
	shown, _ := Inert(answer.Text)
	shown, _ = Cut(shown, maxReturned, KeepEnds)
	if shown == "" {
		shown = "(nothing)" // an empty turn is refused by some backends
	}
	// The reason may quote the answer, and that the report.
	ask := "That could not be used:\n" + Fence(OneLine(why.Error(), maxWhy)) + "\nAnswer again, with the one JSON object only."
	if answer.Finish == llm.FinishLength {
		ask += " The answer was cut off at its end: make it shorter."
	}
	return []llm.Message{{Role: llm.Assistant, Content: shown}, {Role: llm.User, Content: ask}}
}

func compact(schema []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, schema) != nil {
		return string(schema)
	}
	return b.String()
}
