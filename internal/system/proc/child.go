package proc

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// drainWait is how long output is awaited after the group is dead: a process
// that left the group may hold the pipe open for ever. A guess.
const drainWait = 500 * time.Millisecond

// drainRounds bounds how often that is waited while there is more to read.
const drainRounds = 20

// sealInherited keeps descriptors that our own parent left open from our
// children; those that Go opens are marked already. Once is enough, for we can
// inherit only at our start. Kernels before 5.9 have no such call: there the
// children go on to see them.
var sealInherited = sync.OnceFunc(func() {
	_ = unix.CloseRange(firstOther, lastDescriptor, unix.CLOSE_RANGE_CLOEXEC)
})

const (
	firstOther     = 3 // after the three streams
	lastDescriptor = 1<<31 - 1
)

// child is one run under way.
type child struct {
	spec    Spec
	cmd     *exec.Cmd
	out     *capture
	err     *capture
	flooded chan struct{} // closed at the first flood
	once    sync.Once
}

func newChild(s Spec, path string) *child {
	if s.KeepBytes == 0 {
		s.KeepBytes = DefaultKeepBytes
	}
	if s.Grace == 0 {
		s.Grace = DefaultGrace
	}
	c := &child{spec: s, flooded: make(chan struct{})}
	c.out = c.newCapture(Stdout)
	c.err = c.newCapture(Stderr)
	c.cmd = &exec.Cmd{
		Path: path, Args: s.Argv, Dir: s.Dir,
		Env:         append([]string{}, s.Env...), // never nil: nil inherits
		ExtraFiles:  s.ExtraFiles,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	return c
}

func (c *child) newCapture(s Stream) *capture {
	out := &capture{keep: c.spec.KeepBytes, flood: c.spec.FloodBytes, onFlood: func() {
		c.once.Do(func() { close(c.flooded) })
	}}
	if c.spec.OnLine != nil {
		out.onLine = func(line string) { c.spec.OnLine(s, line) }
	}
	return out
}

// run starts the child, waits for one of the four ends, and leaves nothing.
func (c *child) run(ctx context.Context) (Result, error) {
	pipes, err := c.connect()
	if err != nil {
		return Result{}, fmt.Errorf("run %s: %w", c.spec.Argv[0], err)
	}
	sealInherited()
	if c.spec.DiesWithUs {
		// The kernel's word is about the thread that starts the child: it must not
		// end before the child does.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		c.cmd.SysProcAttr.Pdeathsig = unix.SIGKILL
	}
	start := time.Now()
	err = c.cmd.Start()
	pipes.closeChildSide()
	if err != nil {
		pipes.closeOurSide()
		return Result{}, startError(c.spec.Argv[0], err)
	}
	pid := c.cmd.Process.Pid
	drained := pipes.pump(c)
	if c.spec.OnStart != nil {
		c.spec.OnStart(pid)
	}
	ended := make(chan struct{})
	go func() { awaitExit(pid); close(ended) }()

	timedOut, ctxErr := c.supervise(ctx, ended)
	// The leader is dead but not yet reaped, so its group id is still ours.
	_ = unix.Kill(-pid, unix.SIGKILL)
	_ = c.cmd.Wait() // the exit status is read from ProcessState
	wall := time.Since(start)
	pipes.drain(drained, c.flooded)
	pipes.closeOurSide()
	res := c.result(wall)
	res.TimedOut = timedOut
	if ctxErr != nil {
		return res, fmt.Errorf("run %s: %w", c.spec.Argv[0], ctxErr)
	}
	return res, nil
}

// supervise returns once the leader has ended, by itself or because the time,
// the output or the context ran out.
func (c *child) supervise(ctx context.Context, ended <-chan struct{}) (timedOut bool, err error) {
	var limit <-chan time.Time
	if c.spec.Timeout > 0 {
		timer := time.NewTimer(c.spec.Timeout)
		defer timer.Stop()
		limit = timer.C
	}
	select {
	case <-ended:
		return false, nil
	case <-limit:
		timedOut = true
	case <-c.flooded:
	case <-ctx.Done():
		err = ctx.Err()
	}
	c.stop(ended)
	return timedOut, err
}

// stop ends the group, politely first when there is a grace.
func (c *child) stop(ended <-chan struct{}) {
	pid := c.cmd.Process.Pid
	if c.spec.Grace > 0 {
		_ = unix.Kill(-pid, unix.SIGTERM)
		select {
		case <-ended:
			return
		case <-time.After(c.spec.Grace):
		}
	}
	_ = unix.Kill(-pid, unix.SIGKILL)
	<-ended
}

// awaitExit blocks until pid has ended and leaves it unreaped, so that its
// number cannot be given to another process before the group is killed.
func awaitExit(pid int) {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// result reads what the kernel and the two streams tell.
func (c *child) result(wall time.Duration) Result {
	r := Result{ExitCode: -1, Wall: wall}
	r.Stdout, r.StdoutTotal = c.out.bytes()
	r.Stderr, r.StderrTotal = c.err.bytes()
	select {
	case <-c.flooded:
		r.Flooded = true
	default:
	}
	state := c.cmd.ProcessState
	if state == nil {
		return r
	}
	r.CPU = state.UserTime() + state.SystemTime()
	if ru, ok := state.SysUsage().(*syscall.Rusage); ok {
		r.MaxRSS = ru.Maxrss * 1024 // KiB on Linux
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		r.Signal = SignalName(ws.Signal())
		return r
	}
	r.ExitCode = state.ExitCode()
	return r
}

// SignalName is "SIGSEGV", or "SIG34" for one without a name.
func SignalName(s syscall.Signal) string {
	if n := unix.SignalName(s); n != "" {
		return n
	}
	return fmt.Sprintf("SIG%d", int(s))
}

// pipes are the three streams between us and the child.
type pipes struct {
	child, ours  []*os.File
	stdin        *os.File
	stdout, serr *os.File
	closeOnce    sync.Once
}

// connect makes the streams and gives the child its side.
func (c *child) connect() (*pipes, error) {
	p := &pipes{}
	outW, err := p.outgoing(&p.stdout)
	if err != nil {
		return nil, err
	}
	errW, err := p.outgoing(&p.serr)
	if err != nil {
		return nil, err
	}
	c.cmd.Stdout, c.cmd.Stderr = outW, errW
	if len(c.spec.Stdin) == 0 {
		return p, nil // exec gives /dev/null
	}
	r, w, err := os.Pipe()
	if err != nil {
		p.closeChildSide()
		p.closeOurSide()
		return nil, err
	}
	p.child, p.ours, p.stdin = append(p.child, r), append(p.ours, w), w
	c.cmd.Stdin = r
	return p, nil
}

// outgoing makes one pipe from the child to us.
func (p *pipes) outgoing(ours **os.File) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		p.closeChildSide()
		p.closeOurSide()
		return nil, err
	}
	*ours = r
	p.ours, p.child = append(p.ours, r), append(p.child, w)
	return w, nil
}

