package sandboxtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

// hoard is the head of scripts that try to hold more than a limit allows, in
// places that a plain count of files or of processes does not see. They say
// "held" when they had it for half a minute.
const hoard = `
import array, mmap, os, socket, sys, time
MB = 1 << 20
block = b"x" * MB
def fill(fd, mb):
    for i in range(mb): os.write(fd, block)
def nameless(n, mb):
    fd = os.open("f%d" % n, os.O_RDWR | os.O_CREAT)
    os.unlink("f%d" % n)
    fill(fd, mb)
    return fd
def held():
    time.sleep(30)
    print("held", flush=True)
    os._exit(0)
`

// wantNotHeld fails when the script had what it wanted, whatever stopped it.
func wantNotHeld(t *testing.T, s sandbox.Sandbox, code string, l sandbox.Limits, want sandbox.Outcome) {
	t.Helper()
	ex := run(t, s, script(hoard+code), l)
	if strings.Contains(ex.Stdout, "held") || (want != "" && ex.Outcome != want) {
		t.Errorf("ended %s %d %s (%s), want %s\nstdout: %.300s\nstderr: %.600s\n%s",
			ex.Outcome, ex.ExitCode, ex.Signal, ex.LimitHit, want, ex.Stdout, ex.Stderr, code)
	}
}

// hiddenDisk: space counts that no name shows. 60 MB are held with a limit of 20.
func hiddenDisk(t *testing.T, s sandbox.Sandbox) {
	l := limits()
	l.DiskBytes = 20 << 20
	for name, code := range map[string]string{
		"unlinked": "fds = [nameless(i, 10) for i in range(6)]; held()",
		"held by a child": `
r, w = os.pipe()
for i in range(6):
    fd = nameless(i, 10)
    if os.fork() == 0: time.sleep(60)
    os.close(fd)
held()`,
	} {
		t.Run(name, func(t *testing.T) { wantNotHeld(t, s, code, l, sandbox.DiskLimit) })
	}
}

// manyFiles: names count too, since a disk has only so many.
func manyFiles(t *testing.T, s sandbox.Sandbox) {
	l := limits()
	l.Files = 2000
	for name, code := range map[string]string{
		"files":   "for i in range(5000): open('f%d' % i, 'w').close()\nheld()",
		"folders": "for i in range(5000): os.mkdir('d%d' % i)\nheld()",
		"links":   "open('f', 'w').close()\nfor i in range(5000): os.link('f', 'l%d' % i)\nheld()",
	} {
		t.Run(name, func(t *testing.T) { wantNotHeld(t, s, code, l, sandbox.DiskLimit) })
	}
}

// disguisedDisk: neither names nor descriptors show the space, or it is there
// for a moment only.
func disguisedDisk(t *testing.T, s sandbox.Sandbox) {
	l := limits()
	l.DiskBytes = 20 << 20
	for name, code := range map[string]string{
		"mapped": `
maps = []
for i in range(6):
    fd = nameless(i, 10)
    maps.append(mmap.mmap(fd, 4096, trackfd=False) if sys.version_info >= (3, 13) else mmap.mmap(-1, 4096))
    if sys.version_info < (3, 13):
        import ctypes
        libc = ctypes.CDLL(None); libc.mmap.restype = ctypes.c_void_p
        maps.append(libc.mmap(None, ctypes.c_size_t(4096), 1, 1, fd, ctypes.c_long(0)))
    os.close(fd)
held()`,
		"in a socket": `
a, b = socket.socketpair()
for i in range(6):
    fd = nameless(i, 10)
    a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))])
    os.close(fd)
held()`,
		"in a closed folder": `
os.mkdir("shut")
for i in range(6):
    fd = os.open("shut/f%d" % i, os.O_RDWR | os.O_CREAT)
    fill(fd, 10)
    os.close(fd)
os.chmod("shut", 0)
held()`,
		"too deep": `
for i in range(40):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
for i in range(6): fd = os.open("f%d" % i, os.O_RDWR | os.O_CREAT); fill(fd, 10); os.close(fd)
held()`,
	} {
		t.Run(name, func(t *testing.T) { wantNotHeld(t, s, code, l, sandbox.DiskLimit) })
	}
	// A gigabyte at a time, gone before anybody looks. Asking for it takes no time;
	// writing it does, and is seen.
	l.DiskBytes = 100 << 20
	wantNotHeld(t, s, `
for i in range(8):
    fd = os.open("f%d" % i, os.O_RDWR | os.O_CREAT)
    os.posix_fallocate(fd, 0, 250 * MB)
    os.unlink("f%d" % i)
held()`, l, sandbox.DiskLimit)
	wantOutput(t, s, script(tries+`
import ctypes, fcntl, struct
libc = ctypes.CDLL(None, use_errno=True)
fd = os.open("f", os.O_RDWR | os.O_CREAT)
print(libc.fallocate(fd, 0, ctypes.c_long(0), ctypes.c_long(1 << 20)), ctypes.get_errno())
for request in (0x40305828, 0x4030582a, 0x40305839):
    print(attempt(lambda: fcntl.ioctl(fd, request, struct.pack("hhqqiI16x", 0, 0, 0, 1 << 20, 0, 0))))
print(os.fstat(fd).st_blocks)`), "-1 95\nno\nno\nno\n0")
}

