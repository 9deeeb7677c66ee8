package watch

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
)

// Poll intervals. The short one is for limits that only we hold: at the 10
// GB/s that a memset reaches, 20 ms are 200 MB too much. Guesses otherwise.
const (
	quickPoll = 20 * time.Millisecond
	slowPoll  = 100 * time.Millisecond
	// folderShare: measuring the work folder may take one part in so many of
	// the time.
	folderShare = 20
)

// Hit is a limit that was passed. It is an error so that it can be the cause
// of a cancelled context.
type Hit struct {
	Outcome sandbox.Outcome
	Limit   string // "wall 60s", "memory 1024 MiB", ...
}

func (h *Hit) Error() string { return "limit reached: " + h.Limit }

// Guard looks after one running tree.
type Guard struct {
	Root   int    // the tree's first process
	Work   string // the folder under DiskBytes
	Limits sandbox.Limits
	// HoldMemory and HoldTasks: nobody else holds these two limits.
	HoldMemory, HoldTasks bool
	// CPU, when set, is a better source of the time used than the tree.
	CPU func() time.Duration

	mu     sync.Mutex
	sample Sample
	began  time.Time
	memory series
}

// Sample is the most that was seen.
type Sample struct {
	PeakRSS int64
	CPU     time.Duration
}

// minCurve: a curve of fewer points (under a second) says nothing of a leak and
// only swells the record. A guess.
const minCurve = 8

// dyingPoints at the end may show a process that gives its memory back while
// it dies (measured: one point, 80 MiB lower).
const dyingPoints = 2

// Memory is the tree's resident memory over time, nil for a short run.
func (g *Guard) Memory() []sandbox.MemoryPoint {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.memory.points) < minCurve {
		return nil
	}
	n := len(g.memory.points) - dyingPoints
	return append([]sandbox.MemoryPoint(nil), g.memory.points[:n]...)
}

// Sample gives what was seen until now.
func (g *Guard) Sample() Sample {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sample
}

// Run looks until ctx ends (then nil) or a limit is passed.
func (g *Guard) Run(ctx context.Context) *Hit {
	every := slowPoll
	if g.HoldMemory || g.HoldTasks {
		every = quickPoll
	}
	wall := time.NewTimer(g.Limits.Wall)
	defer wall.Stop()
	tick := time.NewTicker(every)
	defer tick.Stop()
	var folder folderWatch
	g.mu.Lock()
	g.began = time.Now()
	g.mu.Unlock()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-wall.C:
			return &Hit{sandbox.TimedOut, "wall " + g.Limits.Wall.String()}
		case <-tick.C:
		}
		if hit := g.look(); hit != nil {
			return hit
		}
		if folder.over(g.Work, g.Limits.DiskBytes) {
			return DiskHit(g.Limits)
		}
	}
}

// DiskHit is the Hit of a work folder that is too big.
func DiskHit(l sandbox.Limits) *Hit {
	return &Hit{sandbox.DiskLimit, fmt.Sprintf("disk %d MiB", l.DiskBytes>>20)}
}

// CPUHit is the Hit of too much computing.
func CPUHit(l sandbox.Limits) *Hit {
	return &Hit{sandbox.TimedOut, "cpu " + l.CPU.String()}
}

// MemoryHit is the Hit of too much memory.
func MemoryHit(l sandbox.Limits) *Hit {
	return &Hit{sandbox.OutOfMemory, fmt.Sprintf("memory %d MiB", l.MemoryBytes>>20)}
}

// look measures once and compares.
func (g *Guard) look() *Hit {
	u := Tree(g.Root)
	if g.CPU != nil {
		u.CPU = g.CPU()
	}
	g.mu.Lock()
	g.sample.PeakRSS = max(g.sample.PeakRSS, u.RSS)
	g.sample.CPU = max(g.sample.CPU, u.CPU)
	if !g.began.IsZero() && u.RSS > 0 {
		g.memory.add(time.Since(g.began).Round(time.Millisecond), u.RSS)
	}
	g.mu.Unlock()
	switch {
	case u.CPU > g.Limits.CPU:
		return CPUHit(g.Limits)
	case g.HoldMemory && u.RSS > g.Limits.MemoryBytes && g.reallyOver(u.Pids):
		return MemoryHit(g.Limits)
	case g.HoldTasks && u.Tasks > g.Limits.Pids:
		return &Hit{sandbox.PidsLimit, fmt.Sprintf("pids %d", g.Limits.Pids)}
	}
	return nil
}

// reallyOver counts shared pages once: ten workers forked from a big parent
// are not ten times its size.
func (g *Guard) reallyOver(pids []int) bool {
	pss, ok := Proportional(pids)
	return !ok || pss > g.Limits.MemoryBytes
}

// folderWatch spaces the measurements of a folder by what they cost.
type folderWatch struct{ next time.Time }

func (f *folderWatch) over(dir string, limit int64) bool {
	start := time.Now()
	if start.Before(f.next) {
		return false
	}
	_, over := Folder(dir, limit)
	f.next = time.Now().Add(max(slowPoll, folderShare*time.Since(start)))
	return over
}
