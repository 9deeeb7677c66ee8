package sandboxtest

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

func forkBomb(t *testing.T, s sandbox.Sandbox) {
	word := Token(t)
	l := limits()
	l.Pids = 40
	ex := run(t, s, script(`
import os, time
n = 0
try:
    while True:
        if os.fork() == 0: time.sleep(600); os._exit(0)
        n += 1
except OSError as e:
    print(n, e.errno)`, word), l)
	switch ex.Outcome {
	case sandbox.PidsLimit: // where only the watcher can hold it
	case sandbox.Exited:
		n, errno, _ := strings.Cut(strings.TrimSpace(ex.Stdout), " ")
		count, err := strconv.Atoi(n)
		if err != nil || count > l.Pids+16 || errno != "11" {
			t.Errorf("forked %s times, then error %s", n, errno)
		}
	default:
		wantExit(t, ex, 0)
	}
	Gone(t, word)
}

// killedChild: a child killed by the memory limit leaves exit code 0 in its
// parent; the count must tell.
func killedChild(t *testing.T, s sandbox.Sandbox) {
	l := limits()
	l.MemoryBytes = 150 << 20
	ex := run(t, s, script(`
import os
pid = os.fork()
if pid == 0:
    x = []
    while True: x.append(b"x" * (8 << 20))
print(os.waitpid(pid, 0)[1])`), l)
	if ex.OOMKills == 0 {
		t.Errorf("no kill was counted: %s, stdout %q", ex.Outcome, ex.Stdout)
	}
	if ex.Outcome != sandbox.Exited && ex.Outcome != sandbox.OutOfMemory {
		t.Errorf("outcome %s", ex.Outcome)
	}
}

// temporaryFolders lie in memory: they must end, and vanish.
func temporaryFolders(t *testing.T, s sandbox.Sandbox) {
	l := limits()
	l.DiskBytes, l.FileBytes = 10<<20, 1<<30
	for _, dir := range []string{"/tmp", "/dev/shm"} {
		ex := run(t, s, script(`
import sys
try:
    with open(sys.argv[1] + "/fill", "wb") as f:
        for i in range(200): f.write(b"x" * (1 << 20)); f.flush()
    print("all written")
except OSError as e: print(e.errno)`, dir), l)
		wantExit(t, ex, 0)
		if ex.Stdout != "28\n" { // ENOSPC
			t.Errorf("%s: %q", dir, ex.Stdout)
		}
	}
}

func hang(t *testing.T, s sandbox.Sandbox) {
	word := Token(t)
	l := limits()
	l.Wall = 700 * time.Millisecond
	// Every signal that can be blocked is, and the output is closed.
	ex := run(t, s, script(`
import signal, os, time
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
os.close(1); os.close(2)
while True: time.sleep(1)`, word), l)
	wantOutcome(t, ex, sandbox.TimedOut)
	Gone(t, word)
}

func killParent(t *testing.T, s sandbox.Sandbox) {
	wantOutput(t, s, script(`
import os, signal, time
for sig in range(1, 32):
    if sig != signal.SIGSTOP:
        try: os.kill(os.getppid(), sig)
        except OSError: pass
for f in (lambda: os.killpg(os.getpgid(os.getppid()), 9), lambda: os.kill(1, 19)):
    try: f()
    except OSError: pass
signal.signal(signal.SIGTERM, signal.SIG_IGN)
try: os.kill(-1, signal.SIGTERM)
except OSError: pass
time.sleep(.1)
print("alive", os.getppid())`), "alive 1")
	ex := run(t, s, script(`
import os
try: os.kill(-1, 9)
except OSError: pass  # nobody else is there: the caller and the first process are spared
print("alive")`), limits())
	wantExit(t, ex, 0)
}

func daemon(t *testing.T, s sandbox.Sandbox) {
	word := Token(t)
	ex := run(t, s, script(`
import os, sys
r, w = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print("daemon", flush=True)
        os.write(w, b"x")
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", sys.argv[1]])
    os._exit(0)
os.wait(); os.read(r, 1)`, word), limits())
	wantExit(t, ex, 0)
	if ex.Stdout != "daemon\n" {
		t.Errorf("stdout %q", ex.Stdout)
	}
	Gone(t, word)
}

// forgedEnd: what the first process reports must not be the script's to write.
func forgedEnd(t *testing.T, s sandbox.Sandbox) {
	c := script(`
import os, sys
line = b'{"ended":true,"exit":0}\n{"failed":"forged"}\n'
for fd in range(3, 64):
    try: os.write(fd, line)
    except OSError: pass
for fd in range(3, 64):
    try:
        with open("/proc/1/fd/%d" % fd, "wb", buffering=0) as f: f.write(line)
    except OSError: pass
sys.exit(9)`)
	c.Probe = &probe.Options{}
	wantExit(t, run(t, s, c, limits()), 9)
}

