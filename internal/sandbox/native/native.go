// Package native runs a command without any isolation, for the flag that says
// so. It keeps the contract of sandbox.Sandbox as far as a plain process can:
// the group is killed, limits are held by watching, places inside are replaced
// by the host's. Nothing here protects the host.
package native

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/sandbox/watch"
	"github.com/repgen/repgen/internal/system"
	"github.com/repgen/repgen/internal/system/proc"
)

const (
	maxRecord   = 4 << 20 // kept of the observer's channel, as in package bwrap
	floodFactor = 10      // see sandbox.Limits
	probeFD     = 7
	drainWait   = 500 * time.Millisecond // as package proc waits for output
	how         = "unsafe: no isolation"
)

// layerNames are all layers; none is active.
var layerNames = []string{"user-namespace", "network", "filesystem", "seccomp", "pids", "memory", "session", "environment"}

// Sandbox implements sandbox.Sandbox without being one.
type Sandbox struct{}

// New needs nothing and cannot fail.
func New() *Sandbox { return &Sandbox{} }

// Layers says of each layer that it is missing.
func (*Sandbox) Layers(context.Context) ([]sandbox.Layer, error) {
	var out []sandbox.Layer
	for _, n := range layerNames {
		out = append(out, sandbox.Layer{Name: n, How: how})
	}
	return out, nil
}

// run is one execution under way.
type run struct {
	c       sandbox.Command
	l       sandbox.Limits
	scratch string // for everything that must vanish
	work    string
	places  places
	key     string

	recordR, recordW *os.File
	guard            *watch.Guard
	wg               sync.WaitGroup
	raw              []byte
	cut              bool
}

// Run implements sandbox.Sandbox.
func (s *Sandbox) Run(ctx context.Context, c sandbox.Command, l sandbox.Limits) (sandbox.Execution, error) {
	if len(c.Argv) == 0 {
		return sandbox.Execution{}, errors.New("run without a sandbox: empty command")
	}
	r := &run{c: c, l: l.WithDefaults()}
	defer r.close()
	if err := r.open(); err != nil {
		return sandbox.Execution{}, fmt.Errorf("run without a sandbox: %w", err)
	}
	ex, err := r.execute(ctx)
	ex.Layers, _ = s.Layers(ctx)
	return ex, err
}

