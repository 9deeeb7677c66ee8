package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/system"
)

type judgeCmd struct {
	Script   string `arg:"" optional:"" help:"The script to judge, - for standard input. One that lies in a run folder is judged against that run's report."`
	Report   string `help:"The report it is said to reproduce." placeholder:"REPORT"`
	From     string `help:"Judge against the report of this run, with the words it was begun with; without a script, the one in it that the model wrote and you edited (candidate.py)." placeholder:"RUN"`
	runFlags `embed:""`
}

// maxScript bounds a judged script: real ones have a few hundred lines.
const maxScript = 1 << 20

// Run judges somebody else's script.
func (c *judgeCmd) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return c.fail(s, err)
	}
	from := c.run()
	switch {
	case c.Resume != "":
	case c.From != "" && !pipeline.IsRun(c.From):
		return c.fail(s, usage("--from %s: no run of repgen is there", c.From))
	case c.Script == "" && from == "" || c.Report == "" && from == "":
		return c.fail(s, usage("judge needs a script and --report REPORT, or --from RUN"))
	case c.Script == "-" && c.Report == "-":
		return c.fail(s, usage("script and report cannot both come from standard input"))
	}
	if from != "" && c.Script == "" {
		c.Script = filepath.Join(from, pipeline.ScriptFile)
		if _, err := os.Stat(c.Script); err != nil {
			return c.fail(s, usage("--from %s: no script of a model's is there: name the script that is judged", from))
		}
	}
	req, dir, err := c.question(ctx, s, from)
	if err != nil {
		return c.fail(s, err)
	}
	return c.execute(ctx, s, req, dir)
}

// run is the run whose script is judged, "" for none: the one that is named, or
// the one in whose folder the script lies.
func (c *judgeCmd) run() string {
	if c.From != "" || c.Resume != "" || c.Script == "" || c.Script == "-" {
		return c.From
	}
	if dir := runOf(filepath.Dir(c.Script)); pipeline.IsRun(dir) {
		return dir
	}
	return ""
}

// question is what is judged.
func (c *judgeCmd) question(ctx context.Context, s streams, from string) (*pipeline.Request, string, error) {
	if from == "" || c.Report != "" {
		req, dir, err := c.load(ctx, s, c.Report)
		if err != nil || c.Resume != "" {
			return req, dir, err
		}
		if from != "" {
			run, err := openRun(ctx, from)
			if err != nil {
				return nil, "", err
			}
			defer func() { _ = run.Close() }() // only read
			if run.Request.Report.Text == req.Report.Text {
				return c.continued(ctx, s, run)
			}
		}
		req.ScriptName = c.Script
		req.Script, err = interruptible(ctx, func() (string, error) { return c.readScript(s, from) })
		return req, dir, err
	}
	run, err := openRun(ctx, from)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = run.Close() }() // only read
	return c.continued(ctx, s, run)
}

// continued is a run's request with its script, as a person left it.
func (c *judgeCmd) continued(ctx context.Context, s streams, run *pipeline.Stored) (*pipeline.Request, string, error) {
	req := run.Continue()
	script, err := interruptible(ctx, func() (string, error) { return c.readScript(s, run.Dir) })
	if err != nil {
		return nil, "", err
	}
	// The run's own model is not asked again unless it is named: judging needs
	// none, and a folder may be anybody's, so it must start no command here.
	if c.LLM == "" {
		c.LLM = pipeline.NoModel
	}
	if !run.Own {
		if err := c.adopt(s, run); err != nil {
			return nil, "", err
		}
	}
	if req.Edited != nil {
		script = pipeline.Body(script)
	}
	req.Script, req.ScriptName = script, c.Script
	req.Unsafe = c.UnsafeNoSandbox
	if err := c.over(req); err != nil {
		return nil, "", err
	}
	return req, c.Out, c.model(ctx, s, req)
}

// openScript opens what is judged. In a run folder, which may be a stranger's, no
// link is followed: what it leads to would be copied into the new run.
func (c *judgeCmd) openScript(s streams, run string) (io.ReadCloser, error) {
	if c.Script == "-" {
		return io.NopCloser(s.in), nil
	}
	if run == "" {
		return os.Open(c.Script)
	}
	in, err := system.OpenFolder(run)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // only read
	abs, err := filepath.Abs(c.Script)
	if err != nil {
		return nil, err
	}
	name, err := filepath.Rel(in.Dir, abs)
	if err != nil || !filepath.IsLocal(name) {
		return os.Open(c.Script)
	}
	return in.Open(name)
}

func (c *judgeCmd) readScript(s streams, run string) (string, error) {
	r, err := c.openScript(s, run)
	if err != nil {
		return "", fmt.Errorf("read the script: %w", err)
	}
	defer func() { _ = r.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(r, maxScript+1))
	if err != nil {
		return "", fmt.Errorf("read the script: %w", err)
	}
	switch {
	case len(data) > maxScript:
		return "", usage("%s is larger than 1 MiB: a reproduction script is not", c.Script)
	case len(data) == 0:
		return "", usage("%s is empty: there is nothing to judge", c.Script)
	}
	return string(data), nil
}