// hiddenMemory: memory counts that no process shows. 300 MB are tried with a
// limit of 150; a kernel or a filter may refuse part of it.
func hiddenMemory(t *testing.T, s sandbox.Sandbox) {
	l := limits()
	l.MemoryBytes = 150 << 20
	for name, code := range map[string]string{
		"memory files": `
fds = [os.memfd_create("m%d" % i) for i in range(6)]
for fd in fds: fill(fd, 50)
held()`,
		"memory files in a socket": `
a, b = socket.socketpair()
for i in range(6):
    fd = os.memfd_create("m"); fill(fd, 50)
    a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))])
    os.close(fd)
held()`,
		"places": `
big = bytearray(100 * MB)
for place in ("/tmp/", "/dev/shm/"):
    fd = os.open(place + "f", os.O_RDWR | os.O_CREAT); os.unlink(place + "f"); fill(fd, 60)
held()`,
		"shared, and a child": `
m = mmap.mmap(-1, 300 * MB)
if os.fork() == 0:
    for i in range(300): m[i * MB:(i + 1) * MB] = block
    os._exit(0)
if os.wait()[1] == 0: held()`,
		"system V": `
import ctypes
libc = ctypes.CDLL(None, use_errno=True); libc.shmat.restype = ctypes.c_void_p
for i in range(6):
    id = libc.shmget(0, ctypes.c_size_t(50 * MB), 0o1600)
    if id < 0: raise OSError(ctypes.get_errno(), "shmget")
    p = libc.shmat(id, None, 0); ctypes.memset(p, 1, 50 * MB); libc.shmdt(ctypes.c_void_p(p))
held()`,
		"sockets": `
pairs, n = [], 0
while n < 300 * MB:
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * MB)
    a.setblocking(False)
    pairs.append((a, b))
    try:
        while True: n += a.send(block[:60000])
    except BlockingIOError: pass
held()`,
		"many small files": `
n = 0
while n < 400000:
    os.close(os.open("/tmp/%d" % n, os.O_CREAT)); n += 1
held()`,
	} {
		t.Run(name, func(t *testing.T) { wantNotHeld(t, s, code, l, "") })
	}
	// What is shared counts once.
	ex := run(t, s, script(hoard+`
from multiprocessing import shared_memory
m = shared_memory.SharedMemory(create=True, size=60 * MB)
for i in range(60): m.buf[i * MB:(i + 1) * MB] = block
kids = []
for i in range(3):
    pid = os.fork()
    if pid == 0:
        total = sum(m.buf[i] for i in range(0, 60 * MB, 4096)); time.sleep(1); os._exit(0)
    kids.append(pid)
for k in kids: os.waitpid(k, 0)
m.close(); m.unlink(); print("done")`), l)
	wantExit(t, ex, 0)
}

// manyDescriptors: of one process and of all together.
func manyDescriptors(t *testing.T, s sandbox.Sandbox) {
	wantOutput(t, s, script(`
import os, resource
held = [os.open("/dev/null", os.O_RDONLY) for i in range(3000)]
try:
    while True: held.append(os.dup(0))
except OSError as e: print(e.errno, len(held) < 5000)
try: resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 16, 1 << 16)); print("raised")
except (ValueError, OSError): print("no")`), "24 True\nno")
	l := limits()
	l.Pids = 60
	wantNotHeld(t, s, `
r, w = os.pipe()
for i in range(25):
    if os.fork() == 0:
        try:
            while True: os.dup(0)
        except OSError: os.write(w, b"x")
        time.sleep(60)
for i in range(25): os.read(r, 1)
held()`, l, sandbox.DiskLimit)
}

// hostPaths: the kernel tells a script which folders were mounted; what comes
// back does not.
func hostPaths(t *testing.T, s sandbox.Sandbox) {
	word := Token(t)
	top := t.TempDir()
	host, work := filepath.Join(top, "home of "+word), filepath.Join(top, word)
	for _, dir := range []string{host, work} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := script(`
import glob, sys
for f in glob.glob("/proc/[0-9]*/mount*") + glob.glob("/proc/1/task/*/mount*") + ["/proc/self/cgroup", "/proc/1/cmdline"]:
    for out in (sys.stdout, sys.stderr):
        out.write(open(f).read())
raise KeyError(open("/proc/self/mountinfo").read())`)
	c.Mounts, c.Work = []sandbox.Mount{{Host: host, Guest: "/data"}}, work
	c.Probe = &probe.Options{}
	ex := run(t, s, c, limits())
	wantExit(t, ex, 1)
	if len(ex.Record.Exceptions) != 1 || !strings.Contains(ex.Record.Exceptions[0].Message+ex.Stdout, "/data") {
		t.Fatalf("nothing was seen: %+v", ex.Record)
	}
	for name, text := range map[string]string{"stdout": ex.Stdout, "stderr": ex.Stderr, "record": ex.Record.Exceptions[0].Message} {
		if strings.Contains(text, word) {
			for line := range strings.Lines(text) {
				if strings.Contains(line, word) {
					t.Errorf("%s: %s", name, line)
				}
			}
		}
	}
}
