package environment

import (
	"context"
	"errors"

	"github.com/repgen/repgen/internal/sandbox"
)

// Certificate says whether an environment is what was asked for: its modules
// import, one trivial call returns, the versions are the asked ones.
type Certificate struct {
	OK        bool              `json:"ok"`
	Execution sandbox.Execution `json:"execution"`
	// Script is what ran.
	Script string `json:"script"`
	// Why it failed, one line: "import tensorflow: TypeError: ...".
	Why string `json:"why,omitempty"`
	// Wrong are asked-for versions that are not the installed ones:
	// "jax: asked ==0.4.1, installed 0.4.2".
	Wrong []string `json:"wrong,omitempty"`
	// Cached: an earlier run of the same script on the same environment.
	Cached bool `json:"cached,omitempty"`
}

// Certify runs the certificate in the sandbox. A failed certificate is data;
// an error means that it could not be run.
func (m *Manager) Certify(ctx context.Context, e *Environment, s Spec) (Certificate, error) {
	return Certificate{}, errors.New("not yet")
}
