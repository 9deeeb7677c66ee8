package environment

import (
	"context"
	"errors"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/sandbox"
)

// Environment is a built, read-only Python environment in the store.
type Environment struct {
	// Dir is the host folder that is seen as /env inside the sandbox.
	Dir    string
	Key    string
	Lock   Lock
	Python interp.Interpreter
	// Built is false when it was in the store already.
	Built bool
}

// Build makes the environment of a lock, or finds it in the store.
func (m *Manager) Build(ctx context.Context, l *Lock) (*Environment, *Unavailable, error) {
	return nil, nil, errors.New("not yet")
}

// Command is a command line inside the environment, ready for a sandbox: argv
// such as "/env/bin/python", "reproduce.py".
func (e *Environment) Command(argv ...string) sandbox.Command {
	return sandbox.Command{Argv: argv}
}
