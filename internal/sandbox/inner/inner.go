// Package inner is the first process of an execution: the same program, started
// again, inside bubblewrap at Path and without isolation as Bare. It runs the
// command and tells how that ended, and it ends, with everything below it, when
// whoever gave the order is gone. It takes over while the program's packages are
// still being initialised, for the whole of that costs a run more than everything
// else here (measured: 25 of 30 ms of CPU, regular expressions mostly). Go
// initialises a package as soon as those it imports are ready, so this one
// imports few and none that is slow.
package inner

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Path is where this very program stands inside the sandbox, as its first
// process. bubblewrap itself, and every shell, report "exit 139" both for a
// segmentation fault and for a script that exits with 139; only the parent can
// tell, so the parent is ours. It also sets limits and measures.
const Path = "/.repgen/init"

// Bare is the program's name where nothing is mounted: the kernel's own link to
// it, which holds when the file was replaced meanwhile.
const Bare = "/proc/self/exe"

// coreLimit of one byte, not zero: zero still starts the host's core handler
// where core_pattern is a pipe; one is the value that prevents it (core(5),
// fs/coredump.c).
const coreLimit = 1

// Argv starts the first process: the two descriptors, and a mark by which a
// later start of the program finds it.
func Argv(program string, order, news int, mark string) []string {
	return []string{program, strconv.Itoa(order), strconv.Itoa(news), mark}
}

func init() {
	if len(os.Args) == 4 && (os.Args[0] == Path || os.Args[0] == Bare) {
		runInit(os.Args[1], os.Args[2], os.Args[0] == Bare)
	}
}

// Order is what the first process is told, as JSON on a descriptor. The writer
// keeps that descriptor open: its end is the order to end. Nothing else tells
// reliably that the writer died. A death signal must be asked for, by a process
// that may come too late (measured with bubblewrap's --die-with-parent: one in
// some thirty kills during the start left a process asleep for ever).
type Order struct {
	Argv    []string `json:"argv"` // empty: only look around and say so
	Env     []string `json:"env"`
	ProbeFD int      `json:"probe_fd"` // ours; -1 none. It becomes ProbeFD of the child
	// Limits that a process sets on itself; zero means none.
	CPUSeconds uint64 `json:"cpu_seconds"`
	FileBytes  uint64 `json:"file_bytes"`
	Processes  uint64 `json:"processes"`
	OpenFiles  uint64 `json:"open_files"` // of each process
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

// runInit is the first process. bare says that there is no process namespace
// which ends with it.
func runInit(orderFD, newsFD string, bare bool) {
	stop := make(chan os.Signal, 1)
	if bare {
		// Whoever loses its parent becomes our child, so that none gets away.
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	} else {
		// Without this the child, which has our user id, could open /proc/1/fd and
		// write news of its own.
		_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	}
	// A handler, not "ignore": an ignored signal would stay ignored in the
	// child. The child can then not end us by a signal.
	signal.Notify(stop)
	closeOnExec()
	in, out := fdFile(orderFD), fdFile(newsFD)
	say := json.NewEncoder(out)
	var o Order
	orders := json.NewDecoder(in)
	if err := orders.Decode(&o); err != nil {
		_ = say.Encode(News{Failed: "read the order: " + err.Error()})
		os.Exit(125)
	}
	go func() {
		_ = orders.Decode(new(Order)) // there is no second one: this is the end
		end(bare)
	}()
	go obey(stop, bare)
	if len(o.Argv) == 0 {
		_ = say.Encode(News{Started: true, Ended: true, Sight: lookAround()})
		os.Exit(0)
	}
	os.Exit(supervise(o, say, bare))
}

// obey ends on SIGTERM where that can be the order of our parent. In a process
// namespace it can only be the command's.
func obey(signals <-chan os.Signal, bare bool) {
	for sig := range signals {
		if bare && sig == unix.SIGTERM {
			end(bare)
		}
	}
}

// telling is held by whoever brings things to an end: what the command's killer
// makes of it must not be told as its own end.
var telling sync.Mutex

// end ends everything. A namespace goes with its first process.
func end(bare bool) {
	telling.Lock()
	if bare {
		killChildren()
	}
	os.Exit(125)
}

// killChildren kills what is below us until nothing is: who loses its parent by
// that comes up as a child. Somebody else may be waiting for the same dead, so it
// never waits itself.
func killChildren() {
	for {
		pids := children()
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			_ = unix.Kill(-pid, unix.SIGKILL) // a group of its own, if it has one
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		for dead := 1; dead > 0; {
			dead, _ = syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		}
		time.Sleep(time.Millisecond)
	}
}

// children lists the processes whose parent we are, the dead ones that nobody
// waited for too.
func children() []int {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil
	}
	var out []int
	for _, t := range tasks {
		for s := range strings.FieldsSeq(readAll("/proc/self/task/" + t.Name() + "/children")) {
			if pid, err := strconv.Atoi(s); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
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
func supervise(o Order, say *json.Encoder, bare bool) int {
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
	sys := &syscall.SysProcAttr{Setpgid: true}
	if bare {
		sys.Pdeathsig = unix.SIGKILL // should somebody kill us
	}
	pid, err := syscall.ForkExec(path, o.Argv, &syscall.ProcAttr{Env: o.Env, Files: childFiles(o.ProbeFD), Sys: sys})
	if err != nil {
		_ = say.Encode(News{Failed: fmt.Sprintf("start %s: %v", o.Argv[0], err)})
		return 125
	}
	status := awaitChild(pid)
	telling.Lock()
	n := News{Ended: true, Wall: int64(time.Since(start))}
	if bare {
		killChildren()
	}
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
		{"open files", unix.RLIMIT_NOFILE, o.OpenFiles},
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
