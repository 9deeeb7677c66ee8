// Package sandbox runs one command inside an isolation and says what happened.
//
// A crash, a time-out, an out-of-memory kill or a flood of output is a normal
// result (an Execution); an error means that the sandbox itself failed and the
// run says nothing. Adapters: bwrap (the real isolation), native (none, behind
// an explicit flag), sandboxtest (the conformance and escape suites that every
// adapter runs). The observer inside the interpreter is in probe.
package sandbox

import (
	"cmp"
	"context"
	"maps"
	"time"

	"github.com/repgen/repgen/internal/sandbox/probe"
)

// Fixed places inside the sandbox. Of the host's paths only /proc/self/mountinfo
// knows, where the kernel names the folders that were mounted; adapters replace
// those in whatever a command wrote (but what it encoded, nobody can find).
const (
	WorkDir  = "/box"   // the private work folder, read-write, the current folder
	EnvDir   = "/env"   // the Python environment, read-only
	PyDir    = "/py"    // the interpreter, read-only
	ProbeDir = "/probe" // the observer module, read-only
	ScriptNm = "reproduce.py"
)

// Mount binds a host path at a place inside, read-only unless Writable.
type Mount struct {
	Host     string `json:"host"`
	Guest    string `json:"guest"`
	Writable bool   `json:"writable,omitempty"`
}

// Command is what to run. All paths but those of Mounts[].Host and Work are
// paths inside the sandbox.
type Command struct {
	Argv []string
	// Env is the whole environment of the process: nothing is inherited. The
	// adapter adds only what is absent of GuestEnv and, with a Probe, the
	// observer's own variables (PYTHONPATH is put before a given one).
	Env    map[string]string
	Mounts []Mount
	// Work is an existing host folder, bound read-write at WorkDir. Empty: a
	// private temporary one that is removed afterwards.
	Work  string
	Stdin []byte
	// Probe, when set, puts the observer on the interpreter's path and opens
	// its private channel.
	Probe *probe.Options
	// Label says what this execution is for ("candidate 3/5", "certificate").
	Label string
}

// Limits bound one execution. Zero means the default of DefaultLimits.
type Limits struct {
	Wall        time.Duration `json:"wall"`
	CPU         time.Duration `json:"cpu"`
	MemoryBytes int64         `json:"memory_bytes"`
	Pids        int           `json:"pids"`
	// OutputBytes is kept of each of stdout and stderr; at ten times as much
	// the run is killed (Outcome OutputLimit).
	OutputBytes int64 `json:"output_bytes"`
	// FileBytes bounds one written file, DiskBytes all that is held on disk, with
	// or without a name (half of what is free, where that is less), and Files the
	// names.
	FileBytes int64 `json:"file_bytes"`
	DiskBytes int64 `json:"disk_bytes"`
	Files     int   `json:"files,omitempty"`
}

// Outcome is how the process ended, as measured from outside.
type Outcome string

const (
	Exited      Outcome = "exited"        // ExitCode is valid
	Signaled    Outcome = "signaled"      // Signal is valid: the main process died of a signal
	TimedOut    Outcome = "timed_out"     // wall or CPU limit of ours
	OutOfMemory Outcome = "out_of_memory" // the memory limit of ours killed the main process
	OutputLimit Outcome = "output_limit"  // flood
	DiskLimit   Outcome = "disk_limit"    // too much on disk, too many files, or too many open
	// PidsLimit only where the kernel does not hold the limit (it answers
	// EAGAIN to fork, and the script goes on).
	PidsLimit Outcome = "pids_limit"
	Canceled  Outcome = "canceled" // the context was canceled (Ctrl-C)
)

// Layer is one isolation layer, and how it was set up.
type Layer struct {
	Name   string `json:"name"` // "user-namespace", "network", "filesystem", "seccomp", "pids", "memory", "disk", "session", "environment"
	Active bool   `json:"active"`
	How    string `json:"how,omitempty"` // "cgroup v1", "watcher", "bubblewrap 0.8.0"
	// Weak says why the kernel does not hold this limit here, where it could.
	Weak string `json:"weak,omitempty"`
}

