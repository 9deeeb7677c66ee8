package bundle

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/environment/uv"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/sandbox"
)

const (
	// maxGroups of the evidence. A run makes some twenty: releases named and
	// searched for, contrasts, removals, seeds; the rest is room (a guess).
	maxGroups = 200
	// maxOutput that an execution keeps of a stream, in bytes: the limit is
	// 1 MiB, and replaced characters grow.
	maxOutput = 3 << 20
)

// misshapen lists what no run of ours writes: a lock for each group that ran,
// one reported side, and the reported release's own lock for all that claims to
// have run on it. Without these there is nothing to run again.
func (b *Bundle) misshapen() []string {
	groups := b.Outcome.Evidence.Groups
	if len(groups) > maxGroups {
		return []string{fmt.Sprintf("%s: holds %d groups, more than any run makes", fileEvidence, len(groups))}
	}
	if !b.Judged() {
		return nil
	}
	if len(b.Outcome.Locks) != len(groups) {
		return []string{fmt.Sprintf("%s: %d groups have %d locks", fileEvidence, len(groups), len(b.Outcome.Locks))}
	}
	var out []string
	sides := map[oracle.Side]int{}
	for i, g := range groups {
		sides[g.Side]++
		if !slices.Contains(allSides, g.Side) {
			out = append(out, fmt.Sprintf("%s: %.40q is no side of any run", fileEvidence, g.Side))
		}
		if len(g.Executions) > 0 && b.Outcome.Locks[i] == nil {
			out = append(out, fmt.Sprintf("%s: the group %s %s %s ran without a lock", fileEvidence, g.Side, g.Subject, g.Version))
		}
		if sameRelease(g.Side) && b.elsewhere(i) {
			out = append(out, fmt.Sprintf("%s: the group %s ran with another lock than the reported side's", fileEvidence, g.Side))
		}
	}
	if sides[oracle.SideReported] != 1 || sides[oracle.SideNeutral] > 1 || sides[oracle.SideAuthored] > 1 {
		out = append(out, fmt.Sprintf("%s: holds %d reported sides, %d certificates, %d controls of the script's author", fileEvidence, sides[oracle.SideReported], sides[oracle.SideNeutral], sides[oracle.SideAuthored]))
	}
	return out
}

var allSides = []oracle.Side{
	oracle.SideReported, oracle.SideNamed, oracle.SideRelease, oracle.SideNewest, oracle.SideFix, oracle.SideNeutral,
	oracle.SideContrast, oracle.SideRemoval, oracle.SideAuthored, oracle.SidePinned, oracle.SideReseeded,
}

// sameRelease: sides that run in the reported side's environment.
func sameRelease(s oracle.Side) bool {
	return s == oracle.SideReported || s == oracle.SideNeutral || s == oracle.SidePinned || s == oracle.SideReseeded
}

// pythonForm is an interpreter's version.
var pythonForm = regexp.MustCompile(`^[0-9]{1,2}\.[0-9]{1,3}(\.[0-9]{1,3}[a-z0-9]{0,8})?$`)

// oddLock says what of a lock our own writer would not have written, in the list
// that is installed or in the text that people read: whoever verifies a stranger's
// bundle must not fetch what the stranger chose. "" for a lock.
func oddLock(l *environment.Lock, project string) string {
	if !pythonForm.MatchString(l.Python) {
		return fmt.Sprintf("%.100q is no version of Python", l.Python)
	}
	read := uv.ParseLock(l.Text)
	if text, err := uv.FormatLock(read); err != nil || text != l.Text {
		return fmt.Sprintf("a lock holds %.200q, which is no pinned version", firstOdd(l.Text, text))
	}
	listed := map[string]uv.Pinned{}
	for _, p := range l.Packages {
		pin := uv.Pinned{Name: p.Name, Version: p.Version, Hashes: p.Hashes}
		if _, err := uv.FormatLock([]uv.Pinned{pin}); err != nil {
			return err.Error()
		}
		if _, twice := listed[p.Name]; twice {
			return fmt.Sprintf("a lock lists %s twice", p.Name)
		}
		if p.Wheel != "" && (project == "" || p.Name != project) {
			return fmt.Sprintf("%s %s comes from the bundle, not from the index, and is not the project under test", p.Name, p.Version)
		}
		listed[p.Name] = pin
	}
	return unlike(read, listed)
}

