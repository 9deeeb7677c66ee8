package environment

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/environment/uv"
	"github.com/repgen/repgen/internal/system/proc"
)

// bareInstall is what a user would type: uv venv, uv pip install.
func bareInstall(b *testing.B, m *Manager, lock *Lock, python interp.Interpreter) time.Duration {
	b.Helper()
	tool, err := m.resolver(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	dir := filepath.Join(b.TempDir(), "bare")
	start := time.Now()
	r, err := proc.Run(b.Context(), proc.Spec{
		Argv: []string{tool.Path, "venv", "--quiet", "--no-project", "--python", python.Path, dir},
		Env:  []string{"UV_NO_CONFIG=1", "UV_PYTHON_DOWNLOADS=never"},
	})
	if err != nil || r.ExitCode != 0 {
		b.Fatalf("uv venv: %d %v", r.ExitCode, err)
	}
	text, links, err := m.installText(b.Context(), &Environment{Lock: *lock, Python: python})
	if err != nil {
		b.Fatal(err)
	}
	in, err := tool.Install(b.Context(), uv.InstallInput{Python: filepath.Join(dir, "bin", "python"), Text: text, FindLinks: links})
	if err != nil || !in.OK {
		b.Fatalf("uv pip install: %+v %v", in.Failure, err)
	}
	return time.Since(start)
}
