package hosted

import (
	"context"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/llm"
)

// Bounds of a text, guesses: no token of a real vocabulary has 64 bytes on
// average, so that more text than this, and 2 MiB to spare, is a server that
// knows no max_tokens and would go on for ever.
const (
	bytesPerToken = 64
	spareBytes    = 2 << 20
	maxModelName  = 200
)

// Answer is an answer as it comes. The adapters fill it.
type Answer struct {
	Model  string
	Finish llm.Finish
	// Usage so far; Known says that the server reported it.
	Usage llm.Usage
	Known bool
	// Heard says that the protocol's own events came, if only to say nothing.
	Heard bool

	text   strings.Builder
	pieces *Redactor
	room   int
	onText func(string)
	cut    bool
	watch  *watch
}

// Whole tells the call that its answer comes in one piece.
func (a *Answer) Whole() { a.watch.whole() }

// Text adds a piece of the answer; false when there has been enough.
func (a *Answer) Text(piece string) bool {
	if piece == "" {
		return true
	}
	if len(piece) >= a.room {
		piece, a.cut = strings.ToValidUTF8(piece[:a.room], ""), true
	}
	a.room -= len(piece)
	a.tell(a.pieces.Next(piece))
	return !a.cut
}

func (a *Answer) tell(text string) {
	if text == "" {
		return
	}
	a.text.WriteString(text)
	if a.onText != nil {
		a.onText(text)
	}
}

// Ask is what an adapter does for one answer: it sends the request, and fills a.
type Ask func(ctx context.Context, a *Answer) error

// Complete bounds a call in time and size, and makes its response or its error.
func (c *Client) Complete(ctx context.Context, r llm.Request, ask Ask) (llm.Response, error) {
	began := time.Now()
	bound, w, end := watched(ctx, c.o.Timeout)
	defer end()
	a := &Answer{pieces: c.key.Pieces(), room: r.MaxTokens*bytesPerToken + spareBytes, onText: r.OnText, watch: w}
	err := ask(bound, a)
	a.tell(a.pieces.Rest())
	if a.cut {
		// The rest was not waited for, and so was its usage.
		err, a.Finish, a.Known = nil, llm.FinishLength, false
	}
	if err == nil && a.Finish == "" {
		err = errCut
		if !a.Heard {
			err = errNothing
		}
	}
	a.settle(r, err == nil)
	if err != nil {
		return llm.Response{}, c.failure(ctx, bound, a, err)
	}
	return llm.Response{
		Text: a.text.String(), Model: c.modelName(a.Model), Usage: a.Usage, Finish: a.Finish,
		Seconds: time.Since(began).Seconds(),
	}, nil
}

// modelName is what the server calls its model. Servers of local files call it by
// its path, which is nobody's business.
func (c *Client) modelName(name string) string {
	if strings.HasPrefix(name, "/") || strings.Contains(name, `\`) {
		name = name[strings.LastIndexAny(name, `/\`)+1:]
	}
	if name == "" {
		return ""
	}
	name = c.excerpt(name)
	return strings.ToValidUTF8(name[:min(len(name), maxModelName)], "")
}

// settle fills in a usage that the server did not report. Of a call that failed
// before any word of an answer, nothing was paid as far as anybody knows.
func (a *Answer) settle(r llm.Request, ok bool) {
	u := &a.Usage
	u.InputTokens, u.OutputTokens = max(0, u.InputTokens), max(0, u.OutputTokens)
	u.CachedTokens = max(0, min(u.CachedTokens, u.InputTokens))
	u.WrittenTokens = max(0, min(u.WrittenTokens, u.InputTokens-u.CachedTokens))
	if a.Known || !ok && !a.Heard && a.text.Len() == 0 {
		return
	}
	// What an answer under way has reported is kept: it is the prompt's true size.
	guess := llm.EstimateUsage(r, a.text.String())
	u.Estimated = true
	if u.InputTokens == 0 {
		u.InputTokens = guess.InputTokens
	}
	u.OutputTokens = max(u.OutputTokens, guess.OutputTokens)
}
