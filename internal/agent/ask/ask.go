package ask

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/llm"
)

// smallest is the cap, in tokens, under which a prompt is not cut further when
// the model says that it does not fit: less holds no report.
const smallest = 1000

// Text asks for free text.
func (a *Asker) Text(ctx context.Context, p Prompt) (Answer, error) {
	var answer Answer
	_, err := a.call(ctx, p, nil, nil, &answer)
	return answer, err
}

// call asks once. Where the model says that the prompt does not fit, it is asked
// again with half of the cap, which only ever happens with a small local model
// whose size nobody told us. more are messages that follow the prompt's.
func (a *Asker) call(ctx context.Context, p Prompt, schema []byte, more []llm.Message, into *Answer) (rendered, error) {
	room := or(a.Prompt, DefaultPrompt)
	for {
		r := p.render(room)
		into.Prompt, into.Dropped, into.Hidden = r.tokens, r.dropped, r.hidden
		err := a.complete(ctx, p, llm.Request{
			Messages:    append(r.messages[:len(r.messages):len(r.messages)], more...),
			MaxTokens:   a.answer(p),
			Temperature: p.Temperature,
			Schema:      schema,
			Sample:      p.Sample,
			Purpose:     p.Purpose,
		}, into)
		var failed *llm.Error
		if !errors.As(err, &failed) || failed.Kind != llm.TooLong || room/2 < smallest {
			return r, err
		}
		room = min(room, r.tokens) / 2
	}
}

func (a *Asker) answer(p Prompt) int {
	n := or(a.Answer, DefaultAnswer)
	if p.Answer > 0 {
		n = min(n, p.Answer)
	}
	return n
}

// complete makes one call and records it.
func (a *Asker) complete(ctx context.Context, p Prompt, r llm.Request, into *Answer) error {
	if a.OnText != nil {
		r.OnText = func(piece string) { a.OnText(p.Purpose, piece) }
	}
	ctx, end := a.Trace.Begin(ctx, trace.KindCall, p.Purpose)
	response, err := a.Model.Complete(ctx, r)
	into.Calls++
	call := &trace.Call{
		Model:        response.Model,
		Usage:        response.Usage,
		Source:       response.Source,
		Record:       response.Record,
		PromptTokens: into.Prompt,
		Dropped:      into.Dropped,
		Template:     p.Template,
	}
	span := trace.Span{Call: call, Detail: said(into.Hidden)}
	var failed *llm.Error
	if errors.As(err, &failed) {
		call.Usage = failed.Usage
	}
	into.Usage = into.Usage.Add(call.Usage)
	if a.Cost != nil {
		call.USD, _ = a.Cost(call.Usage)
	}
	if err != nil {
		span.Failed, span.Text = true, OneLine(err.Error(), maxHidden)
		end(span)
		return fmt.Errorf("ask for %s: %w", p.Purpose, err)
	}
	into.Text, into.Finish = response.Text, response.Finish
	span.Text = fmt.Sprintf("%d tokens in, %d out", response.Usage.InputTokens, response.Usage.OutputTokens)
	if response.Finish != llm.FinishStop {
		span.Text += ", ended by " + string(response.Finish)
	}
	end(span)
	return nil
}

// said is what was hidden in a prompt, for the record.
func said(hidden []Hidden) string {
	var all []string
	for _, h := range hidden {
		line := "hidden in " + h.Section + ": " + h.Kind
		if h.Text != "" {
			line += ": " + h.Text
		}
		all = append(all, line)
	}
	return strings.Join(all, "\n")
}

func or(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}
