package bwrap

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/system/proc"
)

// initPath is where this very program stands inside the sandbox, as its first
// process. bubblewrap itself, and every shell, report "exit 139" both for a
// segmentation fault and for a script that exits with 139; only the parent can
// tell, so the parent is ours. It also sets limits and measures.
const initPath = "/.repgen/init"

// coreLimit of one byte, not zero: zero still starts the host's core handler
// where core_pattern is a pipe; one is the value that prevents it (core(5),
// fs/coredump.c).
const coreLimit = 1

var hooked atomic.Bool

// Trampoline must be the first call of main (and of TestMain): inside the
// sandbox it takes over and never returns; elsewhere it returns at once. New
// refuses to work in a program that did not call it.
func Trampoline() {
	if len(os.Args) == 3 && os.Args[0] == initPath {
		runInit(os.Args[1], os.Args[2])
	}
	hooked.Store(true)
}

// order is what the first process is told, as JSON on a descriptor.
type order struct {
	Argv    []string `json:"argv"` // empty: only look around and say so
	Env     []string `json:"env"`
	ProbeFD int      `json:"probe_fd"` // ours; -1 none. It becomes probeFD of the child
	// Limits that a process sets on itself; zero means none.
	CPUSeconds uint64 `json:"cpu_seconds"`
	FileBytes  uint64 `json:"file_bytes"`
	Processes  uint64 `json:"processes"`
}

// news is one line from the first process.
type news struct {
	Started bool   `json:"started,omitempty"`
	Failed  string `json:"failed,omitempty"` // the command could not be started
	Ended   bool   `json:"ended,omitempty"`
	Exit    int    `json:"exit"`
	Signal  string `json:"signal,omitempty"`
	Wall    int64  `json:"wall_ns,omitempty"`
	CPU     int64  `json:"cpu_ns,omitempty"`
	MaxRSS  int64  `json:"max_rss,omitempty"`
	Sight   *sight `json:"sight,omitempty"`
}

// sight is what isolation looks like from inside.
type sight struct {
	Seccomp    string   `json:"seccomp"`      // "2": a filter is on
	NoNewPrivs string   `json:"no_new_privs"` // "1"
	Caps       string   `json:"caps"`         // effective, hexadecimal
	Pid        int      `json:"pid"`
	Interfaces []string `json:"interfaces"`
	UIDMap     string   `json:"uid_map"`
	RootRO     bool     `json:"root_ro"`
}

// probeFD is where the child finds the observer's channel.
const probeFD = 7

// runInit is the first process of the sandbox.
func runInit(orderFD, newsFD string) {
	// Without this the child, which has our user id, could open /proc/1/fd and
	// write news of its own.
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	// A handler, not "ignore": an ignored signal would stay ignored in the
	// child. The child can then not end us by a signal.
	signal.Notify(make(chan os.Signal, 1))
	closeOnExec()
	in, out := fdFile(orderFD), fdFile(newsFD)
	say := json.NewEncoder(out)
	var o order
	data, err := io.ReadAll(in)
	if err == nil {
		err = json.Unmarshal(data, &o)
	}
	if err != nil {
		_ = say.Encode(news{Failed: "read the order: " + err.Error()})
		os.Exit(125)
	}
	if len(o.Argv) == 0 {
		_ = say.Encode(news{Started: true, Ended: true, Sight: lookAround()})
		os.Exit(0)
	}
	os.Exit(supervise(o, say))
}

func fdFile(s string) *os.File {
	n, err := strconv.Atoi(s)
	if err != nil {
		os.Exit(125)
	}
	return os.NewFile(uintptr(n), s)
}

