package environment

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/environment/uv"
	"github.com/repgen/repgen/internal/system"
)

// BenchmarkBuild builds one lock again and again beside a bare `uv pip install`
// of it into an environment that is there: same cache (warm), same link mode.
// The aim: at most 1.15 times the bare one. The certificate is no part of
// either.
func BenchmarkBuild(b *testing.B) {
	m := benchManager(b)
	spec := Spec{
		Subject: "jax", Imports: []string{"jax"}, AsOf: time.Date(2025, 7, 1, 23, 59, 59, 0, time.UTC), AsOfSource: "flag",
		Requirements: []Requirement{{Name: "jax", Spec: "==0.6.2", Word: WordReporter}},
	}
	lock, un, err := m.Solve(b.Context(), spec)
	if err != nil || un != nil {
		b.Fatalf("solve: %+v %v", un, err)
	}
	if err := m.buildAfresh(b, lock); err != nil { // warms uv's cache
		b.Fatal(err)
	}
	var bare, ours []time.Duration
	for i := 0; b.Loop(); i++ {
		env := emptyTarget(b, m, lock)
		for j := range 2 { // first in a pair by turns
			began := time.Now()
			if (i+j)%2 == 0 {
				bareInstall(b, m, env, lock)
				bare = append(bare, time.Since(began))
			} else if err := m.buildAfresh(b, lock); err != nil {
				b.Fatal(err)
			} else {
				ours = append(ours, time.Since(began))
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(middle(bare))/1e6, "ms-bare")
	b.ReportMetric(float64(middle(ours))/1e6, "ms-build")
	b.ReportMetric(float64(middle(ours))/float64(middle(bare)), "x-bare")
}

func middle(d []time.Duration) time.Duration { return slices.Sorted(slices.Values(d))[len(d)/2] }

// benchManager has the machine's own cache, so that nothing is downloaded
// twice.
func benchManager(b *testing.B) *Manager {
	b.Helper()
	if os.Getenv("REPGEN_REAL") == "" {
		b.Skip("set REPGEN_REAL=1 to use the real index, uv and interpreters")
	}
	dir, err := system.CacheDir()
	if err != nil {
		b.Fatal(err)
	}
	m, err := Open(b.Context(), Options{CacheDir: dir})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// buildAfresh builds into a store of its own, beside the cache: another file
// system could not link.
func (m *Manager) buildAfresh(b *testing.B, lock *Lock) error {
	b.Helper()
	other := &Manager{opts: m.opts, log: m.log}
	other.opts.CacheDir = freshDir(b, m)
	tool, err := m.resolver(b.Context())
	if err != nil {
		return err
	}
	other.tools.uv, other.tools.pythons, other.tools.found = tool, m.tools.pythons, true
	e, un, err := other.Build(b.Context(), lock)
	if err != nil || un != nil || !e.Built {
		return fmt.Errorf("build: %+v %w", un, err)
	}
	e.Release()
	return nil
}

func freshDir(b *testing.B, m *Manager) string {
	b.Helper()
	dir, err := os.MkdirTemp(m.opts.CacheDir, "bench-")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = system.RemoveAll(dir) })
	return dir
}

// emptyTarget is a virtual environment to install into; its making is not
// measured, which makes the baseline the stricter one.
func emptyTarget(b *testing.B, m *Manager, lock *Lock) target {
	b.Helper()
	python, ok, err := m.interpreter(b.Context(), lock.Python)
	if err != nil || !ok {
		b.Fatal(python, err)
	}
	t, err := newTarget(freshDir(b, m), python)
	if err == nil {
		err = t.clear()
	}
	if err != nil {
		b.Fatal(err)
	}
	return t
}

// bareInstall is what a user would type.
func bareInstall(b *testing.B, m *Manager, t target, lock *Lock) {
	b.Helper()
	tool, err := m.resolver(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	r, err := tool.Install(b.Context(), uv.InstallInput{Python: filepath.Join(t.env, "bin", "python"), Prefix: t.filled, Text: lock.Text})
	if err != nil || !r.OK {
		b.Fatalf("install: %+v %v", r.Failure, err)
	}
}
