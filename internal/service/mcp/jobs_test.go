package mcp

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
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/sandbox"
)

// blocking is a fake whose scripts run until they are let go or cancelled.
type blocking struct {
	*fake
	started chan struct{}
	release chan struct{}
	running atomic.Int32
	most    atomic.Int32
	ended   atomic.Int32
}

func newBlocking() *blocking {
	b := &blocking{fake: good(), started: make(chan struct{}, 100), release: make(chan struct{})}
	b.script = func(ctx context.Context, _ sandbox.Command, _ sandbox.Limits) (sandbox.Execution, error) {
		if n := b.running.Add(1); n > b.most.Load() {
			b.most.Store(n)
		}
		defer func() { b.running.Add(-1); b.ended.Add(1) }()
		b.started <- struct{}{}
		select {
		case <-b.release:
			return sandbox.Execution{Outcome: sandbox.Exited}, nil
		case <-ctx.Done():
			return sandbox.Execution{Outcome: sandbox.Canceled}, ctx.Err()
		}
	}
	return b
}

func (b *blocking) await(t *testing.T) {
	t.Helper()
	select {
	case <-b.started:
	case <-time.After(time.Minute):
		t.Fatal("nothing was started")
	}
}

// TestPolling: what is not finished in time is asked for later.
func TestPolling(t *testing.T) {
	b := newBlocking()
	c := connect(t, b.fake)
	env := c.solved()
	out := call[ScriptOut](c, "run_script", fields{"environment_id": env, "script": "x", "wait_s": 0.05})
	if out.State != StateRunning || out.Execution != nil || out.RunID == "" || !strings.Contains(out.Next, out.RunID) {
		t.Fatalf("%+v", out)
	}
	b.await(t)
	p := call[PollOut](c, "get_run", fields{"run_id": out.RunID, "wait_s": 0})
	if p.State != StateRunning || p.Execution != nil || len(p.Progress) == 0 {
		t.Errorf("%+v", p)
	}
	close(b.release)
	p = call[PollOut](c, "get_run", fields{"run_id": out.RunID})
	if p.State != StateDone || p.Execution == nil || p.Verdict != nil || p.Next != "" {
		t.Errorf("%+v", p)
	}
	if p.Execution.Verdict != "none" {
		t.Errorf("an exploration with the verdict %q", p.Execution.Verdict)
	}
}

// TestQueue: one run at a time, the others in order, and not too many.
func TestQueue(t *testing.T) {
	b := newBlocking()
	c := connect(t, b.fake)
	env := c.solved()
	var ids []string
	for range 1 + maxQueue {
		out := call[ScriptOut](c, "run_script", fields{"environment_id": env, "script": "x", "wait_s": 0})
		ids = append(ids, out.RunID)
	}
	c.refused("run_script", fields{"environment_id": env, "script": "x"}, "waiting already", "next:")
	b.await(t)
	last := call[PollOut](c, "get_run", fields{"run_id": ids[maxQueue], "wait_s": 0})
	if last.State != StateQueued || !strings.Contains(strings.Join(last.Progress, ""), "queued behind") {
		t.Errorf("%+v", last)
	}
	// One that waits can be stopped without having begun.
	if p := call[PollOut](c, "get_run", fields{"run_id": ids[maxQueue], "cancel": true}); p.State != StateCancelled || p.Error == nil {
		t.Errorf("%+v", p)
	}
	close(b.release)
	for _, id := range ids[:maxQueue] {
		if p := call[PollOut](c, "get_run", fields{"run_id": id}); p.State != StateDone {
			t.Errorf("%s: %+v", id, p)
		}
	}
	if n := b.most.Load(); n != 1 {
		t.Errorf("%d runs at a time", n)
	}
}

// TestTurns: runs begin in the order in which they came, however the goroutines
// are woken.
func TestTurns(t *testing.T) {
	js := newJobs(t.Context(), 1, nil)
	var order []int // one at a time writes
	for i := range 1 + maxQueue {
		if _, err := js.start(task{tool: "x", do: func(context.Context, Tell) (any, error) {
			order = append(order, i)
			return nil, nil
		}}); err != nil {
			t.Fatal(err)
		}
	}
	js.wg.Wait()
	if len(order) != 1+maxQueue || !slices.IsSorted(order) {
		t.Errorf("ran as %v", order)
	}
	js.close()
}

// TestConcurrentCalls: many calls at once, as many runs at a time as allowed.
func TestConcurrentCalls(t *testing.T) {
	f := good()
	var running, most atomic.Int32
	f.script = func(context.Context, sandbox.Command, sandbox.Limits) (sandbox.Execution, error) {
		n := running.Add(1)
		defer running.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		time.Sleep(5 * time.Millisecond)
		return sandbox.Execution{Outcome: sandbox.Exited}, nil
	}
	c := connect(t, f, func(o *Options) { o.Concurrent = 3 })
	env := c.solved()
	var wg sync.WaitGroup
	var lost atomic.Int32
	for i := range 40 {
		wg.Go(func() {
			tool, in := "run_script", fields{"environment_id": env, "script": "x"}
			if i%4 == 0 {
				tool, in = "read_report", fields{"text": fmt.Sprintf("# report %d\n\ntext", i)}
			}
			r, err := c.raw(t.Context(), tool, in)
			if err != nil || r.IsError && !strings.Contains(text(r), "waiting already") {
				lost.Add(1)
			}
		})
	}
	wg.Wait()
	if lost.Load() > 0 || most.Load() > 3 {
		t.Errorf("%d calls lost, %d runs at a time", lost.Load(), most.Load())
	}
}

