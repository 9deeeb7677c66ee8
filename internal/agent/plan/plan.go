// Package plan asks a model for the steps by which a script should show a bug,
// and rejects a plan that names nothing that exists.
package plan

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/ask/sections"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
)

const purpose = "plan"

// Bounds of a plan: a script of a few dozen lines has no more (guesses).
const (
	maxSteps = 12
	maxNames = 24
	maxText  = 400 // runes of one field
)

//go:embed prompts/*.tmpl
var files embed.FS

var template = ask.MustTemplate(purpose, files, "prompts/plan.tmpl")

//go:embed schema.json
var schema []byte

// Lookup says of dotted names what the environment itself says.
type Lookup func(ctx context.Context, names []string) ([]task.Signature, error)

// Input is what a plan rests on.
type Input struct {
	Report  *report.Report
	Ordered *task.Report     // nil: the report as it is
	Module  *codebase.Module // the code context; nil: none
	Facts   task.Facts
	// Expectation is what must be shown.
	Expectation *oracle.Expectation
	// Observations that the script must make, for a proposed symptom.
	Observations []task.Observation
	// Previous and Feedback ask for a revision.
	Previous *task.Plan
	Feedback []task.Feedback
	// Lookup is nil where no environment can say what exists.
	Lookup Lookup
}

// Result is a plan, or why there is none.
type Result struct {
	Plan *task.Plan
	// Signatures are what Lookup said of the plan's names.
	Signatures []task.Signature
	Why        []string
}

// Do asks for a plan, and once more with the reasons when it names nothing that
// exists. No plan is a result; an error is the model's, Lookup's or that of ctx.
func Do(ctx context.Context, a *ask.Asker, in Input) (Result, error) {
	p, err := prompt(in)
	if err != nil {
		return Result{}, err
	}
	var found []task.Signature
	var failed error // of Lookup: no fault of the answer
	check := func(made *task.Plan) error {
		tidy(made)
		found, failed = lookUp(ctx, in.Lookup, made.Names)
		if failed != nil {
			return nil
		}
		return wrong(*made, in.Lookup != nil, found)
	}
	made, _, err := ask.JSON(ctx, a, p, schema, check)
	switch {
	case errors.Is(err, ask.ErrUnreadable):
		why := ask.OneLine(err.Error(), maxText)
		a.Trace.Note(ctx, trace.KindDecision, purpose, "no plan: "+why)
		return Result{Why: []string{why}, Signatures: found}, nil
	case err != nil:
		return Result{}, err
	case failed != nil:
		return Result{}, fmt.Errorf("look up the names of a plan: %w", failed)
	}
	return Result{Plan: &made, Signatures: found}, nil
}

func prompt(in Input) (ask.Prompt, error) {
	p := ask.Prompt{Purpose: purpose, Changes: true}
	p.Sections = append(sections.Told(in.Report, in.Ordered),
		sections.Expectation(in.Expectation), sections.Observations(in.Observations),
		sections.Facts(in.Facts), sections.Module(in.Module))
	if in.Previous != nil {
		refuted := sections.Plan(in.Previous)
		refuted.Changing, refuted.Name = true, "The refuted plan"
		p.Sections = append(p.Sections, refuted, sections.Feedback(in.Feedback))
	}
	words := struct{ Lookup, Revise bool }{in.Lookup != nil, in.Previous != nil}
	err := template.Fill(&p, words)
	return p, err
}

func lookUp(ctx context.Context, l Lookup, names []string) ([]task.Signature, error) {
	if l == nil || len(names) == 0 {
		return nil, nil
	}
	return l(ctx, names)
}

// wrong says why a plan cannot be followed. One missing name among several is
// no reason: what exists is told to whoever writes the script.
func wrong(p task.Plan, looked bool, found []task.Signature) error {
	if len(p.Steps) == 0 {
		return errors.New("the plan has no steps")
	}
	if !looked {
		return nil
	}
	if len(p.Names) == 0 {
		return errors.New("names is empty: it holds at least what the script imports of the library, a module where importing it is all")
	}
	if slices.ContainsFunc(found, func(s task.Signature) bool { return s.Exists || s.Unsure }) {
		return nil
	}
	return errors.New("nothing that the plan names exists in the installed package: " + strings.TrimSpace(sections.Signatures(found)))
}

var dotted = regexp.MustCompile(`^[\pL_][\pL\pN_]*(\.[\pL_][\pL\pN_]*)*$`)

// tidy makes what a model wrote short and inert, and keeps the names that are
// some.
func tidy(p *task.Plan) {
	p.Steps = slices.DeleteFunc(p.Steps, func(s task.Step) bool { return strings.TrimSpace(s.Do) == "" })
	p.Steps = p.Steps[:min(len(p.Steps), maxSteps)]
	for i, s := range p.Steps {
		p.Steps[i] = task.Step{Do: ask.OneLine(s.Do, maxText), Values: ask.OneLine(s.Values, maxText), Shows: ask.OneLine(s.Shows, maxText)}
	}
	var names []string
	for _, n := range p.Names {
		n = strings.TrimSuffix(strings.TrimSpace(n), "()")
		if dotted.MatchString(n) && !slices.Contains(names, n) && len(names) < maxNames {
			names = append(names, n)
		}
	}
	p.Names = names
	p.Trigger = ask.OneLine(p.Trigger, maxText)
	p.Resources = ask.OneLine(p.Resources, maxText)
}
