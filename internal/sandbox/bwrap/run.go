package bwrap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/bwrap/inner"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/sandbox/watch"
	"github.com/repgen/repgen/internal/system"
	"github.com/repgen/repgen/internal/system/proc"
)

const (
	// maxRecord is kept of the observer's channel.
	maxRecord = 4 << 20
	// floodFactor times OutputBytes ends a run (see sandbox.Limits).
	floodFactor = 10
	// deathPatience: a killed namespace is gone within milliseconds, but a
	// member in an uninterruptible write may hold it. A guess.
	deathPatience = 10 * time.Second
	firstExtra    = 3 // the first of a child's descriptors after stderr
)

// childFDs are the numbers that the descriptors have in the child.
type childFDs struct{ filter, info, order, news, record int }

// run is one execution under way.
type run struct {
	s     *Sandbox
	c     sandbox.Command
	l     sandbox.Limits
	key   string
	work  string
	own   bool // work is ours to remove
	group group
	guard *watch.Guard

	theirs []*os.File // the child's side, in the order of their numbers
	fds    childFDs
	info   *os.File // ours to read
	news   *os.File // ours to read
	order  *os.File // ours to write
	record *os.File // ours to read, nil without a probe

	wg    sync.WaitGroup
	known chan struct{} // closed when pidfd and guard are set, or never will be; nil before the start
	pidfd int           // the sandbox's first process, -1 when unknown
	first int           // its number
	last  inner.News
	began bool
	raw   []byte
	cut   bool
}

