package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/agent"
	"github.com/repgen/repgen/internal/bench"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/system"
	"github.com/repgen/repgen/internal/system/inert"
)

type benchCmd struct {
	Dir   string   `arg:"" help:"A folder of cases: sub-folders with report.md and case.yaml."`
	Only  []string `help:"Only these cases." placeholder:"ID,..."`
	place `embed:""`
	show  `embed:""`

	modelBudget `embed:""`
	agentFlags  `embed:""`
	Strategies  []string `help:"How scripts are come by (repgen reproduce --help); several of them give a table of strategies by cases." name:"strategies" aliases:"strategy" placeholder:"HOW,..."`

	Jobs       int           `short:"j" help:"Cases at once. Each runs two executions at a time." default:"1"`
	Runs       int           `help:"Executions on the reported side to begin with; more, up to 20 or twice as many, while they are mixed." default:"5"`
	BudgetTime time.Duration `help:"Start no new control of a case after this time (default ${default})." default:"15m" placeholder:"DURATION"`
	RunTimeout time.Duration `help:"Wall limit of one execution (default ${default})." default:"5m" placeholder:"DURATION"`
	Out        string        `help:"Where the run folders lie. Finished cases found there are not run again (default ${default})." default:"repgen-bench" placeholder:"DIR"`
	Fresh      bool          `help:"Run every case again."`
	Markdown   string        `help:"Also write the table to this file." placeholder:"FILE"`
}

const benchCodes = `Exit codes: 0 no false claim, 4 a false claim, 1 the benchmark could not run or a case failed, 2 usage error, 130 interrupted (call it again to go on).
`

// Help stands below the flags of the command.
func (benchCmd) Help() string { return benchCodes }

func (c *benchCmd) check() error {
	switch {
	case c.Jobs < 1 || c.Jobs > 64:
		return usage("--jobs %d: it must be between 1 and 64", c.Jobs)
	case c.Runs < 1 || c.Runs > 1000:
		return usage("--runs %d: it must be between 1 and 1000", c.Runs)
	case c.BudgetTime < 0 || c.RunTimeout <= 0:
		return usage("--budget-time and --run-timeout must not be negative or zero")
	}
	for _, name := range c.Strategies {
		if name == "" {
			return usage("--strategies: one of them is empty")
		}
		if _, err := readStrategy(name); err != nil {
			return err
		}
	}
	return errors.Join(c.modelBudget.check(), c.agentFlags.check(), c.place.check())
}

// Run runs the cases and prints the table.
func (c *benchCmd) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return c.failAlone(s, err)
	}
	cases, err := c.cases()
	if err != nil {
		return c.failAlone(s, err)
	}
	if err := c.checkOut(); err != nil {
		return c.failAlone(s, err)
	}
	if c.Fresh {
		for _, k := range cases {
			for _, strategy := range c.strategies() {
				if err := system.RemoveAll(filepath.Join(c.folder(strategy), k.ID)); err != nil {
					return c.failAlone(s, fmt.Errorf("remove the old outcomes: %w", err))
				}
			}
		}
	}
	sv, err := wireServices(ctx, s, c.place, c.show, nil)
	if err != nil {
		return c.failAlone(s, err)
	}
	model, err := c.modelName(ctx, s)
	if err != nil {
		return c.failAlone(s, err)
	}
	var columns []bench.Column
	key := userKey(ctx)
	for _, strategy := range c.strategies() {
		r := &benchRunner{c: c, s: s, model: model, strategy: agent.Strategy(strategy), p: &pipeline.Pipeline{
			Specs: sv.envs, Projects: sv.envs, Solver: sv.envs, Builder: sv.envs, Sandbox: sv.sandbox,
			Version: versionText(), Build: buildText(), Key: key,
			Author: &author{s: s, show: c.show},
		}}
		identity := c.identity(model, strategy)
		outcomes, err := bench.Run(ctx, r, cases, bench.Options{Out: c.folder(strategy), Jobs: c.Jobs, Identity: identity, Key: key, Progress: c.tell(s, strategy)})
		if err != nil {
			sv.trim(ctx, logger(s.err, c.Verbose))
			return c.ended(ctx, s, err)
		}
		columns = append(columns, bench.Column{Strategy: strategy, Table: bench.Summarise(identity, outcomes)})
	}
	sv.trim(ctx, logger(s.err, c.Verbose))
	if len(columns) > 1 {
		return c.compare(s, bench.Compare(columns))
	}
	return c.report(s, columns[0].Table)
}

