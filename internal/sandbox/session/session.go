// Package session is our side of one execution under a first process (package
// inner): the channels to it, its order, its news, the observer's record, the
// watcher, and the Execution that all of these make.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/inner"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/sandbox/watch"
	"github.com/repgen/repgen/internal/system/proc"
)

const (
	// maxRecord is kept of the observer's channel.
	maxRecord = 4 << 20
	// floodFactor times OutputBytes ends a run (see sandbox.Limits).
	floodFactor = 10
	// SetupTime bounds everything before the command starts. It takes some 10 ms;
	// half a minute is for a machine that is swapping.
	SetupTime = 30 * time.Second
	// deathPatience: a killed tree is gone within milliseconds, but a member in
	// an uninterruptible write may hold it. A guess.
	deathPatience = 10 * time.Second
	firstExtra    = 3 // the first of a child's descriptors after stderr
	// OpenFiles is how many descriptors a process may have. Sharing tensors
	// between processes by descriptor takes some thousands; the 20,000 or a
	// million that some systems allow, times the processes of a run, are more than
	// the whole machine has (proc/sys/fs/file-max: one for 10 KiB of memory).
	// The same everywhere, since scripts behave differently by it. A guess.
	OpenFiles = 4096
)

// Session is one execution under way. The adapter fills in Guard and Hide.
type Session struct {
	Command sandbox.Command
	Limits  sandbox.Limits
	Work    string // the work folder on the host
	Lease   *Lease
	// Guard watches the tree; set by the adapter before it gives the order.
	Guard *watch.Guard
	// Hide replaces paths of the host in whatever the command wrote.
	Hide *strings.Replacer

	// Last is the latest news, Began whether the command was started. Both are
	// valid after Wait.
	Last  inner.News
	Began bool

	key    string
	theirs []*os.File // the child's side, in the order of their numbers
	fds    struct{ order, news, record int }
	order  *os.File // ours to write, open as long as the execution may live
	news   *os.File // ours to read
	record *os.File // ours to read, nil without a probe

	wg  sync.WaitGroup
	raw []byte
	cut bool
}

// Open makes the lease, the work folder and the channels; Close undoes it, also
// after an error.
func (s *Session) Open(runs *Runs) (err error) {
	s.Work = s.Command.Work
	if s.Lease, err = runs.Take(s.Work); err != nil {
		return err
	}
	if s.Work == "" {
		if s.Work, err = s.Lease.MakeFolder(); err != nil {
			return err
		}
	}
	if s.news, s.fds.news, err = s.Listen(); err != nil {
		return err
	}
	pr, pw, err := os.Pipe()
	if err != nil {
		return err
	}
	s.fds.order, s.order = s.Give(pr), pw
	s.fds.record = -1
	if s.Command.Probe != nil {
		var theirs *os.File
		if s.record, theirs, s.key, err = probe.Channel(); err == nil {
			s.fds.record = s.Give(theirs)
		}
	}
	return err
}

// Give hands f to the child and returns its number there.
func (s *Session) Give(f *os.File) int {
	s.theirs = append(s.theirs, f)
	return firstExtra + len(s.theirs) - 1
}

// Listen makes a pipe from the child to us.
func (s *Session) Listen() (*os.File, int, error) {
	pr, pw, err := os.Pipe()
	if err != nil {
		return nil, -1, err
	}
	return pr, s.Give(pw), nil
}

