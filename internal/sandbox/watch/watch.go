// Package watch measures a running process tree and a folder from outside: the
// adapters use it for limits that the kernel does not hold for them.
package watch

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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
	// Open counts descriptors.
	Open int
	// Written is what the living processes, and those that they waited for, sent
	// to disks, less what was dropped before it came there: no unlinking and no
	// handing on hides it. Files in memory are not in it.
	Written int64
	// Pids are the members, root first.
	Pids []int
}

// treeTries: a process that ends between being listed and being read has a
// successor when it does so on purpose; so the tree is walked again.
const treeTries = 3

// Tree measures pid and everything below it. Processes that end meanwhile are
// left out; a tree that is gone gives zeros.
func Tree(pid int) Usage {
	var most Usage
	for range treeTries {
		u, whole := walkTree(pid)
		if u.RSS >= most.RSS {
			most = u
		}
		if whole {
			break
		}
	}
	return most
}

// walkTree walks once; whole is false when a listed process could not be read.
func walkTree(pid int) (u Usage, whole bool) {
	whole = true
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
			whole = false
			continue
		}
		u.RSS += st.rss
		u.CPU += st.cpu
		u.Tasks += st.threads
		u.Written += written(p)
		u.Open += openFiles(p)
		u.Pids = append(u.Pids, p)
		todo = append(todo, children(p)...)
	}
	return u, whole
}

// written reads /proc/PID/io (CONFIG_TASK_IO_ACCOUNTING, every distribution).
func written(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		return 0
	}
	return keyed(data, "write_bytes:") - keyed(data, "cancelled_write_bytes:")
}

// openFiles is the size of /proc/PID/fd since Linux 6.2, else the names are
// counted.
func openFiles(pid int) int {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	if st, err := os.Stat(dir); err == nil && st.Size() > 0 {
		return int(st.Size())
	}
	return len(descriptors(dir))
}

func descriptors(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil
	}
	return names
}

// keyed reads the number of the first line that begins with the key, 0 when
// there is none.
func keyed(data []byte, key string) int64 {
	for line := range bytes.Lines(data) {
		rest, ok := bytes.CutPrefix(line, []byte(key))
		if !ok {
			continue
		}
		text, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
		n, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil {
			return 0
		}
		return n
	}
	return 0
}

// stat is the part of /proc/PID/stat that matters here.
type stat struct {
	mapped  bool // it has memory
	cpu     time.Duration
	threads int
	rss     int64
}

// alive says whether pid is a process that still has its memory: what is dying
// gives that up first.
func alive(pid int) bool {
	st, ok := readStat(pid)
	return ok && st.mapped
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
	// f[0] is field 3 of proc(5): utime 14 to cstime 17, num_threads 20, vsize 23,
	// rss 24.
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
		mapped: f[20] != "0", cpu: time.Duration(ticks) * clockTick, threads: threads,
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
