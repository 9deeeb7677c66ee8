package bwrap

import (
	"encoding/binary"
	"runtime"
	"testing"

	elastic "github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// TestNumbers compares our table with another project's, for both machines.
func TestNumbers(t *testing.T) {
	all := append([]syscallNumbers{nrClone, nrSocket, nrSocketpair, nrIoctl, nrSetsockopt, nrMemfd}, denied...)
	seen := map[string]bool{}
	for _, n := range all {
		if seen[n.name] {
			t.Errorf("%s stands twice", n.name)
		}
		seen[n.name] = true
		for _, col := range []struct {
			info *elastic.Info
			have int
		}{{elastic.X86_64, n.amd64}, {elastic.AARCH64, n.arm64}} {
			want, ok := col.info.SyscallNames[n.name]
			if !ok {
				want = -1
			}
			if col.have != want {
				t.Errorf("%s on %s: %d, want %d", n.name, col.info.Name, col.have, want)
			}
		}
	}
}

// TestNumbersOfThisMachine compares with the system library's constants, as
// far as it has them for both machines.
func TestNumbersOfThisMachine(t *testing.T) {
	a, ok := arches[runtime.GOARCH]
	if !ok {
		t.Skip("no table for " + runtime.GOARCH)
	}
	want := map[string]int{
		"ptrace": unix.SYS_PTRACE, "mount": unix.SYS_MOUNT, "unshare": unix.SYS_UNSHARE, "setns": unix.SYS_SETNS,
		"bpf": unix.SYS_BPF, "keyctl": unix.SYS_KEYCTL, "userfaultfd": unix.SYS_USERFAULTFD,
		"io_uring_setup": unix.SYS_IO_URING_SETUP, "clone3": unix.SYS_CLONE3, "move_mount": unix.SYS_MOVE_MOUNT,
		"open_by_handle_at": unix.SYS_OPEN_BY_HANDLE_AT, "pidfd_getfd": unix.SYS_PIDFD_GETFD,
	}
	found := 0
	for _, n := range denied {
		if w, ok := want[n.name]; ok {
			found++
			if a.nr(n) != w {
				t.Errorf("%s: %d, want %d", n.name, a.nr(n), w)
			}
		}
	}
	if found != len(want) {
		t.Errorf("only %d of %d are denied", found, len(want))
	}
}

// call is one question to a filter.
type call struct {
	audit, nr        uint32
	arg0, arg1, arg2 uint64
}

// judge runs the filter in a virtual machine. That machine reads big-endian
// words, the kernel reads native ones, so the question is laid out that way.
func judge(t interface{ Fatal(...any) }, vm *bpf.VM, c call) uint32 {
	var data [64]byte
	binary.BigEndian.PutUint32(data[offNr:], c.nr)
	binary.BigEndian.PutUint32(data[offArch:], c.audit)
	for off, v := range map[int]uint64{offArg0: c.arg0, offArg1: c.arg1, offArg2: c.arg2} {
		binary.BigEndian.PutUint32(data[off:], uint32(v))
		binary.BigEndian.PutUint32(data[off+4:], uint32(v>>32))
	}
	got, err := vm.Run(data[:])
	if err != nil {
		t.Fatal(err)
	}
	return uint32(got)
}

func machine(t *testing.T, goarch string, more ...syscallNumbers) *bpf.VM {
	t.Helper()
	prog, err := filter(goarch, more...)
	if err != nil {
		t.Fatal(err)
	}
	vm, err := bpf.NewVM(prog)
	if err != nil {
		t.Fatal(err)
	}
	return vm
}

func TestFilterRules(t *testing.T) {
	const eperm, enosys = retErrno | uint32(unix.EPERM), retErrno | uint32(unix.ENOSYS)
	const family, nospace = retErrno | uint32(unix.EAFNOSUPPORT), retErrno | uint32(unix.EOPNOTSUPP)
	for goarch, a := range arches {
		vm := machine(t, goarch)
		nr := func(n syscallNumbers) uint32 { return uint32(a.nr(n)) }
		tests := map[string]struct {
			c    call
			want uint32
		}{
			"plain clone":          {call{a.audit, nr(nrClone), unix.CLONE_VM | unix.CLONE_THREAD, 0, 0}, retAllow},
			"fork":                 {call{a.audit, nr(nrClone), 17, 0, 0}, retAllow},
			"clone, user":          {call{a.audit, nr(nrClone), unix.CLONE_NEWUSER | 17, 0, 0}, eperm},
			"clone, cgroup":        {call{a.audit, nr(nrClone), unix.CLONE_NEWCGROUP, 0, 0}, eperm},
			"socket inet":          {call{a.audit, nr(nrSocket), unix.AF_INET, 0, 0}, retAllow},
			"socket inet6":         {call{a.audit, nr(nrSocket), unix.AF_INET6, 0, 0}, retAllow},
			"socket unix":          {call{a.audit, nr(nrSocket), unix.AF_UNIX, 0, 0}, retAllow},
			"socketpair unix":      {call{a.audit, nr(nrSocketpair), unix.AF_UNIX, 0, 0}, retAllow},
			"socket netlink":       {call{a.audit, nr(nrSocket), unix.AF_NETLINK, 0, 0}, retAllow},
			"socket vsock":         {call{a.audit, nr(nrSocket), unix.AF_VSOCK, 0, 0}, family},
			"socket vsock, high":   {call{a.audit, nr(nrSocket), 1<<33 | unix.AF_VSOCK, 0, 0}, family},
			"ioctl size":           {call{a.audit, nr(nrIoctl), 0, unix.TIOCGWINSZ, 0}, retAllow},
			"ioctl push":           {call{a.audit, nr(nrIoctl), 0, unix.TIOCSTI, 0}, eperm},
			"ioctl push, high bit": {call{a.audit, nr(nrIoctl), 0, 1<<32 | unix.TIOCSTI, 0}, eperm},
			"ioctl reserve":        {call{a.audit, nr(nrIoctl), 0, 0x4030582a, 0}, nospace},
			"ioctl old reserve":    {call{a.audit, nr(nrIoctl), 0, 1<<33 | 0x40305824, 0}, nospace},
			"fallocate":            {call{a.audit, number(a, "fallocate"), 0, 0, 0}, nospace},
			"setsockopt buffer":    {call{a.audit, nr(nrSetsockopt), 0, unix.SOL_SOCKET, unix.SO_SNDBUF}, retErrno},
			"setsockopt reuse":     {call{a.audit, nr(nrSetsockopt), 0, unix.SOL_SOCKET, unix.SO_REUSEADDR}, retAllow},
			"setsockopt tcp":       {call{a.audit, nr(nrSetsockopt), 0, unix.IPPROTO_TCP, unix.SO_SNDBUF}, retAllow},
			"memfd, in a group":    {call{a.audit, nr(nrMemfd), 0, 0, 0}, retAllow},
			"i386":                 {call{unix.AUDIT_ARCH_I386, 20, 0, 0, 0}, retKill},
			"arm":                  {call{unix.AUDIT_ARCH_ARM, 20, 0, 0, 0}, retKill},
			"no such call":         {call{a.audit, 5000, 0, 0, 0}, retAllow},
		}
		if a.x32 {
			tests["x32"] = struct {
				c    call
				want uint32
			}{call{a.audit, x32Bit | 39, 0, 0, 0}, enosys}
		}
		for name, tt := range tests {
			if got := judge(t, vm, tt.c); got != tt.want {
				t.Errorf("%s, %s: %#x, want %#x", goarch, name, got, tt.want)
			}
		}
		// Without a group more is denied.
		if got := judge(t, machine(t, goarch, nrMemfd), call{a.audit, nr(nrMemfd), 0, 0, 0}); got != enosys {
			t.Errorf("%s, memfd: %#x", goarch, got)
		}
	}
}

// number finds a denied call.
func number(a arch, name string) uint32 {
	for _, d := range denied {
		if d.name == name {
			return uint32(a.nr(d))
		}
	}
	return 0
}

// TestFilterDecides: for any question the answer is the table's.
func TestFilterDecides(t *testing.T) {
	for goarch, a := range arches {
		vm := machine(t, goarch)
		list := map[uint32]uint32{}
		for _, d := range denied {
			if n := a.nr(d); n >= 0 {
				list[uint32(n)] = retErrno | uint32(d.answer())
			}
		}
		special := map[uint32]bool{}
		for _, n := range []syscallNumbers{nrClone, nrSocket, nrSocketpair, nrIoctl, nrSetsockopt} {
			special[uint32(a.nr(n))] = true
		}
		rapid.Check(t, func(t *rapid.T) {
			c := call{a.audit, rapid.Uint32Range(0, 600).Draw(t, "nr"), rapid.Uint64().Draw(t, "arg0"), rapid.Uint64().Draw(t, "arg1"), 0}
			if special[c.nr] {
				return // TestFilterRules
			}
			want, ok := list[c.nr]
			if !ok {
				want = retAllow
			}
			if got := judge(t, vm, c); got != want {
				t.Fatalf("%s call %d: %#x, want %#x", goarch, c.nr, got, want)
			}
			c.audit++
			if got := judge(t, vm, c); got != retKill {
				t.Fatalf("%s, other architecture: %#x", goarch, got)
			}
		})
	}
}

func TestFilterBytes(t *testing.T) {
	if _, err := filter("riscv64"); err == nil {
		t.Error("a filter without a table")
	}
	raw, err := filterBytes()
	if err != nil {
		t.Fatal(err)
	}
	// struct sock_filter has 8 bytes; the kernel takes at most 4096 of them.
	if n := len(raw) / 8; len(raw)%8 != 0 || n < len(denied) || n > 4096 {
		t.Errorf("%d bytes", len(raw))
	}
}
