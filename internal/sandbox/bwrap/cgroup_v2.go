package bwrap

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/watch"
)

// v2 makes groups below one folder of the unified hierarchy.
type v2 struct{ parent string }

// findV2 climbs from our own group to the nearest folder that is ours to write
// and hands memory and pids on to its children. The folder itself holds no
// process then (the kernel forbids both at once), so it is mostly a parent of
// our own: the slice of a user's service manager, or the root.
func findV2(mount, self string) grouper {
	own, ok := ownGroups(self)[""]
	if !ok {
		return nil
	}
	for dir := own; ; dir = filepath.Dir(dir) {
		full := filepath.Join(mount, dir)
		if v2Usable(full) {
			return v2{parent: full}
		}
		if dir == "/" || dir == "." {
			return nil
		}
	}
}

// v2Usable: we may make children, move processes in, and both controllers
// reach the children (or can be made to).
func v2Usable(dir string) bool {
	if !writable(dir) || !writable(filepath.Join(dir, "cgroup.procs")) {
		return false
	}
	handed := func() bool {
		f := strings.Fields(readCtl(dir, "cgroup.subtree_control"))
		return slices.Contains(f, "memory") && slices.Contains(f, "pids")
	}
	if handed() {
		return true
	}
	have := strings.Fields(readCtl(dir, "cgroup.controllers"))
	if !slices.Contains(have, "memory") || !slices.Contains(have, "pids") {
		return false
	}
	if readCtl(dir, "cgroup.procs") != "" {
		return false // would be refused, and changing it is not ours to try
	}
	return writeCtl(dir, "cgroup.subtree_control", "+memory +pids") == nil && handed()
}

func (v v2) how() string { return "cgroup v2" }

func (v v2) remove(name string) { _ = v2Group{dir: filepath.Join(v.parent, name)}.close() }

func (v v2) create(name string, l sandbox.Limits) (group, error) {
	g := v2Group{dir: filepath.Join(v.parent, name)}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return nil, err
	}
	if err := g.limit(l); err != nil {
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

type v2Group struct{ dir string }

func (g v2Group) limit(l sandbox.Limits) error {
	if err := writeCtl(g.dir, "memory.max", strconv.FormatInt(l.MemoryBytes, 10)); err != nil {
		return err
	}
	// Absent without swap accounting.
	if _, err := os.Stat(filepath.Join(g.dir, "memory.swap.max")); err == nil {
		if err := writeCtl(g.dir, "memory.swap.max", "0"); err != nil {
			return err
		}
	}
	return writeCtl(g.dir, "pids.max", strconv.Itoa(l.Pids+watch.HelperTasks))
}

func (g v2Group) join(pid int) error { return writeCtl(g.dir, "cgroup.procs", strconv.Itoa(pid)) }

func (g v2Group) usage() groupUsage {
	return groupUsage{
		cpu:      time.Duration(readKey(g.dir, "cpu.stat", "usage_usec")) * time.Microsecond,
		peak:     readInt(g.dir, "memory.peak"), // since Linux 5.19
		oomKills: int(readKey(g.dir, "memory.events", "oom_kill")),
	}
}

func (g v2Group) close() error {
	// One write kills all members at once (since Linux 5.14).
	_ = writeCtl(g.dir, "cgroup.kill", "1")
	return removeGroup(g.dir)
}
