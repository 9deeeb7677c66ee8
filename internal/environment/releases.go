package environment

import (
	"context"
	"errors"
)

// Releases lists the releases of a distribution in ascending PEP 440 order, as
// usable for Python minor version python ("3.11"). A distribution that the
// index does not have gives none.
func (m *Manager) Releases(ctx context.Context, name, python string) ([]Release, error) {
	return nil, errors.New("not yet")
}
