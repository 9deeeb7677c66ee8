package session

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/system"
)

// markPrefix begins the name of everything that belongs to one execution and
// must not outlive it: its control groups, its private folder.
const markPrefix = "repgen-"

// Runs tells later starts of the program which executions are under way. It is a
// locked file; the kernel drops the lock when its maker dies, however it dies,
// and also where a later start cannot see the maker (another process namespace
// with the same cache). One file for all, for making and removing one costs more
// than all else here.
type Runs struct {
	mu     sync.Mutex
	file   *os.File
	unlock func() error // never called: the lock ends with us
	begun  int
	name   string
	active map[string]string // mark: work folder
}

// OpenRuns sweeps dir, where other programs have their files, and makes ours.
// clear removes what is left elsewhere of an execution, by its mark; nil for
// nothing.
func OpenRuns(dir string, clear func(mark string)) (*Runs, error) {
	sweep(dir, clear)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make a place for marks: %w", err)
	}
	for {
		r := &Runs{name: markPrefix + strings.ToLower(rand.Text()), active: map[string]string{}}
		path := filepath.Join(dir, r.name)
		unlock, ok, err := system.TryLockFile(path)
		if err != nil {
			return nil, fmt.Errorf("make a place for marks: %w", err)
		}
		if !ok {
			continue // somebody who sweeps was quicker: the name is theirs
		}
		r.unlock = unlock
		if r.file, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
			return nil, fmt.Errorf("make a place for marks: %w", err)
		}
		return r, nil
	}
}

// Lease says that one execution is under way.
type Lease struct {
	// Mark is a word that occurs nowhere else: the first process carries it in
	// its command line, a control group in its name.
	Mark string
	runs *Runs
	made bool
}

// Take marks an execution. work is its work folder, which goes too when its maker
// cannot remove it any more; "" for none.
func (r *Runs) Take(work string) (*Lease, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun++
	l := &Lease{Mark: fmt.Sprintf("%s-%d", r.name, r.begun), runs: r}
	r.active[l.Mark] = work
	if err := r.write(); err != nil {
		delete(r.active, l.Mark)
		return nil, fmt.Errorf("mark the execution: %w", err)
	}
	return l, nil
}

// endOfList is the line after the last one: what was written before may be longer.
const endOfList = "."

// write lists the active ones, a line each.
func (r *Runs) write() error {
	var text strings.Builder
	for mark, work := range r.active {
		text.WriteString(mark + " " + work + "\n")
	}
	text.WriteString(endOfList + "\n")
	_, err := r.file.WriteAt([]byte(text.String()), 0)
	return err
}

// folder is the execution's own, named by its mark.
func (l *Lease) folder() string { return filepath.Join(os.TempDir(), l.Mark) }

// MakeFolder makes the execution's own folder, which Release removes.
func (l *Lease) MakeFolder() (string, error) {
	l.made = true
	return l.folder(), os.MkdirAll(l.folder(), 0o700)
}

// Release ends the lease. Nothing of the execution may live any more.
func (l *Lease) Release() {
	if l == nil {
		return
	}
	if l.made {
		_ = system.RemoveAll(l.folder())
	}
	l.runs.mu.Lock()
	defer l.runs.mu.Unlock()
	delete(l.runs.active, l.Mark)
	_ = l.runs.write() // a mark too many makes a later start look for nothing
}

// sweep ends what executions of dead programs left: their processes, what clear
// removes, and their folders. A program that lives holds its lock and is left
// alone; what is not marked in dir is not ours to judge.
func sweep(dir string, clear func(mark string)) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return // nothing was ever run
	}
	for _, n := range names {
		path := filepath.Join(dir, n.Name())
		if !strings.HasPrefix(n.Name(), markPrefix) {
			continue
		}
		unlock, ok, err := system.TryLockFile(path)
		if err != nil || !ok {
			continue
		}
		if text, err := os.ReadFile(path); err == nil {
			end(n.Name(), string(text), clear)
		}
		_ = os.Remove(path)
		_ = unlock()
	}
}

// end ends the executions that a dead program's file lists.
func end(name, text string, clear func(mark string)) {
	killed := false
	for line := range strings.SplitSeq(text, "\n") {
		if line == endOfList {
			return
		}
		mark, work, ok := strings.Cut(line, " ")
		if !ok || !strings.HasPrefix(mark, name+"-") || strings.ContainsRune(mark, '/') {
			continue
		}
		if !killed {
			killMarked(name + "-")
			killed = true
		}
		if clear != nil {
			clear(mark)
		}
		for _, folder := range []string{filepath.Join(os.TempDir(), mark), work} {
			if isTemporary(folder) {
				_ = system.RemoveAll(folder)
			}
		}
	}
}

// isTemporary says whether a folder is one that repgen makes for one execution
// only. The word of a file is not enough to remove what may be a user's.
func isTemporary(folder string) bool {
	return filepath.IsAbs(folder) && filepath.Dir(folder) == filepath.Clean(os.TempDir()) &&
		strings.HasPrefix(filepath.Base(folder), markPrefix)
}

// politePatience is for a first process that is asked to end. A guess.
const politePatience = time.Second

// killMarked ends the processes that carry the mark: with a word first, for one
// without a namespace takes along what it started only if it has the time. It
// looks twice, through a handle: the number alone may be another's by then.
func killMarked(mark string) {
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return
	}
	for _, file := range all {
		if !carries(file, mark) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		if carries(file, mark) {
			_ = unix.PidfdSendSignal(fd, unix.SIGTERM, nil, 0)
			if !dies(fd, politePatience) {
				_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
				_ = dies(fd, deathPatience)
			}
		}
		_ = unix.Close(fd)
	}
}

func carries(cmdline, mark string) bool {
	data, err := os.ReadFile(cmdline)
	return err == nil && bytes.Contains(data, []byte(mark))
}

// dies says whether the process behind the handle is dead in time, with
// everything in its process namespace.
func dies(fd int, patience time.Duration) bool {
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(patience.Milliseconds()))
		if !errors.Is(err, unix.EINTR) {
			return err == nil && n > 0
		}
	}
}
