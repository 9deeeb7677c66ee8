package environment

import (
	"context"
	"errors"
)

// Move solves a control: base with only the distribution name (and its family
// when it must) at version. Everything else keeps its version unless the
// resolver has to move it; what moved is listed, the asked one included.
func (m *Manager) Move(ctx context.Context, s Spec, base *Lock, name, version string) (*Lock, []Move, *Unavailable, error) {
	return nil, nil, nil, errors.New("not yet")
}

// Add solves base with one more distribution, a need that a run showed. The
// returned Spec holds it too.
func (m *Manager) Add(ctx context.Context, s Spec, base *Lock, dist string) (Spec, *Lock, *Unavailable, error) {
	return Spec{}, nil, nil, errors.New("not yet")
}