// open makes the folders that the guest's fixed places stand for.
func (r *run) open() (err error) {
	if r.scratch, err = os.MkdirTemp("", "repgen-native-"); err != nil {
		return err
	}
	r.work = r.c.Work
	if r.work == "" {
		r.work = filepath.Join(r.scratch, "box")
	}
	tmp := filepath.Join(r.scratch, "tmp")
	for _, d := range []string{r.work, filepath.Join(tmp, "home"), filepath.Join(tmp, "cache")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	r.places = places{sandbox.WorkDir: r.work, "/tmp": tmp}
	for _, m := range r.c.Mounts {
		r.places[m.Guest] = m.Host
	}
	if err := r.movedEnv(); err != nil {
		return err
	}
	if r.c.Probe == nil {
		return nil
	}
	dir := filepath.Join(r.scratch, "probe")
	r.places[sandbox.ProbeDir] = dir
	r.key = probe.NewKey()
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := probe.Materialise(dir); err != nil {
		return err
	}
	r.recordR, r.recordW, err = os.Pipe()
	return err
}

func (r *run) close() {
	for _, f := range []*os.File{r.recordR, r.recordW} {
		if f != nil {
			_ = f.Close()
		}
	}
	if r.scratch != "" {
		_ = system.RemoveAll(r.scratch)
	}
}

// execute runs the command in its own group and watches it.
func (r *run) execute(ctx context.Context) (sandbox.Execution, error) {
	started := time.Now()
	runCtx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var files []*os.File
	if r.recordW != nil {
		files = []*os.File{nil, nil, nil, nil, r.recordW} // 3 + 4 = probeFD
	}
	spec := proc.Spec{
		Argv: r.argv(), Dir: r.work, Env: r.environ(), Stdin: r.c.Stdin, ExtraFiles: files,
		Grace: -1, KeepBytes: r.l.OutputBytes, FloodBytes: floodFactor * r.l.OutputBytes,
		OnStart: func(pid int) { r.attend(runCtx, stop, pid) },
	}
	res, err := proc.Run(runCtx, spec)
	stop(nil)
	if r.recordR != nil {
		_ = r.recordW.Close() // a no-op once the process had started
		// Whoever left the group may hold the channel open for ever.
		_ = r.recordR.SetReadDeadline(time.Now().Add(drainWait))
	}
	r.wg.Wait()
	ex := r.measure(started, res)
	cause := context.Cause(runCtx)
	var hit *watch.Hit
	switch {
	case errors.As(cause, &hit) && err != nil:
		limit(&ex, hit)
	case ctx.Err() != nil && err != nil:
		ex.Outcome = sandbox.Canceled
		return ex, ctx.Err()
	case err != nil:
		return ex, err
	default:
		r.ended(res, &ex)
	}
	return ex, nil
}

// attend starts what goes on beside the process. Limits that a process can
// carry are set from outside, a moment after its start: nothing is protected
// here, they only keep mistakes small.
func (r *run) attend(ctx context.Context, stop context.CancelCauseFunc, pid int) {
	for which, v := range map[int]uint64{
		unix.RLIMIT_FSIZE: uint64(r.l.FileBytes),
		unix.RLIMIT_CPU:   uint64(r.l.CPU/time.Second) + 2,
		unix.RLIMIT_CORE:  1, // not zero: see core(5) on pipes
	} {
		_ = unix.Prlimit(pid, which, &unix.Rlimit{Cur: v, Max: v}, nil)
	}
	r.guard = &watch.Guard{Root: pid, Work: r.work, Limits: r.l, HoldMemory: true, HoldTasks: true}
	r.wg.Go(func() {
		if hit := r.guard.Run(ctx); hit != nil {
			stop(hit)
		}
	})
	if r.recordR == nil {
		return
	}
	_ = r.recordW.Close()
	r.wg.Go(r.readRecord)
}

// readRecord keeps the first part of the channel.
func (r *run) readRecord() {
	var err error
	r.raw, err = io.ReadAll(io.LimitReader(r.recordR, maxRecord))
	if err == nil {
		n, _ := io.Copy(io.Discard, r.recordR)
		r.cut = n > 0
	}
}

func (r *run) measure(started time.Time, res proc.Result) sandbox.Execution {
	ex := sandbox.Execution{
		Label: r.c.Label, Argv: r.c.Argv, Env: r.c.Environment(nil), Started: started.UTC(),
		ExitCode: -1, Limits: r.l,
		Stdout: sandbox.Clean(res.Stdout), Stderr: sandbox.Clean(res.Stderr),
		StdoutTruncated: res.StdoutTotal > r.l.OutputBytes,
		StderrTruncated: res.StderrTotal > r.l.OutputBytes,
		WallSeconds:     res.Wall.Seconds(), CPUSeconds: res.CPU.Seconds(), PeakMemory: res.MaxRSS,
	}
	if r.guard != nil {
		seen := r.guard.Sample()
		ex.PeakMemory = max(ex.PeakMemory, seen.PeakRSS)
		ex.Memory = r.guard.Memory()
		ex.CPUSeconds = max(ex.CPUSeconds, seen.CPU.Seconds())
	}
	if r.c.Probe != nil {
		ex.Record = probe.Parse(r.raw, r.key)
		ex.Record.Truncated = ex.Record.Truncated || r.cut
	}
	return ex
}

func limit(ex *sandbox.Execution, h *watch.Hit) {
	ex.Outcome, ex.LimitHit = h.Outcome, h.Limit
	if h.Outcome == sandbox.OutOfMemory {
		ex.OOMKills = 1
	}
}

// ended names the outcome of a process that no limit of ours stopped, or that
// did what a limit forbids before anybody looked.
func (r *run) ended(res proc.Result, ex *sandbox.Execution) {
	_, over := watch.Folder(r.work, r.l.DiskBytes)
	switch {
	case res.Flooded:
		limit(ex, &watch.Hit{Outcome: sandbox.OutputLimit, Limit: fmt.Sprintf("output %d bytes", floodFactor*r.l.OutputBytes)})
	case over:
		limit(ex, watch.DiskHit(r.l))
	case res.Signal == "SIGXCPU" && ex.CPUSeconds >= r.l.CPU.Seconds():
		limit(ex, watch.CPUHit(r.l))
	case res.Signal != "":
		ex.Outcome, ex.Signal = sandbox.Signaled, res.Signal
	default:
		ex.Outcome, ex.ExitCode = sandbox.Exited, res.ExitCode
	}
}

// argv and environ are the command with the host's places.
func (r *run) argv() []string {
	var out []string
	for _, a := range r.c.Argv {
		out = append(out, r.places.rewrite(a))
	}
	if !strings.Contains(out[0], "/") {
		out[0] = r.lookup(out[0])
	}
	return out
}

// lookup uses the command's own PATH, as inside a sandbox.
func (r *run) lookup(name string) string {
	for dir := range strings.SplitSeq(r.places.rewrite(r.c.Environment(nil)["PATH"]), ":") {
		full := filepath.Join(dir, name)
		if st, err := os.Stat(full); err == nil && st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0 {
			return full
		}
	}
	return filepath.Join("/", name) // not found: the start will say so
}

func (r *run) environ() []string {
	var observer map[string]string
	if r.c.Probe != nil {
		observer = probe.Env(*r.c.Probe, probeFD, r.key)
	}
	var out []string
	for k, v := range r.c.Environment(observer) {
		out = append(out, k+"="+r.places.rewrite(v))
	}
	slices.Sort(out)
	return out
}
