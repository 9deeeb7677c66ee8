package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system"
)

type showCmd struct {
	Dir  string `arg:"" name:"run" help:"The run folder."`
	HTML string `help:"Write one static page to this file instead, with every detail." name:"html" placeholder:"FILE"`
	show
}

// showView is the JSON object: the result with what a language model did.
type showView struct {
	*proof.Result
	Trajectory []trace.Span `json:"trajectory,omitempty"`
}

// Run shows a run folder again, finished or not.
func (c *showCmd) Run(_ context.Context, s streams) error {
	c.Dir = runOf(filepath.Clean(c.Dir))
	result, err := pipeline.ReadResult(c.Dir)
	unfinished := errors.Is(err, pipeline.ErrNotFinished)
	if err != nil && !unfinished {
		return c.fail(s, err)
	}
	spans, terr := spansOf(c.Dir)
	if terr != nil {
		logger(s.err, c.Verbose).Warn("read the trajectory", "error", terr)
	}
	switch {
	case c.HTML != "":
		return c.page(s, result, spans)
	case unfinished:
		return c.unfinished(s, err, spans)
	case c.JSON:
		return output.JSON(s.out, showView{result, spans})
	case c.Quiet:
		output.Quiet(s.out, result)
		return nil
	}
	c.lines(s)
	output.Details(s.out, result)
	output.ModelPart(s.out, result)
	c.trajectory(s, spans)
	tellRerun(s, result)
	return nil
}

// lines are those of the stages that were reached.
func (c *showCmd) lines(s streams) {
	progress := output.NewProgress(s.out, style(s.out), nil, output.Style{})
	tell := shortened(progress.Event)
	for _, e := range lastDone(filepath.Join(c.Dir, "events.jsonl")) {
		tell(e)
	}
	progress.Close()
}

func (c *showCmd) trajectory(s streams, spans []trace.Span) {
	output.Trajectory(s.out, spans, output.TrajectoryView{Details: c.Verbose}, style(s.out))
}

// unfinished shows how far a run came, and says that it did not end.
func (c *showCmd) unfinished(s streams, err error, spans []trace.Span) error {
	result, code := failureIn(s, err, c.Dir)
	if c.JSON {
		if err := output.JSON(s.out, showView{result, spans}); err != nil {
			return err
		}
	} else if !c.Quiet {
		c.lines(s)
		c.trajectory(s, spans)
	}
	output.Problem(s.err, *result.Error)
	return exit{code}
}

// page writes the page of --html.
func (c *showCmd) page(s streams, result *proof.Result, spans []trace.Span) error {
	req, err := pipeline.ReadRequest(c.Dir)
	if err != nil {
		return c.fail(s, err)
	}
	p := output.Page{Title: req.Report.Title, Result: result, Spans: spans, Script: shownScript(c.Dir), Answers: answersOf(c.Dir, spans)}
	if p.Title == "" {
		p.Title = "A run of repgen"
	}
	for _, e := range lastDone(filepath.Join(c.Dir, "events.jsonl")) {
		p.Stages = append(p.Stages, output.StageText{Stage: string(e.Stage), Text: relativeBundle(e)})
	}
	var b bytes.Buffer
	if err := output.HTML(&b, p); err != nil {
		return c.fail(s, err)
	}
	if err := system.WriteFile(c.HTML, b.Bytes(), 0o644); err != nil {
		return c.fail(s, fmt.Errorf("write --html: %w", err))
	}
	if !c.Quiet {
		_, _ = fmt.Fprintf(s.err, "the page is in %s\n", output.InertLine(c.HTML))
	}
	return nil
}

// relativeBundle leaves this machine's folders out of a page that is passed on.
func relativeBundle(e pipeline.Event) string {
	if e.Stage == pipeline.StageBundle {
		return filepath.Base(e.Text)
	}
	return e.Text
}

// spansOf reads what a language model did in a run; none where none was asked.
// The explanation came after the rest, so that its numbers go on after it.
func spansOf(dir string) ([]trace.Span, error) {
	var all []trace.Span
	for _, name := range []string{trajectoryFile, explanationTrace} {
		spans, err := trace.Read(filepath.Join(dir, name))
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return all, err
		}
		last, end := 0, 0.0
		for _, s := range all {
			last, end = max(last, s.ID), max(end, s.End)
		}
		for _, s := range spans {
			s.ID += last
			if s.Parent > 0 {
				s.Parent += last
			}
			s.Start += end
			s.End += end
			all = append(all, s)
		}
	}
	return all, nil
}

// shownScript is the script of the verdict, else the model's best; "" for none.
func shownScript(dir string) string {
	for _, name := range []string{filepath.Join("bundle", "reproduce.py"), pipeline.ScriptFile} {
		if text, err := system.ReadPlain(filepath.Join(dir, name), maxScript); err == nil {
			return string(text)
		}
	}
	return ""
}

// runOf is the run folder of a bundle in it, any other folder as it is.
func runOf(dir string) string {
	if up := filepath.Dir(dir); filepath.Base(dir) == "bundle" && !isRun(dir) && isRun(up) {
		return up
	}
	return dir
}

func isRun(dir string) bool {
	_, err := pipeline.ReadRequest(dir)
	return err == nil
}

// lastDone is the newest line of each stage, in order: a resumed run wrote some
// of them twice.
func lastDone(path string) []pipeline.Event {
	f, err := system.OpenPlain(path)
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
