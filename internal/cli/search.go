package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/codebase/query"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/inert"
)

// exitNotFound is that of a search that found nothing.
const exitNotFound = 3

type searchCmd struct {
	Dir     string `arg:"" optional:"" help:"The project's folder. Default: the subject's own source, as installed in the report's environment."`
	Report  string `help:"The report that is searched for: a file, - for standard input, an issue's URL or owner/repo#N." placeholder:"REPORT"`
	Query   string `help:"Search for these words instead of a report." placeholder:"TEXT"`
	Project string `help:"The project's folder, as DIR." placeholder:"DIR"`

	Explain bool `help:"Show every term of every score, and what was taken from the report."`
	Context bool `help:"Print the code itself: at most five modules, each with its training loop, best chunks and what they need."`
	Files   bool `help:"List files instead of pieces of them."`
	Top     int  `help:"How many." default:"10"`
	Budget  int  `help:"Tokens of --context (default ${default})." default:"8000"`

	Fusion  string   `help:"How words and vectors are mixed: repgen (chosen by measurement), paper (the published formula), minmax, rrf." enum:"repgen,paper,minmax,rrf" default:"repgen"`
	Alpha   *float64 `help:"The share of the vectors, 0 to 1. Default: the mixture's own." placeholder:"SHARE"`
	Without []string `help:"Switch a part off: bm25, ann, reranker, training-loop-extraction, training-loop-ranking, module-partitioning, dependency-extraction (the last four are parts of --context). May be repeated." placeholder:"PART"`
	Frames  bool     `help:"Weigh the frames of the report's traceback." default:"true" negatable:""`

	modelFlags
	wishes
	place
	show
}

// Help stands below the flags of the command.
func (searchCmd) Help() string {
	return `One of --report and --query is needed; --query needs a folder.
Exit codes: 0 found, 3 nothing found, 5 nothing to search (no Python, or the report's environment cannot be had), 1 failed, 2 usage, 130 interrupted.`
}

// checkAll refuses words that contradict each other.
func (c *searchCmd) checkAll() error {
	if c.Dir != "" && c.Project != "" && c.Dir != c.Project {
		return usage("%s and --project %s: name the project once", c.Dir, c.Project)
	}
	switch dir := c.Dir + c.Project; {
	case c.Report == "" && c.Query == "":
		return usage("search for what? Give --report REPORT or --query TEXT")
	case c.Report != "" && c.Query != "":
		return usage("--report and --query exclude each other")
	case c.Query != "" && dir == "":
		return usage("--query needs the project's folder: repgen search DIR --query TEXT")
	case c.Top < 1 || c.Top > maxTop:
		return usage("--top %d: it must be between 1 and %d", c.Top, maxTop)
	case c.Budget < minBudget:
		return usage("--budget %d: below %d tokens nothing fits", c.Budget, minBudget)
	case c.Alpha != nil && !(*c.Alpha >= 0 && *c.Alpha <= 1):
		return usage("--alpha %g: it must be between 0 and 1", *c.Alpha)
	}
	if _, err := parts(c.Without); err != nil {
		return err
	}
	return errors.Join(c.modelFlags.check(), c.wishes.check(), c.place.check())
}

// Limits of the flags (guesses).
const (
	maxTop    = 1000
	minBudget = 100
)

// parts reads the names of --without.
func parts(names []string) ([]codebase.Part, error) {
	var out []codebase.Part
	for _, n := range names {
		if !slices.Contains(codebase.Parts, codebase.Part(n)) {
			var known []string
			for _, p := range codebase.Parts {
				known = append(known, string(p))
			}
			return nil, usage("--without %s: it is one of %s", n, strings.Join(known, ", "))
		}
		out = append(out, codebase.Part(n))
	}
	return out, nil
}

// Run searches.
func (c *searchCmd) Run(ctx context.Context, s streams) error {
	if err := c.checkAll(); err != nil {
		return searchFailure(s, c.show, err)
	}
	q, rep, err := c.question(ctx, s)
	if err != nil {
		return searchFailure(s, c.show, err)
	}
	progress := c.progress(s)
	p, release, un, err := c.project(ctx, s, rep, progress)
	if err == nil && un == nil {
		defer release()
	}
	if err != nil || un != nil {
		progress.Close()
		if un != nil {
			return c.unavailable(s, un)
		}
		return searchFailure(s, c.show, err)
	}
	return c.answer(ctx, s, p, q, progress)
}

