package environment

import (
	"context"
	"errors"
	"log/slog"

	"github.com/repgen/repgen/internal/sandbox"
)

// Event is one piece of progress. Done and Total are bytes where they are
// known and zero where they are not.
type Event struct {
	Stage string // "python", "uv", "index", "solve", "project", "wheelhouse", "build", "certificate"
	Text  string
	Done  int64
	Total int64
}

// Options configure a Manager.
type Options struct {
	// CacheDir is repgen's own cache root. Required.
	CacheDir string
	// Index is the simple index asked for by flag; "" asks the environment and
	// the configuration of pip and uv.
	Index string
	// Sandbox runs source builds and certificates. Solving wheel-only
	// environments works without it.
	Sandbox sandbox.Sandbox
	Log     *slog.Logger
	// Progress may be nil; it may be called from several goroutines.
	Progress func(Event)
	// Limits bound certificates and source builds.
	Limits sandbox.Limits
}

// Manager makes environments. It is safe for concurrent use.
type Manager struct {
	opts  Options
	log   *slog.Logger
	tools tools
	seeds seeds
	// free stands in tests for system.FreeBytes, which nil means.
	free func(dir string) (int64, error)
}

// Open returns a Manager. It is cheap: interpreters, uv and the index are
// looked for when they are first needed.
func Open(_ context.Context, o Options) (*Manager, error) {
	if o.CacheDir == "" {
		return nil, errors.New("open environments: no cache folder given")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Manager{opts: o, log: o.Log}, nil
}

func (m *Manager) progress(e Event) {
	if m.opts.Progress != nil {
		m.opts.Progress(e)
	}
}

// IndexError says that the package index could not be asked: it is
// infrastructure and says nothing of the environment.
type IndexError struct {
	What string // "the package index cannot be reached"
	Why  string // the tool's own words, without credentials
	Next string // what the user can do
	Err  error
}

func (e *IndexError) Error() string {
	if e.Why == "" {
		return e.What
	}
	return e.What + ": " + e.Why
}

func (e *IndexError) Unwrap() error { return e.Err }