// closeOnExec keeps every descriptor that bubblewrap handed on from the child.
func closeOnExec() {
	if unix.CloseRange(firstExtra, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	for fd := firstExtra; fd < 256; fd++ { // kernels before 5.11; we pass a dozen
		unix.CloseOnExec(fd)
	}
}

// supervise starts the command and waits for it, burying orphans meanwhile.
func supervise(o order, say *json.Encoder) int {
	if err := setLimits(o); err != nil {
		_ = say.Encode(news{Failed: err.Error()})
		return 125
	}
	path, err := lookup(o.Argv[0], o.Env)
	if err != nil {
		_ = say.Encode(news{Failed: err.Error()})
		return 125
	}
	_ = say.Encode(news{Started: true})
	start := time.Now()
	pid, err := syscall.ForkExec(path, o.Argv, &syscall.ProcAttr{
		Env: o.Env, Files: childFiles(o.ProbeFD),
		Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		_ = say.Encode(news{Failed: fmt.Sprintf("start %s: %v", o.Argv[0], err)})
		return 125
	}
	status := awaitChild(pid)
	n := news{Ended: true, Wall: int64(time.Since(start))}
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_CHILDREN, &ru) == nil {
		n.CPU = ru.Utime.Nano() + ru.Stime.Nano()
		n.MaxRSS = ru.Maxrss << 10
	}
	if status.Signaled() {
		n.Signal = proc.SignalName(status.Signal())
	} else {
		n.Exit = status.ExitStatus()
	}
	_ = say.Encode(n)
	return 0
}

// awaitChild reaps whatever ends until the command itself has ended.
func awaitChild(pid int) syscall.WaitStatus {
	for {
		var ws syscall.WaitStatus
		got, err := syscall.Wait4(-1, &ws, 0, nil)
		if got == pid && (ws.Exited() || ws.Signaled()) {
			return ws
		}
		if err == syscall.ECHILD {
			return ws
		}
	}
}

// childFiles are the three streams and the observer's channel at probeFD.
func childFiles(probe int) []uintptr {
	files := []uintptr{0, 1, 2}
	if probe < 0 {
		return files
	}
	const closed = ^uintptr(0)
	for len(files) < probeFD {
		files = append(files, closed)
	}
	return append(files, uintptr(probe))
}

func setLimits(o order) error {
	set := []struct {
		name  string
		which int
		value uint64
	}{
		{"cpu time", unix.RLIMIT_CPU, o.CPUSeconds},
		{"file size", unix.RLIMIT_FSIZE, o.FileBytes},
		{"processes", unix.RLIMIT_NPROC, o.Processes},
		{"core size", unix.RLIMIT_CORE, coreLimit},
	}
	for _, s := range set {
		if s.value == 0 {
			continue
		}
		var have unix.Rlimit
		if err := unix.Getrlimit(s.which, &have); err != nil {
			return fmt.Errorf("limit of %s: %w", s.name, err)
		}
		v := min(s.value, have.Max)
		if err := unix.Setrlimit(s.which, &unix.Rlimit{Cur: v, Max: v}); err != nil {
			return fmt.Errorf("limit of %s: %w", s.name, err)
		}
	}
	return nil
}

// lookup finds a command on the PATH of its own environment.
func lookup(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	for _, e := range env {
		if path, ok := strings.CutPrefix(e, "PATH="); ok {
			for dir := range strings.SplitSeq(path, ":") {
				full := dir + "/" + name
				if st, err := os.Stat(full); err == nil && st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0 {
					return full, nil
				}
			}
		}
	}
	return "", fmt.Errorf("start %s: %w", name, exec.ErrNotFound)
}

// lookAround collects what proves the layers.
func lookAround() *sight {
	s := &sight{Pid: os.Getpid()}
	status := readAll("/proc/self/status")
	for line := range strings.Lines(status) {
		k, v, _ := strings.Cut(strings.TrimSpace(line), ":")
		v = strings.TrimSpace(v)
		switch k {
		case "Seccomp":
			s.Seccomp = v
		case "NoNewPrivs":
			s.NoNewPrivs = v
		case "CapEff":
			s.Caps = v
		}
	}
	s.UIDMap = strings.Join(strings.Fields(readAll("/proc/self/uid_map")), " ")
	for line := range strings.Lines(readAll("/proc/self/net/dev")) {
		if name, _, ok := strings.Cut(line, ":"); ok {
			s.Interfaces = append(s.Interfaces, strings.TrimSpace(name))
		}
	}
	err := os.WriteFile("/.repgen/write", nil, 0o600)
	s.RootRO = err != nil
	return s
}

func readAll(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(data)
}
