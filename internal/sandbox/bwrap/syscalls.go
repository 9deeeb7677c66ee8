package bwrap

import "golang.org/x/sys/unix"

// syscallNumbers is one call with its number in each table, -1 where the
// architecture has none. The numbers are the kernel's (its files
// syscall_64.tbl and asm-generic/unistd.h); a test compares them with two
// independent tables.
type syscallNumbers struct {
	name         string
	amd64, arm64 int
	err          unix.Errno // zero: EPERM
}

// answer is the error that a denied caller sees.
func (n syscallNumbers) answer() unix.Errno {
	if n.err != 0 {
		return n.err
	}
	return unix.EPERM
}

// Calls that are judged by an argument.
var (
	nrClone      = syscallNumbers{name: "clone", amd64: 56, arm64: 220}
	nrSocket     = syscallNumbers{name: "socket", amd64: 41, arm64: 198}
	nrSocketpair = syscallNumbers{name: "socketpair", amd64: 53, arm64: 199}
	nrIoctl      = syscallNumbers{name: "ioctl", amd64: 16, arm64: 29}
	nrSetsockopt = syscallNumbers{name: "setsockopt", amd64: 54, arm64: 208}
)

// nrMemfd makes a file that no folder, no process and no group need show: sent
// through a socket it is in none. ENOSYS, as a kernel before 3.17 says. Denied
// only where the watcher weighs the memory; a group of the kernel counts it.
var nrMemfd = syscallNumbers{name: "memfd_create", amd64: 319, arm64: 279, err: unix.ENOSYS}

// denied are the calls that no reproduction needs and that have led out of
// sandboxes, or reach what a namespace does not confine.
var denied = []syscallNumbers{
	// another process's memory, registers, descriptors
	{name: "ptrace", amd64: 101, arm64: 117},
	{name: "process_vm_readv", amd64: 310, arm64: 270},
	{name: "process_vm_writev", amd64: 311, arm64: 271},
	{name: "process_madvise", amd64: 440, arm64: 440},
	{name: "pidfd_getfd", amd64: 438, arm64: 438},
	{name: "kcmp", amd64: 312, arm64: 272},
	// the file tree, by the old calls and the new
	{name: "mount", amd64: 165, arm64: 40},
	{name: "umount2", amd64: 166, arm64: 39},
	{name: "pivot_root", amd64: 155, arm64: 41},
	{name: "chroot", amd64: 161, arm64: 51},
	{name: "fsopen", amd64: 430, arm64: 430},
	{name: "fsconfig", amd64: 431, arm64: 431},
	{name: "fsmount", amd64: 432, arm64: 432},
	{name: "fspick", amd64: 433, arm64: 433},
	{name: "move_mount", amd64: 429, arm64: 429},
	{name: "open_tree", amd64: 428, arm64: 428},
	{name: "open_tree_attr", amd64: 467, arm64: 467},
	{name: "mount_setattr", amd64: 442, arm64: 442},
	// namespaces (clone is judged by its flags below)
	{name: "unshare", amd64: 272, arm64: 97},
	{name: "setns", amd64: 308, arm64: 268},
	// the kernel's keyrings, which no namespace confines
	{name: "keyctl", amd64: 250, arm64: 219},
	{name: "add_key", amd64: 248, arm64: 217},
	{name: "request_key", amd64: 249, arm64: 218},
	// programs, rings and faults run by the kernel: its largest source of holes
	{name: "bpf", amd64: 321, arm64: 280},
	{name: "io_uring_setup", amd64: 425, arm64: 425},
	{name: "io_uring_enter", amd64: 426, arm64: 426},
	{name: "io_uring_register", amd64: 427, arm64: 427},
	{name: "userfaultfd", amd64: 323, arm64: 282},
	{name: "perf_event_open", amd64: 298, arm64: 241},
	// other kernels and modules
	{name: "kexec_load", amd64: 246, arm64: 104},
	{name: "kexec_file_load", amd64: 320, arm64: 294},
	{name: "init_module", amd64: 175, arm64: 105},
	{name: "finit_module", amd64: 313, arm64: 273},
	{name: "delete_module", amd64: 176, arm64: 106},
	{name: "create_module", amd64: 174, arm64: -1},
	// files by number, past every folder
	{name: "open_by_handle_at", amd64: 304, arm64: 265},
	// the machine: quotas, swap, power, accounting, clocks, ports, log
	{name: "quotactl", amd64: 179, arm64: 60},
	{name: "quotactl_fd", amd64: 443, arm64: 443},
	{name: "swapon", amd64: 167, arm64: 224},
	{name: "swapoff", amd64: 168, arm64: 225},
	{name: "reboot", amd64: 169, arm64: 142},
	{name: "acct", amd64: 163, arm64: 89},
	{name: "settimeofday", amd64: 164, arm64: 170},
	{name: "clock_settime", amd64: 227, arm64: 112},
	{name: "clock_adjtime", amd64: 305, arm64: 266},
	{name: "adjtimex", amd64: 159, arm64: 171},
	{name: "sethostname", amd64: 170, arm64: 161},
	{name: "setdomainname", amd64: 171, arm64: 162},
	{name: "vhangup", amd64: 153, arm64: 58},
	{name: "syslog", amd64: 103, arm64: 116},
	{name: "nfsservctl", amd64: 180, arm64: 42},
	{name: "iopl", amd64: 172, arm64: -1},
	{name: "ioperm", amd64: 173, arm64: -1},
	{name: "modify_ldt", amd64: 154, arm64: -1},
	{name: "uselib", amd64: 134, arm64: -1},
	{name: "lookup_dcookie", amd64: 212, arm64: 18},
	{name: "fanotify_init", amd64: 300, arm64: 262},
	// space without writing: gigabytes in no time, too fast for any watcher. libc
	// falls back to writing for this answer, and for no other.
	{name: "fallocate", amd64: 285, arm64: 47, err: unix.EOPNOTSUPP},
	// memory of no process and no file system. The answers are those of kernels
	// that were built without it.
	{name: "shmget", amd64: 29, arm64: 194, err: unix.ENOSYS},
	{name: "msgget", amd64: 68, arm64: 186, err: unix.ENOSYS},
	{name: "semget", amd64: 64, arm64: 190, err: unix.ENOSYS},
	{name: "memfd_secret", amd64: 447, arm64: 447, err: unix.ENOSYS},
	// Its flags lie in memory where a filter cannot see them. ENOSYS, not
	// EPERM: libc then falls back to clone.
	{name: "clone3", amd64: 435, arm64: 435, err: unix.ENOSYS},
}
