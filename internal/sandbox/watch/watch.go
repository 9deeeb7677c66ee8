// Package watch measures a running process tree and a folder from outside: the
// adapters use it for limits that the kernel does not hold for them.
package watch

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// clockTick is the unit of CPU times in /proc, USER_HZ. It is 100 on every
// architecture that Go runs on (proc(5)).
const clockTick = time.Second / 100

// Usage is what a tree uses at one moment.
type Usage struct {
	// RSS is the sum of resident bytes; pages shared between processes count
	// once for each, so it is an upper bound.
	RSS int64
	// CPU is the time of the living processes and of the ended children that
	// they waited for.
	CPU time.Duration
	// Tasks counts threads, as a pids limit of the kernel does.
	Tasks int
	// Pids are the members, root first.
	Pids []int
}

// Tree measures pid and everything below it. Processes that end meanwhile are
// left out; a tree that is gone gives zeros.
func Tree(pid int) Usage {
	var u Usage
	todo := []int{pid}
	seen := map[int]bool{}
	for len(todo) > 0 {
		p := todo[0]
		todo = todo[1:]
		if seen[p] {
			continue
		}
		seen[p] = true
		st, ok := readStat(p)
		if !ok {
			continue
		}
		u.RSS += st.rss
		u.CPU += st.cpu
		u.Tasks += st.threads
		u.Pids = append(u.Pids, p)
		todo = append(todo, children(p)...)
	}
	return u
}

// stat is the part of /proc/PID/stat that matters here.
type stat struct {
	cpu     time.Duration
	threads int
	rss     int64
}

// readStat parses /proc/PID/stat; the name in brackets may hold anything.
func readStat(pid int) (stat, bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, false
	}
	return parseStat(string(data))
}

func parseStat(line string) (stat, bool) {
	end := strings.LastIndexByte(line, ')')
	if end < 0 {
		return stat{}, false
	}
	f := strings.Fields(line[end+1:])
	// f[0] is field 3 of proc(5): utime 14 to cstime 17, num_threads 20, rss 24.
	if len(f) < 22 {
		return stat{}, false
	}
	var ticks int64
	for _, s := range f[11:15] {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return stat{}, false
		}
		ticks += n
	}
	threads, err1 := strconv.Atoi(f[17])
	pages, err2 := strconv.ParseInt(f[21], 10, 64)
	if err1 != nil || err2 != nil {
		return stat{}, false
	}
	return stat{
		cpu: time.Duration(ticks) * clockTick, threads: threads,
		rss: pages * int64(os.Getpagesize()),
	}, true
}

// children lists the direct children of all threads of pid. The kernel file
// exists with CONFIG_PROC_CHILDREN (every distribution since 2013).
func children(pid int) []int {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/[0-9]*/children", pid))
	if err != nil {
		return nil
	}
	var out []int
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		for _, s := range strings.Fields(string(data)) {
			if n, err := strconv.Atoi(s); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// Proportional sums the proportional set sizes, where a page shared by n
// processes counts 1/n for each. Slow (the kernel walks the page tables), so
// it is asked only to confirm that a limit was passed. ok is false when no
// process could be read.
func Proportional(pids []int) (sum int64, ok bool) {
	for _, p := range pids {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", p))
		if err != nil {
			continue
		}
		for line := range bytes.Lines(data) {
			rest, found := bytes.CutPrefix(line, []byte("Pss:"))
			if !found {
				continue
			}
			kib, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
			if n, err := strconv.ParseInt(string(kib), 10, 64); err == nil {
				sum += n << 10
				ok = true
			}
		}
	}
	return sum, ok
}

// Folder is the space that a tree takes on disk, in bytes, and whether that is
// above limit (then counting stopped). Links are not followed. What cannot be
// read counts nothing: the writer can always hide it, but not for long, since
// each file has a limit of its own.
func Folder(root string, limit int64) (used int64, over bool) {
	_ = filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // removed meanwhile, or not ours to read
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			used += st.Blocks * 512
		}
		if used > limit {
			over = true
			return filepath.SkipAll
		}
		return nil
	})
	return used, over
}