// ended says why the benchmark could not go on.
func (c *benchCmd) ended(ctx context.Context, s streams, err error) error {
	if ctx.Err() != nil {
		return tellProblem(s, c.show, proof.ResultError{What: "interrupted", Why: "a signal asked to stop", Next: "call the same command again: finished cases are kept in " + c.Out}, exitInterrupted)
	}
	return c.failAlone(s, err)
}

// checkOut wants folders, not links: old runs in them are removed, and the default
// lies where one happens to stand, in a stranger's checkout for one.
func (c *benchCmd) checkOut() error {
	for _, strategy := range append(c.strategies(), "") {
		if info, err := os.Lstat(c.folder(strategy)); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return usage("--out: %s is a link: name the folder that it leads to", inert.Line(c.folder(strategy)))
		}
	}
	return nil
}

// strategies that are measured, each once.
func (c *benchCmd) strategies() []string {
	if len(c.Strategies) == 0 {
		return []string{""}
	}
	var list []string
	for _, name := range c.Strategies {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// folder holds the run folders of one strategy; without one named they lie in
// --out itself, as they always did.
func (c *benchCmd) folder(strategy string) string {
	if strategy == "" {
		return c.Out
	}
	return filepath.Join(c.Out, "strategy-"+strategy)
}

// cases reads the folder and picks what --only names.
func (c *benchCmd) cases() ([]bench.Case, error) {
	cases, err := bench.Read(c.Dir)
	if errors.Is(err, bench.ErrNoCases) {
		return nil, usage("%v", err)
	}
	if err != nil || len(c.Only) == 0 {
		return cases, err
	}
	known := map[string]bench.Case{}
	for _, k := range cases {
		known[k.ID] = k
	}
	var out []bench.Case
	for _, id := range c.Only {
		k, ok := known[id]
		if !ok {
			return nil, usage("--only %s: no such case in %s", id, c.Dir)
		}
		out = append(out, k)
	}
	return out, nil
}

// identity says what is measured; outcomes of another one are not mixed in.
func (c *benchCmd) identity(model, strategy string) string {
	text := fmt.Sprintf("repgen %s, --llm %s, --runs %d, --run-timeout %s, --budget-time %s", versionText(), model, c.Runs, c.RunTimeout, c.BudgetTime)
	text += c.modelIdentity(model, strategy)
	if c.UnsafeNoSandbox {
		text += ", NO isolation"
	}
	if strings.HasPrefix(versionText(), "development") {
		// Two builds of one commit, or of none, are two products.
		text += ", build " + buildID()
	}
	return text
}

// modelIdentity are the words on how a model was asked.
func (c *benchCmd) modelIdentity(model, strategy string) string {
	if model == pipeline.NoModel {
		return ""
	}
	var req pipeline.Request
	c.fill(&req)
	text := ""
	if strategy != "" {
		text += ", --strategy " + strategy
	}
	for _, part := range req.Without {
		text += ", --without " + part
	}
	if req.QuoteOnly {
		text += ", --quote-only"
	}
	b := req.AgentBudget
	for _, n := range []struct {
		flag  string
		value int
	}{{"attempts", b.Attempts}, {"contexts", b.Contexts}, {"samples", b.Samples}, {"budget-tokens", b.Model.Tokens}, {"budget-calls", b.Model.Calls}} {
		if n.value > 0 {
			text += fmt.Sprintf(", --%s %d", n.flag, n.value)
		}
	}
	if b.Model.USD > 0 {
		text += fmt.Sprintf(", --budget-usd %g", b.Model.USD)
	}
	if b.Sandbox > 0 {
		text += fmt.Sprintf(", --budget-sandbox %s", b.Sandbox)
	}
	if b.Model.None {
		text += ", nothing may be asked"
	}
	return text
}

// fill puts what the flags say of a model into a request.
func (c *benchCmd) fill(req *pipeline.Request) {
	c.modelBudget.fill(req)
	c.agentFlags.fill(req)
	// The table has no room for words.
	req.NoExplain = !c.ExplainWithModel
	req.AgentBudget.Wall = wallOf(c.BudgetTime)
}

// tell prints a line for each case that ends.
func (c *benchCmd) tell(s streams, strategy string) func(done, total int, o bench.Outcome) {
	if c.Quiet {
		return nil
	}
	return func(done, total int, o bench.Outcome) {
		kept := ""
		if o.Kept {
			kept = " (kept)"
		}
		if strategy != "" {
			kept += ", " + strategy
		}
		_, _ = fmt.Fprintf(s.err, "%d/%d %s%s\n", done, total, inert.Line(bench.Line(o)), kept)
	}
}

// report prints the table and says by the exit code whether it may be trusted.
func (c *benchCmd) report(s streams, t *bench.Table) error {
	var page strings.Builder
	if err := bench.Markdown(&page, t); err != nil {
		return c.failAlone(s, err)
	}
	short := fmt.Sprintf("%d cases, %d false claims\n", t.Cases, len(t.FalseClaims))
	if err := printTable(s, c.show, c.Markdown, page.String(), short, t); err != nil {
		return c.failAlone(s, err)
	}
	return trusted(len(t.FalseClaims), t)
}

// compare prints the table of strategies by cases.
func (c *benchCmd) compare(s streams, t *bench.Strategies) error {
	var page strings.Builder
	if err := bench.StrategiesMarkdown(&page, t); err != nil {
		return c.failAlone(s, err)
	}
	short := fmt.Sprintf("%d strategies, %d false claims\n", len(t.Strategies), len(t.FalseClaims))
	if err := printTable(s, c.show, c.Markdown, page.String(), short, t); err != nil {
		return c.failAlone(s, err)
	}
	var tables []*bench.Table
	for _, col := range t.Strategies {
		tables = append(tables, col.Table)
	}
	return trusted(len(t.FalseClaims), tables...)
}

// trusted is the exit code: a false claim is worse than a case that failed.
func trusted(falseClaims int, tables ...*bench.Table) error {
	if falseClaims > 0 {
		return exit{exitFalseClaim}
	}
	for _, t := range tables {
		for _, o := range t.Outcomes {
			if o.Error != "" {
				return exit{exitFailed}
			}
		}
	}
	return nil
}

// exitFalseClaim of `repgen bench`: the worst that can be said of us.
const exitFalseClaim = 4

// benchRunner runs a report as `repgen reproduce --out DIR` would.
type benchRunner struct {
	c        *benchCmd
	s        streams
	p        *pipeline.Pipeline
	model    string
	strategy agent.Strategy
}

// Run implements bench.Runner.
func (b *benchRunner) Run(ctx context.Context, name, dir string) (*proof.Result, error) {
	rep, err := readReport(ctx, name, b.s)
	if err != nil {
		return nil, err
	}
	req := &pipeline.Request{Report: rep, Runs: b.c.Runs, Budget: b.c.BudgetTime, Unsafe: b.c.UnsafeNoSandbox, Limits: sandbox.DefaultLimits()}
	req.Limits.Wall = b.c.RunTimeout
	req.Model, req.Strategy = b.model, b.strategy
	if b.model != pipeline.NoModel {
		b.c.fill(req)
	}
	run, err := b.p.Reproduce(ctx, req, dir)
	if errors.Is(err, pipeline.ErrOtherReport) || errors.Is(err, pipeline.ErrForeign) {
		// The report was edited since, or somebody else made the run: what was
		// reached is no part of this measurement.
		if err := system.RemoveAll(dir); err != nil {
			return nil, fmt.Errorf("remove the run of an older report: %w", err)
		}
		run, err = b.p.Reproduce(ctx, req, dir)
	}
	if err != nil {
		return nil, err
	}
	return run.Result, nil
}

// printTable writes a benchmark's page to a file where one is named, and prints
// the page, its short form or the whole as JSON.
func printTable(s streams, how show, file, page, short string, whole any) error {
	if file != "" {
		if err := system.WriteFile(file, []byte(page), 0o644); err != nil {
			return fmt.Errorf("write --markdown: %w", err)
		}
	}
	switch {
	case how.JSON:
		return output.JSON(s.out, whole)
	case how.Quiet:
		_, err := fmt.Fprint(s.out, inert.Text(short))
		return err
	}
	_, err := fmt.Fprint(s.out, inert.Text(page))
	return err
}
