package environment

import (
	"context"
	"errors"
	"time"

	"github.com/repgen/repgen/internal/environment/interp"
)

// wheelhouse builds one source package in the sandbox and returns the folder
// that holds the wheel, for uv's find-links. Built ones come from the store.
func (m *Manager) wheelhouse(ctx context.Context, name, version string, python interp.Interpreter, asOf time.Time) (string, *Unavailable, error) {
	return "", nil, errors.New("not yet")
}
