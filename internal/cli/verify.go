package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/repgen/repgen/internal/bundle"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
)

type verifyCmd struct {
	Bundle string `arg:"" help:"The bundle's folder, or the run folder that holds it."`
	place  `embed:""`
	show   `embed:""`
}

// verification is the JSON object of verify.
type verification struct {
	Schema int `json:"schema"`
	// Result is "same", "different", "tampered" or "could_not".
	Result      string             `json:"result"`
	Tampered    []string           `json:"tampered"`
	Differences []proof.Difference `json:"differences"`
	Headline    string             `json:"headline,omitempty"`
	Grade       string             `json:"grade,omitempty"`
	Error       *proof.ResultError `json:"error"`
}

var verifyExit = map[string]int{"same": exitOK, "different": exitDifferent, "tampered": exitTampered, "could_not": exitFailed}

// Run verifies a bundle: first its files, then by running it again.
func (c *verifyCmd) Run(ctx context.Context, s streams) error {
	v := &verification{Schema: proof.SchemaVersion, Tampered: []string{}, Differences: []proof.Difference{}}
	usage := c.place.check()
	err := usage
	if err == nil {
		err = c.verify(ctx, s, v)
	}
	stopped := exitOK
	if err != nil {
		problem, code := explainAlone(err)
		if code == exitInterrupted || usage != nil {
			stopped = code
		}
		v = couldNot(s.named(problem))
	}
	if c.JSON {
		if err := output.JSON(s.out, v); err != nil {
			return err
		}
	} else {
		c.tell(s, v)
	}
	if code := cmp.Or(stopped, verifyExit[v.Result]); code != 0 {
		return exit{code}
	}
	return nil
}

// couldNot is the object of a bundle that was not compared.
func couldNot(problem proof.ResultError) *verification {
	return &verification{
		Schema: proof.SchemaVersion, Result: "could_not", Tampered: []string{}, Differences: []proof.Difference{}, Error: &problem,
	}
}

func (c *verifyCmd) verify(ctx context.Context, s streams, v *verification) error {
	dir := c.Bundle
	if isRun(dir) {
		dir = filepath.Join(dir, "bundle")
	}
	b, tampered, err := bundle.Read(dir)
	if err != nil {
		return err
	}
	if len(tampered) > 0 {
		v.Result, v.Tampered = "tampered", tampered
		return nil
	}
	v.Headline, v.Grade = string(b.Result.Headline), string(b.Result.Grade)
	if b.Outcome.Expectation == nil || b.Outcome.Lock == nil {
		v.Result = "could_not"
		v.Error = &proof.ResultError{What: "the bundle holds no executions", Why: "its run ended as " + v.Headline, Next: "reproduce the report again"}
		return nil
	}
	progress := c.progress(s)
	defer progress.Close()
	sv, err := wireServices(ctx, s, c.place, c.show, progress.Event)
	if err != nil {
		return err
	}
	if err := keepWheels(ctx, sv, b); err != nil {
		return err
	}
	p := &proof.Prover{Solver: sv.envs, Builder: sv.envs, Sandbox: sv.sandbox, Journal: proof.NoJournal{},
		Progress: func(stage, text string) {
			progress.Event(pipeline.Event{Stage: pipeline.Stage(stage), State: "progress", Text: text})
		}}
	diffs, un, err := p.Again(ctx, b.Candidate, b.Outcome)
	switch {
	case err != nil:
		return err
	case un != nil:
		v.Result = "could_not"
		v.Error = &proof.ResultError{What: "the bundle's environment cannot be built here", Why: un.Why, Next: un.Next}
	case len(diffs) > 0:
		v.Result, v.Differences = "different", diffs
	default:
		v.Result = "same"
	}
	return nil
}

// keepWheels puts the bundle's own wheels where its locks are built from.
func keepWheels(ctx context.Context, sv *services, b *bundle.Bundle) error {
	for _, l := range append([]*environment.Lock{b.Outcome.Lock}, b.Outcome.Locks...) {
		if l == nil {
			continue
		}
		for _, p := range l.Packages {
			if p.Wheel == "" || len(p.Hashes) != 1 || b.Wheels[p.Hashes[0]] == nil {
				continue
			}
			if err := sv.envs.KeepWheel(ctx, p, b.Wheels[p.Hashes[0]]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *verifyCmd) tell(s streams, v *verification) {
	st := style(s.out)
	_, _ = fmt.Fprintln(s.out, output.StageLine("verify", v.Result+describe(v), st))
	if c.Quiet {
		return
	}
	for _, t := range v.Tampered {
		_, _ = fmt.Fprintf(s.out, "   - %s\n", output.Inert(t))
	}
	for _, d := range v.Differences {
		_, _ = fmt.Fprintf(s.out, "   - %s: recorded %s, here %s\n", output.Inert(d.Field), output.Inert(d.Before), output.Inert(d.After))
	}
	if v.Error != nil {
		output.Problem(s.err, *v.Error)
	}
}

func describe(v *verification) string {
	if v.Headline == "" {
		return ""
	}
	text := " · " + v.Headline
	if v.Grade != "" {
		text += " · grade " + v.Grade
	}
	return text
}
