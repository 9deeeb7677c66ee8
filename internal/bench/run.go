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
	"github.com/repgen/repgen/internal/pipeline"
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
	// Key of the user's: outcomes that were not sealed with it are run again.
	Key pipeline.Key
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
	// Seal says that this user's repgen wrote it.
	Seal string `json:"seal"`
}

// seal is that of an outcome under its identity.
func (k kept) seal(key pipeline.Key) (string, error) {
	data, err := json.Marshal(k.Outcome)
	return key.Seal("outcome", k.Identity, string(data)), err
}

// own says that this user's repgen of this identity wrote it for this case.
func (k kept) own(id string, opts Options) bool {
	seal, err := k.seal(opts.Key)
	return err == nil && seal != "" && k.Seal == seal && k.Outcome.ID == id && opts.Identity != "" && k.Identity == opts.Identity
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
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Outcome{}, fmt.Errorf("make the folder of the case: %w", err)
	}
	f, err := openCase(dir)
	if err != nil {
		return Outcome{}, err
	}
	defer func() { _ = f.Close() }()
	k, err := readKept(f)
	own := err == nil && k.own(c.ID, opts)
	if own && k.Outcome.Headline != oracle.Failed { // our defect or the index may be better now
		o := k.Outcome
		o.Kept = true
		return answered(o, c), nil // the answer may have been corrected since
	}
	if ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	run := filepath.Join(dir, "run")
	if err == nil && !own {
		// What another version of us reached, or somebody else, is no part of this
		// measurement.
		if err := system.RemoveAll(run); err != nil {
			return Outcome{}, fmt.Errorf("remove the old run of %s: %w", c.ID, err)
		}
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
	k = kept{Identity: opts.Identity, Outcome: o}
	if k.Seal, err = k.seal(opts.Key); err != nil {
		return o, fmt.Errorf("seal the outcome of %s: %w", c.ID, err)
	}
	text, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return o, fmt.Errorf("lay out the outcome of %s: %w", c.ID, err)
	}
	if err := f.Write(outcomeFile, text); err != nil {
		return o, fmt.Errorf("keep the outcome of %s: %w", c.ID, err)
	}
	return o, nil
}

// openCase opens the folder of a case, which is none through a link: it is
// written to, and old runs in it are removed.
func openCase(dir string) (*system.Folder, error) {
	for _, d := range []string{dir, filepath.Join(dir, "run")} {
		if info, err := os.Lstat(d); err == nil && !info.IsDir() {
			return nil, fmt.Errorf("open the folder of the case: %s: %w", d, system.ErrNotPlain)
		}
	}
	f, err := system.OpenFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("open the folder of the case: %w", err)
	}
	return f, nil
}

func readKept(f *system.Folder) (kept, error) {
	var k kept
	text, err := f.Read(outcomeFile, system.MaxKept)
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	return k, err
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
