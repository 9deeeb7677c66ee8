package bwrap

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/watch"
)

// v1Controllers are the hierarchies that a run joins; each is a tree of its
// own in version 1.
var v1Controllers = []string{"memory", "pids", "cpuacct"}

// v1 makes groups below our own place in each hierarchy.
type v1 struct{ parents map[string]string }

// findV1 wants all three hierarchies, writable; nil otherwise, and which it lacks.
func findV1(mount, self string) (g grouper, why string) {
	own := ownGroups(self)
	found := v1{parents: map[string]string{}}
	for _, c := range v1Controllers {
		dir := filepath.Join(mount, c)
		if sub := filepath.Join(dir, own[c]); writable(sub) {
			dir = sub // so that limits above us go on to hold
		}
		if _, err := os.Stat(filepath.Join(dir, "cgroup.procs")); err != nil {
			return nil, "no control group of " + c + " below " + mount
		}
		if !writable(dir) {
			return nil, "cgroup v1: " + dir + " cannot be written (by other users than root)"
		}
		found.parents[c] = dir
	}
	return found, ""
}

func (v v1) how() string { return "cgroup v1" }

func (v v1) remove(name string) {
	for _, dir := range v.parents {
		_ = removeGroup(filepath.Join(dir, name))
	}
}

func (v v1) create(name string, l sandbox.Limits) (group, error) {
	g := v1Group{dirs: map[string]string{}}
	for c, parent := range v.parents {
		dir := filepath.Join(parent, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, errors.Join(err, g.close())
		}
		g.dirs[c] = dir
	}
	if err := g.limit(l); err != nil {
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

// v1Group is one run's folder in each hierarchy.
type v1Group struct{ dirs map[string]string }

func (g v1Group) limit(l sandbox.Limits) error {
	mem := strconv.FormatInt(l.MemoryBytes, 10)
	if err := writeCtl(g.dirs["memory"], "memory.limit_in_bytes", mem); err != nil {
		return err
	}
	// Swap would turn the kill into a crawl; kernels without swap accounting
	// have neither file.
	_ = writeCtl(g.dirs["memory"], "memory.memsw.limit_in_bytes", mem)
	_ = writeCtl(g.dirs["memory"], "memory.swappiness", "0")
	return writeCtl(g.dirs["pids"], "pids.max", strconv.Itoa(l.Pids+watch.HelperTasks))
}

func (g v1Group) join(pid int) error {
	for _, dir := range g.dirs {
		if err := writeCtl(dir, "cgroup.procs", strconv.Itoa(pid)); err != nil {
			return err
		}
	}
	return nil
}

func (g v1Group) usage() groupUsage {
	return groupUsage{
		cpu:      time.Duration(readInt(g.dirs["cpuacct"], "cpuacct.usage")),
		peak:     readInt(g.dirs["memory"], "memory.max_usage_in_bytes"),
		oomKills: int(readKey(g.dirs["memory"], "memory.oom_control", "oom_kill")),
	}
}

func (g v1Group) close() error {
	var errs []error
	for _, dir := range g.dirs {
		errs = append(errs, removeGroup(dir))
	}
	return errors.Join(errs...)
}
