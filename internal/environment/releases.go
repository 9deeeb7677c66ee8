package environment

import (
	"context"
	"errors"
	"slices"

	"github.com/repgen/repgen/internal/environment/pypi"
	"github.com/repgen/repgen/internal/environment/uv"
	"github.com/repgen/repgen/internal/pydist"
)

// Releases lists the releases of a distribution in ascending PEP 440 order, as
// usable for Python minor version python ("3.11"). A distribution that the
// index does not have gives none; trouble with the index is an *IndexError.
func (m *Manager) Releases(ctx context.Context, name, python string) ([]Release, error) {
	name, python = pydist.Normalize(name), minorOf(python)
	key := name + " " + python
	m.tools.mu.Lock()
	known, ok := m.tools.releases[key]
	m.tools.mu.Unlock()
	if ok {
		return slices.Clone(known), nil
	}
	out, err := m.releases(ctx, name, python)
	if err != nil {
		return nil, err
	}
	m.tools.mu.Lock()
	defer m.tools.mu.Unlock()
	if m.tools.releases == nil {
		m.tools.releases = map[string][]Release{}
	}
	m.tools.releases[key] = out
	return slices.Clone(out), nil
}

// releases asks the index. Releases remembers its answer while the process
// lives: scoring interpreters asks for the same listing many times.
func (m *Manager) releases(ctx context.Context, name, python string) ([]Release, error) {
	client, err := m.index(ctx)
	if err != nil {
		return nil, err
	}
	project, err := client.Project(ctx, name)
	switch {
	case errors.Is(err, pypi.ErrNotFound):
		return nil, nil
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, indexError("list the releases of "+name, err)
	}
	list := project.Releases(python)
	out := make([]Release, 0, len(list))
	for _, r := range list {
		out = append(out, Release(r))
	}
	return out, nil
}

// indexError wraps trouble with the index so that it can be told from an
// environment that cannot be had.
func indexError(doing string, err error) *IndexError {
	return &IndexError{
		What: "the package index could not be asked: " + doing,
		Why:  uv.Redact(err.Error()),
		Next: "check the network and the index (repgen doctor), or name one with --index",
		Err:  err,
	}
}
