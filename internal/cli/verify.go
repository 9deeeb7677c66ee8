package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/bundle"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system/inert"
)

type verifyCmd struct {
	Bundle     string        `arg:"" help:"The bundle's folder, or the run folder that holds it."`
	BudgetTime time.Duration `help:"End after this time, and say that it could not be verified (default ${default}; 0: no limit)." default:"1h" placeholder:"DURATION"`
	Index      string        `help:"Package index. Default: as for reproduce." placeholder:"URL"`
	// Hidden: nobody is to be led to it by a bundle that was sent to him.
	UnsafeNoSandbox bool `hidden:""`
	show            `embed:""`
}

func (c *verifyCmd) place() place { return place{Index: c.Index, UnsafeNoSandbox: c.UnsafeNoSandbox} }

// verification is the JSON object of verify.
type verification struct {
	Schema int `json:"schema"`
	// Result is "same", "different", "tampered" or "could_not".
	Result      string             `json:"result"`
	Tampered    []string           `json:"tampered"`
	Differences []proof.Difference `json:"differences"`
	// Ran are the sides that were run anew.
	Ran []proof.Ran `json:"ran"`
	// FromBundle are packages that came from the bundle, not from the index.
	FromBundle []bundled `json:"from_bundle"`
	// NotCompared are files whose words another build of repgen wrote.
	NotCompared []string           `json:"not_compared"`
	Headline    string             `json:"headline,omitempty"`
	Grade       string             `json:"grade,omitempty"`
	Error       *proof.ResultError `json:"error"`
}

// bundled is a package of the bundle's own: the project under test.
type bundled struct {
	Package string `json:"package"`
	Version string `json:"version"`
	Wheel   string `json:"wheel"`
	Hash    string `json:"hash"`
}

var verifyExit = map[string]int{"same": exitOK, "different": exitDifferent, "tampered": exitTampered, "could_not": exitFailed}

func newVerification() *verification {
	return &verification{Schema: proof.SchemaVersion, Tampered: []string{}, Differences: []proof.Difference{}, Ran: []proof.Ran{}, FromBundle: []bundled{}, NotCompared: []string{}}
}

func (c *verifyCmd) check() error {
	if c.BudgetTime < 0 {
		return usage("--budget-time must not be negative")
	}
	return c.place().check()
}

// Run verifies a bundle: first its files, then by running it again.
func (c *verifyCmd) Run(ctx context.Context, s streams) error {
	v := newVerification()
	usage := c.check()
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
		// A stranger's bundle must not make anybody turn the isolation off.
		problem.Next = strings.TrimSpace(strings.ReplaceAll(problem.Next, unsafeWay, ""))
		problem = s.named(problem)
		v.Result, v.Headline, v.Grade, v.Error = "could_not", "", "", &problem
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
	v := newVerification()
	v.Result, v.Error = "could_not", &problem
	return v
}

// couldNot says why nothing was found out.
func (v *verification) couldNot(what, why, next string) {
	v.Result, v.Error = "could_not", &proof.ResultError{What: what, Why: why, Next: next}
}

func readBundle(dir string) (*bundle.Bundle, []string, error) {
	if pipeline.IsRun(dir) {
		return bundle.ReadIn(dir, "bundle")
	}
	return bundle.Read(dir)
}

func (c *verifyCmd) verify(ctx context.Context, s streams, v *verification) error {
	b, tampered, err := readBundle(c.Bundle)
	if err != nil {
		return err
	}
	if len(tampered) > 0 {
		v.Result, v.Tampered = "tampered", tampered
		return nil
	}
	if len(b.Words) > 0 && b.Repgen == versionText() {
		for _, name := range b.Words {
			v.Tampered = append(v.Tampered, name+": does not follow from the evidence")
		}
		v.Result = "tampered"
		return nil
	}
	v.NotCompared = append(v.NotCompared, b.Words...)
	v.Headline, v.Grade = string(b.Result.Headline), string(b.Result.Grade)
	if !b.Judged() {
		v.couldNot("the bundle holds no executions", "its run ended as "+v.Headline, "reproduce the report again")
		return nil
	}
	for _, p := range b.FromBundle() {
		v.FromBundle = append(v.FromBundle, bundled{p.Name, p.Version, p.Wheel, strings.Join(p.Hashes, " ")})
	}
	progress := c.progress(s)
	defer progress.Close()
	sv, err := wireServices(ctx, s, c.place(), c.show, progress.Event)
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
	return c.again(ctx, p, b, v)
}