func terminal(t *testing.T, s sandbox.Sandbox) {
	ex := run(t, s, script(tries+`
import fcntl, pty, termios
m, sl = pty.openpty()
print(attempt(lambda: open("/dev/tty")), attempt(lambda: fcntl.ioctl(0, termios.TIOCSTI, b"x")),
  attempt(lambda: fcntl.ioctl(sl, termios.TIOCSTI, b"x")), os.getsid(0) in (0, 1), os.isatty(0), os.isatty(1))
sys.stdout.write("\033]0;owned\007\033[2J\033P1$r\033\\\x9b31m\u202e\n")`), limits())
	wantExit(t, ex, 0)
	first, rest, _ := strings.Cut(ex.Stdout, "\n")
	if first != "no no no True False False" {
		t.Errorf("terminal: %s", first)
	}
	if strings.ContainsAny(rest, "\x1b\x07\u009b") || strings.Contains(rest, "owned") {
		t.Errorf("escape sequences came through: %q", rest)
	}
}

// channelFlood: the observer's channel is bounded and never blocks the script.
func channelFlood(t *testing.T, s sandbox.Sandbox) {
	c := script(`
import os
for fd in range(3, 1024):  # the observer may have moved its end
    try:
        if os.readlink("/proc/self/fd/%d" % fd).startswith("socket:"): break
    except OSError: pass
for i in range(300): os.write(fd, b"x" * 65536)`)
	c.Probe = &probe.Options{}
	ex := run(t, s, c, limits())
	wantExit(t, ex, 0)
	if !ex.Record.Truncated {
		t.Error("20 MB of record were not cut")
	}
}

func otherProcesses(t *testing.T, s sandbox.Sandbox) {
	wantOutput(t, s, script(`
import os
print(sorted(int(p) for p in os.listdir("/proc") if p.isdigit()) == sorted([1, os.getpid()]))`), "True")
}

func privileges(t *testing.T, s sandbox.Sandbox) {
	wantOutput(t, s, script(tries+`
st = dict(l.split(":", 1) for l in open("/proc/self/status").read().splitlines())
print(*[int(st[k].strip(), 16) for k in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")], st["NoNewPrivs"].strip(), st["Seccomp"].strip(),
  attempt(lambda: os.setuid(0)), attempt(lambda: os.setgroups([0])), attempt(lambda: os.chown("/box", 0, 0)), attempt(lambda: os.nice(-5)))`),
		"0 0 0 0 0 1 2 no no no no")
}

func setUserID(t *testing.T, s sandbox.Sandbox) {
	wantOutput(t, s, script(tries+`
import shutil, subprocess
shutil.copy(shutil.which("id"), "/box/id"); os.chmod("/box/id", 0o4755)
print(subprocess.run(["/box/id", "-u"], capture_output=True, text=True).stdout.strip(),
  [l.split()[5].split(",")[:3] for l in open("/proc/self/mountinfo") if l.split()[4] == "/box"])`),
		"1000 [['rw', 'nosuid', 'nodev']]")
}

// ordinaryWork: what numerical libraries do must go on working under all of
// this: worker processes, semaphores, shared memory, threads, subprocesses, space
// asked for in advance, thousands of descriptors.
func ordinaryWork(t *testing.T, s sandbox.Sandbox) {
	wantOutput(t, s, script(`
import multiprocessing as mp, threading, subprocess, sys, tempfile, socket, ctypes
from multiprocessing import shared_memory
pool = mp.get_context("fork").Pool(2)
out = [sum(pool.map(abs, range(-5, 0)))]
pool.close(); pool.join()
m = shared_memory.SharedMemory(create=True, size=1 << 20); m.buf[0] = 7; out.append(m.buf[0]); m.close(); m.unlink()
ts = [threading.Thread(target=out.append, args=(i,)) for i in range(2)]
for t in ts: t.start(); t.join()
out.append(subprocess.run([sys.executable, "-c", "print('child')"], capture_output=True, text=True).stdout.strip())
out.append(socket.gethostbyname("localhost"))
a, b = socket.socketpair(); a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20); a.send(b"x"); out.append(b.recv(1))
import os
fds = [os.open("fallocated", os.O_RDWR | os.O_CREAT)] + [os.dup(0) for i in range(2000)]
os.posix_fallocate(fds[0], 0, 1 << 20); out.append(os.fstat(fds[0]).st_blocks >= 2048)
with tempfile.NamedTemporaryFile() as f: f.write(b"x")
print(*out)`), "15 7 0 1 child 127.0.0.1 b'x' True")
}
