package uv

import (
	"context"
	"log/slog"
	"os"
	"sync"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// Options configure Find.
type Options struct {
	// CacheDir is repgen's cache root: uv's own cache and, when none is on
	// PATH, uv itself live below it.
	CacheDir string
	// Index is the index asked for by flag; "" asks the configuration.
	Index string
	// Pythons are interpreters with which uv may be installed, best first.
	Pythons []string
	// Environ is the environment of repgen itself ("NAME=value"), nil for
	// os.Environ(): the allow-listed part of it is passed on.
	Environ []string
	Log     *slog.Logger
	// Progress receives what uv says while it works; may be nil.
	Progress func(line string)
}

// Tool is a usable uv. It is safe for concurrent use.
type Tool struct {
	Path    string
	Version string
	o       Options

	mu    sync.Mutex
	index *Index
}

// credentials matches the user part of a URL.
var credentials = lazyre.New(`(://)[^/@\s"'` + "`" + `]+@`)

// Redact removes credentials from every URL in a text.
func Redact(text string) string { return credentials.ReplaceAllString(text, "${1}***@") }

// Index gives where packages come from, found out once; only success is
// remembered.
func (t *Tool) Index(ctx context.Context) (Index, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.index != nil {
		return *t.index, nil
	}
	found, err := t.findIndex(ctx)
	if err != nil {
		return Index{}, err
	}
	t.index = &found
	t.o.Log.Debug("index found", "index", found.String(), "source", found.Source)
	return found, nil
}

// fill completes Options that were left out.
func (o Options) fill() Options {
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}