// again runs the bundle and compares, within the budget.
func (c *verifyCmd) again(ctx context.Context, p *proof.Prover, b *bundle.Bundle, v *verification) error {
	within := ctx
	if c.BudgetTime > 0 {
		var stop context.CancelFunc
		within, stop = context.WithTimeout(ctx, c.BudgetTime)
		defer stop()
	}
	r, err := p.Again(within, b.Candidate, b.Outcome)
	if r != nil {
		v.Ran = append(v.Ran, r.Ran...)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case within.Err() != nil:
		// Whatever came of it: what was cut off shows nothing.
		v.couldNot(fmt.Sprintf("the time of %v was used up before everything had run", c.BudgetTime), "a bundle may ask for hours", "give it more: --budget-time")
	case err != nil:
		return err
	case r.Unavailable != nil:
		v.couldNot("the bundle's environment cannot be built here", r.Unavailable.Why, r.Unavailable.Next)
	case len(r.Ran) == 0:
		v.couldNot("nothing of the bundle could be run again", "it holds no executions of the reported side", "reproduce the report again")
	case len(r.Differences) > 0:
		v.Result, v.Differences = "different", r.Differences
	default:
		v.Result = "same"
	}
	return nil
}

// keepWheels puts the bundle's own wheels where its locks are built from.
func keepWheels(ctx context.Context, sv *services, b *bundle.Bundle) error {
	for _, p := range b.FromBundle() {
		if len(p.Hashes) != 1 || b.Wheels[p.Hashes[0]] == nil {
			continue
		}
		if err := sv.envs.KeepWheel(ctx, p, b.Wheels[p.Hashes[0]]); err != nil {
			return err
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
	if len(v.Ran) > 0 {
		_, _ = fmt.Fprintf(s.out, "   ran anew: %s\n", inert.Line(ranText(v.Ran)))
	}
	for _, p := range v.FromBundle {
		_, _ = fmt.Fprintf(s.out, "   from the bundle, not from the index: %s\n", inert.Line(fmt.Sprintf("%s %s (%s, %s)", p.Package, p.Version, p.Wheel, p.Hash)))
	}
	if len(v.NotCompared) > 0 {
		_, _ = fmt.Fprintf(s.out, "   not compared, since another build of repgen wrote them: the words of %s\n", inert.Line(strings.Join(v.NotCompared, ", ")))
	}
	for _, t := range v.Tampered {
		_, _ = fmt.Fprintf(s.out, "   - %s\n", inert.Line(t))
	}
	for _, d := range v.Differences {
		_, _ = fmt.Fprintf(s.out, "   - %s: recorded %s, here %s\n", inert.Line(d.Field), inert.Line(d.Before), inert.Line(d.After))
	}
	if v.Error != nil {
		output.Problem(s.err, *v.Error)
	}
}

// ranText is what was run, in words.
func ranText(list []proof.Ran) string {
	var parts []string
	for _, r := range list {
		what := strings.Join(strings.Fields(strings.ReplaceAll(r.Side, "_", " ")+" "+r.Package+" "+r.Version+" "+r.Change), " ")
		if r.Side == string(oracle.SideNeutral) {
			what = "the environment's certificate"
		}
		switch {
		case r.Earlier:
			what += ", which had run here before"
		case r.Executions == 1:
			what += " once"
		default:
			what += fmt.Sprintf(" %d times", r.Executions)
		}
		parts = append(parts, what)
	}
	return strings.Join(parts, "; ")
}

func describe(v *verification) string {
	text := ""
	if v.Headline != "" {
		text += " · " + v.Headline
	}
	if v.Grade != "" {
		text += " · grade " + v.Grade
	}
	for _, p := range v.FromBundle {
		text += " · " + inert.Line(p.Package+" "+p.Version) + " from the bundle"
	}
	return text
}
