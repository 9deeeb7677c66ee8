package bwrap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/inner"
	"github.com/repgen/repgen/internal/sandbox/session"
	"github.com/repgen/repgen/internal/sandbox/watch"
	"github.com/repgen/repgen/internal/system/proc"
)

// deathPatience: a killed namespace is gone within milliseconds, but a member in
// an uninterruptible write may hold it. A guess.
const deathPatience = 10 * time.Second

// childFDs are the numbers that bubblewrap's own descriptors have in the child.
type childFDs struct{ filter, info int }

// run is one execution under way.
type run struct {
	session.Session
	s     *Sandbox
	group group
	fds   childFDs
	info  *os.File // ours to read

	known chan struct{} // closed when pidfd is set, or never will be; nil before the start
	pidfd int           // the sandbox's first process, -1 when unknown
	first int           // its number
}

// prepare makes everything that a run needs; close undoes it.
func (s *Sandbox) prepare(c sandbox.Command, l sandbox.Limits) (*run, error) {
	if err := check(c); err != nil {
		return nil, err
	}
	r := &run{Session: session.Session{Command: c, Limits: l}, s: s, pidfd: -1}
	if err := r.open(); err != nil {
		r.close()
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	return r, nil
}

func (r *run) open() error {
	if err := r.Open(r.s.runs); err != nil {
		return err
	}
	r.Hide = r.s.hide(r.Command, r.Work)
	if err := r.guard(); err != nil {
		return err
	}
	if r.s.groups != nil {
		var err error
		if r.group, err = r.s.groups.create(r.Lease.Mark, r.Limits); err != nil {
			return &sandbox.LayerError{Layer: "memory", Why: err.Error(), Fix: "allow repgen to make control groups there, or run it where it cannot"}
		}
	}
	filter, err := memFile("filter", r.s.filter)
	if err != nil {
		return err
	}
	r.fds.filter = r.Give(filter)
	return r.listenInfo()
}

// listenInfo makes the pipe on which bubblewrap names the first process. It dies
// of a write that nobody can read, between making that process and letting it go
// on, which would then wait for ever. So its end is one to read from too: ours
// goes when we are killed.
func (r *run) listenInfo() error {
	pr, pw, err := os.Pipe()
	if err != nil {
		return err
	}
	r.info = pr
	defer func() { _ = pw.Close() }()
	both, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", pw.Fd()), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	r.fds.info = r.Give(both)
	return nil
}

// guard makes the watcher; only its root is not known yet.
func (r *run) guard() error {
	g := &watch.Guard{
		Folders: []string{r.Work}, Limits: r.Limits,
		HoldMemory: r.group == nil && r.s.groups == nil, HoldTasks: r.s.groups == nil,
		Tmpfs: []string{"/tmp", "/dev/shm"},
	}
	for _, m := range r.Command.Mounts {
		if m.Writable {
			g.Folders = append(g.Folders, m.Host)
		}
	}
	r.Guard = g
	return g.Begin()
}

// memFile is an unnamed file with the given content, ready to be read.
func memFile(name string, data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err = f.Write(data); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// close releases what prepare made.
func (r *run) close() {
	if r.info != nil {
		_ = r.info.Close()
	}
	if r.pidfd >= 0 {
		_ = unix.Close(r.pidfd)
	}
	if r.group != nil {
		_ = r.group.close()
	}
	r.Close()
}

// Run implements sandbox.Sandbox.
func (s *Sandbox) Run(ctx context.Context, c sandbox.Command, l sandbox.Limits) (sandbox.Execution, error) {
	if len(c.Argv) == 0 {
		return sandbox.Execution{}, errors.New("sandbox: empty command")
	}
	r, err := s.prepare(c, l.WithDefaults())
	if err != nil {
		return sandbox.Execution{}, err
	}
	defer r.close()
	return r.execute(ctx)
}

// execute starts bubblewrap and returns when the whole sandbox is dead.
func (r *run) execute(ctx context.Context) (sandbox.Execution, error) {
	started := time.Now()
	runCtx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	spec := r.Spec(append([]string{r.s.bwrap}, r.s.argv(r.Command, r.Limits, r.Work, r.fds, r.First(inner.Path))...))
	spec.Grace = -1
	spec.OnStart = func(int) {
		r.known = make(chan struct{})
		r.Attend(runCtx, stop, r.meet)
	}
	res, err := proc.Run(runCtx, spec)
	// After a limit bubblewrap is dead, and its first process must follow.
	deathErr := r.bury()
	cause := context.Cause(runCtx)
	ex := r.measure(started, res)
	if err := r.judge(ctx, cause, res, err, &ex); err != nil {
		return ex, err
	}
	return ex, deathErr
}

// meet takes hold of the first process, places it under its limits and gives its
// order.
func (r *run) meet() (*inner.Order, error) {
	r.identify()
	close(r.known)
	if r.pidfd < 0 {
		return nil, nil
	}
	if r.group != nil {
		if err := r.group.join(r.first); err != nil {
			return nil, &sandbox.LayerError{Layer: "memory", Why: err.Error(), Fix: "run it where control groups can be joined"}
		}
	}
	o := r.Order()
	if r.s.nproc && r.group == nil {
		o.Processes = uint64(r.Limits.Pids + watch.HelperTasks)
	}
	return o, nil
}

// identify waits for the first process and takes hold of it. When bubblewrap
// fails before, or the process is dead already, nothing is held; the end of
// the channels then tells.
func (r *run) identify() {
	var info struct {
		Pid int `json:"child-pid"`
	}
	if err := json.NewDecoder(r.info).Decode(&info); err != nil || info.Pid <= 1 {
		return
	}
	fd, err := unix.PidfdOpen(info.Pid, 0)
	if err != nil {
		return
	}
	r.pidfd, r.first = fd, info.Pid
	r.Guard.Root = info.Pid
	if r.group != nil {
		r.Guard.CPU = func() time.Duration { return r.group.usage().cpu }
	}
}

// bury makes sure that nothing of the sandbox lives and all channels are read.
func (r *run) bury() error {
	if r.known == nil {
		return nil // it did not start
	}
	r.HangUp()
	_ = r.info.SetReadDeadline(time.Now().Add(deathPatience))
	<-r.known
	err := r.killFirst()
	r.Wait(deathPatience)
	return err
}

// killFirst kills the namespace's first process and waits for its end, which
// the kernel reports after all other members are gone.
func (r *run) killFirst() error {
	fd := r.pidfd
	if fd < 0 {
		return nil
	}
	_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	deadline := time.Now().Add(deathPatience)
	for time.Now().Before(deadline) {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 1000)
		if err == nil && n > 0 {
			return nil
		}
	}
	return fmt.Errorf("sandbox: process %d does not die", r.first)
}
