package bwrap

import (
	"context"
	"fmt"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/system/proc"
)

// measure fills in what was seen, whatever the outcome.
func (r *run) measure(started time.Time, res proc.Result) sandbox.Execution {
	ex := r.Measure(started, res)
	ex.Layers = r.s.layers
	if r.group != nil {
		u := r.group.usage()
		ex.CPUSeconds = max(ex.CPUSeconds, u.cpu.Seconds())
		ex.OOMKills = u.oomKills
		if ex.PeakMemory == 0 || u.oomKills > 0 {
			// Page cache counts here too, so it is the second choice.
			ex.PeakMemory = max(ex.PeakMemory, u.peak)
		}
	}
	return ex
}

// judge names the outcome; an error means that nothing ran or that the end is
// not known.
func (r *run) judge(ctx context.Context, cause error, res proc.Result, runErr error, ex *sandbox.Execution) error {
	known, err := r.Judge(ctx, cause, res, ex)
	switch {
	case known:
		return err
	case cause != nil && runErr != nil:
		return cause
	case runErr != nil:
		return fmt.Errorf("sandbox: start bubblewrap: %w", runErr)
	default:
		return explain(string(res.Stderr))
	}
}