// Close releases what Open made.
func (s *Session) Close() {
	closeAll(s.theirs...)
	closeAll(s.news, s.order, s.record)
	s.Lease.Release()
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// First is the first process's command line, by the name of the program.
func (s *Session) First(program string) []string {
	return inner.Argv(program, s.fds.order, s.fds.news, s.Lease.Mark)
}

// Spec is what the two adapters start alike.
func (s *Session) Spec(argv []string) proc.Spec {
	return proc.Spec{
		Argv: argv, Stdin: s.Command.Stdin, ExtraFiles: s.theirs,
		Env:       nil, // it could be read inside
		KeepBytes: s.Limits.OutputBytes, FloodBytes: floodFactor * s.Limits.OutputBytes,
	}
}

// Order is the command as the first process gets it.
func (s *Session) Order() *inner.Order {
	o := &inner.Order{
		Argv: s.Command.Argv, ProbeFD: s.fds.record,
		// One second more than the watcher allows the whole tree: this only
		// catches a process that the watcher cannot.
		CPUSeconds: uint64(s.Limits.CPU/time.Second) + 2,
		FileBytes:  uint64(s.Limits.FileBytes),
		OpenFiles:  OpenFiles,
	}
	var observer map[string]string
	if s.Command.Probe != nil {
		observer = probe.Env(*s.Command.Probe, inner.ProbeFD)
	}
	for k, v := range s.Command.Environment(observer) {
		o.Env = append(o.Env, k+"="+v)
	}
	slices.Sort(o.Env)
	return o
}

// Attend is called once the child runs; it returns at once. meet takes hold of
// the first process and gives its order, nil when there is nobody; what it cannot
// do stops the run.
func (s *Session) Attend(ctx context.Context, stop context.CancelCauseFunc, meet func() (*inner.Order, error)) {
	closeAll(s.theirs...)
	s.theirs = nil
	s.wg.Go(func() { s.converse(ctx, stop, meet) })
	if s.record != nil {
		s.wg.Go(s.readRecord)
	}
}

// converse gives the first process its order and hears what becomes of it.
func (s *Session) converse(ctx context.Context, stop context.CancelCauseFunc, meet func() (*inner.Order, error)) {
	late := time.AfterFunc(SetupTime, func() { stop(errors.New("sandbox: not set up within " + SetupTime.String())) })
	defer late.Stop()
	order, err := meet()
	if err != nil {
		stop(err)
	} else if order != nil {
		// A write that fails means that it died; what it said before counts.
		_ = json.NewEncoder(s.order).Encode(order)
	}
	var guarding sync.WaitGroup
	defer guarding.Wait()
	guardCtx, done := context.WithCancel(ctx)
	defer done()
	dec := json.NewDecoder(s.news)
	for {
		var n inner.News
		if dec.Decode(&n) != nil {
			return // everybody who could write is dead
		}
		if order == nil {
			stop(errors.New("sandbox: the first process spoke before it was asked"))
			return
		}
		if n.Started && late.Stop() {
			s.Began = true
			guarding.Go(func() {
				if err := s.Guard.Run(guardCtx); err != nil {
					stop(err)
				}
			})
		}
		if n.Ended || n.Failed != "" {
			s.Last = n
			done() // nothing that we hold can matter any more
		}
	}
}

// readRecord keeps the first part of the observer's channel and drains the
// rest, so that the writer never blocks.
func (s *Session) readRecord() {
	raw, err := probe.ReadAll(s.record, maxRecord)
	s.raw = raw
	if err != nil {
		return
	}
	n, _ := io.Copy(io.Discard, s.record)
	s.cut = n > 0
}

// Hang up tells the first process to end, and everything below it.
func (s *Session) HangUp() {
	_ = s.order.Close()
}

// Wait hangs up and waits until the channels are read: they end by themselves
// when the last holder is dead; patience is for one who will not die.
func (s *Session) Wait(patience time.Duration) {
	s.HangUp()
	for _, f := range []*os.File{s.news, s.record} {
		if f != nil {
			_ = f.SetReadDeadline(time.Now().Add(patience))
		}
	}
	s.wg.Wait()
}

// Measure fills in what was seen, whatever the outcome.
func (s *Session) Measure(started time.Time, res proc.Result) sandbox.Execution {
	ex := sandbox.Execution{
		Label: s.Command.Label, Argv: s.Command.Argv, Env: s.Command.Environment(nil),
		Started: started.UTC(), Limits: s.Limits,
		Stdout: s.clean(res.Stdout), Stderr: s.clean(res.Stderr),
		StdoutTruncated: res.StdoutTotal > s.Limits.OutputBytes,
		StderrTruncated: res.StderrTotal > s.Limits.OutputBytes,
		WallSeconds:     res.Wall.Seconds(),
		ExitCode:        -1,
	}
	if s.Last.Wall > 0 {
		ex.WallSeconds = time.Duration(s.Last.Wall).Seconds()
	}
	cpu := time.Duration(s.Last.CPU)
	ex.PeakMemory = s.Last.MaxRSS
	if s.Guard != nil {
		seen := s.Guard.Sample()
		ex.PeakMemory = max(ex.PeakMemory, seen.PeakRSS)
		ex.Memory = s.Guard.Memory()
		cpu = max(cpu, seen.CPU)
	}
	ex.CPUSeconds = cpu.Seconds()
	if s.Command.Probe != nil {
		raw := s.raw
		if s.Hide != nil {
			raw = []byte(s.Hide.Replace(string(raw)))
		}
		ex.Record = probe.Parse(raw, s.key)
		ex.Record.Truncated = ex.Record.Truncated || s.cut
	}
	return ex
}

// clean makes output fit to be kept: see sandbox.Clean and Hide.
func (s *Session) clean(raw []byte) string {
	text := sandbox.Clean(raw)
	if s.Hide != nil {
		text = s.Hide.Replace(text)
	}
	return text
}

// Judge names the outcome where the session knows it: what the first process
// saw, then what we did. known is false where neither tells. An error means that
// nothing ran, or that what ran cannot be believed.
func (s *Session) Judge(ctx context.Context, cause error, res proc.Result, ex *sandbox.Execution) (known bool, err error) {
	var hit *watch.Hit
	var layer *sandbox.LayerError
	switch {
	case s.Last.Failed != "":
		return true, errors.New("sandbox: " + s.Last.Failed)
	case errors.As(cause, &layer):
		return true, layer // of the machine: whatever ran says nothing
	case res.Flooded:
		Limit(ex, &watch.Hit{Outcome: sandbox.OutputLimit, Limit: fmt.Sprintf("output %d bytes", floodFactor*s.Limits.OutputBytes)})
	case s.Last.Ended:
		return true, s.ended(ex)
	case ctx.Err() != nil:
		ex.Outcome, ex.LimitHit = sandbox.Canceled, ""
		return true, ctx.Err()
	case errors.As(cause, &hit):
		Limit(ex, hit)
	case ex.OOMKills > 0:
		Limit(ex, watch.MemoryHit(s.Limits)) // the first process was hit as well
	case s.Began:
		return true, errors.New("sandbox: killed from outside, the end of the command is not known")
	default:
		return false, nil
	}
	return true, nil
}

// Limit writes down a limit's end.
func Limit(ex *sandbox.Execution, h *watch.Hit) {
	ex.Outcome, ex.LimitHit = h.Outcome, h.Limit
	if h.Outcome == sandbox.OutOfMemory && ex.OOMKills == 0 {
		ex.OOMKills = 1 // the watcher's kill counts like the kernel's
	}
}

// ended tells apart the ends that the first process saw.
func (s *Session) ended(ex *sandbox.Execution) error {
	hit, err := s.Guard.AtEnd()
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	switch sig := s.Last.Signal; {
	case hit != nil:
		Limit(ex, hit) // filled faster than we looked
	case sig == "":
		ex.Outcome, ex.ExitCode = sandbox.Exited, s.Last.Exit
	case sig == "SIGKILL" && ex.OOMKills > 0:
		Limit(ex, watch.MemoryHit(s.Limits))
	case sig == "SIGXCPU" && ex.CPUSeconds >= s.Limits.CPU.Seconds():
		Limit(ex, watch.CPUHit(s.Limits))
	default:
		ex.Outcome, ex.Signal = sandbox.Signaled, sig
	}
	return nil
}
