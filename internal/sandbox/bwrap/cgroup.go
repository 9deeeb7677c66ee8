package bwrap

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
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
	create(l sandbox.Limits) (group, error)
	how() string
	sweep()
}

const (
	cgroupMount = "/sys/fs/cgroup"
	groupPrefix = "repgen-"
	// removePatience: the kernel frees a dead member's charge late. Measured
	// below 50 ms; the rest is room for a busy machine.
	removePatience = 3 * time.Second
	// helperTasks are the threads of our own first process, which the pids
	// limit would otherwise take from the script. The Go runtime starts 4 to 6.
	helperTasks = 12
)

// findGrouper looks for a delegated v2 tree, then for v1 controllers that we
// may write; nil means that the kernel keeps no account for us.
func findGrouper(mount string, self string) grouper {
	if g := findV2(mount, self); g != nil {
		return g
	}
	if g := findV1(mount, self); g != nil {
		return g
	}
	return nil
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

var groupCount atomic.Int64

// groupName tells later runs whose group it is: process id and its start time
// (an id alone may be somebody else's by then).
func groupName() string {
	pid := os.Getpid()
	return fmt.Sprintf("%s%d-%s-%d", groupPrefix, pid, startTime(pid), groupCount.Add(1))
}

// startTime is field 22 of /proc/PID/stat, "0" for a process that is not.
func startTime(pid int) string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "0"
	}
	f := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	if len(f) < 20 {
		return "0"
	}
	return f[19]
}

// isStale says whether name is a group of ours whose maker is dead.
func isStale(name string) bool {
	rest, ok := strings.CutPrefix(name, groupPrefix)
	if !ok {
		return false
	}
	f := strings.Split(rest, "-")
	if len(f) != 3 {
		return false
	}
	pid, err := strconv.Atoi(f[0])
	return err == nil && startTime(pid) != f[1]
}

// sweepDir removes the empty groups of dead makers below dir. One with living
// members is left alone: it may belong to a maker that we cannot see.
func sweepDir(dir string) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, n := range names {
		if n.IsDir() && isStale(n.Name()) {
			_ = unix.Rmdir(filepath.Join(dir, n.Name()))
		}
	}
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
