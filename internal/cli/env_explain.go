package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/system/inert"
)

// envGroup is `repgen env REPORT` with `repgen env explain REPORT` beside it.
type envGroup struct {
	Build   envCmd        `cmd:"" default:"withargs" help:"Only solve and build the environment of a report; say why each version."`
	Explain envExplainCmd `cmd:"" help:"Say of each pin whose word it is, what was asked for, what is installed, and which rung of the ladder it stands on. Builds nothing."`
}

type envExplainCmd struct {
	Report string `arg:"" help:"The report: a file, - for standard input, an issue's URL or owner/repo#N."`
	wishes `embed:""`
	place  `embed:""`
	show   `embed:""`
}

// Help stands below the flags of the command.
func (envExplainCmd) Help() string {
	return `Words: flag (yours), reporter, import (the script's, newest as of the date), undeclared (a run missed it), relaxed (a repair loosened it), resolver (came with the others), subject, sweep, project.
Exit codes: 0 solved, 5 no such environment can be had, 1 failed, 2 usage.`
}

// pin is one line of the explanation.
type pin struct {
	environment.PinLine
	// Stub: it is in the lock, and left out of what is built here because only a
	// GPU needs it.
	Stub bool `json:"stub,omitempty"`
}

// explanation is the JSON object of env explain.
type explanation struct {
	AsOf        time.Time                `json:"as_of"`
	AsOfSource  string                   `json:"as_of_source"`
	Pins        []pin                    `json:"pins"`
	Asked       []environment.Asked      `json:"asked"` // asked for and not what is installed
	Rung        int                      `json:"rung"`  // the highest that was needed
	Rungs       []environment.Rung       `json:"rungs"`
	Edits       []string                 `json:"edits"`
	StandIns    []string                 `json:"stand_ins"`
	Unavailable *environment.Unavailable `json:"unavailable"`
}

// Run solves the environment and explains it.
func (c *envExplainCmd) Run(ctx context.Context, s streams) error {
	env := &envCmd{Report: c.Report, NoBuild: true, wishes: c.wishes, place: c.place, show: c.show}
	if err := errors.Join(c.wishes.check(), c.place.check()); err != nil {
		return c.failAlone(s, err)
	}
	v, err := env.solve(ctx, s)
	if err != nil {
		return c.failAlone(s, err)
	}
	x := explainView(v)
	switch {
	case c.JSON:
		if err := output.JSON(s.out, x); err != nil {
			return err
		}
	case v.Unavailable != nil || c.Quiet:
		env.tell(s, v)
	default:
		if err := x.tell(s); err != nil {
			return err
		}
	}
	if v.Unavailable != nil {
		return exit{exitNothing}
	}
	return nil
}

// explainView is what a solved Spec says of its pins. Lists are never null.
func explainView(v *environmentView) *explanation {
	x := &explanation{
		AsOf: v.Spec.AsOf.UTC(), AsOfSource: v.Spec.AsOfSource, Unavailable: v.Unavailable,
		Pins: []pin{}, Asked: []environment.Asked{}, Rungs: []environment.Rung{}, StandIns: []string{},
		Edits: append([]string{}, v.Spec.Edits...),
	}
	if v.Unavailable != nil {
		x.Rungs = append(x.Rungs, v.Unavailable.Rungs...)
	}
	if v.Lock == nil {
		return x
	}
	for _, line := range v.Lock.Explain(v.Spec) {
		x.Pins = append(x.Pins, pin{line, slices.Contains(v.Lock.LeftOut, line.Name)})
	}
	x.Asked = append(x.Asked, v.Lock.Asked...)
	x.Rung, x.Rungs = v.Lock.Rung, append(x.Rungs, v.Lock.Rungs...)
	x.Edits = append(x.Edits, v.Lock.Edits...)
	x.StandIns = append(x.StandIns, v.Lock.StandIns...)
	return x
}

// asOfForm is how the date is shown.
const asOfForm = "2006-01-02 15:04:05 MST"

// tell prints a table for people; what a report wrote is made harmless first.
func (x *explanation) tell(s streams) error {
	_, _ = fmt.Fprintf(s.out, "as of %s (%s)\n\n", x.AsOf.Format(asOfForm), inert.Line(x.AsOfSource))
	if err := x.table(s.out); err != nil {
		return err
	}
	for _, part := range []struct {
		title string
		lines []string
	}{{"asked for and not what is installed", askedLines(x.Asked)}, {"edits", x.Edits}, {"rungs tried", rungLines(x.Rungs)}} {
		if len(part.lines) == 0 {
			continue
		}
		_, _ = fmt.Fprintf(s.out, "\n%s:\n", part.title)
		for _, l := range part.lines {
			_, _ = fmt.Fprintf(s.out, "  - %s\n", inert.Line(l))
		}
	}
	return nil
}

func (x *explanation) table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "PIN\tINSTALLED\tASKED\tWORD\tRUNG\tWHY")
	for _, p := range x.Pins {
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n",
			cell(p.Name), cell(p.installed()), cell(p.Asked), p.Word, p.rung(), cell(p.Why))
	}
	return t.Flush()
}

func (p pin) installed() string {
	if p.Stub {
		return p.Version + " (stub)"
	}
	return p.Version
}

// rung is the number and the name; what came with the others stands on none.
func (p pin) rung() string {
	if p.Rung == 0 {
		return "-"
	}
	return strconv.Itoa(p.Rung) + " " + p.RungName
}

// cell is one cell of the table: harmless, on one line, never empty.
func cell(text string) string {
	if text = inert.Line(text); text == "" {
		return "-"
	}
	return text
}

func askedLines(asked []environment.Asked) []string {
	var out []string
	for _, a := range asked {
		got := "left out"
		if a.Installed != "" {
			got = "installed " + a.Installed
		}
		line := fmt.Sprintf("%s: %s asked for %s, %s", a.Name, a.Word, a.Asked, got)
		if a.Why != "" {
			line += ": " + a.Why
		}
		out = append(out, line)
	}
	return out
}

func rungLines(rungs []environment.Rung) []string {
	var out []string
	for _, r := range rungs {
		line := fmt.Sprintf("%d %s: %s", r.Number, r.Name, r.Result)
		if r.Detail != "" {
			line += ": " + r.Detail
		}
		out = append(out, line)
	}
	return out
}
