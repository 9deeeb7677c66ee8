package uv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// InstallInput is one installation from a lock.
type InstallInput struct {
	// Python is the path of the interpreter to install for. uv starts it on this
	// machine, so it must not be that of an environment that holds anything.
	Python string
	// Prefix is the absolute path of the folder to fill, in the layout of a virtual
	// environment. It must not hold a file.
	Prefix string
	// Text is a requirements text with pins and hashes for every line.
	Text      string
	FindLinks []string
	Offline   bool
	// Again are packages to be fetched anew, past uv's cache.
	Again []string
}

// InstallResult says whether it was filled.
type InstallResult struct {
	OK      bool
	Failure Failure
	Wall    time.Duration
}

// installTime bounds one installation, mostly its downloads: a CUDA build of
// torch is 2.5 GB.
const installTime = 40 * time.Minute

// venvTime bounds the making of an empty environment, 0.2 to 0.4 s measured.
const venvTime = time.Minute

// Install fills a folder with wheels only, exactly those of the lock. Nothing of
// what is installed is executed; an error says so where it could be.
func (t *Tool) Install(ctx context.Context, in InstallInput) (InstallResult, error) {
	if !filepath.IsAbs(in.Prefix) {
		return InstallResult{}, fmt.Errorf("install: %q is no absolute path", in.Prefix)
	}
	if err := errors.Join(hollow(in.Python), empty(in.Prefix)); err != nil {
		return InstallResult{}, fmt.Errorf("install: %w", err)
	}
	dir, err := os.MkdirTemp("", "repgen-install-")
	if err != nil {
		return InstallResult{}, fmt.Errorf("install: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	lock := filepath.Join(dir, "lock.txt")
	if err := os.WriteFile(lock, []byte(in.Text), 0o600); err != nil {
		return InstallResult{}, fmt.Errorf("install: %w", err)
	}
	args := []string{
		"pip", "install", "--no-deps", "--no-build", "--require-hashes", "--no-sources",
		"--python", in.Python, "--prefix", in.Prefix, "--requirements", lock,
	}
	for _, d := range in.FindLinks {
		args = append(args, "--find-links", d)
	}
	for _, name := range in.Again {
		args = append(args, "--refresh-package", name)
	}
	if in.Offline {
		args = append(args, "--offline")
	}
	r, err := t.runMended(ctx, dir, args, installTime)
	if err != nil {
		return InstallResult{}, fmt.Errorf("install: %w", err)
	}
	out := InstallResult{OK: r.ExitCode == 0, Wall: r.Wall}
	if !out.OK {
		out.Failure = failureOf(r)
	}
	return out, nil
}

// Prune removes from uv's own cache what no environment can use again.
func (t *Tool) Prune(ctx context.Context) error {
	r, err := t.run(ctx, neutral, []string{"cache", "prune", "--quiet"}, venvTime)
	if err != nil {
		return fmt.Errorf("prune uv's cache: %w", err)
	}
	if r.ExitCode != 0 {
		return fmt.Errorf("prune uv's cache: %s", failureOf(r).Detail)
	}
	return nil
}
