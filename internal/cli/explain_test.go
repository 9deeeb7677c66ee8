package cli

import (
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/repgen/repgen/internal/bundle"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/sandbox"
)

// What a user can put right says how.
func TestExplainSaysWhatToDo(t *testing.T) {
	for _, c := range []struct {
		err  error
		next string
		code int
	}{
		{&fs.PathError{Op: "mkdir", Path: "/repgen-out", Err: fs.ErrPermission}, "--out", exitFailed},
		{&fs.PathError{Op: "open", Path: "x.md", Err: fs.ErrNotExist}, "check the path", exitUsage},
		{fmt.Errorf("open x: %w", pipeline.ErrOtherReport), "another --out", exitUsage},
		{fmt.Errorf("open x: %w", pipeline.ErrNotFinished), "--resume", exitFailed},
		{fmt.Errorf("open x: %w", bundle.ErrNoBundle), "bundle's folder", exitFailed},
		{&sandbox.LayerError{Layer: "pids", Why: "operation not permitted", Fix: "allow it"}, "allow it", exitFailed},
		{&environment.StoreError{What: "fill it", Why: "a file is too large", Next: "ulimit -f unlimited"}, "ulimit", exitFailed},
		{&environment.StoreError{What: "fill it", Why: "1 MiB free", Next: "free 9 MiB", Err: syscall.ENOSPC}, "free 9 MiB; then go on with --resume", exitFailed},
		{usage("no"), "--help", exitUsage},
	} {
		e, code := explain(fmt.Errorf("do it: %w", c.err))
		if code != c.code || !strings.Contains(e.Next, c.next) {
			t.Errorf("%v: exit %d, next %q", c.err, code, e.Next)
		}
	}
}
