package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/report/github"
)

// readReport reads a report from a file, standard input or a tracker.
func readReport(ctx context.Context, name string, s streams) (*report.Report, error) {
	if name == "-" {
		return report.Read(s.in, report.Source{Kind: "stdin", Name: "-"})
	}
	if owner, repo, n, ok := github.ParseRef(name); ok {
		if _, err := os.Stat(name); err != nil {
			return github.Fetch(ctx, trackerOptions(), owner, repo, n)
		}
	}
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

// explainMore covers the tracker's and the sandbox's own errors.
func explainMore(err error, e proof.ResultError) (proof.ResultError, int) {
	var missing *layerError
	if errors.As(err, &missing) {
		return proof.ResultError{What: "the isolation cannot be set up", Why: missing.err.Error(), Next: "repgen doctor says what is missing and how to get it; --unsafe-no-sandbox runs without"}, exitFailed
	}
	if next := trackerAdvice(err); next != "" {
		e.Next = next
	}
	return e, exitFailed
}
