package bwrap

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/sandboxtest"
)

func TestEscape(t *testing.T) {
	sandboxtest.Escape(t, func(t *testing.T) sandbox.Sandbox { return open(t, Options{}) })
}

func TestEscapeWithoutCgroup(t *testing.T) {
	sandboxtest.Escape(t, func(t *testing.T) sandbox.Sandbox { return open(t, Options{NoCgroup: true}) })
}

// syscalls makes raw calls: sys.argv[1] is a JSON list of lists, number and
// arguments. It prints the error number of each, 0 for success.
const syscalls = `
import ctypes, json, sys
libc = ctypes.CDLL(None, use_errno=True)
out = []
for call in json.loads(sys.argv[1]):
    ctypes.set_errno(0)
    r = libc.syscall(*[ctypes.c_long(x) for x in call])
    out.append(ctypes.get_errno() if r == -1 else 0)
print(json.dumps(out))`

// errnos makes the calls inside and gives their error numbers.
func errnos(t *testing.T, s *Sandbox, calls [][]int64) []unix.Errno {
	t.Helper()
	arg, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	ex, err := s.Run(t.Context(), sandbox.Command{Argv: []string{"/usr/bin/python3", "-c", syscalls, string(arg)}}, sandbox.Limits{})
	if err != nil || ex.Outcome != sandbox.Exited || ex.ExitCode != 0 {
		t.Fatalf("%v, %s %d %s: %s", err, ex.Outcome, ex.ExitCode, ex.Signal, ex.Stderr)
	}
	var out []unix.Errno
	if err := json.Unmarshal([]byte(ex.Stdout), &out); err != nil || len(out) != len(calls) {
		t.Fatalf("%v: %q", err, ex.Stdout)
	}
	return out
}

// TestDeniedCalls makes every denied call in the sandbox. Arguments are
// harmless zeros: a kernel without the filter would mostly answer otherwise.
func TestDeniedCalls(t *testing.T) {
	sandboxtest.Real(t)
	s := open(t, Options{})
	column := arches[runtime.GOARCH].nr
	var names []string
	var want []unix.Errno
	var calls [][]int64
	add := func(name string, e unix.Errno, call ...int64) {
		names, want, calls = append(names, name), append(want, e), append(calls, call)
	}
	for _, d := range denied {
		if n := column(d); n >= 0 {
			add(d.name, d.answer(), int64(n), 0, 0, 0, 0, 0, 0)
		}
	}
	const sigchld = 17
	for _, flag := range []int64{unix.CLONE_NEWUSER, unix.CLONE_NEWNS, unix.CLONE_NEWPID, unix.CLONE_NEWNET, unix.CLONE_NEWIPC, unix.CLONE_NEWUTS, unix.CLONE_NEWCGROUP} {
		add(fmt.Sprintf("clone %#x", flag), unix.EPERM, int64(column(nrClone)), flag|sigchld, 0, 0, 0, 0)
	}
	for _, family := range []int64{unix.AF_VSOCK, unix.AF_PACKET, unix.AF_ALG, unix.AF_BLUETOOTH, unix.AF_KEY, unix.AF_CAN, unix.AF_XDP, unix.AF_TIPC, 1 << 32} {
		add(fmt.Sprintf("socket %d", family), unix.EAFNOSUPPORT, int64(column(nrSocket)), family, unix.SOCK_STREAM, 0)
		add(fmt.Sprintf("socketpair %d", family), unix.EAFNOSUPPORT, int64(column(nrSocketpair)), family, unix.SOCK_STREAM, 0, 0)
	}
	// The kernel compares 32 bits of an ioctl's number; so must we.
	add("ioctl TIOCSTI", unix.EPERM, int64(column(nrIoctl)), 0, unix.TIOCSTI, 0)
	add("ioctl TIOCSTI, high bits", unix.EPERM, int64(column(nrIoctl)), 0, 1<<40|unix.TIOCSTI, 0)
	add("ioctl TIOCLINUX", unix.EPERM, int64(column(nrIoctl)), 0, unix.TIOCLINUX, 0)
	if runtime.GOARCH == "amd64" {
		add("x32 getpid", unix.ENOSYS, x32Bit|unix.SYS_GETPID)
	}
	for i, got := range errnos(t, s, calls) {
		if got != want[i] {
			t.Errorf("%s: %v, want %v", names[i], got, want[i])
		}
	}
}

// TestAllowedCalls: what ordinary programs need goes through.
func TestAllowedCalls(t *testing.T) {
	sandboxtest.Real(t)
	column := arches[runtime.GOARCH].nr
	var calls [][]int64
	for _, f := range families {
		kind := int64(unix.SOCK_DGRAM)
		calls = append(calls, []int64{int64(column(nrSocket)), int64(f), kind, 0})
	}
	calls = append(calls, []int64{unix.SYS_GETPID}, []int64{unix.SYS_SCHED_YIELD})
	for i, got := range errnos(t, open(t, Options{}), calls) {
		if got != 0 {
			t.Errorf("call %v: %v", calls[i], got)
		}
	}
}

// TestOtherArchitecture enters the 32-bit call table by int 0x80, which a
// filter on numbers alone does not notice (20 is getpid there, writev here).
func TestOtherArchitecture(t *testing.T) {
	sandboxtest.Real(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("int 0x80 is an instruction of amd64")
	}
	code := `
import ctypes, mmap
m = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
m.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # mov eax, 20; int 0x80; ret
print("calling", flush=True)
f = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))
print("pid", f())`
	ex, err := open(t, Options{}).Run(t.Context(), sandbox.Command{Argv: []string{"/usr/bin/python3", "-c", code}}, sandbox.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if ex.Outcome != sandbox.Signaled || ex.Signal != "SIGSYS" || !strings.HasPrefix(ex.Stdout, "calling") || strings.Contains(ex.Stdout, "pid") {
		t.Errorf("%s %s %d: %q %s", ex.Outcome, ex.Signal, ex.ExitCode, ex.Stdout, ex.Stderr)
	}
}
