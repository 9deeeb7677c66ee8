package mcp

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// maxProgress lines of a run are kept.
const maxProgress = 12

// job is one run of a tool that takes its time.
type job struct {
	id     string
	tool   string
	began  time.Time
	cancel context.CancelFunc
	done   chan struct{}
	turn   chan struct{} // closed when it may begin
	going  bool          // it is: under the lock of jobs

	mu      sync.Mutex
	state   string
	lines   []string
	changed chan struct{} // closed at the next change
	ended   time.Time
	result  any
	err     error
}

// say adds a line of progress; an equal one in a row is said once.
func (j *job) say(text string) {
	text = line(text, maxLine)
	j.mu.Lock()
	defer j.mu.Unlock()
	if text == "" || len(j.lines) > 0 && j.lines[len(j.lines)-1] == text {
		return
	}
	j.lines = append(j.lines, text)
	if len(j.lines) > maxProgress {
		j.lines = slices.Delete(j.lines, 0, 1)
	}
	j.signal()
}

// signal wakes who waits. The lock is held.
func (j *job) signal() {
	close(j.changed)
	j.changed = make(chan struct{})
}

func (j *job) set(state string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.state = state
	j.signal()
}

// end records what came of it.
func (j *job) end(result any, err error, cancelled bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ended, j.result, j.err = time.Now(), result, err
	switch {
	case err == nil:
		j.state = StateDone
	case cancelled || errors.Is(err, context.Canceled):
		j.state = StateCancelled
	default:
		j.state = StateFailed
	}
	j.signal()
	close(j.done)
}

// view is the run as it is now, with the result of a finished one.
func (j *job) view() (run Run, result any, changed <-chan struct{}, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	run = Run{RunID: j.id, Tool: j.tool, State: j.state, Progress: slices.Clone(j.lines)}
	until := j.ended
	if until.IsZero() {
		until = time.Now()
		run.Next = "ask get_run for " + j.id
	}
	run.Seconds = float64(until.Sub(j.began).Milliseconds()) / 1000
	return run, j.result, j.changed, j.err
}

// jobs runs a bounded number of jobs at a time; the rest wait in the order in
// which they came.
type jobs struct {
	ctx    context.Context // ends with the session
	stop   context.CancelFunc
	places int
	wg     sync.WaitGroup
	// crashed is told of a panic, with its stack.
	crashed func(tool string, cause any, stack []byte)

	mu      sync.Mutex
	closed  bool
	count   int
	running int
	queue   []*job // queued or running, in order
	kept    []*job // all, the oldest first
}

func newJobs(ctx context.Context, concurrent int, crashed func(string, any, []byte)) *jobs {
	js := &jobs{places: concurrent, crashed: crashed}
	js.ctx, js.stop = context.WithCancel(ctx)
	return js
}

// work is what a job does.
type work func(ctx context.Context, tell Tell) (any, error)

// task is a job before it is taken up.
type task struct {
	Waiting
	tool string
	id   string // "" makes one
	do   work
	done func() // called once it has ended, or could not be begun; may be nil
}

func (t task) end() {
	if t.done != nil {
		t.done()
	}
}

// start takes a job up.
func (js *jobs) start(t task) (*job, error) {
	js.mu.Lock()
	defer js.mu.Unlock()
	switch {
	case js.closed:
		return nil, refuse("start the server again", "the server is ending")
	case len(js.queue) >= maxQueue+js.places:
		return nil, refuse("wait for one of them with get_run, or stop one with get_run and cancel", "%d runs are waiting already", maxQueue)
	}
	js.count++
	if t.id == "" {
		// A dot never stands in the name of a run folder that repgen chooses.
		t.id = fmt.Sprintf("%s.%d", t.tool, js.count)
	}
	ctx, cancel := context.WithCancel(js.ctx)
	j := &job{id: t.id, tool: t.tool, began: time.Now(), cancel: cancel, done: make(chan struct{}), turn: make(chan struct{}), changed: make(chan struct{}), state: StateQueued}
	if ahead := len(js.queue); ahead >= js.places {
		j.say(fmt.Sprintf("queued behind %d other runs: %d go at a time", ahead, js.places))
	}
	js.queue, js.kept = append(js.queue, j), append(js.kept, j)
	js.forget()
	js.next()
	js.wg.Add(1)
	go js.run(ctx, j, t)
	return j, nil
}

// next gives the first that wait their turn while there is a place. The order is
// decided here: goroutines that wait for a place begin in any. The lock is held.
func (js *jobs) next() {
	for _, j := range js.queue {
		if js.running == js.places {
			return
		}
		if !j.going {
			j.going = true
			js.running++
			j.set(StateRunning)
			close(j.turn)
		}
	}
}

// forget drops the oldest finished runs. The lock is held.
func (js *jobs) forget() {
	for i := 0; len(js.kept) > maxKeptRuns && i < len(js.kept); {
		if slices.Contains(js.queue, js.kept[i]) {
			i++
			continue
		}
		js.kept = slices.Delete(js.kept, i, i+1)
	}
}

// run waits for the job's turn and does it.
func (js *jobs) run(ctx context.Context, j *job, t task) {
	defer js.wg.Done()
	defer j.cancel()
	result, err := js.inTurn(ctx, j, t.do)
	t.end()
	js.mu.Lock()
	js.queue = slices.DeleteFunc(js.queue, func(other *job) bool { return other == j })
	if j.going {
		js.running--
	}
	js.next()
	js.mu.Unlock()
	j.end(result, err, ctx.Err() != nil)
}

func (js *jobs) inTurn(ctx context.Context, j *job, do work) (result any, err error) {
	select {
	case <-j.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	defer func() {
		// A defect in one run is no reason to lose the others.
		if cause := recover(); cause != nil {
			js.crashed(j.tool, cause, debug.Stack())
			result, err = nil, &toolError{Problem{What: j.tool + " failed by a defect of repgen", Why: "its log has the details", Next: "report it with the input"}}
		}
	}()
	return do(ctx, j.say)
}

// find is a job by its id, nil when there is none.
func (js *jobs) find(id string) *job {
	js.mu.Lock()
	defer js.mu.Unlock()
	for _, j := range slices.Backward(js.kept) {
		if j.id == id {
			return j
		}
	}
	return nil
}

// close cancels all jobs and waits for their end.
func (js *jobs) close() {
	js.mu.Lock()
	js.closed = true
	js.mu.Unlock()
	js.stop()
	js.wg.Wait()
}