// prepare makes everything that a run needs; close undoes it.
func (s *Sandbox) prepare(c sandbox.Command, l sandbox.Limits) (*run, error) {
	if err := check(c); err != nil {
		return nil, err
	}
	r := &run{s: s, c: c, l: l, work: c.Work, pidfd: -1}
	if err := r.open(); err != nil {
		r.close()
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	return r, nil
}

func (r *run) open() (err error) {
	if r.work == "" {
		if r.work, err = os.MkdirTemp("", "repgen-work-"); err != nil {
			return err
		}
		r.own = true
	}
	if r.s.groups != nil {
		if r.group, err = r.s.groups.create(r.l); err != nil {
			return err
		}
	}
	filter, err := memFile("filter", r.s.filter)
	if err != nil {
		return err
	}
	r.fds.filter = r.give(filter)
	if r.info, r.fds.info, err = r.listen(); err != nil {
		return err
	}
	if r.news, r.fds.news, err = r.listen(); err != nil {
		return err
	}
	pr, pw, err := os.Pipe()
	if err != nil {
		return err
	}
	r.fds.order, r.order = r.give(pr), pw
	r.fds.record = -1
	if r.c.Probe != nil {
		r.key = probe.NewKey()
		r.record, r.fds.record, err = r.listen()
	}
	return err
}

// give hands f to the child and returns its number there.
func (r *run) give(f *os.File) int {
	r.theirs = append(r.theirs, f)
	return firstExtra + len(r.theirs) - 1
}

// listen makes a pipe from the child to us.
func (r *run) listen() (*os.File, int, error) {
	pr, pw, err := os.Pipe()
	if err != nil {
		return nil, -1, err
	}
	return pr, r.give(pw), nil
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

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// close releases what prepare made. The group was closed by execute already,
// unless that never ran.
func (r *run) close() {
	closeAll(r.theirs...)
	closeAll(r.info, r.news, r.order, r.record)
	if r.pidfd >= 0 {
		_ = unix.Close(r.pidfd)
	}
	if r.group != nil {
		_ = r.group.close()
	}
	if r.own {
		_ = system.RemoveAll(r.work)
	}
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
	res, err := proc.Run(runCtx, proc.Spec{
		Argv:       append([]string{r.s.bwrap}, r.s.argv(r.c, r.l, r.work, r.fds)...),
		Env:        nil, // bubblewrap's own environment can be read in the sandbox
		Stdin:      r.c.Stdin,
		ExtraFiles: r.theirs,
		Grace:      -1,
		KeepBytes:  r.l.OutputBytes,
		FloodBytes: floodFactor * r.l.OutputBytes,
		OnStart:    func(int) { r.attend(runCtx, stop) },
	})
	// A limit's end or the parent's death is bubblewrap's death; its first
	// process follows, and with it all others.
	deathErr := r.bury(stop)
	ex := r.measure(started, res)
	if err := r.judge(ctx, context.Cause(runCtx), res, err, &ex); err != nil {
		return ex, err
	}
	return ex, deathErr
}

// attend is called once bubblewrap runs.
func (r *run) attend(ctx context.Context, stop context.CancelCauseFunc) {
	closeAll(r.theirs...)
	r.theirs = nil
	r.known = make(chan struct{})
	r.wg.Go(func() { r.converse(ctx, stop) })
	if r.record != nil {
		r.wg.Go(r.readRecord)
	}
}

// converse places the first process under its limits, gives it the order and
// hears what becomes of it.
func (r *run) converse(ctx context.Context, stop context.CancelCauseFunc) {
	late := time.AfterFunc(setupTime, func() { stop(errors.New("sandbox: not set up within " + setupTime.String())) })
	defer late.Stop()
	r.identify()
	close(r.known)
	if err := r.adopt(); err != nil {
		stop(err)
	}
	var guarding sync.WaitGroup
	defer guarding.Wait()
	guardCtx, done := context.WithCancel(ctx)
	defer done()
	dec := json.NewDecoder(r.news)
	for {
		var n inner.News
		if dec.Decode(&n) != nil {
			return // everybody who could write is dead
		}
		if r.guard == nil {
			stop(errors.New("sandbox: the first process spoke before it was asked"))
			return
		}
		if n.Started && late.Stop() {
			r.began = true
			guarding.Go(func() {
				if hit := r.guard.Run(guardCtx); hit != nil {
					stop(hit)
				}
			})
		}
		if n.Ended || n.Failed != "" {
			r.last = n
			done() // nothing that we hold can matter any more
		}
	}
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
	r.guard = &watch.Guard{
		Root: info.Pid, Work: r.work, Limits: r.l,
		HoldMemory: r.group == nil, HoldTasks: r.group == nil,
	}
	if r.group != nil {
		r.guard.CPU = func() time.Duration { return r.group.usage().cpu }
	}
}

// adopt joins the first process to the group and only then sends the order.
func (r *run) adopt() error {
	defer func() { _ = r.order.Close() }()
	if r.pidfd < 0 {
		return nil
	}
	if r.group != nil {
		if err := r.group.join(r.first); err != nil {
			return &sandbox.LayerError{Layer: "memory", Why: err.Error(), Fix: "run it where control groups can be joined"}
		}
	}
	// A write that fails means that it died; what it said before counts.
	_ = json.NewEncoder(r.order).Encode(r.toOrder())
	return nil
}

// toOrder is the command as the first process gets it.
func (r *run) toOrder() inner.Order {
	o := inner.Order{
		Argv: r.c.Argv, ProbeFD: r.fds.record,
		// One second more than the watcher allows the whole tree: this only
		// catches a process that the watcher cannot.
		CPUSeconds: uint64(r.l.CPU/time.Second) + 2,
		FileBytes:  uint64(r.l.FileBytes),
	}
	if r.s.nproc && r.group == nil {
		o.Processes = uint64(r.l.Pids + helperTasks)
	}
	var observer map[string]string
	if r.c.Probe != nil {
		observer = probe.Env(*r.c.Probe, inner.ProbeFD, r.key)
	}
	for k, v := range r.c.Environment(observer) {
		o.Env = append(o.Env, k+"="+v)
	}
	slices.Sort(o.Env)
	return o
}

// readRecord keeps the first part of the observer's channel and drains the
// rest, so that the writer never blocks.
func (r *run) readRecord() {
	raw, err := io.ReadAll(io.LimitReader(r.record, maxRecord))
	r.raw = raw
	if err != nil {
		return
	}
	n, _ := io.Copy(io.Discard, r.record)
	r.cut = n > 0
}

// bury makes sure that nothing of the sandbox lives and all channels are read.
// They end by themselves when the last holder is dead; the deadline is for one
// who will not die.
func (r *run) bury(stop context.CancelCauseFunc) error {
	if r.known == nil {
		return nil // it did not start
	}
	for _, f := range []*os.File{r.info, r.news, r.record} {
		if f != nil {
			_ = f.SetReadDeadline(time.Now().Add(deathPatience))
		}
	}
	<-r.known
	err := r.killFirst()
	r.wg.Wait()
	stop(nil)
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
