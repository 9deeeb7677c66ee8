package watch

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
)

// Poll intervals. The short one is for limits that only we hold: at the 10
// GB/s that a memset reaches, 20 ms are 200 MB too much. Guesses otherwise.
const (
	quickPoll = 20 * time.Millisecond
	slowPoll  = 100 * time.Millisecond
	// fastWriter is what a tree may write from one look to the next before the
	// next one comes sooner: more is no plain saving of a file. A guess.
	fastWriter = 16 << 20
	// maxOpen bounds the descriptors of a whole tree. The kernel bounds those of
	// one process; times all processes they are more than the machine has
	// (proc/sys/fs/file-max). A guess: a hundred workers with hundreds each.
	maxOpen = 64 << 10
	// HelperTasks are the threads of our own first process, which a limit of tasks
	// would otherwise take from the script. The Go runtime starts 4 to 6.
	HelperTasks = 12
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
	Root int // the tree's first process
	// Folders are under DiskBytes and Files, all together; the first is the work
	// folder.
	Folders []string
	Limits  sandbox.Limits
	// HoldMemory and HoldTasks: nobody else holds these two limits.
	HoldMemory, HoldTasks bool
	// Tmpfs are the places inside that take memory.
	Tmpfs []string
	// Shared says that the tree has the host's network, and that it can make files
	// in memory without a place.
	Shared bool
	// CPU, when set, is a better source of the time used than the tree.
	CPU func() time.Duration

	disk   disk
	memory memory

	mu     sync.Mutex
	sample Sample
	began  time.Time
	curve  series
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
	if len(g.curve.points) < minCurve {
		return nil
	}
	n := len(g.curve.points) - dyingPoints
	return append([]sandbox.MemoryPoint(nil), g.curve.points[:n]...)
}

// Sample gives what was seen until now.
func (g *Guard) Sample() Sample {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sample
}

// Begin measures what is there before anything runs, and says when that is too
// little to see by, or to run in.
func (g *Guard) Begin() error {
	if _, ok := readStat(os.Getpid()); !ok {
		return &sandbox.LayerError{Layer: "pids", Why: "/proc cannot be read, so nothing can be watched", Fix: "run: mount -t proc proc /proc"}
	}
	return g.disk.begin(g.Folders, g.Limits)
}

// Run looks until ctx ends (then nil), a limit is passed (*Hit), or something of
// the machine makes the run worthless (any other error).
func (g *Guard) Run(ctx context.Context) error {
	g.memory = memory{root: g.Root, limit: g.Limits.MemoryBytes, tmpfs: g.Tmpfs, shared: g.Shared}
	wall := time.NewTimer(g.Limits.Wall)
	defer wall.Stop()
	tick := time.NewTimer(g.pace(false))
	defer tick.Stop()
	g.mu.Lock()
	g.began = time.Now()
	g.mu.Unlock()
	written := int64(0)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-wall.C:
			return &Hit{sandbox.TimedOut, "wall " + g.Limits.Wall.String()}
		case <-tick.C:
		}
		u := g.measure()
		hit, err := g.disk.look(u, false)
		if err == nil && hit == nil {
			hit, err = g.look(u)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case hit != nil:
			return hit
		}
		tick.Reset(g.pace(u.Written-written > fastWriter))
		written = u.Written
	}
}

// pace is the time to the next look.
func (g *Guard) pace(fast bool) time.Duration {
	if fast || g.HoldMemory || g.HoldTasks {
		return quickPoll
	}
	return slowPoll
}

// AtEnd looks at the folders when the tree is dead: it may have filled them
// between two looks.
func (g *Guard) AtEnd() (*Hit, error) { return g.disk.look(Usage{}, true) }

// CPUHit is the Hit of too much computing.
func CPUHit(l sandbox.Limits) *Hit {
	return &Hit{sandbox.TimedOut, "cpu " + l.CPU.String()}
}

// MemoryHit is the Hit of too much memory.
func MemoryHit(l sandbox.Limits) *Hit {
	return &Hit{sandbox.OutOfMemory, fmt.Sprintf("memory %d MiB", l.MemoryBytes>>20)}
}

// measure looks once and keeps what is kept.
func (g *Guard) measure() Usage {
	u := Tree(g.Root)
	if g.CPU != nil {
		u.CPU = g.CPU()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sample.PeakRSS = max(g.sample.PeakRSS, u.RSS)
	g.sample.CPU = max(g.sample.CPU, u.CPU)
	if !g.began.IsZero() && u.RSS > 0 {
		g.curve.add(time.Since(g.began).Round(time.Millisecond), u.RSS)
	}
	return u
}

// look compares everything but the folders.
func (g *Guard) look(u Usage) (*Hit, error) {
	switch {
	case u.CPU > g.Limits.CPU:
		return CPUHit(g.Limits), nil
	case g.HoldTasks && u.Tasks > g.Limits.Pids+HelperTasks:
		return &Hit{sandbox.PidsLimit, fmt.Sprintf("pids %d", g.Limits.Pids)}, nil
	case u.Open > maxOpen:
		return &Hit{sandbox.DiskLimit, fmt.Sprintf("open files %d", maxOpen)}, nil
	case !g.HoldMemory:
		// Kernels before 5.16 do not charge what lies in sockets to a group.
		if !g.Shared && socketBytes(g.Root) > g.Limits.MemoryBytes {
			return MemoryHit(g.Limits), nil
		}
		return nil, nil
	}
	folder := int64(0)
	if g.disk.start.inMemory {
		folder = g.disk.used
	}
	over, err := g.memory.over(u, folder)
	if err != nil {
		return nil, &sandbox.LayerError{Layer: "memory", Why: err.Error(), Fix: "run repgen where it can make control groups"}
	}
	if over {
		return MemoryHit(g.Limits), nil
	}
	return nil, nil
}
