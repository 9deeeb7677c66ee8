package bwrap

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/sandbox"
)

// group is the kernel's account of one run: its members share the limits.
type group interface {
	join(pid int) error
	usage() groupUsage
	// close kills what is left and removes the group; it does not give up
	// before the kernel has let go or removePatience is over.
	close() error
}

// groupUsage is what the kernel counted so far; zero is "not measured".
type groupUsage struct {
	cpu      time.Duration
	peak     int64
	oomKills int
}

// grouper makes groups at the place found on this machine.
type grouper interface {
	create(name string, l sandbox.Limits) (group, error)
	how() string
	// remove kills the members of a group by that name and removes it.
	remove(name string)
}

const (
	cgroupMount = "/sys/fs/cgroup"
	// removePatience: the kernel frees a dead member's charge late. Measured
	// below 50 ms; the rest is room for a busy machine.
	removePatience = 3 * time.Second
)

// findGrouper looks for a delegated v2 tree, then for v1 controllers that we
// may write; nil means that the kernel keeps no account for us, and why says
// what for.
func findGrouper(mount string, self string) (g grouper, why string) {
	if g := findV2(mount, self); g != nil {
		return g, ""
	}
	g, why = findV1(mount, self)
	if g != nil {
		return g, ""
	}
	if _, err := os.Stat(filepath.Join(mount, "cgroup.controllers")); err == nil {
		why = "cgroup v2: no group above ours that we may write hands on memory and pids (systemd-run --user --scope -p Delegate=yes gives one)"
	}
	return nil, why
}

// ownGroups reads /proc/self/cgroup: controller ("" for v2) to path.
func ownGroups(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		for name := range strings.SplitSeq(f[1], ",") {
			out[name] = f[2]
		}
	}
	return out
}

// removeGroup kills the members of one folder and removes it.
func removeGroup(dir string) error {
	for deadline := time.Now().Add(removePatience); ; {
		err := unix.Rmdir(dir)
		if err == nil || errors.Is(err, unix.ENOENT) {
			return nil
		}
		killMembers(dir)
		if time.Now().After(deadline) {
			return fmt.Errorf("remove cgroup %s: %w", dir, err)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func killMembers(dir string) {
	data, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if err != nil {
		return
	}
	for _, s := range strings.Fields(string(data)) {
		// 0 stands for a process of another namespace; kill(0) would be us.
		if pid, err := strconv.Atoi(s); err == nil && pid > 1 {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
}

// writeCtl sets one control file.
func writeCtl(dir, name, value string) error {
	if err := os.WriteFile(filepath.Join(dir, name), []byte(value), 0o644); err != nil {
		return fmt.Errorf("cgroup: %w", err)
	}
	return nil
}

// readCtl reads one control file, "" when it is not there.
func readCtl(dir, name string) string {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// readInt reads a single number, 0 when there is none.
func readInt(dir, name string) int64 {
	n, err := strconv.ParseInt(readCtl(dir, name), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// readKey reads one number of a "key value" file.
func readKey(dir, name, key string) int64 {
	for line := range strings.Lines(readCtl(dir, name)) {
		k, v, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && k == key {
			n, err := strconv.ParseInt(v, 10, 64)
			if err == nil {
				return n
			}
		}
	}
	return 0
}

// writable says whether we may make groups in dir.
func writable(dir string) bool { return unix.Access(dir, unix.W_OK) == nil }
