// Package propose asks a model how a silent symptom would show in numbers: named
// observations and two expressions over them. The answer is a proposal: it is
// checked here, and proved by runs elsewhere.
package propose

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/ask/quote"
	"github.com/repgen/repgen/internal/agent/ask/sections"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
)

const purpose = "propose"

const (
	// leastQuote is the contract's: shorter words can be found in any report.
	leastQuote = 12
	// maxNames is fewer than the oracle takes: more values than these nobody
	// compares in one expression (a guess).
	maxNames = 8
	maxMeans = 200 // runes
	// maxTolerance is the contract's: what is above it is a claim about values.
	maxTolerance = 0.1
)

//go:embed prompts/*.tmpl
var files embed.FS

var template = ask.MustTemplate(purpose, files, "prompts/propose.tmpl")

//go:embed schema.json
var schema []byte

// Input is what a proposal rests on.
type Input struct {
	Report *report.Report
	// Ordered is the report put in order; nil: the report as it is.
	Ordered *task.Report
	Facts   task.Facts
}

// Result is a proposal that passed the checks, or why there is none.
type Result struct {
	Proposal *task.Proposal   // as the model made it; nil when there is none
	Observed *oracle.Observed // the same for the oracle
	// Why there is none.
	Why []string
}

// Do asks for a proposal, and once more with the reasons when the first does not
// pass. No proposal is a result; an error is the model's or that of ctx.
func Do(ctx context.Context, a *ask.Asker, in Input) (Result, error) {
	p := ask.Prompt{Purpose: purpose, Sections: sections.Told(in.Report, in.Ordered)}
	if facts := sections.Facts(in.Facts); facts.Text != "" {
		p.Sections = append(p.Sections, facts)
	}
	words := struct {
		MaxNames, LeastQuote int
		Example              bool
	}{maxNames, leastQuote, true}
	if err := template.Fill(&p, words); err != nil {
		return Result{}, err
	}
	var why []string
	check := func(made *task.Proposal) error {
		why = Check(in.Report, *made)
		if len(why) > 0 {
			return errors.New(strings.Join(why, "; "))
		}
		return nil
	}
	made, _, err := ask.JSON(ctx, a, p, schema, check)
	if errors.Is(err, ask.ErrUnreadable) {
		if len(why) == 0 {
			why = []string{err.Error()}
		}
		a.Trace.Note(ctx, trace.KindDecision, purpose, "no proposal: "+ask.OneLine(strings.Join(why, "; "), 300))
		return Result{Why: why}, nil
	}
	if err != nil {
		return Result{}, err
	}
	tidy(&made)
	return Result{Proposal: &made, Observed: Observed(made)}, nil
}

// tidy makes what a model wrote fit for a screen and for the next prompt.
func tidy(p *task.Proposal) {
	for i := range p.Observations {
		p.Observations[i].Means = ask.OneLine(p.Observations[i].Means, maxMeans)
	}
	p.BadQuote, p.GoodQuote = quote.Fold(p.BadQuote), quote.Fold(p.GoodQuote)
}

// Observed is a proposal as the oracle reads it.
func Observed(p task.Proposal) *oracle.Observed {
	o := &oracle.Observed{Bad: p.Bad, Good: p.Good, BadQuote: p.BadQuote, GoodQuote: p.GoodQuote}
	for _, n := range p.Observations {
		o.Names = append(o.Names, oracle.ObservedName{Name: n.Name, Type: n.Type})
	}
	return o
}

// Check says what is wrong with a proposal, as far as can be told without a
// script: the claim itself, and the words of the report on which it rests. What
// decides is checked again where the script is judged.
func Check(r *report.Report, p task.Proposal) []string {
	why := oracle.CheckObserved(Observed(p))
	if len(p.Observations) > maxNames {
		why = append(why, fmt.Sprintf("there are %d observations, at most %d are of use", len(p.Observations), maxNames))
	}
	text := quote.In(r.Text)
	for _, q := range []struct{ name, words string }{{"bad_quote", p.BadQuote}, {"good_quote", p.GoodQuote}} {
		switch _, there := text.Find(q.words, leastQuote); {
		case len([]rune(quote.Fold(q.words))) < leastQuote:
			why = append(why, fmt.Sprintf("%s has fewer than %d characters", q.name, leastQuote))
		case !there:
			why = append(why, q.name+" does not stand in the report")
		}
	}
	if quote.Fold(p.BadQuote) == quote.Fold(p.GoodQuote) {
		why = append(why, "bad_quote and good_quote are the same")
	}
	return append(why, strange(r, Observed(p))...)
}

var numeral = regexp.MustCompile(`\d+(?:\.\d+)?(?:[eE][-+]?\d+)?`)

// strange are the literals of a claim that the reporter never wrote: those would
// be the model's idea of what is right.
func strange(r *report.Report, o *oracle.Observed) []string {
	var why []string
	var written []float64
	for _, n := range numeral.FindAllString(r.Text, -1) {
		if v, err := strconv.ParseFloat(n, 64); err == nil {
			written = append(written, v)
		}
	}
	for _, l := range oracle.ObservedLiterals(o) {
		size := math.Abs(l.Number)
		switch {
		case l.String && !strings.Contains(r.Text, l.Text):
			why = append(why, fmt.Sprintf("the report has no %q", ask.OneLine(l.Text, 40)))
		case l.String, size <= 1 && size == math.Trunc(size), l.Tolerance && size <= maxTolerance:
		case !slices.Contains(written, size):
			why = append(why, fmt.Sprintf("the report has no %v", l.Number))
		}
	}
	return why
}
