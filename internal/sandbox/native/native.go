// Package native runs a command without any isolation, for the flag that says
// so. It keeps the contract of sandbox.Sandbox as far as a plain process can:
// the group is killed, limits are held by watching, places inside are replaced
// by the host's. Nothing here protects the host.
package native

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/inner"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/sandbox/session"
	"github.com/repgen/repgen/internal/sandbox/watch"
	"github.com/repgen/repgen/internal/system"
	"github.com/repgen/repgen/internal/system/proc"
)

const (
	// grace is how long the first process may take to end all others. It takes
	// milliseconds; a guess, for a busy machine.
	grace = 10 * time.Second
	how   = "unsafe: no isolation"
)

// layerNames are all layers; none is active.
var layerNames = []string{"user-namespace", "network", "filesystem", "seccomp", "pids", "memory", "disk", "session", "environment"}

// Sandbox implements sandbox.Sandbox without being one.
type Sandbox struct {
	runs *session.Runs
	err  error // why there are none
}

// New needs nothing and cannot fail; what it could not set up fails each run. It
// ends what a killed program left.
func New() *Sandbox {
	cache, err := system.CacheDir()
	if err != nil {
		return &Sandbox{err: err}
	}
	runs, err := session.OpenRuns(filepath.Join(cache, "sandbox", "native"), nil)
	return &Sandbox{runs: runs, err: err}
}

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
	session.Session
	scratch string // for everything that must vanish
	places  places
}

// Run implements sandbox.Sandbox.
func (s *Sandbox) Run(ctx context.Context, c sandbox.Command, l sandbox.Limits) (sandbox.Execution, error) {
	if len(c.Argv) == 0 {
		return sandbox.Execution{}, errors.New("run without a sandbox: empty command")
	}
	r := &run{Session: session.Session{Command: c, Limits: l.WithDefaults()}}
	defer r.Close()
	if err := r.open(s); err != nil {
		return sandbox.Execution{}, fmt.Errorf("run without a sandbox: %w", err)
	}
	ex, err := r.execute(ctx)
	ex.Layers, _ = s.Layers(ctx)
	return ex, err
}

// open makes the folders that the guest's fixed places stand for.
func (r *run) open(s *Sandbox) error {
	if s.err != nil {
		return s.err
	}
	if err := r.Open(s.runs); err != nil {
		return err
	}
	var err error
	if r.scratch, err = r.Lease.MakeFolder(); err != nil {
		return err
	}
	if r.Command.Work == "" {
		r.Work = filepath.Join(r.scratch, "box")
	}
	tmp := filepath.Join(r.scratch, "tmp")
	for _, d := range []string{r.Work, filepath.Join(tmp, "home"), filepath.Join(tmp, "cache")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	r.places = places{sandbox.WorkDir: r.Work, "/tmp": tmp}
	for _, m := range r.Command.Mounts {
		r.places[m.Guest] = m.Host
	}
	if err := r.movedEnv(); err != nil {
		return err
	}
	r.Guard = &watch.Guard{
		Folders: []string{r.Work, tmp}, Limits: r.Limits, HoldMemory: true, HoldTasks: true, Shared: true,
	}
	if err := r.Guard.Begin(); err != nil {
		return err
	}
	if r.Command.Probe == nil {
		return nil
	}
	dir := filepath.Join(r.scratch, "probe")
	r.places[sandbox.ProbeDir] = dir
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return probe.Materialise(dir)
}

// execute runs the command below a first process of ours, which ends with us and
// takes everything along that the command started.
func (r *run) execute(ctx context.Context) (sandbox.Execution, error) {
	started := time.Now()
	runCtx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	spec := r.Spec(r.First(inner.Bare))
	spec.Dir, spec.Grace = r.Work, grace
	begun := false
	spec.OnStart = func(pid int) {
		begun = true
		r.Attend(runCtx, stop, func() (*inner.Order, error) {
			r.Guard.Root = pid
			o := r.Order()
			o.Argv, o.Env = r.argv(), r.environ(o.Env)
			return o, nil
		})
	}
	res, err := proc.Run(runCtx, spec)
	if begun {
		r.Wait(grace)
	}
	ex := r.Measure(started, res)
	known, judgeErr := r.Judge(ctx, context.Cause(runCtx), res, &ex)
	switch {
	case known:
		return ex, judgeErr
	case err != nil:
		return ex, fmt.Errorf("run without a sandbox: %w", err)
	}
	return ex, errors.New("run without a sandbox: the first process ended without a word: " + sandbox.Clean(res.Stderr))
}

// argv and environ are the command with the host's places.
func (r *run) argv() []string {
	var out []string
	for _, a := range r.Command.Argv {
		out = append(out, r.places.rewrite(a))
	}
	if !strings.Contains(out[0], "/") {
		out[0] = r.lookup(out[0])
	}
	return out
}

// lookup uses the command's own PATH, as inside a sandbox.
func (r *run) lookup(name string) string {
	for dir := range strings.SplitSeq(r.places.rewrite(r.Command.Environment(nil)["PATH"]), ":") {
		full := filepath.Join(dir, name)
		if st, err := os.Stat(full); err == nil && st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0 {
			return full
		}
	}
	return filepath.Join("/", name) // not found: the start will say so
}

func (r *run) environ(guest []string) []string {
	var out []string
	for _, v := range guest {
		name, value, _ := strings.Cut(v, "=")
		out = append(out, name+"="+r.places.rewrite(value))
	}
	return out
}
