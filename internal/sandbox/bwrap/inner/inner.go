// Package inner is the first process inside the sandbox: the same program,
// started again at Path. It takes over while the program's packages are still
// being initialised, for the whole of that costs a run more than everything
// else here (measured: 25 of 30 ms of CPU, regular expressions mostly). Go
// initialises a package as soon as those it imports are ready, so this one
// imports few and none that is slow.
package inner

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Path is where this very program stands inside the sandbox, as its first
// process. bubblewrap itself, and every shell, report "exit 139" both for a
// segmentation fault and for a script that exits with 139; only the parent can
// tell, so the parent is ours. It also sets limits and measures.
const Path = "/.repgen/init"

// coreLimit of one byte, not zero: zero still starts the host's core handler
// where core_pattern is a pipe; one is the value that prevents it (core(5),
// fs/coredump.c).
const coreLimit = 1

func init() {
	if len(os.Args) == 3 && os.Args[0] == Path {
		runInit(os.Args[1], os.Args[2])
	}
}

// Order is what the first process is told, as JSON on a descriptor.
type Order struct {
	Argv    []string `json:"argv"` // empty: only look around and say so
	Env     []string `json:"env"`
	ProbeFD int      `json:"probe_fd"` // ours; -1 none. It becomes ProbeFD of the child
	// Limits that a process sets on itself; zero means none.
	CPUSeconds uint64 `json:"cpu_seconds"`
	FileBytes  uint64 `json:"file_bytes"`
	Processes  uint64 `json:"processes"`
}

// News is one line from the first process.
type News struct {
	Started bool   `json:"started,omitempty"`
	Failed  string `json:"failed,omitempty"` // the command could not be started
	Ended   bool   `json:"ended,omitempty"`
	Exit    int    `json:"exit"`
	Signal  string `json:"signal,omitempty"`
	Wall    int64  `json:"wall_ns,omitempty"`
	CPU     int64  `json:"cpu_ns,omitempty"`
	MaxRSS  int64  `json:"max_rss,omitempty"`
	Sight   *Sight `json:"sight,omitempty"`
}

// Sight is what isolation looks like from inside.
type Sight struct {
	Seccomp    string   `json:"seccomp"`      // "2": a filter is on
	NoNewPrivs string   `json:"no_new_privs"` // "1"
	Caps       string   `json:"caps"`         // effective, hexadecimal
	Pid        int      `json:"pid"`
	Interfaces []string `json:"interfaces"`
	UIDMap     string   `json:"uid_map"`
	RootRO     bool     `json:"root_ro"`
}

// ProbeFD is where the child finds the observer's channel.
const ProbeFD = 7

const firstOther = 3 // the first descriptor after the three streams

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
	var o Order
	data, err := io.ReadAll(in)
	if err == nil {
		err = json.Unmarshal(data, &o)
	}
	if err != nil {
		_ = say.Encode(News{Failed: "read the order: " + err.Error()})
		os.Exit(125)
	}
	if len(o.Argv) == 0 {
		_ = say.Encode(News{Started: true, Ended: true, Sight: lookAround()})
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
	if unix.CloseRange(firstOther, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	for fd := firstOther; fd < 256; fd++ { // kernels before 5.11; we pass a dozen
		unix.CloseOnExec(fd)
	}
}

// supervise starts the command and waits for it, burying orphans meanwhile.
func supervise(o Order, say *json.Encoder) int {
	if err := setLimits(o); err != nil {
		_ = say.Encode(News{Failed: err.Error()})
		return 125
	}
	path, err := lookup(o.Argv[0], o.Env)
	if err != nil {
		_ = say.Encode(News{Failed: err.Error()})
		return 125
	}
	_ = say.Encode(News{Started: true})
	start := time.Now()
	pid, err := syscall.ForkExec(path, o.Argv, &syscall.ProcAttr{
		Env: o.Env, Files: childFiles(o.ProbeFD),
		Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		_ = say.Encode(News{Failed: fmt.Sprintf("start %s: %v", o.Argv[0], err)})
		return 125
	}
	status := awaitChild(pid)
	n := News{Ended: true, Wall: int64(time.Since(start))}
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_CHILDREN, &ru) == nil {
		n.CPU = ru.Utime.Nano() + ru.Stime.Nano()
		n.MaxRSS = ru.Maxrss << 10
	}
	if status.Signaled() {
		n.Signal = signalName(status.Signal())
	} else {
		n.Exit = status.ExitStatus()
	}
	_ = say.Encode(n)
	return 0
}

// signalName is "SIGSEGV", or "SIG34" for one without a name.
func signalName(s syscall.Signal) string {
	if n := unix.SignalName(s); n != "" {
		return n
	}
	return "SIG" + strconv.Itoa(int(s))
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

// childFiles are the three streams and the observer's channel at ProbeFD.
func childFiles(probe int) []uintptr {
	files := []uintptr{0, 1, 2}
	if probe < 0 {
		return files
	}
	const closed = ^uintptr(0)
	for len(files) < ProbeFD {
		files = append(files, closed)
	}
	return append(files, uintptr(probe))
}

func setLimits(o Order) error {
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
func lookAround() *Sight {
	s := &Sight{Pid: os.Getpid()}
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
