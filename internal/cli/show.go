package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system"
	"github.com/repgen/repgen/internal/system/inert"
)

type showCmd struct {
	Dir  string `arg:"" name:"run" help:"The run folder."`
	HTML string `help:"Write one static page to this file instead, with every detail." name:"html" placeholder:"FILE"`
	show
}

// showView is the JSON object: the result with what a language model did.
type showView struct {
	*proof.Result
	// Foreign says that this user's repgen did not make the result, or that it was
	// changed since.
	Foreign    bool         `json:"foreign,omitempty"`
	Trajectory []trace.Span `json:"trajectory,omitempty"`
}

// Run shows a run folder again, finished or not.
func (c *showCmd) Run(ctx context.Context, s streams) error {
	c.Dir = runOf(filepath.Clean(c.Dir))
	run, err := openRun(ctx, c.Dir)
	if err != nil {
		return c.fail(s, err)
	}
	defer func() { _ = run.Close() }() // only read
	result, made, err := run.Result()
	unfinished := errors.Is(err, pipeline.ErrNotFinished)
	if err != nil && !unfinished {
		return c.fail(s, err)
	}
	if !run.Own || !unfinished && !made {
		_, _ = fmt.Fprintf(s.err, "%s %s: what it says is not checked here; repgen verify runs its bundle again\n", inert.Line(c.Dir), notOwn)
	}
	spans, terr := spansOf(run)
	if terr != nil {
		logger(s.err, c.Verbose).Warn("read the trajectory", "error", terr)
	}
	switch {
	case c.HTML != "":
		return c.page(s, run, result, spans)
	case unfinished:
		return c.unfinished(s, err, run, spans)
	case c.JSON:
		return output.JSON(s.out, showView{result, !made, spans})
	case c.Quiet:
		output.Quiet(s.out, result)
		return nil
	}
	c.lines(s, run)
	output.Details(s.out, result)
	output.ModelPart(s.out, result)
	c.trajectory(s, spans)
	tellRerun(s, result)
	return nil
}

// lines are those of the stages that were reached.
func (c *showCmd) lines(s streams, run *pipeline.Stored) {
	progress := output.NewProgress(s.out, style(s.out), nil, output.Style{})
	tell := shortened(progress.Event)
	for _, e := range lastDone(run) {
		tell(e)
	}
	progress.Close()
}

func (c *showCmd) trajectory(s streams, spans []trace.Span) {
	output.Trajectory(s.out, spans, output.TrajectoryView{Details: c.Verbose}, style(s.out))
}

// unfinished shows how far a run came, and says that it did not end.
func (c *showCmd) unfinished(s streams, err error, run *pipeline.Stored, spans []trace.Span) error {
	result, code := failureIn(s, err, c.Dir)
	if c.JSON {
		if err := output.JSON(s.out, showView{result, !run.Own, spans}); err != nil {
			return err
		}
	} else if !c.Quiet {
		c.lines(s, run)
		c.trajectory(s, spans)
	}
	output.Problem(s.err, *result.Error)
	return exit{code}
}

// page writes the page of --html.
func (c *showCmd) page(s streams, run *pipeline.Stored, result *proof.Result, spans []trace.Span) error {
	p := output.Page{Title: run.Request.Report.Title, Result: result, Spans: spans, Script: shownScript(run), Answers: answersOf(run, spans)}
	if p.Title == "" {
		p.Title = "A run of repgen"
	}
	for _, e := range lastDone(run) {
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
		_, _ = fmt.Fprintf(s.err, "the page is in %s\n", inert.Line(c.HTML))
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
func spansOf(run *pipeline.Stored) ([]trace.Span, error) {
	var all []trace.Span
	for _, name := range []string{trajectoryFile, explanationTrace} {
		f, err := run.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return all, err
		}
		spans, err := trace.ReadFrom(io.LimitReader(f, maxShown))
		if err = errors.Join(err, f.Close()); err != nil {
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
func shownScript(run *pipeline.Stored) string {
	for _, name := range []string{filepath.Join("bundle", "reproduce.py"), pipeline.ScriptFile} {
		if text, err := run.Read(name, maxScript); err == nil {
			return string(text)
		}
	}
	return ""
}

// runOf is the run folder of a bundle in it, any other folder as it is.
func runOf(dir string) string {
	if up := filepath.Dir(dir); filepath.Base(dir) == "bundle" && !pipeline.IsRun(dir) && pipeline.IsRun(up) {
		return up
	}
	return dir
}

// maxShown bounds the trajectory and the events that are shown, in bytes: a folder
// may be anybody's. Those measured have under 1 MiB.
const maxShown = 64 << 20

// lastDone is the newest line of each stage, in order: a resumed run wrote some
// of them twice.
func lastDone(run *pipeline.Stored) []pipeline.Event {
	f, err := run.Open(pipeline.EventsFile)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	last := map[pipeline.Stage]pipeline.Event{}
	var order []pipeline.Stage
	lines := bufio.NewScanner(io.LimitReader(f, maxShown))
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
