package environment

import (
	"context"
	"errors"
)

// Solve locks a Spec as of its date by the ladder of repairs. An environment
// that cannot be had is an Unavailable, trouble with the index an *IndexError.
// Locks are cached by the Spec's content.
func (m *Manager) Solve(ctx context.Context, s Spec) (*Lock, *Unavailable, error) {
	return nil, nil, errors.New("not yet")
}
