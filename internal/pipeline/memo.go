package pipeline

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system"
)

// memo keeps what the index and the certificates said in the run folder, so
// that a resumed run sees the same world as the one that was killed.
type memo struct {
	dir     string
	solver  proof.Solver
	builder proof.Builder
}

// remembered is one kept answer of the solver.
type remembered struct {
	Spec        environment.Spec         `json:"spec,omitzero"`
	Lock        *environment.Lock        `json:"lock,omitempty"`
	Moves       []environment.Move       `json:"moves,omitempty"`
	Unavailable *environment.Unavailable `json:"unavailable,omitempty"`
	Releases    []environment.Release    `json:"releases,omitempty"`
	Certificate *environment.Certificate `json:"certificate,omitempty"`
}

// once returns the kept answer to a question, else asks and keeps it.
func (m memo) once(kind string, question any, ask func() (remembered, error)) (remembered, error) {
	hash, err := hashOf(question)
	if err != nil {
		return remembered{}, err
	}
	path := filepath.Join(m.dir, kind+"-"+hash[:16]+".json")
	var kept remembered
	if data, err := system.ReadPlain(path, system.MaxKept); err == nil && json.Unmarshal(data, &kept) == nil {
		return kept, nil
	}
	got, err := ask()
	if err != nil {
		return got, err
	}
	if err := os.MkdirAll(m.dir, 0o755); err != nil {
		return got, err
	}
	return got, system.KeepJSON(path, got)
}

// Solve implements proof.Solver.
func (m memo) Solve(ctx context.Context, s environment.Spec) (*environment.Lock, *environment.Unavailable, error) {
	r, err := m.once("solve", s, func() (r remembered, err error) {
		r.Lock, r.Unavailable, err = m.solver.Solve(ctx, s)
		return r, err
	})
	return r.Lock, r.Unavailable, err
}

// Move implements proof.Solver.
func (m memo) Move(ctx context.Context, s environment.Spec, base *environment.Lock, name, version string) (*environment.Lock, []environment.Move, *environment.Unavailable, error) {
	q := []any{s, base.Hash, name, version}
	r, err := m.once("move", q, func() (r remembered, err error) {
		r.Lock, r.Moves, r.Unavailable, err = m.solver.Move(ctx, s, base, name, version)
		return r, err
	})
	return r.Lock, r.Moves, r.Unavailable, err
}

// Fix implements proof.Solver.
func (m memo) Fix(ctx context.Context, s environment.Spec, base *environment.Lock) (*environment.Lock, []environment.Move, *environment.Unavailable, error) {
	r, err := m.once("fix", []any{s, base.Hash}, func() (r remembered, err error) {
		r.Lock, r.Moves, r.Unavailable, err = m.solver.Fix(ctx, s, base)
		return r, err
	})
	return r.Lock, r.Moves, r.Unavailable, err
}

// Add implements proof.Solver.
func (m memo) Add(ctx context.Context, s environment.Spec, base *environment.Lock, dist string) (environment.Spec, *environment.Lock, *environment.Unavailable, error) {
	q := []any{s, base.Hash, dist}
	r, err := m.once("add", q, func() (r remembered, err error) {
		r.Spec, r.Lock, r.Unavailable, err = m.solver.Add(ctx, s, base, dist)
		return r, err
	})
	return r.Spec, r.Lock, r.Unavailable, err
}

// Releases implements proof.Solver.
func (m memo) Releases(ctx context.Context, name, python string) ([]environment.Release, error) {
	r, err := m.once("releases", []string{name, python}, func() (r remembered, err error) {
		r.Releases, err = m.solver.Releases(ctx, name, python)
		return r, err
	})
	return r.Releases, err
}

// Build implements proof.Builder; the store itself remembers.
func (m memo) Build(ctx context.Context, l *environment.Lock) (*environment.Environment, *environment.Unavailable, error) {
	return m.builder.Build(ctx, l)
}

// Certify implements proof.Builder.
func (m memo) Certify(ctx context.Context, e *environment.Environment, s environment.Spec) (environment.Certificate, error) {
	r, err := m.once("certificate", []any{e.Lock.Hash, s.Imports, s.Env}, func() (r remembered, err error) {
		c, err := m.builder.Certify(ctx, e, s)
		r.Certificate = &c
		return r, err
	})
	if err != nil || r.Certificate == nil {
		return environment.Certificate{}, err
	}
	return *r.Certificate, nil
}