// TestCancelledCall: who gives up waiting stops what was begun for it.
func TestCancelledCall(t *testing.T) {
	b := newBlocking()
	c := connect(t, b.fake)
	env := c.solved()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-b.started
		cancel()
	}()
	if _, err := c.raw(ctx, "run_script", fields{"environment_id": env, "script": "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	until(t, func() bool { return b.ended.Load() == 1 })
	// The place is free again.
	close(b.release)
	call[ScriptOut](c, "run_script", fields{"environment_id": env, "script": "x"})
}

// TestCancelledQuestion: who gives up asking does not stop the run.
func TestCancelledQuestion(t *testing.T) {
	b := newBlocking()
	c := connect(t, b.fake)
	env := c.solved()
	out := call[ScriptOut](c, "run_script", fields{"environment_id": env, "script": "x", "wait_s": 0})
	b.await(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.raw(ctx, "get_run", fields{"run_id": out.RunID}); err == nil {
		t.Error("the question was answered")
	}
	if b.ended.Load() != 0 {
		t.Error("the run was stopped")
	}
	close(b.release)
	if p := call[PollOut](c, "get_run", fields{"run_id": out.RunID}); p.State != StateDone {
		t.Errorf("%+v", p)
	}
}

// TestClientGoes: what runs and what waits ends with its client.
func TestClientGoes(t *testing.T) {
	for name, leave := range map[string]func(*client){
		"closes": func(c *client) { _ = c.Close() },
		"signal": func(c *client) { c.stop() },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBlocking()
			c := connect(t, b.fake)
			env := c.solved()
			for range 3 { // one runs, two wait
				call[ScriptOut](c, "run_script", fields{"environment_id": env, "script": "x", "wait_s": 0})
			}
			b.await(t)
			leave(c)
			ends(t, c.served)
			c.served <- nil
			if b.running.Load() != 0 || b.ended.Load() != 1 {
				t.Errorf("%d scripts go on, %d ended", b.running.Load(), b.ended.Load())
			}
		})
	}
}

func ends(t *testing.T, served <-chan error) {
	t.Helper()
	select {
	case err := <-served:
		if err != nil {
			t.Errorf("the server ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the server goes on")
	}
}

// TestPipeBreaks: the client dies in the middle of a call; a second time, while
// somebody asks the server itself to end.
func TestPipeBreaks(t *testing.T) {
	for name, signal := range map[string]bool{"client dies": false, "signal in a call": true} {
		t.Run(name, func(t *testing.T) {
			b := newBlocking()
			toServer, in := io.Pipe()
			out, fromServer := io.Pipe()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			served := make(chan error, 1)
			o := Options{Environments: b, Sandbox: b, Root: t.TempDir(), Out: t.TempDir()}
			go func() { served <- Serve(ctx, &sdk.IOTransport{Reader: toServer, Writer: fromServer}, o) }()
			c, err := sdk.NewClient(&sdk.Implementation{Name: "x", Version: "1"}, nil).Connect(t.Context(), &sdk.IOTransport{Reader: out, Writer: in}, nil)
			if err != nil {
				t.Fatal(err)
			}
			my := &client{TB: t, ClientSession: c}
			env := my.solved()
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				_, _ = my.raw(t.Context(), "run_script", fields{"environment_id": env, "script": "x"})
			}()
			b.await(t)
			if signal {
				stop()
			} else {
				_, _ = in.Close(), out.Close()
			}
			ends(t, served)
			if b.running.Load() != 0 || b.ended.Load() != 1 {
				t.Errorf("%d scripts go on, %d ended", b.running.Load(), b.ended.Load())
			}
			_, _, _ = in.Close(), out.Close(), toServer.Close()
			<-gone
			_ = c.Close()
		})
	}
}

// TestProgressTold: a client that gave a token hears what happens, and that
// something still does.
func TestProgressTold(t *testing.T) {
	f := good()
	var c *client
	f.judge = func(ctx context.Context, _ *pipeline.Request, dir string, tell Tell) (*proof.Result, error) {
		tell("environment: solving \x1b[31m")
		until(t, func() bool { return strings.Contains(c.said(), "still running: environment") })
		tell("run: 5 of 5")
		return &proof.Result{Headline: "lead"}, nil
	}
	c = connect(t, f, func(o *Options) { o.Heartbeat = 20 * time.Millisecond })
	call[JudgeOut](c, "judge_script", fields{"text": bugReport, "script": "import tinynet"})
	until(t, func() bool {
		return strings.Contains(c.said(), "run: 5 of 5") || strings.Contains(c.said(), "still running")
	})
	said := c.said()
	if !strings.Contains(said, "environment: solving") || !strings.Contains(said, "still running: environment: solving") {
		t.Errorf("heard: %s", said)
	}
	checkInert(t, said)
}

