// Package proc runs child processes that cannot outlive their run: each has a
// process group of its own, which is killed when the run ends, is cancelled or
// takes too long; output is bounded; nothing is inherited that was not given.
package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// ErrNotFound says that the program to run does not exist (it is wrapped
// together with exec.ErrNotFound).
var ErrNotFound = errors.New("program not found")

// Defaults of a Spec's zero fields; guesses.
const (
	DefaultKeepBytes = 1 << 20
	DefaultGrace     = 2 * time.Second
)

// Stream names one of the two output streams.
type Stream int

// The streams of a child.
const (
	Stdout Stream = iota + 1
	Stderr
)

// Spec says what to run.
type Spec struct {
	// Argv is the program and its arguments. A program without a slash is
	// looked up on the caller's PATH.
	Argv []string
	// Dir is the current folder; empty means the caller's.
	Dir string
	// Env is the whole environment, "NAME=value". Nil means an empty one:
	// nothing is ever inherited (use os.Environ() to say so).
	Env []string
	// Stdin is what the child reads; nil means an empty stream.
	Stdin []byte
	// ExtraFiles become descriptors 3, 4, ... (nil entries are closed ones).
	// They stay the caller's to close.
	ExtraFiles []*os.File
	// Timeout bounds the wall time; zero means none.
	Timeout time.Duration
	// Grace is the time between SIGTERM and SIGKILL. Zero means DefaultGrace,
	// below zero no SIGTERM at all.
	Grace time.Duration
	// KeepBytes is kept of each stream, half from its start and half from its
	// end. Zero means DefaultKeepBytes.
	KeepBytes int64
	// FloodBytes, when above zero, is the length of one stream at which the
	// run is killed (Result.Flooded).
	FloodBytes int64
	// DiesWithUs kills the child (not what it started) when this program dies,
	// however that is: there is then nobody who could end the group.
	DiesWithUs bool
	// OnLine, when set, is called with each line (without its end, cut at
	// 64 KiB) as it comes; for one stream never concurrently.
	OnLine func(s Stream, line string)
	// OnStart, when set, is called once with the process id before Run waits.
	OnStart func(pid int)
}

// Result is how the child ended.
type Result struct {
	// ExitCode is -1 when a signal ended the process.
	ExitCode int
	// Signal is "SIGSEGV" and so on, empty for a normal exit.
	Signal string
	// Stdout and Stderr are what was kept; a note stands where bytes were
	// left out. StdoutTotal and StderrTotal are the true lengths in bytes.
	Stdout, Stderr           []byte
	StdoutTotal, StderrTotal int64
	TimedOut                 bool
	Flooded                  bool
	Wall                     time.Duration
	// CPU is user and system time of the child and the children it waited for.
	CPU time.Duration
	// MaxRSS is the largest resident size in bytes of any one of these.
	MaxRSS int64
}

// Run starts the child and waits until its whole process group is dead. A
// non-zero exit, a signal and a time-out are results. The error is ErrNotFound
// or another failure to start, or, when ctx ended first, ctx.Err() wrapped
// (the Result then holds what was seen until the kill).
func Run(ctx context.Context, s Spec) (Result, error) {
	if len(s.Argv) == 0 {
		return Result{}, errors.New("run: empty command")
	}
	if err := ctx.Err(); err != nil {
		return Result{}, fmt.Errorf("run %s: %w", s.Argv[0], err)
	}
	path, err := exec.LookPath(s.Argv[0])
	if err != nil {
		return Result{}, startError(s.Argv[0], err)
	}
	return newChild(s, path).run(ctx)
}

// startError makes the reason for not starting typed.
func startError(name string, err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("run %s: %w: %w", name, ErrNotFound, exec.ErrNotFound)
	}
	return fmt.Errorf("run %s: %w", name, err)
}
