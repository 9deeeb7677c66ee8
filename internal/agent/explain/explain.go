// Package explain asks a model, after the verdict, to explain it with the lines
// of the script and of the report that it rests on. It never changes it.
package explain

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
	"github.com/repgen/repgen/internal/report"
)

const purpose = "explain"

// Bounds of what is kept (guesses: more is not read).
const (
	maxParagraphs = 6
	maxParagraph  = 900 // runes
	maxLines      = 8   // of one source, a paragraph
	maxLine       = 160 // runes
	maxAnswer     = 1200
	maxFacts      = 800
)

//go:embed prompts/*.tmpl
var files embed.FS

var template = ask.MustTemplate(purpose, files, "prompts/explain.tmpl")

//go:embed schema.json
var schema []byte

// Input is what was judged.
type Input struct {
	// Headline and Grade are the verdict's ("reproduced", "B"; "" for none).
	Headline string
	Grade    string
	Report   *report.Report
	Script   string
	// Facts are what the runs showed, one line each.
	Facts []string
}

// Explanation is the model's, behind a first line that is ours.
type Explanation struct {
	Text  string `json:"text"`
	Lines []Line `json:"lines,omitempty"`
	// LeftOut are paragraphs that contradict the verdict and lines that are not
	// there, with the reason.
	LeftOut []string `json:"left_out,omitempty"`
}

// Line is a line that the explanation rests on.
type Line struct {
	Of   string `json:"of"` // "script" or "report"
	Line int    `json:"line"`
	Text string `json:"text"`
}

type answer struct {
	Paragraphs []paragraph `json:"paragraphs"`
}

type paragraph struct {
	Text        string `json:"text"`
	ScriptLines []int  `json:"script_lines"`
	ReportLines []int  `json:"report_lines"`
}

// Do asks for an explanation. An answer that cannot be read gives none, with the
// reason in LeftOut; an error is the model's or that of ctx.
func Do(ctx context.Context, a *ask.Asker, in Input) (Explanation, error) {
	p := ask.Prompt{Purpose: purpose, Answer: maxAnswer, Sections: []ask.Section{
		sections.NumberedReport(in.Report),
		sections.NumberedScript(in.Script),
		{Name: "What the runs showed", Text: strings.Join(in.Facts, "\n"), Max: maxFacts},
	}}
	// Both words are the program's; a template is no place for any others.
	words := struct{ Headline, Grade string }{word(in.Headline), word(in.Grade)}
	if err := template.Fill(&p, words); err != nil {
		return Explanation{}, err
	}
	said, _, err := ask.JSON(ctx, a, p, schema, usable)
	if errors.Is(err, ask.ErrUnreadable) {
		return Explanation{LeftOut: []string{ask.OneLine(err.Error(), maxParagraph)}}, nil
	}
	if err != nil {
		return Explanation{}, err
	}
	return made(in, said), nil
}

func word(s string) string { return ask.OneLine(s, 40) }

func usable(a *answer) error {
	if !slices.ContainsFunc(a.Paragraphs, func(p paragraph) bool { return strings.TrimSpace(p.Text) != "" }) {
		return errors.New("there is no paragraph")
	}
	return nil
}

// made puts the explanation behind the verdict, which is stated by the program.
func made(in Input, said answer) Explanation {
	var out Explanation
	verdict := "Verdict: " + word(in.Headline)
	if in.Grade != "" {
		verdict += ", grade " + word(in.Grade)
	}
	parts := []string{verdict + ".\nThe following is the language model's explanation and no part of the verdict."}
	script, text := sections.Lines(in.Script), sections.Lines(in.Report.Text)
	for _, p := range said.Paragraphs[:min(len(said.Paragraphs), maxParagraphs)] {
		words := ask.OneLine(p.Text, maxParagraph)
		if words == "" {
			continue
		}
		if why := contradicts(words, in); why != "" {
			out.LeftOut = append(out.LeftOut, "a paragraph that "+why)
			continue
		}
		rests := out.cite("script", script, p.ScriptLines)
		rests = append(rests, out.cite("report", text, p.ReportLines)...)
		if len(rests) > 0 {
			words += " [" + strings.Join(rests, "; ") + "]"
		}
		parts = append(parts, words)
	}
	if len(parts) > 1 {
		out.Text = strings.Join(parts, "\n\n")
	}
	return out
}

// cite keeps the lines that are there.
func (e *Explanation) cite(of string, lines []string, numbers []int) []string {
	var kept []string
	for _, n := range numbers {
		switch {
		case n < 1 || n > len(lines):
			e.LeftOut = append(e.LeftOut, fmt.Sprintf("line %d of the %s, which has %d", n, of, len(lines)))
		case len(kept) < maxLines && !slices.Contains(kept, fmt.Sprint(n)):
			kept = append(kept, fmt.Sprint(n))
			line := Line{Of: of, Line: n, Text: ask.OneLine(lines[n-1], maxLine)}
			if !slices.Contains(e.Lines, line) {
				e.Lines = append(e.Lines, line)
			}
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return []string{of + " " + strings.Join(kept, ", ")}
}

var (
	deniesIt = regexp.MustCompile(`(?i)\b(not[ _-]reproduc\w*|(?:could|can|was|is|were|did)(?: not|n't|not) (?:be )?reproduc\w*|no(?:t a| real) bug|not_a_bug|different_failure|not (?:the|a) (?:reported )?(?:bug|symptom))\b`)
	claimsIt = regexp.MustCompile(`(?i)\b(?:is|was|has been|been|fully|successfully|clearly|bug|verdict:?|headline:?) (?:now |therefore |indeed )?(?:reproduced|confirmed|verified|proven|proved)\b|"reproduced"|\bconfirms (?:the|that the) (?:reported )?bug\b`)
	grades   = regexp.MustCompile(`(?i)\b(?:evidence )?grade:? ([A-D])\b`)
	proved   = []string{"reproduced", "regression", "fixed", "flaky"}
)

// contradicts says how a paragraph speaks against the verdict, "" when it does
// not. It would rather leave out one too many: the verdict stands without it.
func contradicts(words string, in Input) string {
	shown := slices.Contains(proved, in.Headline)
	switch {
	case shown && deniesIt.MatchString(words):
		return "denies what was shown"
	case !shown && claimsIt.MatchString(words) && !deniesIt.MatchString(words):
		return "claims what was not shown"
	}
	for _, m := range grades.FindAllStringSubmatch(words, -1) {
		if !strings.EqualFold(m[1], in.Grade) {
			return "names another grade"
		}
	}
	return ""
}
