package cli

import (
	"context"
	"fmt"
	"io"
	"os"
)

type judgeCmd struct {
	Script   string `arg:"" optional:"" help:"The script to judge, - for standard input."`
	Report   string `help:"The report it is said to reproduce." placeholder:"REPORT"`
	runFlags `embed:""`
}

// maxScript bounds a judged script: real ones have a few hundred lines.
const maxScript = 1 << 20

// Run judges somebody else's script.
func (c *judgeCmd) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return c.fail(s, err)
	}
	switch {
	case c.Resume != "":
	case c.Script == "" || c.Report == "":
		return c.fail(s, usage("judge needs a script and --report REPORT"))
	case c.Script == "-" && c.Report == "-":
		return c.fail(s, usage("script and report cannot both come from standard input"))
	}
	req, dir, err := c.load(ctx, s, c.Report)
	if err != nil {
		return c.fail(s, err)
	}
	if c.Resume == "" {
		if req.Script, err = interruptible(ctx, func() (string, error) { return c.readScript(s) }); err != nil {
			return c.fail(s, err)
		}
		req.ScriptName = c.Script
	}
	return c.execute(ctx, s, req, dir)
}

func (c *judgeCmd) readScript(s streams) (string, error) {
	var r io.Reader = s.in
	if c.Script != "-" {
		f, err := os.Open(c.Script)
		if err != nil {
			return "", fmt.Errorf("read the script: %w", err)
		}
		defer func() { _ = f.Close() }()
		r = f
	}
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
