// Package bwrap is the real isolation: bubblewrap's namespaces, a seccomp
// filter, control groups where the kernel lends them, limits, and a first
// process of our own inside that reports how the command ended.
package bwrap

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/inner"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/sandbox/session"
	"github.com/repgen/repgen/internal/system"
	"github.com/repgen/repgen/internal/system/proc"
)

// Options of New; all may be zero.
type Options struct {
	// Bwrap is bubblewrap's program; "" looks on PATH.
	Bwrap string
	// StateDir holds the observer module and the few files of the guest's
	// /etc; "" is a folder of the user's cache.
	StateDir string
	// NoCgroup leaves memory and processes to the watcher even where the
	// kernel could keep the account.
	NoCgroup bool
}

// Sandbox implements sandbox.Sandbox. Between runs it has no state.
type Sandbox struct {
	bwrap    string
	version  string
	hasSize  bool // --size, for tmpfs limits
	exe      string
	state    string
	filter   []byte
	groups   grouper // nil: the watcher
	noGroups string  // why, then
	runs     *session.Runs
	nproc    bool // RLIMIT_NPROC bounds the sandbox alone
	layers   []sandbox.Layer
	rootTree []string // argv for the guest's system folders
	mounts   mountTable
	hidden   [][2]string // paths of every run, and their places inside
}

var hooked atomic.Bool

// Trampoline must be the first call of main (and of TestMain) of a program
// that uses this package: it says that the program knows that it is started
// again inside the sandbox, as the first process there. The taking over itself
// happens in package inner, before main. New refuses to work without the call.
func Trampoline() { hooked.Store(true) }

// New checks that every layer can be set up, by setting them up once around
// nothing (some 20 ms), and fails with a *sandbox.LayerError when one cannot.
func New(ctx context.Context, o Options) (*Sandbox, error) {
	if !hooked.Load() {
		return nil, errors.New("sandbox: bwrap.Trampoline must be the first call of main")
	}
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		return nil, &sandbox.LayerError{Layer: "filesystem", Why: "/proc is not mounted", Fix: "run: mount -t proc proc /proc"}
	}
	s := &Sandbox{}
	s.findGroups(o.NoCgroup)
	var err error
	if s.filter, err = filterBytes(s.deniedBeside()...); err != nil {
		return nil, &sandbox.LayerError{Layer: "seccomp", Why: err.Error(), Fix: "use an amd64 or arm64 machine"}
	}
	if err := s.findBwrap(ctx, o.Bwrap); err != nil {
		return nil, err
	}
	if s.exe, err = os.Executable(); err != nil {
		return nil, fmt.Errorf("sandbox: own program: %w", err)
	}
	if err := s.prepareState(o.StateDir); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	if s.runs, err = session.OpenRuns(filepath.Join(s.state, "runs"), s.clear); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	s.nproc = nprocIsPrivate()
	s.rootTree, s.mounts = systemTree(), readMounts()
	s.hidden = s.hideAlways()
	return s, s.inspect(ctx)
}

// findGroups looks for control groups and remembers why there are none.
func (s *Sandbox) findGroups(unwanted bool) {
	if unwanted {
		s.noGroups = "control groups are not wanted"
		return
	}
	self, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		s.noGroups = "/proc/self/cgroup cannot be read"
		return
	}
	s.groups, s.noGroups = findGrouper(cgroupMount, string(self))
}

// deniedBeside is what only the watcher needs denied.
func (s *Sandbox) deniedBeside() []syscallNumbers {
	if s.groups != nil {
		return nil
	}
	return []syscallNumbers{nrMemfd}
}

// clear removes what the kernel keeps of a dead program's execution.
func (s *Sandbox) clear(mark string) {
	if s.groups != nil {
		s.groups.remove(mark)
	}
}

// findBwrap locates bubblewrap and learns what it can do.
func (s *Sandbox) findBwrap(ctx context.Context, path string) error {
	missing := &sandbox.LayerError{
		Layer: "user-namespace", Why: "bubblewrap (bwrap) is not installed",
		Fix: "run: apt-get install bubblewrap (or your distribution's package of that name)",
	}
	if path == "" {
		path = "bwrap"
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return missing
	}
	if s.bwrap, err = filepath.Abs(found); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	var help, version proc.Result
	var asking errgroup.Group
	for option, answer := range map[string]*proc.Result{"--help": &help, "--version": &version} {
		asking.Go(func() (err error) {
			*answer, err = proc.Run(ctx, proc.Spec{Argv: []string{s.bwrap, option}, Timeout: session.SetupTime})
			return err
		})
	}
	if err := asking.Wait(); err != nil {
		return fmt.Errorf("sandbox: ask bubblewrap: %w", err)
	}
	text := string(help.Stdout) + string(help.Stderr)
	s.hasSize = strings.Contains(text, "--size ")
	s.version = strings.TrimSpace(string(version.Stdout))
	if !strings.Contains(text, "--as-pid-1") || !strings.Contains(text, "--info-fd") {
		missing.Why, missing.Fix = s.version+" is too old", "install bubblewrap 0.4 or later"
		return missing
	}
	return nil
}

