package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/report/github"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/bwrap"
	"github.com/repgen/repgen/internal/sandbox/native"
	"github.com/repgen/repgen/internal/system"
)

// lazySandbox opens the isolation when something is first run: a report that
// ends at triage needs none.
type lazySandbox struct {
	unsafe bool
	once   sync.Once
	inner  sandbox.Sandbox
	err    error
}

func (l *lazySandbox) open(ctx context.Context) (sandbox.Sandbox, error) {
	l.once.Do(func() {
		if l.unsafe {
			l.inner = native.New()
			return
		}
		s, err := bwrap.New(ctx, bwrap.Options{})
		if err != nil {
			l.err = err
			return
		}
		l.inner = s
	})
	return l.inner, l.err
}

// Run implements sandbox.Sandbox.
func (l *lazySandbox) Run(ctx context.Context, c sandbox.Command, limits sandbox.Limits) (sandbox.Execution, error) {
	s, err := l.open(ctx)
	if err != nil {
		return sandbox.Execution{}, err
	}
	return s.Run(ctx, c, limits)
}

// Layers implements sandbox.Sandbox.
func (l *lazySandbox) Layers(ctx context.Context) ([]sandbox.Layer, error) {
	s, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	return s.Layers(ctx)
}

// services are what the commands that run something share.
type services struct {
	sandbox sandbox.Sandbox
	envs    *guarded
}

// cacheError says that the cache folder cannot be used: our trouble, which an
// installer's own words would make look like a fault of the report's packages.
type cacheError struct{ err error }

func (e cacheError) Error() string { return "use the cache folder: " + e.err.Error() }

func (e cacheError) Unwrap() error { return e.err }

// guarded are environments behind a cache folder that can be written, which is
// tried when an environment is first needed: a report that ends at triage
// needs none.
type guarded struct {
	*environment.Manager
	dir string
	// isolation is asked before anything is chosen or downloaded for a run; nil
	// where nothing will be run.
	isolation sandbox.Sandbox
}

func (g *guarded) check() error {
	err := os.MkdirAll(g.dir, 0o755)
	if err == nil {
		err = system.WriteFile(filepath.Join(g.dir, ".writable"), nil, 0o644)
	}
	if err != nil {
		return cacheError{err}
	}
	return nil
}

// isolated refuses what would be run, or downloaded to be run, without
// isolation.
func (g *guarded) isolated(ctx context.Context) error {
	if g.isolation == nil {
		return nil
	}
	if _, err := g.isolation.Layers(ctx); err != nil {
		return fmt.Errorf("prepare a run: %w", err)
	}
	return nil
}

// Spec implements pipeline.Speccer.
func (g *guarded) Spec(ctx context.Context, in environment.SpecInput) (environment.Spec, *environment.Unavailable, error) {
	if err := g.check(); err != nil {
		return environment.Spec{}, nil, err
	}
	if err := g.isolated(ctx); err != nil {
		return environment.Spec{}, nil, err
	}
	return g.Manager.Spec(ctx, in)
}

// Build implements proof.Builder.
func (g *guarded) Build(ctx context.Context, l *environment.Lock) (*environment.Environment, *environment.Unavailable, error) {
	if err := g.check(); err != nil {
		return nil, nil, err
	}
	if err := g.isolated(ctx); err != nil {
		return nil, nil, err
	}
	return g.Manager.Build(ctx, l)
}

// Diagnose says whether the cache can be written, and what the environments
// lack.
func (g *guarded) Diagnose(ctx context.Context) []environment.Diagnosis {
	d := environment.Diagnosis{Name: cacheCheck, OK: true, Detail: g.dir + " can be written"}
	if err := g.check(); err != nil {
		d.OK, d.Detail, d.Next = false, err.Error(), cacheNext
	}
	return append([]environment.Diagnosis{d}, g.Manager.Diagnose(ctx)...)
}

// cacheCheck is the doctor's name for the cache folder.
const cacheCheck = "cache folder"

// cacheNext is what a user can do about the cache folder.
const cacheNext = "set REPGEN_CACHE_DIR to a folder that can be written"

// wireServices builds the real sandbox and environments.
func wireServices(ctx context.Context, s streams, p place, sh show, events func(pipeline.Event)) (*services, error) {
	log := logger(s.err, sh.Verbose)
	cache, err := system.CacheDir()
	if err != nil {
		return nil, err
	}
	sb := &lazySandbox{unsafe: p.UnsafeNoSandbox}
	m, err := environment.Open(ctx, environment.Options{
		CacheDir: cache, Index: p.Index, Sandbox: sb, Log: log, Limits: sandbox.DefaultLimits(),
		Progress: func(e environment.Event) {
			if events != nil && worthSaying(e.Text) {
				events(pipeline.Event{Time: time.Now(), Stage: pipeline.StageEnvironment, State: "progress", Text: e.Text, Done: e.Done, Total: e.Total})
			}
		},
	})
	if err != nil {
		return nil, err
	}
	return &services{sandbox: sb, envs: &guarded{Manager: m, dir: cache, isolation: sb}}, nil
}

// wire builds the pipeline.
func (f *runFlags) wire(ctx context.Context, s streams, events func(pipeline.Event)) (*pipeline.Pipeline, *services, error) {
	sv, err := wireServices(ctx, s, f.place, f.show, events)
	if err != nil {
		return nil, nil, err
	}
	return &pipeline.Pipeline{
		Specs: sv.envs, Projects: sv.envs, Solver: sv.envs, Builder: sv.envs, Sandbox: sv.sandbox, Events: events,
		Version: versionText(), Build: buildText(), Key: userKey(ctx),
		Author: &author{s: s, show: f.show},
	}, sv, nil
}

func logger(w io.Writer, verbose bool) *slog.Logger {
	level := slog.LevelWarn
	if verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

// trackerOptions take the token from the environment only: a flag would show
// it to every process of the machine.
func trackerOptions() github.Options {
	token := os.Getenv("GITHUB_TOKEN")
	if token == "" {
		token = os.Getenv("GH_TOKEN")
	}
	return github.Options{BaseURL: os.Getenv("REPGEN_GITHUB_API"), Token: token}
}

// worthSaying leaves out what an installer lists line by line.
func worthSaying(text string) bool {
	for _, noise := range []string{"+ ", "- ", "~ ", "Using Python", "Audited", "Prepared"} {
		if strings.HasPrefix(text, noise) {
			return false
		}
	}
	return text != ""
}

// The cache is trimmed after each run. Both limits are guesses: thirty days
// are longer than a triage lasts, forty GiB hold eight torch environments.
const (
	cacheAge   = 30 * 24 * time.Hour
	cacheBytes = 40 << 30
)

// trim removes what has not been used for long. It is housekeeping: trouble
// with it is logged and does not touch the result.
func (sv *services) trim(ctx context.Context, log *slog.Logger) {
	limit := int64(cacheBytes)
	if gib, err := strconv.ParseInt(os.Getenv("REPGEN_CACHE_MAX_GIB"), 10, 32); err == nil && gib > 0 {
		limit = gib << 30
	}
	gone, err := sv.envs.Trim(ctx, limit, cacheAge)
	if err != nil {
		log.Debug("trim the cache", "error", err)
	}
	if gone > 0 {
		log.Info("trimmed the cache", "removed", gone)
	}
}
