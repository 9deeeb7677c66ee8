package pipeline

import (
	"context"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/proof"
)

// memo keeps what the index and the certificates said in the run folder, so
// that a resumed run sees the same world as the one that was killed.
type memo struct {
	*keeper
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

// remember returns the kept answer to a question, else asks and keeps it.
func (m memo) remember(kind string, question any, ask func() (remembered, error)) (remembered, error) {
	hash, err := m.hash(question)
	if err != nil {
		return remembered{}, err
	}
	return once(m.keeper, "answers/"+kind+"-"+hash[:16], hash, always[remembered], ask)
}

// Solve implements proof.Solver.
func (m memo) Solve(ctx context.Context, s environment.Spec) (*environment.Lock, *environment.Unavailable, error) {
	r, err := m.remember("solve", s, func() (r remembered, err error) {
		r.Lock, r.Unavailable, err = m.solver.Solve(ctx, s)
		return r, err
	})
	return r.Lock, r.Unavailable, err
}

// Move implements proof.Solver.
func (m memo) Move(ctx context.Context, s environment.Spec, base *environment.Lock, name, version string) (*environment.Lock, []environment.Move, *environment.Unavailable, error) {
	q := []any{s, base.Hash, name, version}
	r, err := m.remember("move", q, func() (r remembered, err error) {
		r.Lock, r.Moves, r.Unavailable, err = m.solver.Move(ctx, s, base, name, version)
		return r, err
	})
	return r.Lock, r.Moves, r.Unavailable, err
}

// Fix implements proof.Solver.
func (m memo) Fix(ctx context.Context, s environment.Spec, base *environment.Lock) (*environment.Lock, []environment.Move, *environment.Unavailable, error) {
	r, err := m.remember("fix", []any{s, base.Hash}, func() (r remembered, err error) {
		r.Lock, r.Moves, r.Unavailable, err = m.solver.Fix(ctx, s, base)
		return r, err
	})
	return r.Lock, r.Moves, r.Unavailable, err
}

// Add implements proof.Solver.
func (m memo) Add(ctx context.Context, s environment.Spec, base *environment.Lock, dist string) (environment.Spec, *environment.Lock, *environment.Unavailable, error) {
	q := []any{s, base.Hash, dist}
	r, err := m.remember("add", q, func() (r remembered, err error) {
		r.Spec, r.Lock, r.Unavailable, err = m.solver.Add(ctx, s, base, dist)
		return r, err
	})
	return r.Spec, r.Lock, r.Unavailable, err
}

// Releases implements proof.Solver.
func (m memo) Releases(ctx context.Context, name, python string) ([]environment.Release, error) {
	r, err := m.remember("releases", []string{name, python}, func() (r remembered, err error) {
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
	r, err := m.remember("certificate", []any{e.Lock.Hash, s.Imports, s.Env}, func() (r remembered, err error) {
		c, err := m.builder.Certify(ctx, e, s)
		r.Certificate = &c
		return r, err
	})
	if err != nil || r.Certificate == nil {
		return environment.Certificate{}, err
	}
	return *r.Certificate, nil
}
