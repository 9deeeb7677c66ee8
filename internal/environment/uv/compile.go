package uv

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/system/proc"
)

// CompileInput is one resolution.
type CompileInput struct {
	// Python is the path of the interpreter, with the rule of InstallInput.
	Python       string
	Requirements []string
	Constraints  []string
	Overrides    []string
	// Excludes are distributions that are left out wherever they are needed.
	Excludes []string
	// ExcludeNewer is the cutoff, a UTC instant; zero for none.
	ExcludeNewer time.Time
	// Exempt are distributions that the cutoff does not bind.
	Exempt []string
	// FindLinks are local folders with wheels (not bound by the cutoff).
	FindLinks []string
	// Existing is the text of an earlier lock: its versions are preferred.
	Existing string
	// Prerelease is uv's word for it: "", "allow", "if-necessary-or-explicit".
	Prerelease string
	// Resolution is uv's word: "", "highest", "lowest-direct".
	Resolution string
	Offline    bool
}

// CompileResult is a lock or a typed failure.
type CompileResult struct {
	OK bool
	// Index is where it was solved, as Index.Shown says it.
	Index string
	// Text is the requirements text with hashes, without URLs and comments.
	Text     string
	Packages []Pinned
	Failure  Failure
	Wall     time.Duration
}

// compileTime bounds one resolution: the slowest measured took 9 s.
const compileTime = 5 * time.Minute

// Compile resolves. The error is for trouble with the tool or the context
// only: a failed resolution is a CompileResult.
func (t *Tool) Compile(ctx context.Context, in CompileInput) (CompileResult, error) {
	if err := hollow(in.Python); err != nil {
		return CompileResult{}, fmt.Errorf("resolve: %w", err)
	}
	dir, err := os.MkdirTemp("", "repgen-resolve-")
	if err != nil {
		return CompileResult{}, fmt.Errorf("resolve: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	args, err := compileArgs(dir, in)
	if err != nil {
		return CompileResult{}, fmt.Errorf("resolve: %w", err)
	}
	r, err := t.runMended(ctx, dir, args, compileTime, "UV_HTTP_TIMEOUT="+askTimeout, "UV_HTTP_RETRIES="+askRetries)
	if err != nil {
		return CompileResult{}, fmt.Errorf("resolve: %w", err)
	}
	index, err := t.Index(ctx) // known since run
	if err != nil {
		return CompileResult{}, fmt.Errorf("resolve: %w", err)
	}
	out := CompileResult{Index: index.Shown(), Wall: r.Wall}
	if r.ExitCode != 0 {
		out.Failure = failureOf(r)
		return out, nil
	}
	text, err := os.ReadFile(filepath.Join(dir, "lock.txt"))
	if err != nil {
		return CompileResult{}, fmt.Errorf("resolve: %w", err)
	}
	out.OK = true
	out.Packages = ParseLock(string(text))
	out.Text, err = FormatLock(out.Packages)
	return out, err
}

// compileArgs writes the input files into dir and names them.
func compileArgs(dir string, in CompileInput) ([]string, error) {
	// Without --no-build uv runs the code of source packages for their metadata.
	args := []string{"pip", "compile", "--quiet", "--no-header", "--generate-hashes", "--no-sources", "--no-build", "--python", in.Python}
	lists := []struct {
		option, name string
		lines        []string
	}{
		{"", "requirements.in", in.Requirements},
		{"--constraints", "constraints.txt", in.Constraints},
		{"--overrides", "overrides.txt", in.Overrides},
		{"--excludes", "excludes.txt", in.Excludes},
		{"--output-file", "lock.txt", []string{strings.TrimSpace(in.Existing)}},
	}
	for _, l := range lists {
		if l.option != "" && l.option != "--output-file" && len(l.lines) == 0 {
			continue
		}
		for _, line := range l.lines {
			if l.option != "--output-file" && !plainLine(line) {
				return nil, fmt.Errorf("%.100q is no requirement", line)
			}
		}
		text := strings.Join(l.lines, "\n") + "\n"
		if err := os.WriteFile(filepath.Join(dir, l.name), []byte(text), 0o600); err != nil {
			return nil, err
		}
		if l.option != "" {
			args = append(args, l.option)
		}
		args = append(args, l.name)
	}
	if !in.ExcludeNewer.IsZero() {
		// A bare day would be local time: always an instant.
		args = append(args, "--exclude-newer", in.ExcludeNewer.UTC().Format(time.RFC3339))
	}
	for _, name := range in.Exempt {
		args = append(args, "--exclude-newer-package", name+"=false")
	}
	for _, d := range in.FindLinks {
		args = append(args, "--find-links", d)
	}
	if in.Prerelease != "" {
		args = append(args, "--prerelease", in.Prerelease)
	}
	if in.Resolution != "" {
		args = append(args, "--resolution", in.Resolution)
	}
	if in.Offline {
		args = append(args, "--offline")
	}
	return args, nil
}

// plainLine is false for what a requirements file takes for an option, another
// file or an address.
func plainLine(line string) bool {
	return !strings.ContainsAny(line, "\n\r@") && !strings.Contains(line, "://") && !strings.HasPrefix(strings.TrimSpace(line), "-")
}

// run starts uv with the settled environment; more replaces variables of it.
func (t *Tool) run(ctx context.Context, dir string, args []string, limit time.Duration, more ...string) (proc.Result, error) {
	index, err := t.Index(ctx)
	if err != nil {
		return proc.Result{}, err
	}
	return proc.Run(ctx, proc.Spec{
		Argv: append([]string{t.Path}, args...), Dir: dir,
		Env: withMore(t.env(index, readPip(environ(t.o.Environ))), more), Timeout: limit,
		OnLine: func(s proc.Stream, line string) {
			if s == proc.Stderr && t.o.Progress != nil && isProgress(line) {
				t.o.Progress(Redact(strings.TrimSpace(line)))
			}
		},
	})
}

// isProgress picks the lines worth showing live; errors come as a Failure.
func isProgress(line string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch word {
	case "Downloading", "Downloaded", "Resolved", "Prepared", "Installed":
		return true
	}
	return false
}

// failureOf types a call of uv that did not end well.
func failureOf(r proc.Result) Failure {
	if r.TimedOut {
		return Failure{Class: TimedOut, Code: r.ExitCode, Detail: "uv did not come to an end within its time"}
	}
	switch r.Signal {
	case "":
		return Classify(string(r.Stderr), r.ExitCode)
	case "SIGXFSZ":
		return Failure{Class: FileLimit, Code: r.ExitCode, Detail: "uv wrote a file larger than this process may (SIGXFSZ)"}
	}
	return Failure{Class: Killed, Code: r.ExitCode, Detail: "uv was ended by " + r.Signal}
}
