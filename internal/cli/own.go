package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/system"
	"github.com/repgen/repgen/internal/system/inert"
)

// A run folder may come from a stranger. What this user's repgen made is sealed
// with a key in its cache; of all others the question is taken, and whatever
// costs, asks or reads something is named again.

// userKey is best effort: without a cache every folder is a stranger's.
func userKey(ctx context.Context) pipeline.Key {
	cache, err := system.CacheDir()
	if err != nil {
		return nil
	}
	key, err := pipeline.OwnKey(ctx, cache)
	if err != nil {
		return nil
	}
	return key
}

func openRun(ctx context.Context, dir string) (*pipeline.Stored, error) {
	return pipeline.OpenStored(dir, userKey(ctx))
}

// notOwn is said of a folder that is not this user's.
const notOwn = "was not made by this user's repgen, or was changed since"

// adopt makes a stranger's question the user's own: with the flags' effort, and
// with nothing that the user did not name here.
func (f *runFlags) adopt(s streams, run *pipeline.Stored) error {
	q, where := run.Request, inert.Line(run.Dir)
	if f.LLM == "" && run.Left.Model == "" {
		f.LLM = pipeline.NoModel // the user's default is spent on no stranger's word
	}
	if m := run.Left.Model; m != "" && f.LLM == "" {
		return usage("the run in %s %s, and asks a language model, %s: to have one asked, say --llm again; --llm none goes on without it",
			where, notOwn, inert.Line(llm.Redact(m, llm.EnvSecrets(os.Environ()))))
	}
	if p := run.Left.Project; p != nil && f.Project == "" {
		return usage("the run in %s %s, and builds a project: name its checkout again with --project DIR, and what it calls --revision %q and --fixed-revision %q",
			where, notOwn, inert.Line(p.Revision), inert.Line(p.Fixed))
	}
	words := wishes{Python: q.Python, Subject: q.Subject, With: q.With}
	if err := errors.Join(words.check(), checkGood(q.Good)); err != nil {
		return usage("the run in %s %s, and cannot be begun anew: %v", where, notOwn, err)
	}
	var err error
	if q.Project, err = f.project(); err != nil {
		return err
	}
	q.Unsafe, q.Budget = f.UnsafeNoSandbox, defaultBudget
	if q.Runs == 0 {
		q.Runs = defaultRuns
	}
	_, _ = fmt.Fprintf(s.err, "%s %s: only its question is taken, and a new run is begun\n", where, notOwn)
	return nil
}
