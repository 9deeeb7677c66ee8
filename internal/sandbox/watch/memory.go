package watch

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// What takes memory without being resident in a process. The kernel's group
// counts all of it; without a group this is what a script could hide in.
const (
	// socketBuffer is what may lie in one socket that nobody reads: the default
	// of the kernel (net.core.wmem_default), which package bwrap keeps scripts
	// from raising.
	socketBuffer = 212992
	// tmpfsInode is the kernel's own share of a file in memory (measured with
	// slabtop: an inode of 700 bytes and a name of 192).
	tmpfsInode = 1 << 10
)

// memory weighs a tree that no group of the kernel weighs.
type memory struct {
	root   int
	limit  int64
	tmpfs  []string // places inside, each a file system in memory
	shared bool     // see Guard.Shared
	next   time.Time
}

// over says whether the tree takes more than the limit. A rough sum comes first:
// it counts shared pages once for each process and mapped files of a tmpfs twice.
// Ten workers forked from a big parent are not ten times its size, so what is over
// by that is weighed again, exactly.
func (m *memory) over(u Usage, folder int64) (bool, error) {
	beside, devs, err := m.beside(u)
	if err != nil {
		return false, err
	}
	beside += folder
	if u.RSS+beside <= m.limit || time.Now().Before(m.next) {
		return false, nil
	}
	start := time.Now()
	held, ok := proportional(u.Pids, devs)
	// The kernel walks all page tables for that.
	m.next = time.Now().Add(2 * time.Since(start))
	return !ok || held+beside > m.limit, nil
}

// beside is what no process shows as resident: page tables, what was swapped out,
// files in memory, sockets. devs are the file systems that it counted.
func (m *memory) beside(u Usage) (sum int64, devs map[string]bool, err error) {
	devs = map[string]bool{}
	for _, p := range u.Pids {
		if data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p)); err == nil {
			sum += (keyed(data, "VmPTE:") + keyed(data, "VmSwap:")) << 10
		}
	}
	for _, place := range m.tmpfs {
		used, dev, err := tmpfsUse(fmt.Sprintf("/proc/%d/root%s", m.root, place))
		switch {
		case err == nil:
			sum += used
			devs[dev] = true
		case alive(m.root): // of a dead one the kernel says the same
			return 0, nil, fmt.Errorf("look into the sandbox: %w", err)
		}
	}
	if m.shared {
		_, elsewhere := unlinked(u.Pids, nil)
		return sum + elsewhere, devs, nil
	}
	return sum + socketBytes(m.root), devs, nil
}

// tmpfsUse is what a file system in memory takes, and its name in smaps.
func tmpfsUse(path string) (used int64, dev string, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, "", err
	}
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return 0, "", err
	}
	used = int64(s.Blocks-s.Bfree)*s.Bsize + int64(s.Files-s.Ffree)*tmpfsInode
	return used, fmt.Sprintf("%02x:%02x", unix.Major(st.Dev), unix.Minor(st.Dev)), nil
}

// socketBytes is what the sockets of the tree's network namespace may hold.
// Those that are on their way in another socket, and in no process, are in it.
func socketBytes(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/sockstat", pid))
	if err != nil {
		return 0
	}
	return keyed(data, "sockets: used") * socketBuffer
}

// proportional sums the proportional set sizes, where a page shared by n
// processes counts 1/n for each, and leaves out files of the given file systems.
// Page tables and swap are not in it. ok is false when no process could be read.
func proportional(pids []int, leaveOut map[string]bool) (sum int64, ok bool) {
	for _, p := range pids {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps", p))
		if err != nil {
			continue
		}
		sum += parseSmaps(data, leaveOut)
		ok = true
	}
	return sum, ok
}

// parseSmaps sums the Pss of the mappings in bytes.
func parseSmaps(data []byte, leaveOut map[string]bool) (sum int64) {
	counts := true
	for line := range bytes.Lines(data) {
		first, rest, _ := bytes.Cut(line, []byte(" "))
		switch {
		case !bytes.HasSuffix(first, []byte(":")): // "start-end perms offset dev inode path"
			f := strings.Fields(string(rest))
			counts = len(f) < 3 || !leaveOut[f[2]]
		case counts && string(first) == "Pss:":
			text, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
			if n, err := strconv.ParseInt(string(text), 10, 64); err == nil && n > 0 {
				sum += n << 10
			}
		}
	}
	return sum
}
