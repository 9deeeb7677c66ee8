package cli

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"github.com/repgen/repgen/internal/bundle"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system"
)

// explain turns an error into what happened, why and what to do next, and the
// exit code.
func explain(err error) (proof.ResultError, int) {
	e := proof.ResultError{What: err.Error()}
	var index *environment.IndexError
	var use usageError
	var store *environment.StoreError
	var project *environment.ProjectError
	switch {
	case errors.Is(err, context.Canceled):
		return proof.ResultError{What: "interrupted", Why: "a signal asked to stop", Next: "go on with --resume and the run folder"}, exitInterrupted
	case errors.As(err, &use):
		e.Next = "repgen COMMAND --help"
		return e, exitUsage
	case errors.As(err, &project):
		return proof.ResultError{What: project.What, Why: project.Why, Next: project.Next}, exitUsage
	case errors.As(err, &store) && store.Next != "":
		e = proof.ResultError{What: store.What, Why: store.Why, Next: store.Next}
		if errors.Is(err, syscall.ENOSPC) {
			e.Why, e.Next = "the disk is full: "+store.Why, store.Next+"; then go on with --resume"
		}
		return e, exitFailed
	case errors.As(err, &index):
		return proof.ResultError{What: index.What, Why: index.Why, Next: index.Next}, exitFailed
	case errors.Is(err, report.ErrEmpty):
		e.Next = "give a file that holds the report's text"
		return e, exitUsage
	case errors.Is(err, report.ErrBinary):
		e.Next = "give the report as text or Markdown, or as the tracker's JSON"
		return e, exitUsage
	case isCache(err) && !errors.Is(err, syscall.ENOSPC):
		e.Next = cacheNext
		return e, exitFailed
	case errors.Is(err, syscall.ENOSPC):
		e.Why = "the disk is full"
		e.Next = "free some space, then go on with --resume; repgen's own cache can be moved with REPGEN_CACHE_DIR"
		return e, exitFailed
	case errors.Is(err, pipeline.ErrInUse):
		e.Next = "wait for it, or choose another --out"
		return e, exitFailed
	case errors.Is(err, system.ErrNotPlain):
		e.Why = "a run folder or a bundle holds plain files only: a link in one that was sent to you reads, or writes, another file of yours"
		e.Next = "begin anew from the report"
		return e, exitUsage
	case errors.Is(err, pipeline.ErrForeign):
		e.Next = "choose another --out; --resume takes its question, and begins a new run"
		return e, exitUsage
	case errors.Is(err, pipeline.ErrOtherReport):
		e.Next = "choose another --out, or leave out the report to --resume this run"
		return e, exitUsage
	case errors.Is(err, pipeline.ErrNoRun):
		e.Next = "give the run folder that reproduce printed"
		return e, exitUsage
	case errors.Is(err, bundle.ErrNoBundle):
		e.Next = "give the bundle's folder that reproduce printed"
		return e, exitFailed
	case errors.Is(err, pipeline.ErrNotFinished):
		e.Next = "go on with: repgen reproduce --resume and the run folder"
		return e, exitFailed
	case errors.Is(err, fs.ErrNotExist):
		e.Next = "check the path"
		return e, exitUsage
	}
	return explainMore(err, e)
}

func isCache(err error) bool {
	var c cacheError
	return errors.As(err, &c)
}
