package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/report/github"
	"github.com/repgen/repgen/internal/sandbox"
)

// readReport reads a report from a file, standard input or a tracker.
func readReport(ctx context.Context, name string, s streams) (*report.Report, error) {
	if name == "-" {
		return interruptible(ctx, func() (*report.Report, error) {
			return report.Read(s.in, report.Source{Kind: "stdin", Name: "-"})
		})
	}
	if owner, repo, n, ok := github.ParseRef(name); ok {
		if _, err := os.Stat(name); err != nil {
			return github.Fetch(ctx, trackerOptions(), owner, repo, n)
		}
	}
	if strings.Contains(name, "://") {
		return nil, usage("%s is no issue of GitHub, the only tracker that is read: save the report's text to a file and give that", name)
	}
	return interruptible(ctx, func() (*report.Report, error) { return readFile(name) })
}

// interruptible lets Ctrl-C end a read that may wait for ever: a terminal, a
// pipe. The read itself cannot be stopped; it ends with the program.
func interruptible[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type answer struct {
		v   T
		err error
	}
	done := make(chan answer, 1)
	go func() {
		v, err := read()
		done <- answer{v, err}
	}()
	select {
	case a := <-done:
		return a.v, a.err
	case <-ctx.Done():
		var zero T
		return zero, ctx.Err()
	}
}

func readFile(name string) (*report.Report, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read the report: %w", err)
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, usage("%s is a folder: give the report's file", name)
	}
	return report.Read(f, report.Source{Kind: "file", Name: name})
}

// explainMore covers the tracker's, the sandbox's and the language model's own
// errors.
func explainMore(err error, e proof.ResultError) (proof.ResultError, int) {
	if problem, code, ok := explainLLM(err); ok {
		return problem, code
	}
	var layer *sandbox.LayerError
	if errors.As(err, &layer) {
		return proof.ResultError{
			What: nothingRan(layer), Why: layer.Why,
			Next: strings.TrimSpace(isolationFix(layer) + "; repgen doctor checks everything. " + wayAround(layer)),
		}, exitFailed
	}
	e.Next = "repgen doctor says what is usable on this machine; --verbose says more"
	var path *fs.PathError
	var limit *github.RateLimitError
	switch {
	case errors.As(err, &path) && errors.Is(path, fs.ErrPermission):
		e.Next = "check the rights on it; --out puts a run folder where you may write"
	case errors.As(err, &limit):
		e.Next = "wait, or set GITHUB_TOKEN; or save the issue to a file"
	case errors.Is(err, github.ErrNotFound):
		e.Next = "check the number; for a private repository set GITHUB_TOKEN"
	case errors.Is(err, github.ErrUnauthorized):
		e.Next = "set another GITHUB_TOKEN, or none for a public repository"
	case errors.Is(err, github.ErrNetwork), errors.Is(err, github.ErrTimeout):
		e.Next = "try again, or save the issue's text to a file and give that"
	case errors.Is(err, github.ErrMalformed):
		e.Next = "save the issue's text to a file and give that"
	}
	return e, exitFailed
}
