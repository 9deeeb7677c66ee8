package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/report/github"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/service/mcp"
)

type mcpCmd struct {
	Root   string `help:"The folder below which the agent may have files read." default:"." placeholder:"DIR"`
	Out    string `help:"Where the run folders of judged scripts are kept." default:"repgen-out" placeholder:"DIR"`
	Report string `help:"Work on this report only: a file, an issue's URL or owner/repo#N. The agent then cannot bring a text of its own." placeholder:"REPORT"`

	Index string `help:"Package index. Default: as for reproduce." placeholder:"URL"`
	wishes
	Good       string        `help:"A version of the subject that is known to be good." placeholder:"VERSION"`
	Runs       int           `help:"Executions on the reported side to begin with, when a script is judged." default:"5"`
	BudgetTime time.Duration `help:"Start no new control after this time, when a script is judged (default ${default}; 0: no limit)." default:"15m" placeholder:"DURATION"`
	RunTimeout time.Duration `help:"Wall limit of one execution (default ${default})." default:"5m" placeholder:"DURATION"`
	Parallel   int           `help:"How many runs go at a time; the others wait." default:"1"`
	Verbose    bool          `short:"v" help:"Log what is done, to standard error."`
}

// Help stands below the flags of the command.
func (mcpCmd) Help() string {
	return `Serves a coding agent over the Model Context Protocol on standard input and output; logs go to standard error (docs/agents.md). It ends with its input, and what runs ends with it.
There is no way to run without isolation here: where it cannot be set up, the tools that run something say so.
Exit codes: 0 the agent went, or a signal asked to stop; 1 failed; 2 usage.`
}

func (c *mcpCmd) check() error {
	switch {
	case c.Runs < 1 || c.Runs > 1000:
		return usage("--runs %d: it must be between 1 and 1000", c.Runs)
	case c.BudgetTime < 0 || c.RunTimeout <= 0:
		return usage("--budget-time and --run-timeout must not be negative or zero")
	case c.Parallel < 1 || c.Parallel > maxParallel:
		return usage("--parallel %d: it must be between 1 and %d", c.Parallel, maxParallel)
	case c.Report == "-":
		return usage("--report -: standard input is the agent's")
	}
	if info, err := os.Stat(c.Root); err != nil || !info.IsDir() {
		return usage("--root %s is no folder", c.Root)
	}
	_, dateErr := day(c.Date)
	return errors.Join(c.wishes.check(), checkGood(c.Good), c.place().check(), dateErr)
}

// maxParallel runs at a time (a guess: each may take a few cores and GiB).
const maxParallel = 16

// place never runs without isolation.
func (c *mcpCmd) place() place { return place{Index: c.Index} }

// Run serves until the agent goes.
func (c *mcpCmd) Run(ctx context.Context, s streams) error {
	sh := show{Verbose: c.Verbose}
	if err := c.check(); err != nil {
		return sh.fail(s, err)
	}
	o, err := c.options(ctx, s)
	if err != nil {
		return sh.fail(s, err)
	}
	out, err := protocolOnly(bare(s.out))
	if err != nil {
		return sh.fail(s, err)
	}
	// An agent that dies takes its ends of all pipes with it: a line of the log
	// must not kill this process before it has ended what runs. What is notified
	// is, unlike what is ignored, not handed on to children.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, unix.SIGPIPE)
	defer signal.Stop(broken)
	if err := mcp.Serve(ctx, mcp.Lines(s.in, out), o); err != nil {
		return sh.fail(s, fmt.Errorf("serve the agent: %w", err))
	}
	return nil
}