// unlike says where the text of a lock and the list that is installed differ.
func unlike(text []uv.Pinned, listed map[string]uv.Pinned) string {
	seen := map[string]bool{}
	for _, pin := range text {
		p, ok := listed[pin.Name]
		switch {
		case !ok:
			return fmt.Sprintf("a lock installs %s==%s, which it does not list", pin.Name, pin.Version)
		case p.Version != pin.Version:
			return fmt.Sprintf("a lock lists %s==%s, which is not what it installs", p.Name, p.Version)
		case !slices.Equal(p.Hashes, pin.Hashes):
			return fmt.Sprintf("a lock lists %s==%s with other hashes than it installs", p.Name, p.Version)
		}
		seen[pin.Name] = true
	}
	for name, p := range listed {
		if !seen[name] {
			return fmt.Sprintf("a lock lists %s==%s, which is not what it installs", p.Name, p.Version)
		}
	}
	return ""
}

// firstOdd is the first line of a text that is not that of another one.
func firstOdd(text, other string) string {
	want := slices.Collect(strings.Lines(other))
	i := 0
	for line := range strings.Lines(text) {
		if i >= len(want) || line != want[i] {
			return strings.TrimSuffix(line, "\n")
		}
		i++
	}
	return ""
}

// locks are all that the bundle has, as many as there may be groups.
func (b *Bundle) locks() []*environment.Lock {
	all := append([]*environment.Lock{b.Outcome.Lock}, b.Outcome.Locks[:min(len(b.Outcome.Locks), maxGroups)]...)
	return slices.DeleteFunc(all, func(l *environment.Lock) bool { return l == nil })
}

// oddLocks says which locks are none of ours.
func (b *Bundle) oddLocks() []string {
	project := ""
	if p := b.Outcome.Spec.Project; p != nil {
		project = pydist.Normalize(p.Name)
	}
	var out []string
	for _, l := range b.locks() {
		if why := oddLock(l, project); why != "" && !slices.Contains(out, fileEvidence+": "+why) {
			out = append(out, fileEvidence+": "+why)
		}
	}
	return out
}

// FromBundle are the packages that its locks take from the bundle itself and not
// from the index, each once.
func (b *Bundle) FromBundle() []environment.Package {
	var out []environment.Package
	for _, l := range b.locks() {
		for _, p := range localPackages(l) {
			if !slices.ContainsFunc(out, func(o environment.Package) bool { return o.Wheel == p.Wheel && slices.Equal(o.Hashes, p.Hashes) }) {
				out = append(out, p)
			}
		}
	}
	return out
}

// maxWall is the longest wall limit that a stranger may ask for. A guess: users
// raise the default of minutes, but rarely over an hour.
const maxWall = time.Hour

// floors are the lowest limits under which a Python starts, in an isolation that
// can be set up (a guess: a bare one takes 30 MiB and two processes). Lower ones
// would look like a fault of this machine.
var floors = sandbox.Limits{
	Wall: time.Second, CPU: time.Second, MemoryBytes: 256 << 20, Pids: 32, OutputBytes: 64 << 10, FileBytes: 1 << 20, DiskBytes: 16 << 20, Files: 1000,
}

// Bounded keeps a stranger's folder from lifting the limits under which its
// script is run here, and from lowering them until nothing can be run. What is
// not set is the default.
func Bounded(l sandbox.Limits) sandbox.Limits {
	l, d := l.WithDefaults(), sandbox.DefaultLimits()
	return sandbox.Limits{
		Wall: within(l.Wall, floors.Wall, maxWall), CPU: within(l.CPU, floors.CPU, max(d.CPU, maxWall)),
		MemoryBytes: within(l.MemoryBytes, floors.MemoryBytes, d.MemoryBytes), Pids: within(l.Pids, floors.Pids, d.Pids),
		OutputBytes: within(l.OutputBytes, floors.OutputBytes, d.OutputBytes), FileBytes: within(l.FileBytes, floors.FileBytes, d.FileBytes),
		DiskBytes: within(l.DiskBytes, floors.DiskBytes, d.DiskBytes), Files: within(l.Files, floors.Files, d.Files),
	}
}

// within is v between the bounds; the upper one where it is no limit at all.
func within[T int | int64 | time.Duration](v, floor, ceiling T) T {
	if v <= 0 {
		return ceiling
	}
	return min(max(v, floor), ceiling)
}
