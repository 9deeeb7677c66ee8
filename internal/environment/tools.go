package environment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/environment/pypi"
	"github.com/repgen/repgen/internal/environment/uv"
)

// tools are the lazily found helpers of a Manager. Only success is remembered,
// so that an index that was down a moment ago is asked again.
type tools struct {
	mu      sync.Mutex
	pythons []interp.Interpreter
	found   bool
	uv      *uv.Tool
	client  *pypi.Client
	// releases by name and Python minor version
	releases map[string][]Release

	wheelsMu sync.Mutex
	wheels   map[string]func() // leases of the store of wheels, by key
}

// interpreters lists the Pythons of this machine.
func (m *Manager) interpreters(ctx context.Context) ([]interp.Interpreter, error) {
	m.tools.mu.Lock()
	defer m.tools.mu.Unlock()
	return m.interpretersLocked(ctx)
}

func (m *Manager) interpretersLocked(ctx context.Context) ([]interp.Interpreter, error) {
	if m.tools.found {
		return m.tools.pythons, nil
	}
	list, err := interp.Find(ctx, m.opts.CacheDir)
	if err != nil {
		return nil, fmt.Errorf("find interpreters: %w", err)
	}
	m.tools.pythons, m.tools.found = list, true
	return list, nil
}

// interpreter is the best one for a version: exactly that one when it is full
// ("3.11.7") and here, else the best of its minor version.
func (m *Manager) interpreter(ctx context.Context, version string) (interp.Interpreter, bool, error) {
	list, err := m.interpreters(ctx)
	if err != nil {
		return interp.Interpreter{}, false, err
	}
	p, ok := pickInterpreter(list, version)
	return p, ok, nil
}

// pickInterpreter relies on the list being best first.
func pickInterpreter(list []interp.Interpreter, version string) (interp.Interpreter, bool) {
	for _, p := range list {
		if p.Version == version {
			return p, true
		}
	}
	for _, p := range list {
		if p.Minor == minorOf(version) {
			return p, true
		}
	}
	return interp.Interpreter{}, false
}

// minorOf is "3.11" for "3.11.7", and what it was given when it has no patch.
func minorOf(version string) string {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return version
	}
	return parts[0] + "." + parts[1]
}

// resolver is uv, found or installed when first needed.
func (m *Manager) resolver(ctx context.Context) (*uv.Tool, error) {
	m.tools.mu.Lock()
	defer m.tools.mu.Unlock()
	return m.resolverLocked(ctx)
}

func (m *Manager) resolverLocked(ctx context.Context) (*uv.Tool, error) {
	if m.tools.uv != nil {
		return m.tools.uv, nil
	}
	list, err := m.interpretersLocked(ctx)
	if err != nil {
		return nil, err
	}
	paths := make([]string, 0, len(list))
	for _, p := range list {
		paths = append(paths, p.Path)
	}
	m.progress(Event{Stage: "uv", Text: "looking for uv"})
	tool, err := uv.Find(ctx, uv.Options{
		CacheDir: m.opts.CacheDir, Index: m.opts.Index, Pythons: paths, Log: m.log,
		Progress: func(line string) { m.progress(Event{Stage: "uv", Text: line}) },
	})
	var none *uv.NoToolError
	if errors.As(err, &none) {
		return nil, &IndexError{
			What: "uv is not on PATH and could not be fetched", Why: strings.Join(none.Tried, "; "),
			Next: "check the network and the package index (--index, UV_DEFAULT_INDEX), or install uv yourself and put it on PATH", Err: err,
		}
	}
	if err != nil {
		return nil, fmt.Errorf("find uv: %w", err)
	}
	m.tools.uv = tool
	return tool, nil
}

// PackageIndex is the client of the index that uv uses, for what is fetched from
// it and never installed.
func (m *Manager) PackageIndex(ctx context.Context) (*pypi.Client, error) { return m.index(ctx) }

// index is the client of the index that uv uses.
func (m *Manager) index(ctx context.Context) (*pypi.Client, error) {
	m.tools.mu.Lock()
	defer m.tools.mu.Unlock()
	if m.tools.client != nil {
		return m.tools.client, nil
	}
	tool, err := m.resolverLocked(ctx)
	if err != nil {
		return nil, err
	}
	where, err := tool.Index(ctx)
	if err != nil {
		return nil, fmt.Errorf("find the package index: %w", err)
	}
	glibc := ""
	if len(m.tools.pythons) > 0 {
		glibc = m.tools.pythons[0].Glibc
	}
	m.tools.client = pypi.New(pypi.Options{
		Indexes: where.Order(), CertFiles: where.CertFiles,
		CacheDir: m.opts.CacheDir, Glibc: glibc, Log: m.log,
	})
	return m.tools.client, nil
}
