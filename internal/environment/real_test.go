package environment

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/system/proc"
)

// needReal skips unless real tools are asked for; then a missing one fails.
func needReal(t *testing.T, tools ...string) {
	t.Helper()
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to use the real index, uv, interpreters and bubblewrap")
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%v: install it (apt-get install %s)", err, tool)
		}
	}
}

// plainBwrap is the least that runs an environment: the adapter proper may be
// imported by the wiring only, and has its own tests.
type plainBwrap struct{}

func (plainBwrap) Layers(context.Context) ([]sandbox.Layer, error) {
	return []sandbox.Layer{{Name: "network", Active: true, How: "test"}}, nil
}

func (plainBwrap) Run(ctx context.Context, c sandbox.Command, l sandbox.Limits) (sandbox.Execution, error) {
	args := []string{
		"bwrap", "--unshare-all", "--die-with-parent", "--clearenv", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib",
		"--symlink", "usr/lib64", "/lib64", "--symlink", "usr/bin", "/bin", "--tmpfs", "/tmp", "--proc", "/proc", "--dev", "/dev",
	}
	for _, m := range c.Mounts {
		how := "--ro-bind"
		if m.Writable {
			how = "--bind"
		}
		args = append(args, how, m.Host, m.Guest)
	}
	args = append(args, "--bind", c.Work, sandbox.WorkDir, "--chdir", sandbox.WorkDir, "--setenv", "HOME", "/tmp")
	for name, value := range c.Env {
		args = append(args, "--setenv", name, value)
	}
	r, err := proc.Run(ctx, proc.Spec{Argv: append(append(args, "--"), c.Argv...), Timeout: 5 * time.Minute})
	if err != nil {
		return sandbox.Execution{}, err
	}
	return sandbox.Execution{
		Label: c.Label, Outcome: sandbox.Exited, ExitCode: r.ExitCode, Stdout: string(r.Stdout), Stderr: string(r.Stderr), Limits: l,
	}, nil
}

// newestPython is the newest interpreter of this machine at most that minor.
func newestPython(t *testing.T, m *Manager, limit string) interp.Interpreter {
	t.Helper()
	list, err := m.interpreters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if pydist.Match("<"+limit+",>=3.8", p.Version) {
			return p
		}
	}
	t.Fatalf("no Python from 3.8 to below %s on this machine", limit)
	return interp.Interpreter{}
}

// TestReal goes the whole way with small packages: resolve, build a source
// package, install, certify, verify, twice.
func TestReal(t *testing.T) {
	needReal(t, "bwrap")
	cache := t.TempDir()
	t.Cleanup(func() { makeWritable(t, cache) })
	m, err := Open(t.Context(), Options{CacheDir: cache, Sandbox: plainBwrap{}, Limits: sandbox.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	python := newestPython(t, m, "3.13")
	asOf := time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)
	s := Spec{
		Python: python.Minor, AsOf: asOf, AsOfSource: "flag", Subject: "termcolor", Imports: []string{"termcolor", "six"},
		Requirements: []Requirement{{Name: "termcolor", Spec: "==1.1.0", Word: WordFlag}, {Name: "six", Word: WordFlag}},
	}
	lock, no, err := m.Solve(t.Context(), s)
	if err != nil || no != nil {
		t.Fatalf("solve: %+v %v", no, err)
	}
	if lock.Version("six") != "1.16.0" || lock.Version("termcolor") != "1.1.0" {
		t.Errorf("locked %+v", lock.Packages)
	}
	for i := range 2 {
		e, no, err := m.Build(t.Context(), lock)
		if err != nil || no != nil {
			t.Fatalf("build: %+v %v", no, err)
		}
		defer e.Release()
		if e.Built != (i == 0) {
			t.Errorf("build %d: built %t", i, e.Built)
		}
		c, err := m.Certify(t.Context(), e, s)
		if err != nil || !c.OK || c.Cached != (i == 1) || len(c.Wrong) > 0 {
			t.Fatalf("certificate %d: %+v %v", i, c, err)
		}
		if err := m.Verify(t.Context(), e.Key); err != nil {
			t.Error(err)
		}
		where, err := plainBwrap{}.Run(t.Context(), withWork(t, e.Command("/env/bin/python", "-c", "import sys, six; print(sys.prefix, six.__file__)")), sandbox.Limits{})
		want := fmt.Sprintf("/env /env/lib/python%s/site-packages/six.py", python.Minor)
		if err != nil || strings.TrimSpace(where.Stdout) != want {
			t.Errorf("inside: %q %q %v, want %q", where.Stdout, where.Stderr, err, want)
		}
	}
}

func withWork(t *testing.T, c sandbox.Command) sandbox.Command {
	c.Work = t.TempDir()
	return c
}
