package bundle

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/sandbox"
)

// lockLine is what a lock of ours is made of. Anything else that installers
// read there (another index, a URL, a file, an option) would make whoever
// verifies a stranger's bundle fetch what the stranger chose.
var lockLine = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.!+_-]*)?( *--hash=sha256:[0-9a-f]+)*( \\)?$`)

// oddLock names the first line of a lock that is neither a pin nor a hash.
func oddLock(l *environment.Lock) (string, bool) {
	if l == nil {
		return "", false
	}
	for line := range strings.Lines(l.Text) {
		if line = strings.TrimSuffix(line, "\n"); !lockLine.MatchString(line) {
			return line, true
		}
	}
	return "", false
}

// oddLocks says which locks hold more than pins.
func (b *Bundle) oddLocks() []string {
	var out []string
	for _, l := range append([]*environment.Lock{b.Outcome.Lock}, b.Outcome.Locks...) {
		if line, odd := oddLock(l); odd {
			out = append(out, fmt.Sprintf("%s: a lock holds %q, which is no pinned version", fileEvidence, line))
		}
	}
	return out
}

// maxWall is the longest wall limit that a bundle may ask for. A guess: users
// raise the default of minutes, but rarely over an hour.
const maxWall = time.Hour

// bounded keeps a bundle from lifting the limits under which it is run again.
func bounded(l sandbox.Limits) sandbox.Limits {
	l, d := l.WithDefaults(), sandbox.DefaultLimits()
	return sandbox.Limits{
		Wall: within(l.Wall, maxWall), CPU: within(l.CPU, max(d.CPU, maxWall)),
		MemoryBytes: within(l.MemoryBytes, d.MemoryBytes), Pids: within(l.Pids, d.Pids),
		OutputBytes: within(l.OutputBytes, d.OutputBytes), FileBytes: within(l.FileBytes, d.FileBytes),
		DiskBytes: within(l.DiskBytes, d.DiskBytes), Files: within(l.Files, d.Files),
	}
}

// within is v where it is positive and at most the ceiling, else the ceiling.
func within[T int | int64 | time.Duration](v, ceiling T) T {
	if v <= 0 || v > ceiling {
		return ceiling
	}
	return v
}