// TestDefectIsContained: a panic in one tool is that call's failure.
func TestDefectIsContained(t *testing.T) {
	f := good()
	f.judge = func(context.Context, *pipeline.Request, string, Tell) (*proof.Result, error) { panic("inside \x1b[2J") }
	c := connect(t, f)
	said := c.refused("judge_script", fields{"text": bugReport, "script": "import tinynet"}, "a defect of repgen")
	if strings.Contains(said, "goroutine") || strings.Contains(said, "inside") {
		t.Errorf("the inside is shown: %s", said)
	}
	c.solved()
}

// TestEnvironmentsAreBounded: old idle ones go, those in use stay.
func TestEnvironmentsAreBounded(t *testing.T) {
	f := good()
	n := 0
	f.open = nil
	s := newSession(t.Context(), Options{Environments: f, Sandbox: f})
	defer s.jobs.close()
	first := s.keep(opened("first-0123456789abcdef"))
	_, done, err := s.use(first)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 * maxEnvironments {
		n++
		s.keep(opened(fmt.Sprintf("%016d", n)))
	}
	if len(s.envs) != maxEnvironments {
		t.Errorf("%d environments are kept", len(s.envs))
	}
	if _, again, err := s.use(first); err != nil {
		t.Error("an environment in use was let go")
	} else {
		again()
	}
	done()
	if _, _, err := s.use("env-" + fmt.Sprintf("%016d", 1)); err == nil {
		t.Error("an old idle environment is still there")
	}
}

// TestRunsAreForgotten: finished runs are kept up to a number, others always.
func TestRunsAreForgotten(t *testing.T) {
	b := newBlocking()
	c := connect(t, b.fake, func(o *Options) { o.Concurrent = 2 })
	env := c.solved()
	held := call[ScriptOut](c, "run_script", fields{"environment_id": env, "script": "x", "wait_s": 0}).RunID
	b.await(t)
	var ids []string
	for range maxKeptRuns + 5 {
		ids = append(ids, call[SolveOut](c, "solve_environment", fields{"text": bugReport}).RunID)
	}
	c.refused("get_run", fields{"run_id": ids[0]}, "no run")
	call[PollOut](c, "get_run", fields{"run_id": ids[len(ids)-1]})
	if p := call[PollOut](c, "get_run", fields{"run_id": held, "wait_s": 0}); p.State != StateRunning {
		t.Errorf("%+v", p)
	}
}

// TestEarlierRuns: a folder of another session is read by its name only.
func TestEarlierRuns(t *testing.T) {
	c := connect(t, good())
	first := call[JudgeOut](c, "judge_script", fields{"text": bugReport, "script": "import tinynet"})
	other := connect(t, good(), func(o *Options) { o.Out = c.out })
	p := call[PollOut](other, "get_run", fields{"run_id": first.RunID})
	if p.State != StateDone || p.Verdict == nil || p.Verdict.Headline != "reproduced" || !strings.Contains(p.Verdict.Notice, "not judged again") || !strings.Contains(p.Verdict.Notice, "did not make this result") {
		t.Errorf("%+v", p)
	}
	if !slices.Equal(p.Progress, []string{"run: 5 of 5"}) {
		t.Errorf("progress %q", p.Progress)
	}
	other.refused("get_run", fields{"run_id": first.RunID, "cancel": true}, "another session")

	unfinished := filepath.Join(c.out, "unfinished")
	copyRun(t, filepath.Join(c.out, first.RunID), unfinished, "00-request.json")
	if p := call[PollOut](other, "get_run", fields{"run_id": "unfinished"}); p.State != StateUnfinished || p.Verdict != nil || p.Next == "" {
		t.Errorf("%+v", p)
	}
	linked := filepath.Join(c.out, "linked")
	copyRun(t, filepath.Join(c.out, first.RunID), linked, "00-request.json")
	if err := os.Symlink(filepath.Join(c.out, first.RunID, "06-result.json"), filepath.Join(linked, "06-result.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(c.out, first.RunID), filepath.Join(c.out, "link")); err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(c.out, "damaged")
	copyRun(t, filepath.Join(c.out, first.RunID), damaged, "00-request.json")
	if err := os.WriteFile(filepath.Join(damaged, "06-result.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	other.refused("get_run", fields{"run_id": "damaged"}, "damaged")
	for _, id := range []string{
		"", ".", "..", "../" + filepath.Base(c.out) + "/" + first.RunID, first.RunID + "/", "none", "link", "linked", "/etc", ".hidden", "a/b", "a\x00b",
		strings.Repeat("a", 101), "\x1b[31m", "solve.1",
	} {
		other.refused("get_run", fields{"run_id": id}, "no run")
	}
}

func copyRun(t *testing.T, from, to string, names ...string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func until(t *testing.T, holds func() bool) {
	t.Helper()
	for range 6000 {
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("it never came")
}