// options wires the services.
func (c *mcpCmd) options(ctx context.Context, s streams) (mcp.Options, error) {
	var o mcp.Options
	root, err := filepath.Abs(c.Root)
	if err != nil {
		return o, fmt.Errorf("find the root folder: %w", err)
	}
	out, err := filepath.Abs(c.Out)
	if err != nil {
		return o, fmt.Errorf("find the folder of the runs: %w", err)
	}
	// Nobody but the protocol writes to standard output.
	s.out, s.in = io.Discard, nil
	var pinned *report.Report
	if c.Report != "" {
		if pinned, err = readReport(ctx, c.Report, s); err != nil {
			return o, err
		}
	}
	sv, err := wireServices(ctx, s, c.place(), show{Verbose: c.Verbose}, nil)
	if err != nil {
		return o, err
	}
	date, err := day(c.Date)
	if err != nil {
		return o, err
	}
	limits := sandbox.DefaultLimits()
	limits.Wall = c.RunTimeout
	w := &agentServices{s: s, c: c}
	return mcp.Options{
		Tracker: w, Environments: w, Searcher: w, Judge: w, Sandbox: sv.sandbox, Explain: explainToAgent,
		Root: root, Out: out, Report: pinned, Subject: c.Subject, Concurrent: c.Parallel,
		Request: pipeline.Request{
			Date: date, Python: c.Python, Subject: c.Subject, With: c.With, Good: c.Good,
			Runs: c.Runs, Budget: c.BudgetTime, Limits: limits,
		},
		Key: userKey(ctx), Version: versionText(), Log: logger(s.err, c.Verbose),
	}, nil
}

// protocolOnly takes the process's standard output for the protocol and leads
// what any library prints there to standard error. Other writers are taken as
// they are.
func protocolOnly(w io.Writer) (io.WriteCloser, error) {
	f, ok := w.(*os.File)
	if !ok || f != os.Stdout {
		return keepOpen{w}, nil
	}
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("keep standard output for the protocol: %w", err)
	}
	if err := unix.Dup3(int(os.Stderr.Fd()), int(f.Fd()), 0); err != nil {
		return nil, fmt.Errorf("keep standard output for the protocol: %w", err)
	}
	return os.NewFile(uintptr(fd), "protocol"), nil
}

// keepOpen is a writer that somebody else closes.
type keepOpen struct{ io.Writer }

// Close leaves it open.
func (keepOpen) Close() error { return nil }

// explainToAgent is explain without advice that only a user can take.
func explainToAgent(err error) mcp.Problem {
	var layer *sandbox.LayerError
	if errors.As(err, &layer) {
		return mcp.Problem{
			What: nothingRan(layer), Why: layer.Why,
			Next: "tell the user: " + isolationFix(layer) + "; repgen doctor checks everything. There is no way around it here",
		}
	}
	p, _ := explain(err)
	var wrong usageError
	if errors.As(err, &wrong) {
		p.Next = "correct the input" // the help is for users
	}
	return mcp.Problem{What: p.What, Why: p.Why, Next: p.Next}
}

// agentServices do for the agent what the commands do for a user.
type agentServices struct {
	s streams
	c *mcpCmd
}

// services are one run's own, so that its progress is told to it alone.
func (w *agentServices) services(ctx context.Context, tell mcp.Tell) (*services, error) {
	return wireServices(ctx, w.s, w.c.place(), show{Verbose: w.c.Verbose}, tellEvents(tell))
}

// tellEvents tells an event as a line.
func tellEvents(tell mcp.Tell) func(pipeline.Event) {
	return func(e pipeline.Event) {
		text := string(e.Stage) + ": " + e.Text
		if e.Total > 0 {
			// In tenths, so that a download is a few lines.
			text += fmt.Sprintf(" %d %%", e.Done*10/e.Total*10)
		}
		tell(text)
	}
}

// Fetch implements mcp.Tracker.
func (w *agentServices) Fetch(ctx context.Context, ref string) (*report.Report, error) {
	owner, repo, n, ok := github.ParseRef(ref)
	if !ok {
		return nil, usage("%s is no issue: write owner/repo#N, or the URL of an issue of GitHub", ref)
	}
	return github.Fetch(ctx, trackerOptions(), owner, repo, n)
}

// Judge implements mcp.Judge: the pipeline's own way, without a language model.
func (w *agentServices) Judge(ctx context.Context, req *pipeline.Request, dir string, tell mcp.Tell) (*proof.Result, error) {
	sv, err := w.services(ctx, tell)
	if err != nil {
		return nil, err
	}
	p := &pipeline.Pipeline{
		Specs: sv.envs, Projects: sv.envs, Solver: sv.envs, Builder: sv.envs, Sandbox: sv.sandbox,
		Events: tellEvents(tell), Version: versionText(), Build: buildText(), Key: userKey(ctx),
	}
	run, err := p.Reproduce(ctx, req, dir)
	if err != nil {
		return nil, err
	}
	sv.trim(ctx, logger(w.s.err, w.c.Verbose))
	return run.Result, nil
}