// question is what is searched for.
func (c *searchCmd) question(ctx context.Context, s streams) (query.Query, *report.Report, error) {
	if c.Query != "" {
		return query.FromText(c.Query), nil, nil
	}
	rep, err := readReport(ctx, c.Report, s)
	if err != nil {
		return query.Query{}, nil, err
	}
	return query.FromReport(rep), rep, nil
}

// project is the code that is searched: the folder named, else the subject as
// installed. release must be called when there is one.
func (c *searchCmd) project(ctx context.Context, s streams, rep *report.Report, progress *output.Progress) (*project, func(), *environment.Unavailable, error) {
	dir := c.Project
	if c.Dir != "" {
		dir = c.Dir
	}
	if dir != "" {
		p, err := folderProject(dir)
		return p, func() {}, nil, err
	}
	env := &envCmd{wishes: c.wishes, place: c.place, show: c.show}
	return installedProject(ctx, s, env, rep, progress)
}

// unavailable says why there is no environment and what to do instead.
func (c *searchCmd) unavailable(s streams, un *environment.Unavailable) error {
	problem := proof.ResultError{
		What: "there is nothing to search: the report's environment cannot be had", Why: un.Why,
		Next: "name the project's source with --project DIR",
	}
	if un.Next != "" {
		problem.Next += ", or " + un.Next
	}
	return tellProblem(s, c.show, problem, exitNothing)
}

// answer opens the index, searches and prints.
func (c *searchCmd) answer(ctx context.Context, s streams, p *project, q query.Query, progress *output.Progress) error {
	c.noReranker = slices.Contains(c.Without, string(codebase.PartReranker))
	x, done, err := p.open(ctx, s, c.modelFlags, c.show, progress)
	var found func() (bool, error)
	if err == nil {
		found, err = c.ask(ctx, s, x, q)
	}
	progress.Close()
	if derr := done(); err == nil && derr != nil {
		err = fmt.Errorf("close the index: %w", derr)
	}
	if err != nil {
		return p.failure(s, c.show, err)
	}
	ok, err := found()
	if err == nil && !ok {
		err = exit{exitNotFound}
	}
	return err
}

// ask searches; the function it gives prints the answer, once the progress is
// off the screen, and says whether there is one.
func (c *searchCmd) ask(ctx context.Context, s streams, x *codebase.Index, q query.Query) (func() (bool, error), error) {
	o, err := c.options()
	if err != nil {
		return nil, err
	}
	view := output.SearchView{Files: c.Files, Explain: c.Explain}
	if c.Context {
		cc, err := x.Context(ctx, q, codebase.ContextOptions{SearchOptions: o, Budget: c.Budget})
		return func() (bool, error) { return len(cc.Modules) > 0, c.printContext(s, cc, view) }, err
	}
	r, err := x.Search(ctx, q, o)
	return func() (bool, error) { return len(r.Hits) > 0, c.printResult(s, r, view) }, err
}

func (c *searchCmd) options() (codebase.SearchOptions, error) {
	without, err := parts(c.Without)
	return codebase.SearchOptions{Fusion: c.Fusion, Alpha: c.Alpha, Without: without, NoFrames: !c.Frames, Top: c.Top}, err
}

func (c *searchCmd) printResult(s streams, r *codebase.Result, v output.SearchView) error {
	switch {
	case c.JSON:
		return output.JSON(s.out, struct {
			Schema int `json:"schema"`
			*codebase.Result
		}{searchSchema, r})
	case c.Quiet:
		for _, f := range r.Files {
			_, _ = fmt.Fprintln(s.out, inert.Line(f.Path))
		}
	default:
		output.Search(s.out, r, v, style(s.out))
	}
	return nil
}

func (c *searchCmd) printContext(s streams, cc *codebase.CodeContext, v output.SearchView) error {
	switch {
	case c.JSON:
		return output.JSON(s.out, struct {
			Schema int `json:"schema"`
			*codebase.CodeContext
		}{searchSchema, cc})
	case c.Quiet:
		for _, m := range cc.Modules {
			_, _ = fmt.Fprintln(s.out, inert.Line(m.Path))
		}
	default:
		output.CodeContext(s.out, cc, v, style(s.out))
	}
	return nil
}
