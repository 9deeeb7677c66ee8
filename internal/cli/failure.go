package cli

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/proof"
)

// failAlone shows the failure of a command whose object is no result: a result
// with a headline would be another object than its readers expect.
func (f show) failAlone(s streams, err error) error {
	problem, code := explainAlone(err)
	return tellProblem(s, f, problem, code)
}

// explainAlone is explain for what has no run that could be resumed.
func explainAlone(err error) (proof.ResultError, int) {
	if errors.Is(err, context.Canceled) {
		return proof.ResultError{What: "interrupted", Why: "a signal asked to stop", Next: "run it again: what was done is kept"}, exitInterrupted
	}
	return explain(err)
}

// refused is the object of a command line that was not understood, so that
// whoever asked for --json gets one in any case.
func refused(command string, problem proof.ResultError) any {
	switch command {
	case "reproduce", "judge", "show":
		return proof.Failure(problem)
	case "verify":
		return couldNot(problem)
	case "models list", "models pull", "models verify", "models import":
		return map[string]proof.ResultError{"error": problem}
	}
	return problemView{Schema: searchSchema, Error: problem}
}

// tellUsage says what is wrong with a command line.
func tellUsage(s streams, args []string, problem proof.ResultError) int {
	problem = s.named(problem)
	if slices.Contains(args, "--json") {
		// The exit code says the same where nothing can be written.
		_ = output.JSON(s.out, refused(s.command, problem))
	}
	output.Problem(s.err, problem)
	return exitUsage
}

// outlet is standard output. It remembers that something could not be written,
// since nobody asks each line of a table how it went.
type outlet struct {
	io.Writer
	mu  sync.Mutex
	err error
}

func (o *outlet) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil {
		o.mu.Lock()
		if o.err == nil {
			o.err = err
		}
		o.mu.Unlock()
	}
	return n, err
}

// failed is the first error of writing, nil where all was written.
func (o *outlet) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// bare is the stream itself, for who must know whether it is a terminal.
func bare(w io.Writer) io.Writer {
	if o, ok := w.(*outlet); ok {
		return o.Writer
	}
	return w
}

// lost turns a good ending into a failure where its words did not arrive.
func lost(s streams, o *outlet, code int) int {
	err := o.failed()
	if err == nil || code == exitFailed || code == exitUsage || code == exitInterrupted {
		return code
	}
	output.Problem(s.err, proof.ResultError{
		What: "write standard output: " + err.Error(), Why: "what was found did not all arrive there",
		Next: "send it elsewhere; repgen show RUN prints a run's result again",
	})
	return exitFailed
}
