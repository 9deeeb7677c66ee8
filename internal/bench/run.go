package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/system"
)

// Runner runs one report the whole way in a run folder of its own, going on
// where an interrupted run in that folder ended. It is safe for concurrent use.
// An error means that the case has no result; the fake is in bench_test.go.
type Runner interface {
	Run(ctx context.Context, report, dir string) (*proof.Result, error)
}

// Outcome is one case with what came of it.
type Outcome struct {
	ID       string            `json:"id"`
	Expected oracle.Headline   `json:"expected"`
	Accept   []oracle.Headline `json:"accept,omitempty"`
	NeedsLLM bool              `json:"needs_llm"`
	Kind     string            `json:"kind,omitempty"`
	Headline oracle.Headline   `json:"headline"`
	Also     []oracle.Headline `json:"also,omitempty"`
	Grade    oracle.Grade      `json:"grade,omitempty"`
	Hits     int               `json:"hits"`
	Runs     int               `json:"runs"`
	Rung     int               `json:"rung,omitempty"` // 0: no environment was solved
	Error    string            `json:"error,omitempty"`
	// Reasons are those of the verdict, for looking into what went wrong.
	Reasons []string `json:"reasons,omitempty"`
	// Wall seconds of the case and of its parts, as measured while --jobs
	// cases ran at once.
	Seconds float64            `json:"seconds"`
	Sandbox float64            `json:"sandbox_s"`
	Stages  map[string]float64 `json:"stages,omitempty"`
	// Model is what a language model took, nil where none was asked.
	Model *Spent `json:"model,omitempty"`
	// Kept says that an earlier call of the benchmark had finished the case.
	Kept bool `json:"kept,omitempty"`
}

// Options of a benchmark.
type Options struct {
	Out  string // folder for the run folders, one a case
	Jobs int    // cases at once; 0: one
	// Identity of what is measured (version, flags): outcomes made with another
	// one are run again. "" never matches.
	Identity string
	// Progress is called when a case ends, one call at a time; may be nil.
	Progress func(done, total int, o Outcome)
}

// outcomeFile is written into the case's folder when it has ended, so that a
// killed benchmark loses the cases under way only.
const outcomeFile = "outcome.json"

// kept is an outcome with the identity of what made it.
type kept struct {
	Identity string  `json:"identity"`
	Outcome  Outcome `json:"outcome"`
}

// Run runs every case that has no outcome yet and gives all outcomes in the
// order of the cases. The error is cancellation, an Out that cannot be written,
// or a missing layer of isolation: any other failure of a case is an outcome.
func Run(ctx context.Context, r Runner, cases []Case, opts Options) ([]Outcome, error) {
	out := make([]Outcome, len(cases))
	done := 0
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, opts.Jobs))
	for i, c := range cases {
		g.Go(func() error {
			o, err := one(ctx, r, c, opts)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			out[i] = o
			done++
			if opts.Progress != nil {
				opts.Progress(done, len(cases), o)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return out, nil
}

// one gives the outcome of a case, kept or new.
func one(ctx context.Context, r Runner, c Case, opts Options) (Outcome, error) {
	dir := filepath.Join(opts.Out, c.ID)
	file := filepath.Join(dir, outcomeFile)
	if o, ok := load(file, opts.Identity); ok {
		o.Kept = true
		return answered(o, c), nil // the answer may have been corrected since
	}
	if ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	run := filepath.Join(dir, "run")
	if k, err := readKept(file); err == nil && k.Identity != opts.Identity {
		// What another version of us reached is no part of this measurement.
		if err := system.RemoveAll(run); err != nil {
			return Outcome{}, fmt.Errorf("remove the old run of %s: %w", c.ID, err)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Outcome{}, fmt.Errorf("make the folder of the case: %w", err)
	}
	began := time.Now()
	res, err := r.Run(ctx, c.Report, run)
	if ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	var layer *sandbox.LayerError
	if errors.As(err, &layer) {
		return Outcome{}, err // no case could be run here
	}
	o := answered(outcomeOf(res, err), c)
	o.Seconds = time.Since(began).Seconds()
	text, err := json.MarshalIndent(kept{opts.Identity, o}, "", "  ")
	if err != nil {
		return o, fmt.Errorf("lay out the outcome of %s: %w", c.ID, err)
	}
	if err := system.WriteFile(file, text, 0o644); err != nil {
		return o, fmt.Errorf("keep the outcome of %s: %w", c.ID, err)
	}
	return o, nil
}

func readKept(file string) (kept, error) {
	var k kept
	text, err := system.ReadPlain(file, system.MaxKept)
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	return k, err
}

// load gives a kept outcome; one that failed is tried again, since our defect
// or the index may be better now.
func load(file, identity string) (Outcome, bool) {
	k, err := readKept(file)
	if err != nil || identity == "" || k.Identity != identity || k.Outcome.Headline == oracle.Failed {
		return Outcome{}, false
	}
	return k.Outcome, true
}

// answered puts the case's answer beside what came of it.
func answered(o Outcome, c Case) Outcome {
	o.ID, o.Expected, o.Accept, o.NeedsLLM, o.Kind = c.ID, c.Answer.Expected, c.Answer.Accept, c.Answer.NeedsLLM, c.Answer.Symptom.Kind
	return o
}

func outcomeOf(r *proof.Result, err error) Outcome {
	if err != nil {
		return Outcome{Headline: oracle.Failed, Error: err.Error()}
	}
	o := Outcome{
		Headline: r.Headline, Also: r.Also, Grade: r.Grade, Hits: r.Hits, Runs: r.Runs,
		Reasons: r.Reasons, Sandbox: r.Cost.SandboxSeconds, Stages: r.Cost.Stages,
	}
	if r.Environment != nil {
		o.Rung = r.Environment.Rung
	}
	if r.Error != nil {
		o.Error = r.Error.What
	}
	if m := r.Model; m != nil {
		o.Model = &Spent{Attempts: m.Attempts, Calls: m.Calls, TokensIn: r.Cost.TokensIn, TokensOut: r.Cost.TokensOut, USD: r.Cost.USD, Priced: m.Priced}
	}
	return o
}
