package bwrap

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Answers of the filter (linux/seccomp.h).
const (
	retKill  = 0x80000000 // SECCOMP_RET_KILL_PROCESS
	retErrno = 0x00050000 // SECCOMP_RET_ERRNO, the number in the low half
	retAllow = 0x7fff0000 // SECCOMP_RET_ALLOW
)

// Offsets in struct seccomp_data; both architectures are little-endian, so the
// low half of an argument comes first. The kernel reads flags, families and
// ioctl numbers as 32 bits, hence the low half is all there is to compare.
const (
	offNr   = 0
	offArch = 4
	offArg0 = 16
	offArg1 = 24
	offArg2 = 32
)

// x32Bit marks calls of the x32 ABI, which has the architecture word of
// x86-64 and a call table of its own.
const x32Bit = 0x40000000

// namespaceFlags are the CLONE_NEW* bits (linux/sched.h). CLONE_NEWTIME shares
// its bit with the exit signal of clone and only works with unshare and
// clone3, which are denied whole.
const namespaceFlags = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// families are the only kinds of socket: AF_VSOCK, for one, is not confined by
// a network namespace.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

// pushBack are terminal requests that put input into somebody's shell.
var pushBack = []uint32{unix.TIOCSTI, unix.TIOCLINUX}

// allocate are requests for space on a disk that write nothing: what fallocate
// does, by older ways (linux/falloc.h: FS_IOC_RESVSP, RESVSP64, ZERO_RANGE;
// xfs_fs.h: XFS_IOC_ALLOCSP, ALLOCSP64).
var allocate = []uint32{0x40305828, 0x4030582a, 0x40305839, 0x4030580a, 0x40305824}

// buffers are options that let a socket hold more than the kernel's default; the
// watcher reckons with that. The answer is success, for the kernel itself grants
// only what it likes.
var buffers = []uint32{unix.SO_SNDBUF, unix.SO_RCVBUF, unix.SO_SNDBUFFORCE, unix.SO_RCVBUFFORCE}

// arch is one row of the architecture table.
type arch struct {
	audit uint32                   // AUDIT_ARCH_*
	nr    func(syscallNumbers) int // its column
	x32   bool
}

var arches = map[string]arch{
	"amd64": {audit: unix.AUDIT_ARCH_X86_64, nr: func(n syscallNumbers) int { return n.amd64 }, x32: true},
	"arm64": {audit: unix.AUDIT_ARCH_AARCH64, nr: func(n syscallNumbers) int { return n.arm64 }},
}

// filter builds the program for one architecture. It denies by list: a list of
// what numerical libraries need would break with each of their releases, and
// this is one layer of several. Order matters: the architecture is judged
// before any number, for a number means something else in another table. more
// are denied beside the list.
func filter(goarch string, more ...syscallNumbers) ([]bpf.Instruction, error) {
	a, ok := arches[goarch]
	if !ok {
		return nil, fmt.Errorf("seccomp: no call table for %s", goarch)
	}
	prog := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: a.audit, SkipTrue: 1},
		bpf.RetConstant{Val: retKill},
		bpf.LoadAbsolute{Off: offNr, Size: 4},
	}
	if a.x32 {
		// ENOSYS, as a kernel without x32 says; it also answers call -1.
		prog = append(prog,
			bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: x32Bit, SkipFalse: 1},
			errno(unix.ENOSYS))
	}
	for _, d := range slices.Concat(denied, more) {
		if n := a.nr(d); n >= 0 {
			prog = append(prog, onCall(n, errno(d.answer()))...)
		}
	}
	prog = append(prog, argumentRules(a)...)
	return append(prog, bpf.RetConstant{Val: retAllow}), nil
}

// argumentRules look at one argument of calls that are otherwise allowed.
func argumentRules(a arch) []bpf.Instruction {
	deny := errno(unix.EPERM)
	clone := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArg0, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: namespaceFlags, SkipFalse: 1},
		deny,
		bpf.RetConstant{Val: retAllow},
	}
	socket := []bpf.Instruction{bpf.LoadAbsolute{Off: offArg0, Size: 4}}
	for _, f := range families {
		socket = append(socket, bpf.JumpIf{Cond: bpf.JumpEqual, Val: f, SkipFalse: 1}, bpf.RetConstant{Val: retAllow})
	}
	socket = append(socket, errno(unix.EAFNOSUPPORT))
	ioctl := []bpf.Instruction{bpf.LoadAbsolute{Off: offArg1, Size: 4}}
	for _, r := range pushBack {
		ioctl = append(ioctl, onCall(int(r), deny)...)
	}
	for _, r := range allocate {
		ioctl = append(ioctl, onCall(int(r), errno(unix.EOPNOTSUPP))...)
	}
	ioctl = append(ioctl, bpf.RetConstant{Val: retAllow})
	setsockopt := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArg1, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOL_SOCKET, SkipTrue: 1},
		bpf.RetConstant{Val: retAllow},
		bpf.LoadAbsolute{Off: offArg2, Size: 4},
	}
	for _, o := range buffers {
		setsockopt = append(setsockopt, onCall(int(o), errno(0))...)
	}
	setsockopt = append(setsockopt, bpf.RetConstant{Val: retAllow})

	var out []bpf.Instruction
	out = append(out, onCall(a.nr(nrClone), clone...)...)
	out = append(out, onCall(a.nr(nrSocket), socket...)...)
	out = append(out, onCall(a.nr(nrSocketpair), socket...)...)
	out = append(out, onCall(a.nr(nrIoctl), ioctl...)...)
	return append(out, onCall(a.nr(nrSetsockopt), setsockopt...)...)
}

// onCall runs then when the accumulator equals n; then must end in a return.
func onCall(n int, then ...bpf.Instruction) []bpf.Instruction {
	skip := bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(n), SkipFalse: uint8(len(then))}
	return append([]bpf.Instruction{skip}, then...)
}

func errno(e unix.Errno) bpf.Instruction { return bpf.RetConstant{Val: retErrno | uint32(e)} }

// filterBytes is the program for this machine as the array of struct
// sock_filter that bubblewrap reads from a descriptor.
func filterBytes(more ...syscallNumbers) ([]byte, error) {
	prog, err := filter(runtime.GOARCH, more...)
	if err != nil {
		return nil, err
	}
	raw, err := bpf.Assemble(prog)
	if err != nil {
		return nil, fmt.Errorf("seccomp: assemble: %w", err)
	}
	var b bytes.Buffer
	for _, ins := range raw {
		b.Write(binary.NativeEndian.AppendUint16(nil, ins.Op))
		b.Write([]byte{ins.Jt, ins.Jf})
		b.Write(binary.NativeEndian.AppendUint32(nil, ins.K))
	}
	return b.Bytes(), nil
}
