package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/system/inert"
	"github.com/repgen/repgen/internal/triage"
)

type triageCmd struct {
	Report  string `arg:"" help:"The report: a file, - for standard input, an issue's URL or owner/repo#N."`
	Subject string `help:"The package under suspicion." placeholder:"NAME"`
	Good    string `help:"A version of the subject that is known to be good." placeholder:"VERSION"`
	show
}

// Run reads a report and says what could be done with it.
func (c *triageCmd) Run(ctx context.Context, s streams) error {
	if err := errors.Join(checkSubject(c.Subject), checkGood(c.Good)); err != nil {
		return c.failAlone(s, err)
	}
	rep, err := readReport(ctx, c.Report, s)
	if err != nil {
		return c.failAlone(s, err)
	}
	d := triage.Decide(rep, triage.Options{Subject: c.Subject, Good: c.Good})
	switch {
	case c.JSON:
		if err := output.JSON(s.out, d); err != nil {
			return err
		}
	case c.Quiet:
		_, _ = fmt.Fprintln(s.out, d.Route)
	default:
		printDecision(s, d)
	}
	if d.Route != triage.Attempt {
		return exit{5}
	}
	return nil
}

func printDecision(s streams, d *triage.Decision) {
	st := style(s.out)
	line := func(name, text string) {
		if text != "" {
			_, _ = fmt.Fprintln(s.out, output.StageLine(name, text, st))
		}
	}
	route := string(d.Route)
	if d.ConfidenceOf > 0 {
		right := math.Round(d.Confidence * float64(d.ConfidenceOf))
		route += fmt.Sprintf(" (right in %.0f of %d labelled reports like it)", right, d.ConfidenceOf)
	}
	line("route", route)
	line("script", d.Summary)
	line("subject", strings.Join(d.Subjects, ", "))
	if e := d.Expectation; e != nil {
		line("symptom", strings.Join(strings.Fields(string(e.Symptom.Kind)+" "+e.Symptom.Exception+" "+e.Symptom.Message), " "))
		line("oracle", string(e.Oracle))
	}
	for _, r := range d.Reasons {
		line("why", r.Text)
	}
	for _, c := range d.Contrasts {
		line("contrast", changeWords(c)+": "+c.Words)
	}
	for _, tr := range d.Triggers {
		line("blamed", tr.Target+": "+tr.Words)
	}
	for _, m := range d.Missing {
		line("missing", m)
	}
	line("vagueness", fmt.Sprintf("%.2f of 1%s", d.Vagueness, lacking(d.Facts)))
	if d.Reply != "" {
		_, _ = fmt.Fprintf(s.out, "\n%s\n", inert.Text(d.Reply))
	}
}

// changeWords is a contrast in few words.
func changeWords(c triage.Contrast) string {
	text := ""
	switch c.Kind {
	case "without":
		text = "without " + c.Target
	case "instead":
		text = c.Value + " instead of " + c.Target
	default:
		text = c.Target + "=" + c.Value
	}
	if c.Bad {
		return text + " (brings it)"
	}
	return text
}

// lacking names the missing facts, the most helpful first.
func lacking(facts []triage.Fact) string {
	if len(facts) == 0 {
		return ""
	}
	names := make([]string, len(facts))
	for i, f := range facts {
		names[i] = f.Name
	}
	return ", lacking " + strings.Join(names, ", ")
}
