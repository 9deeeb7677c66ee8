package bwrap

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/sandbox/watch"
	"github.com/repgen/repgen/internal/system/proc"
)

// measure fills in what was seen, whatever the outcome.
func (r *run) measure(started time.Time, res proc.Result) sandbox.Execution {
	ex := sandbox.Execution{
		Label: r.c.Label, Argv: r.c.Argv, Env: r.c.Environment(nil),
		Started: started.UTC(), Limits: r.l, Layers: r.s.layers,
		Stdout: sandbox.Clean(res.Stdout), Stderr: sandbox.Clean(res.Stderr),
		StdoutTruncated: res.StdoutTotal > r.l.OutputBytes,
		StderrTruncated: res.StderrTotal > r.l.OutputBytes,
		WallSeconds:     res.Wall.Seconds(),
		ExitCode:        -1,
	}
	if r.last.Wall > 0 {
		ex.WallSeconds = time.Duration(r.last.Wall).Seconds()
	}
	cpu := time.Duration(r.last.CPU)
	ex.PeakMemory = r.last.MaxRSS
	if r.guard != nil {
		seen := r.guard.Sample()
		ex.PeakMemory = max(ex.PeakMemory, seen.PeakRSS)
		ex.Memory = r.guard.Memory()
		cpu = max(cpu, seen.CPU)
	}
	if r.group != nil {
		u := r.group.usage()
		cpu = max(cpu, u.cpu)
		ex.OOMKills = u.oomKills
		if ex.PeakMemory == 0 || u.oomKills > 0 {
			// Page cache counts here too, so it is the second choice.
			ex.PeakMemory = max(ex.PeakMemory, u.peak)
		}
	}
	ex.CPUSeconds = cpu.Seconds()
	if r.c.Probe != nil {
		ex.Record = probe.Parse(r.raw, r.key)
		ex.Record.Truncated = ex.Record.Truncated || r.cut
	}
	return ex
}

// judge names the outcome. The order is that of certainty: what the parent
// process saw, then what we did, then what the kernel counted. An error means
// that nothing ran or that the end is not known.
func (r *run) judge(ctx context.Context, cause error, res proc.Result, runErr error, ex *sandbox.Execution) error {
	var hit *watch.Hit
	switch {
	case r.last.Failed != "":
		return errors.New("sandbox: " + r.last.Failed)
	case res.Flooded:
		r.limit(ex, &watch.Hit{Outcome: sandbox.OutputLimit, Limit: fmt.Sprintf("output %d bytes", floodFactor*r.l.OutputBytes)})
	case r.last.Ended:
		r.ended(ex)
	case ctx.Err() != nil:
		ex.Outcome, ex.LimitHit = sandbox.Canceled, ""
		return ctx.Err()
	case errors.As(cause, &hit):
		r.limit(ex, hit)
	case ex.OOMKills > 0:
		r.limit(ex, watch.MemoryHit(r.l)) // our first process was hit as well
	case r.began:
		return errors.New("sandbox: killed from outside, the end of the command is not known")
	case cause != nil && runErr != nil:
		return cause
	case runErr != nil:
		return fmt.Errorf("sandbox: start bubblewrap: %w", runErr)
	default:
		return explain(string(res.Stderr))
	}
	return nil
}

func (r *run) limit(ex *sandbox.Execution, h *watch.Hit) {
	ex.Outcome, ex.LimitHit = h.Outcome, h.Limit
	if h.Outcome == sandbox.OutOfMemory && ex.OOMKills == 0 {
		ex.OOMKills = 1 // the watcher's kill counts like the kernel's
	}
}

// ended tells apart the ends that the first process saw.
func (r *run) ended(ex *sandbox.Execution) {
	_, over := watch.Folder(r.work, r.l.DiskBytes)
	switch sig := r.last.Signal; {
	case over:
		r.limit(ex, watch.DiskHit(r.l)) // filled faster than we looked
	case sig == "":
		ex.Outcome, ex.ExitCode = sandbox.Exited, r.last.Exit
	case sig == "SIGKILL" && ex.OOMKills > 0:
		r.limit(ex, watch.MemoryHit(r.l))
	case sig == "SIGXCPU" && ex.CPUSeconds >= r.l.CPU.Seconds():
		r.limit(ex, watch.CPUHit(r.l))
	default:
		ex.Outcome, ex.Signal = sandbox.Signaled, sig
	}
}