// guestFiles are what the guest's /etc holds beside the loader's files: names
// for the user (torch asks for it), and for the loopback (rendezvous).
var guestFiles = map[string]string{
	"passwd":        "user:x:1000:1000::/tmp/home:/bin/sh\n",
	"group":         "user:x:1000:\n",
	"hosts":         "127.0.0.1 localhost " + guestHost + "\n::1 localhost\n",
	"nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}

const (
	guestHost = "sandbox"
	guestUID  = "1000"
)

// prepareState writes the observer and the guest's files.
func (s *Sandbox) prepareState(dir string) error {
	if dir == "" {
		cache, err := system.CacheDir()
		if err != nil {
			return err
		}
		dir = filepath.Join(cache, "sandbox")
	}
	s.state = dir
	for _, d := range []string{s.probeDir(), s.etcDir()} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	for name, text := range guestFiles {
		path := filepath.Join(s.etcDir(), name)
		if have, err := os.ReadFile(path); err == nil && string(have) == text {
			continue
		}
		if err := system.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return probe.Materialise(s.probeDir())
}

func (s *Sandbox) probeDir() string { return filepath.Join(s.state, "probe") }
func (s *Sandbox) etcDir() string   { return filepath.Join(s.state, "etc") }

// nprocIsPrivate: since Linux 5.14 RLIMIT_NPROC counts per user namespace, so
// it bounds a fork bomb without control groups; before, it counted all of the
// user's processes. The kernel exempts root, who has control groups.
func nprocIsPrivate() bool {
	return os.Geteuid() != 0 && kernelAtLeast(5, 14)
}

// Layers reports the layers as New found them from inside: looking again would
// cost as much as a run, and each run fails by itself when one is gone.
func (s *Sandbox) Layers(context.Context) ([]sandbox.Layer, error) {
	return slices.Clone(s.layers), nil
}

// inspect runs nothing in the sandbox and looks around in there.
func (s *Sandbox) inspect(ctx context.Context) error {
	r, err := s.prepare(sandbox.Command{}, sandbox.DefaultLimits())
	if err != nil {
		return err
	}
	defer r.close()
	_, err = r.execute(ctx)
	if err != nil {
		return err
	}
	if r.Last.Sight == nil {
		return errors.New("sandbox: the first process said nothing")
	}
	layers, err := s.describe(*r.Last.Sight)
	if err == nil && s.layers == nil {
		s.layers = layers // before New returns; afterwards only read
	}
	return err
}

// watched is how a limit is kept that the kernel does not hold.
const watched = "watcher, every 20 ms"

// describe turns what was seen into layers; one that should be there and is
// not is an error.
func (s *Sandbox) describe(in inner.Sight) ([]sandbox.Layer, error) {
	name := "bubblewrap " + strings.TrimPrefix(s.version, "bubblewrap ")
	fail := func(layer, why string) error {
		return &sandbox.LayerError{Layer: layer, Why: why, Fix: "report this with the output of bwrap --version"}
	}
	switch {
	case !strings.HasPrefix(in.UIDMap, guestUID+" ") || strings.Trim(in.Caps, "0") != "":
		return nil, fail("user-namespace", "user map "+in.UIDMap+", capabilities "+in.Caps)
	case in.Pid != 1:
		return nil, fail("pids", fmt.Sprintf("the first process has number %d", in.Pid))
	case strings.Join(in.Interfaces, " ") != "lo":
		return nil, fail("network", "interfaces "+strings.Join(in.Interfaces, " "))
	case !in.RootRO:
		return nil, fail("filesystem", "the root folder can be written")
	case in.Seccomp != "2" || in.NoNewPrivs != "1":
		return nil, fail("seccomp", "mode "+in.Seccomp)
	}
	pids := sandbox.Layer{Name: "pids", Active: true, How: "private namespace, "}
	memory := sandbox.Layer{Name: "memory", Active: true}
	switch {
	case s.groups != nil:
		pids.How += s.groups.how()
		memory.How = s.groups.how()
	case s.nproc:
		pids.How += "RLIMIT_NPROC"
	default:
		pids.How += watched
		pids.Weak = s.noGroups
	}
	if s.groups == nil {
		memory.How = watched + "; memfd_create denied"
		memory.Weak = s.noGroups
	}
	return []sandbox.Layer{
		{Name: "user-namespace", Active: true, How: name},
		{Name: "network", Active: true, How: "private namespace, loopback only"},
		{Name: "filesystem", Active: true, How: "private tree, read-only but for work and temporary folders"},
		{Name: "seccomp", Active: true, How: fmt.Sprintf("%d calls denied, %s", len(denied)+len(s.deniedBeside()), runtime.GOARCH)},
		pids,
		memory,
		{Name: "disk", Active: true, How: "watcher: names, open files, bytes written; fallocate denied"},
		{Name: "session", Active: true, How: "new session, no terminal"},
		{Name: "environment", Active: true, How: "cleared"},
	}, nil
}