// Execution is the record of one process. It is written to disk as it is, and
// a verdict can be computed from old ones again.
type Execution struct {
	Label    string            `json:"label"`
	Argv     []string          `json:"argv"`
	Env      map[string]string `json:"env,omitempty"`
	Started  time.Time         `json:"started"`
	Outcome  Outcome           `json:"outcome"`
	ExitCode int               `json:"exit_code"`
	// Signal is "SIGABRT" and so on; set for Signaled only.
	Signal string `json:"signal,omitempty"`
	// LimitHit names the limit for TimedOut, OutOfMemory, ...: "wall 60s".
	LimitHit string `json:"limit_hit,omitempty"`
	// OOMKills counts kills by the memory limit in the whole tree (a killed
	// child leaves exit code 0 in the parent).
	OOMKills int `json:"oom_kills,omitempty"`
	// Stdout and Stderr are what was kept, as UTF-8 with replacement of bad
	// bytes and with control characters other than \n and \t removed.
	Stdout          string  `json:"stdout"`
	Stderr          string  `json:"stderr"`
	StdoutTruncated bool    `json:"stdout_truncated,omitempty"`
	StderrTruncated bool    `json:"stderr_truncated,omitempty"`
	WallSeconds     float64 `json:"wall_s"`
	CPUSeconds      float64 `json:"cpu_s"`       // 0 when it could not be measured
	PeakMemory      int64   `json:"peak_memory"` // bytes, 0 when it could not be measured
	// Memory is the resident memory of the whole tree over time, at most
	// MemorySamples points; empty when it was not sampled.
	Memory []MemoryPoint `json:"memory,omitempty"`
	Layers []Layer       `json:"layers"`
	Limits Limits        `json:"limits"`
	// Record is the observer's; Record.Started false means it never spoke.
	Record probe.Record `json:"record"`
}

// MemorySamples is how many points of Memory are kept: when there are more,
// every second one is dropped and the step doubled.
const MemorySamples = 256

// MemoryPoint is the tree's resident memory at one moment.
type MemoryPoint struct {
	At    float64 `json:"at"` // seconds since the start
	Bytes int64   `json:"bytes"`
}

// Sandbox runs commands. Implementations are safe for concurrent use. Run
// blocks until the whole process group is dead, also when ctx is canceled
// (then Outcome is Canceled and the error is ctx.Err()). Any other error
// means that isolation or accounting could not be set up: nothing ran, or
// what ran cannot be believed.
type Sandbox interface {
	Run(ctx context.Context, c Command, l Limits) (Execution, error)
	// Layers reports what Run would set up on this machine now, and an error
	// that says which layer is missing and how to get it.
	Layers(ctx context.Context) ([]Layer, error)
}

// GuestEnv are the variables that every adapter gives a process whose Env does
// not set them: a home and cache folders that can be written and vanish with
// the run (matplotlib and numba otherwise litter the work folder), and a text
// encoding that does not depend on the host.
func GuestEnv() map[string]string {
	return map[string]string{
		"PATH": EnvDir + "/bin:/usr/local/bin:/usr/bin:/bin",
		"HOME": "/tmp/home", "TMPDIR": "/tmp", "LANG": "C.UTF-8",
		"XDG_CACHE_HOME": "/tmp/cache", "MPLCONFIGDIR": "/tmp/cache/matplotlib",
		"NUMBA_CACHE_DIR": "/tmp/cache/numba",
	}
}

// WithDefaults replaces each zero by the default.
func (l Limits) WithDefaults() Limits {
	d := DefaultLimits()
	return Limits{
		Wall: cmp.Or(l.Wall, d.Wall), CPU: cmp.Or(l.CPU, d.CPU),
		MemoryBytes: cmp.Or(l.MemoryBytes, d.MemoryBytes), Pids: cmp.Or(l.Pids, d.Pids),
		OutputBytes: cmp.Or(l.OutputBytes, d.OutputBytes),
		FileBytes:   cmp.Or(l.FileBytes, d.FileBytes), DiskBytes: cmp.Or(l.DiskBytes, d.DiskBytes),
		Files: cmp.Or(l.Files, d.Files),
	}
}

// Environment is the whole environment of a process: what the command asks for,
// GuestEnv for what it does not, and the observer's variables, whose folder
// comes first on PYTHONPATH.
func (c Command) Environment(observer map[string]string) map[string]string {
	env := GuestEnv()
	maps.Copy(env, c.Env)
	maps.Copy(env, observer)
	if c.Probe != nil {
		env["PYTHONPATH"] = ProbeDir
		if own := c.Env["PYTHONPATH"]; own != "" {
			env["PYTHONPATH"] += ":" + own
		}
	}
	return env
}

// LayerError says which layer of isolation cannot be had here, and what to do.
type LayerError struct {
	Layer string // as Layer.Name
	Why   string
	Fix   string // a command, or a sentence, for the user
}

func (e *LayerError) Error() string {
	return "sandbox layer " + e.Layer + ": " + e.Why + "; " + e.Fix
}

// DefaultLimits are guesses that every case of the measured set met with room:
// the slowest run there took 16 s and 1.5 GiB. Of files, the largest source tree
// that was built has some 20,000.
func DefaultLimits() Limits {
	return Limits{
		Wall: 5 * time.Minute, CPU: 10 * time.Minute, MemoryBytes: 8 << 30, Pids: 512,
		OutputBytes: 1 << 20, FileBytes: 2 << 30, DiskBytes: 4 << 30, Files: 200_000,
	}
}
