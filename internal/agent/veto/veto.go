// Package veto asks a model whether a script is about the report at all. The
// answer may stop a script before it is run; it can never let one pass.
package veto

import (
	"context"
	"embed"
	"errors"
	"strings"

	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/ask/sections"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
)

const purpose = "veto"

const (
	maxReason = 300 // runes
	maxAnswer = 200 // tokens
)

//go:embed prompts/*.tmpl
var files embed.FS

var template = ask.MustTemplate(purpose, files, "prompts/veto.tmpl")

//go:embed schema.json
var schema []byte

// Input is a script with what it should be about.
type Input struct {
	Report  *report.Report
	Ordered *task.Report // nil: the report as it is
	// Expectation is what must be shown; nil: nothing in particular.
	Expectation *oracle.Expectation
	Script      string
}

type answer struct {
	Off    bool   `json:"off"`
	Reason string `json:"reason"`
}

// Do asks. An objection without a reason, and an answer that cannot be read, are
// none; an error is the model's or that of ctx.
func Do(ctx context.Context, a *ask.Asker, in Input) (off bool, reason string, err error) {
	p := ask.Prompt{Purpose: purpose, Answer: maxAnswer, Changes: true}
	script := sections.Script(in.Script)
	script.Name, script.Changing = "The script", true
	p.Sections = append(sections.Told(in.Report, in.Ordered), sections.Expectation(in.Expectation), script)
	if err := template.Fill(&p, nil); err != nil {
		return false, "", err
	}
	said, _, err := ask.JSON[answer](ctx, a, p, schema, nil)
	if errors.Is(err, ask.ErrUnreadable) {
		return false, "", nil
	}
	if err != nil {
		return false, "", err
	}
	reason = ask.OneLine(said.Reason, maxReason)
	if !said.Off || strings.TrimSpace(reason) == "" {
		return false, "", nil
	}
	return true, reason, nil
}
