package mcp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/system"
)

// exploring is said with every execution of run_script.
const exploring = "This is an exploratory execution: no verdict, no headline, no grade. Only judge_script judges. " + untrusted

// checkScript bounds a script.
func checkScript(script string) error {
	switch {
	case strings.TrimSpace(script) == "":
		return refuse("give Python source", "the script is empty")
	case len(script) > maxScript:
		return refuse("a reproduction script has a few hundred lines", "the script has %d bytes; at most %d are taken", len(script), maxScript)
	case strings.ContainsRune(script, 0):
		return refuse("give Python source as text", "the script holds a NUL byte")
	}
	return nil
}

// runScript serves run_script.
func (s *session) runScript(ctx context.Context, req *sdk.CallToolRequest, in ScriptIn) (*sdk.CallToolResult, ScriptOut, error) {
	if err := checkScript(in.Script); err != nil {
		return nil, ScriptOut{}, err
	}
	limits := s.opts.Request.Limits.WithDefaults()
	switch {
	case in.TimeoutS < 0:
		return nil, ScriptOut{}, refuse("give seconds, or leave it out", "timeout_s %g", in.TimeoutS)
	case in.TimeoutS > 0 && in.TimeoutS < limits.Wall.Seconds():
		limits.Wall = time.Duration(in.TimeoutS * float64(time.Second))
	}
	opened, done, err := s.use(in.EnvironmentID)
	if err != nil {
		return nil, ScriptOut{}, err
	}
	run, result, err := s.long(ctx, req, task{Waiting: in.Waiting, tool: toolRun, done: done, do: func(ctx context.Context, tell Tell) (any, error) {
		tell("running the script")
		ex, err := s.execute(ctx, opened, &in, limits)
		if err != nil {
			return nil, err
		}
		return executionOut(&ex), nil
	}})
	if err != nil {
		return nil, ScriptOut{}, err
	}
	return nil, ScriptOut{Run: run, Execution: typed[ExecutionOut](result)}, nil
}

// execute runs a script once: a cold process in a fresh work folder.
func (s *session) execute(ctx context.Context, o *Opened, in *ScriptIn, limits sandbox.Limits) (sandbox.Execution, error) {
	work, err := os.MkdirTemp("", "repgen-mcp-")
	if err != nil {
		return sandbox.Execution{}, fmt.Errorf("make a work folder: %w", err)
	}
	defer func() { _ = system.RemoveAll(work) }()
	if err := os.WriteFile(filepath.Join(work, sandbox.ScriptNm), []byte(in.Script), 0o644); err != nil {
		return sandbox.Execution{}, fmt.Errorf("write the script: %w", err)
	}
	c := o.Env.Command(sandbox.EnvDir+"/bin/python", sandbox.ScriptNm)
	c.Work = work
	// Stacks of what does not end are worth having shortly before it is ended.
	c.Probe = &probe.Options{StackAfter: limits.Wall.Seconds() * stackShare, Control: in.Control}
	c.Label = "exploring"
	ex, err := s.opts.Sandbox.Run(ctx, c, limits)
	if err != nil {
		return ex, fmt.Errorf("run the script: %w", err)
	}
	return ex, nil
}

// stackShare of the wall limit passes before stacks are sampled (a guess: it
// leaves time for a second sample).
const stackShare = 0.7

// Limits of the lists of an execution (guesses).
const (
	maxObservations = 40
	maxValues       = 12
	maxValue        = 240
	// observationsRoom is for all observations together, in bytes.
	observationsRoom = 14 << 10
)

// executionOut is what an agent may know of an execution.
func executionOut(ex *sandbox.Execution) *ExecutionOut {
	out := &ExecutionOut{
		Outcome: string(ex.Outcome), ExitCode: ex.ExitCode, Signal: ex.Signal, WallS: ex.WallSeconds, PeakMemory: ex.PeakMemory,
		Isolation: []string{}, Verdict: "none", Notice: exploring,
	}
	out.printed(ex)
	out.Traceback = traceback(ex)
	room := observationsRoom
	for i, o := range ex.Record.Observations {
		if i == maxObservations || room <= 0 {
			out.Limited = append(out.Limited, fmt.Sprintf("%d more observations", len(ex.Record.Observations)-i))
			break
		}
		view := observationOut(&o)
		room -= view.size()
		out.Observations = append(out.Observations, view)
	}
	var warnings, attempts []string
	for _, w := range ex.Record.Warnings[:min(len(ex.Record.Warnings), maxListed)] {
		warnings = append(warnings, fmt.Sprintf("%s: %s (%s:%d)", line(w.Category, maxLine), line(w.Message, maxLine), short(w.File), w.Line))
	}
	for _, a := range ex.Record.Attempts {
		if a.Script {
			attempts = append(attempts, a.Kind+" "+a.Detail)
		}
	}
	out.Warnings, out.Attempts = lines(warnings, maxListed/2, maxWords), lines(attempts, maxListed/2, maxLine)
	for _, l := range ex.Layers {
		if l.Active {
			out.Isolation = append(out.Isolation, line(l.Name, maxLine))
		}
	}
	return out
}

// printed is the end of the output, and what was limited.
func (out *ExecutionOut) printed(ex *sandbox.Execution) {
	if ex.LimitHit != "" {
		out.Limited = append(out.Limited, "stopped at the limit: "+line(ex.LimitHit, maxLine))
	}
	if ex.OOMKills > 0 {
		out.Limited = append(out.Limited, fmt.Sprintf("the memory limit killed %d processes", ex.OOMKills))
	}
	cut := func(name, text string, truncated bool) string {
		kept, left := tail(text, maxTail)
		switch {
		case truncated:
			out.Limited = append(out.Limited, name+" was longer than what is kept: this is the end of what was kept")
		case left > 0:
			out.Limited = append(out.Limited, fmt.Sprintf("the first %d bytes of %s are left out", left, name))
		}
		return kept
	}
	out.Stdout = cut("stdout", ex.Stdout, ex.StdoutTruncated)
	out.Stderr = cut("stderr", ex.Stderr, ex.StderrTruncated)
	if !ex.Record.Started {
		out.Limited = append(out.Limited, "the observer never spoke: nothing is known from inside the interpreter")
	}
	if ex.Record.Forged {
		out.Limited = append(out.Limited, "something wrote to the observer's channel: a script that does is refused by judge_script")
	}
}

// size is about what an observation takes in an answer.
func (o *ObservationOut) size() int {
	n := 100 + len(o.Name) + len(o.Type) + len(o.Text) + len(o.DType) + len(o.Min) + len(o.Max) + len(o.Mean)
	for _, v := range o.Values {
		n += len(v) + 3
	}
	return n
}

func observationOut(o *probe.Observation) ObservationOut {
	out := ObservationOut{
		Name: line(o.Name, maxLine), Kind: line(o.Kind, maxLine), Type: line(o.Type, maxLine), Text: line(o.Text, maxValue),
		DType: line(o.DType, maxLine), Size: o.Size, Finite: o.Finite,
		Min: line(o.Min, maxLine), Max: line(o.Max, maxLine), Mean: line(o.Mean, maxLine),
	}
	out.Shape = o.Shape[:min(len(o.Shape), maxValues)]
	if len(o.Values) > 0 {
		out.Values = lines(o.Values, maxValues, maxValue/4)
	}
	return out
}