// pump moves bytes until both output streams end; the channel then closes.
func (p *pipes) pump(c *child) <-chan struct{} {
	if p.stdin != nil {
		go func() {
			// A child that does not read its input is its own affair.
			_, _ = bytes.NewReader(c.spec.Stdin).WriteTo(p.stdin)
			_ = p.stdin.Close()
		}()
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); c.out.readFrom(p.stdout) }()
	go func() { defer wg.Done(); c.err.readFrom(p.serr) }()
	go func() { wg.Wait(); close(done) }()
	return done
}

// drain waits for the output that is still on its way. Who left the group may
// hold a pipe open for ever, so it ends once drainWait found both empty: on a
// busy machine what is in them is read later than that.
func (p *pipes) drain(drained, flooded <-chan struct{}) {
	for more, round := true, 0; more && round < drainRounds; round++ {
		select {
		case <-drained:
			return
		case <-time.After(drainWait):
		}
		select {
		case <-flooded:
			more = false
		default:
			more = waiting(p.stdout)+waiting(p.serr) > 0
		}
	}
	p.closeOurSide()
	<-drained
}

// waiting is how many bytes are in a pipe, 0 where that cannot be told.
func waiting(f *os.File) (n int) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) { n, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ) }) // a closed one is empty
	if err != nil {
		return 0
	}
	return n
}

func (p *pipes) closeChildSide() {
	for _, f := range p.child {
		_ = f.Close()
	}
}

func (p *pipes) closeOurSide() {
	p.closeOnce.Do(func() {
		for _, f := range p.ours {
			_ = f.Close()
		}
	})
}
