package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/pipeline"
)

type showCmd struct {
	Dir string `arg:"" name:"run" help:"The run folder."`
	show
}

// Run shows a run folder again, finished or not.
func (c *showCmd) Run(_ context.Context, s streams) error {
	c.Dir = filepath.Clean(c.Dir)
	if !isRun(c.Dir) && filepath.Base(c.Dir) == "bundle" && isRun(filepath.Dir(c.Dir)) {
		c.Dir = filepath.Dir(c.Dir)
	}
	result, err := pipeline.ReadResult(c.Dir)
	if err != nil {
		return c.fail(s, err)
	}
	switch {
	case c.JSON:
		return output.JSON(s.out, result)
	case c.Quiet:
		output.Quiet(s.out, result)
		return nil
	}
	progress := output.NewProgress(s.out, style(s.out), nil, output.Style{})
	tell := shortened(progress.Event)
	for _, e := range lastDone(filepath.Join(c.Dir, "events.jsonl")) {
		tell(e)
	}
	progress.Close()
	output.Details(s.out, result)
	tellRerun(s, result)
	return nil
}

func isRun(dir string) bool {
	_, err := pipeline.ReadRequest(dir)
	return err == nil
}

// lastDone is the newest line of each stage, in order: a resumed run wrote some
// of them twice.
func lastDone(path string) []pipeline.Event {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	last := map[pipeline.Stage]pipeline.Event{}
	var order []pipeline.Stage
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e pipeline.Event
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.State != "done" {
			continue
		}
		if _, seen := last[e.Stage]; !seen {
			order = append(order, e.Stage)
		}
		last[e.Stage] = e
	}
	var events []pipeline.Event
	for _, st := range order {
		events = append(events, last[st])
	}
	return events
}
