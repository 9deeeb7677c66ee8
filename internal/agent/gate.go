package agent

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/sandbox"
)

// floor is the least time for which anything is begun: an interpreter with a
// large library needs as much to start (measured: 2 to 5 s for torch and
// tensorflow), so that less would be spent on nothing.
const floor = 5 * time.Second

// grace is kept back of what is left, for a process group that takes its time
// to die (a guess).
const grace = time.Second

// budgetHit begins Execution.LimitHit where a budget of ours, and not a limit
// of one execution, ended it.
const budgetHit = "budget: "

// gate lets executions through while there is time for them: the run's wall
// time and the sum of what executions took. It is safe for concurrent use.
type gate struct {
	now      func() time.Time
	deadline time.Time

	mu    sync.Mutex
	limit time.Duration // of all executions
	spent time.Duration
	held  time.Duration // what executions under way may still take
	ended string        // which budget refused first
	given chan struct{} // closed when an execution gives back what it held
}

func newGate(now func() time.Time, wall, limit time.Duration) *gate {
	return &gate{now: now, deadline: now().Add(wall), limit: limit, given: make(chan struct{})}
}

// take reserves up to want for one execution, waiting for others where all that
// is missing is held by them. Nothing granted: why says which budget ended.
func (g *gate) take(ctx context.Context, want time.Duration) (granted time.Duration, why string, err error) {
	for {
		g.mu.Lock()
		free, wall := g.limit-g.spent-g.held, g.deadline.Sub(g.now())
		granted = min(want, free, wall)
		// Executions under way may take less than they hold: wait for them rather
		// than cut this one short.
		if granted == free && granted < want && g.held > 0 {
			given := g.given
			g.mu.Unlock()
			select {
			case <-given:
				continue
			case <-ctx.Done():
				return 0, "", ctx.Err()
			}
		}
		defer g.mu.Unlock()
		if granted < min(floor, want) {
			return 0, g.end(granted == wall), nil
		}
		g.held += granted
		return granted, "", nil
	}
}

// end notes which budget ended; mu is held.
func (g *gate) end(wall bool) string {
	why := fmt.Sprintf("the sandbox budget of %s ended", g.limit)
	if wall {
		why = "the time of the run ended"
	}
	if g.ended == "" {
		g.ended = why
	}
	return why
}

// give books what an execution took and frees what it held.
func (g *gate) give(granted, used time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held -= granted
	g.spent += used
	close(g.given)
	g.given = make(chan struct{})
}

// why says which budget ended, "" while there is something left to begin with.
func (g *gate) why() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.ended != "":
		return g.ended
	case g.deadline.Sub(g.now()) < floor:
		return "the time of the run ended"
	case g.limit-g.spent < min(floor, g.limit) || g.limit == g.spent:
		return fmt.Sprintf("the sandbox budget of %s ended", g.limit)
	}
	return ""
}

func (g *gate) seconds() float64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.spent.Seconds()
}

// counted is what the executions under one context took here, so that a report
// of them, which holds those of an earlier go too, is booked once.
type counted struct{}

type counter struct {
	mu   sync.Mutex
	took time.Duration
}

func withCounter(ctx context.Context) (context.Context, *counter) {
	c := &counter{}
	return context.WithValue(ctx, counted{}, c), c
}

func (c *counter) add(d time.Duration) {
	c.mu.Lock()
	c.took += d
	c.mu.Unlock()
}

// book books a reported sum of execution seconds, less what was counted.
func (g *gate) book(seconds float64, c *counter) {
	c.mu.Lock()
	extra := time.Duration(seconds*float64(time.Second)) - c.took
	c.mu.Unlock()
	if extra > 0 {
		g.give(0, extra)
	}
}

// gated is a sandbox behind the gate.
type gated struct {
	inner sandbox.Sandbox
	gate  *gate
}

// Run implements sandbox.Sandbox. An execution for which no time is left is not
// begun; one that was cut short by the budget is Canceled, whatever a full one
// would have shown: a short time-out must not pass for a hang.
func (s gated) Run(ctx context.Context, c sandbox.Command, l sandbox.Limits) (sandbox.Execution, error) {
	want := l.WithDefaults().Wall
	granted, why, err := s.gate.take(ctx, want)
	if err != nil {
		return sandbox.Execution{Label: c.Label, Outcome: sandbox.Canceled}, err
	}
	if why != "" {
		return sandbox.Execution{Label: c.Label, Argv: c.Argv, Outcome: sandbox.Canceled, LimitHit: budgetHit + why, Limits: l}, nil
	}
	l.Wall = granted
	if granted < want {
		l.Wall -= grace
	}
	began := s.gate.now()
	ex, err := s.inner.Run(ctx, c, l)
	used := max(s.gate.now().Sub(began), time.Duration(ex.WallSeconds*float64(time.Second)))
	s.gate.give(granted, used)
	if sum, ok := ctx.Value(counted{}).(*counter); ok {
		sum.add(used)
	}
	if err == nil && granted < want && ex.Outcome == sandbox.TimedOut && strings.HasPrefix(ex.LimitHit, "wall") {
		ex.Outcome, ex.LimitHit = sandbox.Canceled, budgetHit+"only "+granted.Round(time.Second).String()+" were left"
	}
	return ex, err
}

// Layers implements sandbox.Sandbox.
func (s gated) Layers(ctx context.Context) ([]sandbox.Layer, error) { return s.inner.Layers(ctx) }

// honest is a journal that forgets what the budget ended: with more of it, a
// resumed run makes that execution in full.
type honest struct{ proof.Journal }

// Save implements proof.Journal.
func (h honest) Save(key string, ex sandbox.Execution) error {
	if strings.HasPrefix(ex.LimitHit, budgetHit) {
		return nil
	}
	return h.Journal.Save(key, ex)
}

// behind puts the real prover behind the gate. Others are booked by what they
// report.
func (g *gate) behind(p Prover) Prover {
	own, ok := p.(*proof.Prover)
	if !ok || own.Sandbox == nil {
		return p
	}
	cp := *own
	cp.Sandbox = gated{own.Sandbox, g}
	if cp.Journal != nil {
		cp.Journal = honest{own.Journal}
	}
	return &cp
}
