package bwrap

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/inner"
	"github.com/repgen/repgen/internal/sandbox/sandboxtest"
	"github.com/repgen/repgen/internal/sandbox/session"
)

// fakeBwrap answers questions like the real one and fails like the text says.
func fakeBwrap(t *testing.T, help, failure string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bwrap")
	script := "#!/bin/sh\ncase \"$1\" in\n--help) echo '" + help + "';;\n--version) echo 'bubblewrap 9.9';;\n*) " + failure + ";;\nesac\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

const goodHelp = "--as-pid-1 --info-fd FD --size BYTES"

// TestFailsClosed: no layer is ever left out silently.
func TestFailsClosed(t *testing.T) {
	say := func(text string) string { return fakeBwrap(t, goodHelp, "echo 'bwrap: "+text+"' >&2; exit 1") }
	tests := map[string]struct{ bwrap, layer, fix string }{
		"not installed":  {filepath.Join(t.TempDir(), "absent"), "user-namespace", "apt-get install bubblewrap"},
		"too old":        {fakeBwrap(t, "--bind", "exit 0"), "user-namespace", "0.4 or later"},
		"namespaces off": {say("No permissions to create new namespace, likely because"), "user-namespace", "sysctl"},
		"none left":      {say("Creating new namespace failed: No space left on device"), "user-namespace", "max_user_namespaces"},
		"restricted":     {say("setting up uid map: Permission denied"), "user-namespace", "apparmor_restrict"},
		"loopback":       {say("loopback: Failed RTM_NEWADDR: Operation not permitted"), "user-namespace", "sysctl"},
		"no seccomp":     {say("prctl(PR_SET_SECCOMP): Invalid argument, seccomp"), "seccomp", "CONFIG_SECCOMP_FILTER"},
		"bind":           {say("Unable to find source path /usr: Permission denied"), "filesystem", "can be read"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, err := New(t.Context(), Options{Bwrap: tt.bwrap, StateDir: t.TempDir()})
			var layer *sandbox.LayerError
			if !errors.As(err, &layer) {
				t.Fatalf("New = %v, %v", s, err)
			}
			if layer.Layer != tt.layer || !strings.Contains(layer.Error(), tt.fix) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// noGroup is a place for groups that is full, or was made unwritable meanwhile.
type noGroup struct{ grouper }

func (noGroup) create(string, sandbox.Limits) (group, error) {
	return nil, fmt.Errorf("mkdir /sys/fs/cgroup/x: %w", os.ErrPermission)
}

// TestMachineTrouble: what the machine lacks is an error that names it, before
// anything runs, and leaves nothing.
func TestMachineTrouble(t *testing.T) {
	s := &Sandbox{bwrap: "/bin/false", state: t.TempDir(), groups: noGroup{}}
	var err error
	if s.runs, err = session.OpenRuns(filepath.Join(s.state, "runs"), nil); err != nil {
		t.Fatal(err)
	}
	var layer *sandbox.LayerError
	c := sandbox.Command{Argv: []string{"true"}}
	if _, err := s.Run(t.Context(), c, sandbox.Limits{}); !errors.As(err, &layer) || layer.Layer != "memory" {
		t.Errorf("no group can be made: %v", err)
	}
	s.groups = nil
	c.Work = "/proc" // a disk without any space
	if ex, err := s.Run(t.Context(), c, sandbox.Limits{}); err == nil || !strings.Contains(err.Error(), "full") || ex.Outcome != "" {
		t.Errorf("a full disk: %v, %q", err, ex.Outcome)
	}
	c.Work = ""
	if ex, err := s.Run(t.Context(), c, sandbox.Limits{}); err == nil || ex.Outcome != "" {
		t.Errorf("a bubblewrap that does nothing: %v, %q", err, ex.Outcome)
	}
	if active := active(t, s); active != "" {
		t.Errorf("marked as under way: %q", active)
	}
}

// TestFakesAreNotBelieved: a bubblewrap that isolates nothing, or says
// nothing, gives no sandbox.
func TestFakesAreNotBelieved(t *testing.T) {
	for name, behaviour := range map[string]string{
		"silent":       "exit 0",
		"wrong answer": `echo '{"child-pid": 1}' >&4; exit 0`,
		"garbage":      `echo garbage >&4; echo '{"started":true,"ended":true}' >&5; exit 0`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := New(t.Context(), Options{Bwrap: fakeBwrap(t, goodHelp, behaviour), StateDir: t.TempDir()}); err == nil {
				t.Error("New gave a sandbox")
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	s := &Sandbox{version: "bubblewrap 1.2"}
	good := inner.Sight{Seccomp: "2", NoNewPrivs: "1", Caps: "0000000000000000", Pid: 1, Interfaces: []string{"lo"}, UIDMap: guestUID + " 0 1", RootRO: true}
	layers, err := s.describe(good)
	if err != nil || len(layers) != 9 || layers[0].How != "bubblewrap 1.2" {
		t.Errorf("layers %v, %v", layers, err)
	}
	for layer, spoil := range map[string]func(*inner.Sight){
		"user-namespace": func(s *inner.Sight) { s.UIDMap = "0 0 4294967295" },
		"pids":           func(s *inner.Sight) { s.Pid = 812 },
		"network":        func(s *inner.Sight) { s.Interfaces = append(s.Interfaces, "eth0") },
		"filesystem":     func(s *inner.Sight) { s.RootRO = false },
		"seccomp":        func(s *inner.Sight) { s.Seccomp = "0" },
	} {
		bad := good
		spoil(&bad)
		_, err := s.describe(bad)
		var got *sandbox.LayerError
		if !errors.As(err, &got) || got.Layer != layer {
			t.Errorf("%s: %v", layer, err)
		}
	}
	bad := good
	bad.Caps = "000001ffffffffff"
	if _, err := s.describe(bad); err == nil {
		t.Error("capabilities inside were accepted")
	}
}

func TestNeedsTrampoline(t *testing.T) {
	hooked.Store(false)
	defer hooked.Store(true)
	if _, err := New(t.Context(), Options{StateDir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "Trampoline") {
		t.Errorf("New in a program without the hook: %v", err)
	}
}

func TestStateCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(t.Context(), Options{Bwrap: fakeBwrap(t, goodHelp, "exit 0"), StateDir: filepath.Join(file, "x")}); err == nil {
		t.Error("New without a place for its files")
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	mount := func(host, guest string) sandbox.Command {
		return sandbox.Command{Mounts: []sandbox.Mount{{Host: host, Guest: guest}}}
	}
	for _, c := range []sandbox.Command{mount(dir, "/env"), mount(dir, "/data/x"), mount(dir, "/box/in"), {Env: map[string]string{"A": "="}}} {
		if err := check(c); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for _, c := range []sandbox.Command{
		mount(dir, "/"), mount(dir, "/etc"), mount(dir, "/etc/ssl"), mount(dir, "/env/"), mount(dir, "env"), mount(dir, "/a/../proc"),
		mount("x", "/env"), mount(dir+"/absent", "/env"), mount(dir, sandbox.WorkDir), mount(dir, sandbox.ProbeDir),
		{Work: "relative"}, {Work: dir + "/absent"}, {Work: "/etc/passwd"},
		{Env: map[string]string{"A=B": "x"}}, {Env: map[string]string{"": "x"}},
	} {
		if err := check(c); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}

// TestArgvOrder: what hides must come before what it would hide.
func TestArgvOrder(t *testing.T) {
	s := &Sandbox{hasSize: true, exe: "/exe", state: "/state", rootTree: systemTree()}
	c := sandbox.Command{Mounts: []sandbox.Mount{{Host: "/h/deep", Guest: "/tmp/a/b"}, {Host: "/h", Guest: "/tmp/a", Writable: true}}}
	line := strings.Join(s.argv(c, sandbox.DefaultLimits(), "/w", childFDs{3, 4}, []string{inner.Path, "5", "6", "mark"}), " ")
	last := -1
	for _, part := range []string{
		"--clearenv", "--ro-bind /usr /usr", "--proc /proc", "--size 4294967296 --tmpfs /tmp", "--bind /h /tmp/a", "--ro-bind /h/deep /tmp/a/b",
		"--bind /w /box", "--remount-ro / ", "--seccomp 3", "-- " + inner.Path + " 5 6 mark",
	} {
		at := strings.Index(line, part)
		if at <= last {
			t.Errorf("%q stands at %d, after %d, in %s", part, at, last, line)
		}
		last = at
	}
	if strings.Contains(line, sandbox.ProbeDir) {
		t.Error("the observer is mounted unasked")
	}
	s.hasSize = false
	if strings.Contains(strings.Join(s.argv(c, sandbox.DefaultLimits(), "/w", childFDs{}, nil), " "), "--size") {
		t.Error("an option that this bubblewrap lacks")
	}
}

func TestKernelAtLeast(t *testing.T) {
	if !kernelAtLeast(2, 6) || !kernelAtLeast(3, 99) || kernelAtLeast(999, 0) {
		t.Error("the kernel's release is misread")
	}
}

// roleVar makes the test binary a program that runs a sandbox.
const roleVar = "REPGEN_TEST_RUNNER"

// runner is the program that TestKills kills.
func runner(state string) int {
	s, err := New(context.Background(), Options{StateDir: state, NoCgroup: os.Getenv(roleVar+"_WATCHER") != ""})
	if err == nil {
		err = sandboxtest.Victim(s, state)
	}
	_, _ = fmt.Fprintln(os.Stderr, err)
	return 1
}

// TestKills: kill -9 of the program takes the sandbox with it, whenever it
// comes, and the next start clears what the kernel kept of it.
func TestKills(t *testing.T) {
	for name, watcher := range map[string]string{"cgroup": "", "watcher": "1"} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			sandboxtest.Kills(t, state, func() *exec.Cmd {
				cmd := exec.Command(os.Args[0], state)
				cmd.Env = append(os.Environ(), roleVar+"="+state, roleVar+"_WATCHER="+watcher)
				return cmd
			})
			left := sandboxtest.Marks(t, filepath.Join(state, "runs"))
			s, err := New(t.Context(), Options{StateDir: state})
			if err != nil {
				t.Fatal(err)
			}
			var still []string
			if g, ok := s.groups.(v1); ok {
				for _, dir := range g.parents {
					still = append(still, names(t, dir)...)
				}
			}
			if files := names(t, filepath.Join(state, "runs")); len(files) != 1 {
				t.Errorf("files that are not swept: %v", files)
			}
			for _, mark := range left {
				if slices.Contains(still, mark) {
					t.Errorf("not swept: %s", mark)
				}
			}
		})
	}
}

func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// TestNothingLeft: after runs of every kind no group, no folder, no process.
func TestNothingLeft(t *testing.T) {
	sandboxtest.Real(t)
	t.Setenv("TMPDIR", t.TempDir())
	s := open(t, Options{})
	for _, code := range []string{"", "import os; os.abort()", "while True: pass"} {
		if _, err := s.Run(t.Context(), sandbox.Command{Argv: []string{"/usr/bin/python3", "-c", code}}, sandbox.Limits{Wall: 300 * time.Millisecond}); err != nil {
			t.Fatal(err)
		}
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) != 0 {
		t.Errorf("temporary files left: %v, %v", left, err)
	}
	if active := active(t, s); active != "" {
		t.Errorf("marked as under way: %q", active)
	}
}

// active is what a killed program would leave of its marks now.
func active(t *testing.T, s *Sandbox) string {
	t.Helper()
	files := names(t, filepath.Join(s.state, "runs"))
	if len(files) != 1 {
		t.Fatalf("files %v", files)
	}
	text, err := os.ReadFile(filepath.Join(s.state, "runs", files[0]))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut("\n"+string(text), "\n.\n")
	return first
}

// The two benchmarks belong together: their difference is what the sandbox
// costs a run.
func BenchmarkBarePython(b *testing.B) {
	sandboxtest.Real(b)
	for b.Loop() {
		if err := exec.Command("/usr/bin/python3", "-c", "").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBwrapEmptyPython(b *testing.B) {
	sandboxtest.Real(b)
	b.Run("cgroup", func(b *testing.B) { emptyPython(b, open(b, Options{})) })
	b.Run("watcher", func(b *testing.B) { emptyPython(b, open(b, Options{NoCgroup: true})) })
}

func emptyPython(b *testing.B, s *Sandbox) {
	for b.Loop() {
		ex, err := s.Run(b.Context(), sandbox.Command{Argv: []string{"/usr/bin/python3", "-c", ""}}, sandbox.Limits{})
		if err != nil || ex.ExitCode != 0 {
			b.Fatal(ex.Outcome, err)
		}
	}
}
