// Package generate asks a model for one script that shows a bug and that runs as
// it is in the environment it was told of.
package generate

import (
	"context"
	"embed"
	"fmt"

	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/ask/sections"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
)

const purpose = "generate"

//go:embed prompts/*.tmpl
var files embed.FS

// Variant is how the script is asked for.
type Variant string

// The variants. The last three are the published baselines: one prompt of the
// report, without plan, project or facts.
const (
	Full     Variant = "full"     // everything that is known
	Complete Variant = "complete" // the reporter's script, changed as little as possible
	ZeroShot Variant = "zero-shot"
	FewShot  Variant = "few-shot"
	CoT      Variant = "cot"
)

// Variants are all of them.
var Variants = []Variant{Full, Complete, ZeroShot, FewShot, CoT}

// Baseline says that the variant sees the report and nothing else.
func (v Variant) Baseline() bool { return v == ZeroShot || v == FewShot || v == CoT }

var templates = func() map[Variant]*ask.Template {
	all := map[Variant]*ask.Template{}
	for _, v := range Variants {
		all[v] = ask.MustTemplate(purpose, files, "prompts/"+string(v)+".tmpl", "prompts/contract.tmpl")
	}
	return all
}()

// Input is what a script is asked for with.
type Input struct {
	Variant Variant
	Report  *report.Report
	Ordered *task.Report     // nil: the report as it is
	Plan    *task.Plan       // nil: none
	Module  *codebase.Module // the code context; nil: none
	Facts   task.Facts
	// Expectation is what must be shown.
	Expectation *oracle.Expectation
	// Observations that the script must make, for a proposed symptom.
	Observations []task.Observation
	// Script is the reporter's, for Complete and for the diff of its values.
	Script string
	// Attempts are the earlier ones of this context, oldest first.
	Attempts []task.Attempt
	// Sample numbers equal questions of which several answers are wanted, from 0.
	Sample int
}

// Script is what the model wrote, cleaned.
type Script struct {
	Body string
	// Trigger is what the control leaves out, in the model's words.
	Trigger string
	// Notes say what was cleaned.
	Notes []string
	// Feedback is what can be said of it before anything is checked: an answer
	// that holds no script (an error, Body is then ""), values of the reporter's
	// that it changed (a warning).
	Feedback []task.Feedback
	Answer   ask.Answer
}

// Do asks for a script. An answer without one is a result with Feedback; an
// error is the model's or that of ctx.
func Do(ctx context.Context, a *ask.Asker, in Input) (Script, error) {
	p, err := prompt(in)
	if err != nil {
		return Script{}, err
	}
	answer, err := a.Text(ctx, p)
	if err != nil {
		return Script{Answer: answer}, err
	}
	s := read(in, answer)
	if s.Body == "" {
		answer.Unparsed++
		if a.Unparsed != nil {
			a.Unparsed()
		}
	}
	s.Answer = answer
	return s, nil
}

func prompt(in Input) (ask.Prompt, error) {
	wording, ok := templates[in.Variant]
	if !ok {
		return ask.Prompt{}, fmt.Errorf("word the prompt of a script: no variant %q", in.Variant)
	}
	p := ask.Prompt{Purpose: purpose, Sample: in.Sample, Changes: true, Sections: stable(in)}
	if n := len(in.Attempts); n > 0 {
		last := in.Attempts[n-1]
		if last.Script != "" {
			p.Previous = "```python\n" + last.Script + "\n```"
		}
		p.Sections = append(p.Sections, sections.Earlier(in.Attempts), sections.Feedback(last.Feedback))
	}
	words := struct{ Plan, Code, Observations, Attempts, Import bool }{
		in.Plan != nil, in.Module != nil, len(in.Observations) > 0, len(in.Attempts) > 0,
		in.Expectation != nil && in.Expectation.Oracle == oracle.OracleImportError,
	}
	err := wording.Fill(&p, words)
	return p, err
}

// stable are the sections that are the same in every attempt of a context.
func stable(in Input) []ask.Section {
	var all []ask.Section
	if in.Variant.Baseline() {
		all = append(all, sections.Report(in.Report))
		return append(all, sections.Observations(in.Observations))
	}
	switch {
	case in.Variant == Complete && in.Script != "" && in.Ordered != nil:
		// The reporter's code would otherwise be there twice.
		all = append(all, sections.Script(in.Script), sections.Ordered(*in.Ordered))
	case in.Variant == Complete && in.Script != "":
		all = append(all, sections.Script(in.Script), sections.Report(in.Report))
	default:
		all = append(all, sections.Told(in.Report, in.Ordered)...)
	}
	return append(all,
		sections.Expectation(in.Expectation), sections.Observations(in.Observations),
		sections.Facts(in.Facts), sections.Module(in.Module), sections.Plan(in.Plan))
}
