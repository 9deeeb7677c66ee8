package proof

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/repgen/repgen/internal/environment"
)

// prepared is a control's environment, being made in the background.
type prepared struct {
	plan
	done chan struct{} // closed when side or err is set
	side *side
	err  error
}

// yard makes the environments of controls while executions run. What is wanted
// may never be needed (it depends on what a probe shows): trouble with it is
// trouble only for who takes it.
type yard struct {
	cancel  context.CancelFunc
	stopped func() bool
	build   func(pl plan) (*side, error)
	slots   int

	mu      sync.Mutex
	made    map[plan]*prepared
	queue   []*prepared
	running int
	wg      sync.WaitGroup
}

// yardSlots is how many environments are made at once beside the executions.
// On two cores one: a second would take the core of an execution.
func yardSlots() int { return max(1, min(2, runtime.NumCPU()/2)) }

// openYard builds from the given lock, so that it can begin before the reported
// side is settled. What an earlier lock had begun is stopped.
func (p *proof) openYard(ctx context.Context, spec environment.Spec, base *environment.Lock) {
	p.yard.stop()
	ctx, cancel := context.WithCancel(ctx)
	p.yard = &yard{
		cancel: cancel, slots: yardSlots(), made: map[plan]*prepared{},
		stopped: func() bool { return ctx.Err() != nil },
		build:   func(pl plan) (*side, error) { return p.build(ctx, pl, spec, base) },
	}
}

// want asks for an environment ahead of its need, behind those asked before.
func (y *yard) want(pl plan) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.made[pl] == nil {
		y.queue = append(y.queue, y.add(pl))
		y.pump()
	}
}

func (y *yard) add(pl plan) *prepared {
	c := &prepared{plan: pl, done: make(chan struct{})}
	y.made[pl] = c
	return c
}

// only forgets what waits and was not begun, but for one: the guesses before
// the last outcome are stale.
func (y *yard) only(pl plan) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.queue = slices.DeleteFunc(y.queue, func(c *prepared) bool {
		if c.plan == pl {
			return false
		}
		delete(y.made, c.plan)
		return true
	})
}

// take waits for an environment; one that nobody began is begun at once, even
// beside a guess that is still being made.
func (y *yard) take(ctx context.Context, pl plan) (*side, error) {
	y.mu.Lock()
	c := y.made[pl]
	if c == nil {
		c = y.add(pl)
		y.start(c)
	} else if i := slices.Index(y.queue, c); i >= 0 {
		y.queue = slices.Delete(y.queue, i, i+1)
		y.start(c)
	}
	y.mu.Unlock()
	select {
	case <-c.done:
		return c.side, c.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pump begins what waits, while there is room. The lock is held.
func (y *yard) pump() {
	for y.running < y.slots && len(y.queue) > 0 && !y.stopped() {
		c := y.queue[0]
		y.queue = y.queue[1:]
		y.start(c)
	}
}

// start begins one. The lock is held.
func (y *yard) start(c *prepared) {
	y.running++
	y.wg.Add(1)
	go func() {
		defer y.wg.Done()
		c.side, c.err = y.build(c.plan)
		close(c.done)
		y.mu.Lock()
		defer y.mu.Unlock()
		y.running--
		y.pump()
	}()
}

// stop cancels what is still being made and waits for it, so that nothing is
// left running when the proof returns.
func (y *yard) stop() {
	if y == nil {
		return
	}
	y.cancel()
	y.wg.Wait()
}
