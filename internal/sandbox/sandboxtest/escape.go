package sandboxtest

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

// Escape runs what a hostile script would try. Each test is one promise of the
// isolation; an adapter that fails one must not be called a sandbox.
func Escape(t *testing.T, open func(t *testing.T) sandbox.Sandbox) {
	Real(t)
	tests := map[string]func(*testing.T, sandbox.Sandbox){
		"secrets": secrets, "secrets of a sibling": siblingSecrets, "bubblewrap's environment": firstProcess,
		"host loopback": hostLoopback, "outside address": outsideAddress, "abstract socket": abstractSocket,
		"writes": forbiddenWrites, "links in the work folder": plantedLinks, "device files": devices,
		"fork bomb": forkBomb, "killed child": killedChild, "temporary folders": temporaryFolders,
		"hang": hang, "kill parent": killParent, "daemon": daemon, "forged end": forgedEnd,
		"terminal": terminal, "host names": hostNames, "observer's folder": observerFolder,
		"channel flood": channelFlood, "other processes": otherProcesses, "bad mounts": badMounts,
		"privileges": privileges, "set-user-id": setUserID, "ordinary work": ordinaryWork,
		"disguised space": disguisedDisk, "hidden memory": hiddenMemory, "descriptors": manyDescriptors, "host paths": hostPaths,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// wantOutput runs the code and compares what it printed.
func wantOutput(t *testing.T, s sandbox.Sandbox, c sandbox.Command, want string) {
	t.Helper()
	ex := run(t, s, c, limits())
	wantExit(t, ex, 0)
	if got := strings.TrimSpace(ex.Stdout); got != want {
		t.Errorf("script said %q, want %q\nstderr: %s", got, want, ex.Stderr)
	}
}

// search looks for a word in everything a script can read that a host may
// have put secrets into: environments, command lines, file names, small files.
const search = `
import os, sys, glob, stat
word = sys.argv[1][::-1]
found = []
def look(path, limit=1 << 20):
    try:
        if not stat.S_ISREG(os.stat(path).st_mode): return  # a terminal's other end would block
        with open(path, "rb") as f:
            if word.encode() in f.read(limit): found.append(path)
    except OSError: pass
if word in repr(dict(os.environ)): found.append("environ")
for p in glob.glob("/proc/[0-9]*"):
    for f in ("environ", "cmdline", "mountinfo", "maps"): look(p + "/" + f)
for top, dirs, files in os.walk("/"):
    if top == "/": dirs[:] = [d for d in dirs if d not in ("proc", "usr")]
    for n in dirs + files:
        if word in n: found.append(top + "/" + n)
    for n in files: look(os.path.join(top, n))
print("found", found)
`

// reversed hides a word from the search for it in the script's own arguments.
func reversed(s string) string {
	b := []byte(s)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}

func secrets(t *testing.T, s sandbox.Sandbox) {
	word := Token(t)
	// Set for the whole test process, so that every concurrent run has the
	// chance to leak it; t.Setenv does not go with parallel tests.
	if err := os.Setenv("REPGEN_TEST_SECRET", word); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Unsetenv("REPGEN_TEST_SECRET") })
	home, err := os.UserHomeDir()
	if err != nil {
		home = t.TempDir()
	}
	for _, dir := range []string{home, os.TempDir(), "/var/tmp"} {
		f, err := os.CreateTemp(dir, ".repgen-test-"+word)
		if err != nil {
			continue // a user without a home that can be written
		}
		if _, err := f.WriteString(word); err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
		t.Cleanup(func() { _ = os.Remove(f.Name()) })
	}
	c := script(search, reversed(word))
	c.Probe = &probe.Options{}
	wantOutput(t, s, c, "found []")
}

func siblingSecrets(t *testing.T, s sandbox.Sandbox) {
	word := Token(t)
	work := t.TempDir()
	other := script("import sys, time, os; open('secret','w').write(sys.argv[1]); open('/tmp/secret','w').write(sys.argv[1]);"+
		"os.rename('secret','ready')\nwhile not os.path.exists('stop'): time.sleep(.01)", word)
	other.Env, other.Work = map[string]string{"SECRET": word}, work
	done := make(chan error, 1)
	ctx := t.Context()
	go func() { _, err := s.Run(ctx, other, limits()); done <- err }()
	for range 3000 {
		if _, err := os.Stat(filepath.Join(work, "ready")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	wantOutput(t, s, script(search, reversed(word)), "found []")
	if err := os.WriteFile(filepath.Join(work, "stop"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// tries prints for each path or action "no" when it failed.
const tries = `
import sys, os, socket
def attempt(f):
    try: f()
    except (OSError, PermissionError): return "no"
    return "DONE"
`

func firstProcess(t *testing.T, s sandbox.Sandbox) {
	wantOutput(t, s, script(tries+`
print(*[attempt(lambda: open("/proc/1/" + n, "rb").read(10)) for n in ("environ", "mem", "maps")],
  attempt(lambda: os.readlink("/proc/1/fd/0")), attempt(lambda: os.readlink("/proc/1/exe")),
  attempt(lambda: os.listdir("/proc/1/root")))`), "no no no no no no")
}

func hostLoopback(t *testing.T, s sandbox.Sandbox) {
	for _, network := range []string{"tcp4", "tcp6"} {
		ln, err := net.Listen(network, ":0")
		if err != nil {
			continue // a host without this family
		}
		t.Cleanup(func() { _ = ln.Close() })
		port := ln.Addr().(*net.TCPAddr).Port
		wantOutput(t, s, script(tries+`
p = int(sys.argv[1])
print(attempt(lambda: socket.create_connection(("127.0.0.1", p), 2)), attempt(lambda: socket.create_connection(("::1", p), 2)))`,
			strconv.Itoa(port)), "no no")
	}
	// Its own loopback works: rendezvous and data loaders need it.
	wantOutput(t, s, script(`
import socket
l = socket.create_server(("localhost", 0)); c = socket.create_connection(l.getsockname()); print("own")`), "own")
}

func outsideAddress(t *testing.T, s sandbox.Sandbox) {
	addrs := []string{"192.0.2.1", "169.254.169.254", "2001:db8::1"}
	ifs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range ifs {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() {
			addrs = append(addrs, ip.IP.String())
		}
	}
	ex := run(t, s, script(tries+`
def udp(a):
    s = socket.socket(socket.AF_INET6 if ":" in a else socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b"x", (a, 53))
for a in sys.argv[1:]:
    print(attempt(lambda: socket.create_connection((a, 80), 3)), attempt(lambda: udp(a)))
print(attempt(lambda: socket.getaddrinfo("example.org", 80)))`, addrs...), limits())
	wantExit(t, ex, 0)
	if strings.Contains(ex.Stdout, "DONE") || !strings.Contains(ex.Stdout, "no") {
		t.Errorf("addresses %v: %s", addrs, ex.Stdout)
	}
	if ex.WallSeconds > 20 {
		t.Errorf("refusal took %v s: packets seem to leave", ex.WallSeconds)
	}
}

func abstractSocket(t *testing.T, s sandbox.Sandbox) {
	name := Token(t)
	ln, err := net.Listen("unix", "@"+name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	file := filepath.Join(t.TempDir(), "s")
	ln2, err := net.Listen("unix", file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln2.Close() }()
	wantOutput(t, s, script(tries+`
s = socket.socket(socket.AF_UNIX)
print(attempt(lambda: s.connect("\0" + sys.argv[1])), attempt(lambda: s.connect(sys.argv[2])))`, name, file), "no no")
}

func forbiddenWrites(t *testing.T, s sandbox.Sandbox) {
	host := t.TempDir()
	if err := os.Chmod(host, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(host, "file"), []byte("whole"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := script(tries + `
new = lambda p: attempt(lambda: open(p, "w").write("x"))
for p in ("/new", "/etc/new", "/etc/passwd", "/usr/new", "/usr/bin/env", "/env/new", "/env/file", "/py/file", "/probe/new",
          "/dev/new", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/self/oom_score_adj", "/.repgen/init"):
    print(p, new(p))
for f in (lambda: os.remove("/env/file"), lambda: os.chmod("/env/file", 0), lambda: os.rename("/env/file", "/env/x"),
          lambda: os.link("/env/file", "/box/l"), lambda: os.mkdir("/opt"), lambda: os.utime("/env/file"),
          lambda: os.setxattr("/env/file", "user.x", b"1"), lambda: os.truncate("/env/file", 0)):
    print(attempt(f))`)
	c.Mounts = []sandbox.Mount{{Host: host, Guest: sandbox.EnvDir}, {Host: host, Guest: sandbox.PyDir}}
	c.Probe = &probe.Options{}
	ex := run(t, s, c, limits())
	wantExit(t, ex, 0)
	if strings.Contains(ex.Stdout, "DONE") || strings.Count(ex.Stdout, "no\n") != 22 {
		t.Errorf("a write succeeded:\n%s", ex.Stdout)
	}
	data, err := os.ReadFile(filepath.Join(host, "file"))
	if err != nil || string(data) != "whole" {
		t.Errorf("file %q, %v", data, err)
	}
}

func plantedLinks(t *testing.T, s sandbox.Sandbox) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("host"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := script(`
import os, sys
os.symlink(sys.argv[1], "link"); os.symlink(os.path.dirname(sys.argv[1]), "folder"); os.symlink("plain", "inner")
os.mkfifo("pipe"); os.mkdir("dir"); open("plain", "w").write("mine"); open("big", "w").write("x" * 200)
os.symlink("/proc/self/environ", "env"); os.symlink("..", "up")`, secret)
	c.Work = t.TempDir()
	wantExit(t, run(t, s, c, limits()), 0)
	for _, name := range []string{"link", "folder/secret", "inner", "pipe", "dir", "env", "up/x", "../x", "big", "/etc/passwd"} {
		if data, err := sandbox.ReadFile(c.Work, name, 100); err == nil {
			t.Errorf("%s was read: %q", name, data)
		}
	}
	if data, err := sandbox.ReadFile(c.Work, "plain", 100); err != nil || string(data) != "mine" {
		t.Errorf("plain file: %q, %v", data, err)
	}
}

func devices(t *testing.T, s sandbox.Sandbox) {
	wantOutput(t, s, script(tries+`
import stat
print(attempt(lambda: os.mknod("/tmp/d", stat.S_IFBLK | 0o600, os.makedev(254, 0))),
  attempt(lambda: open("/dev/mem")), attempt(lambda: open("/dev/kmsg")), attempt(lambda: open("/dev/fuse")), attempt(lambda: os.listdir("/sys")),
  attempt(lambda: open("/dev/null").read()), attempt(lambda: open("/dev/urandom", "rb").read(1)))`), "no no no no no DONE DONE")
}

func hostNames(t *testing.T, s sandbox.Sandbox) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	ex := run(t, s, script("import socket, getpass, os; print(socket.gethostname(), getpass.getuser(), os.getuid(), os.path.expanduser('~'))"), limits())
	wantExit(t, ex, 0)
	if ex.Stdout != "sandbox user 1000 /tmp/home\n" || strings.Contains(ex.Stdout, host+" ") {
		t.Errorf("names: %s", ex.Stdout)
	}
}

func observerFolder(t *testing.T, s sandbox.Sandbox) {
	// The observer of one run is the observer of the next.
	c := script(tries + `
import glob
print(*sorted({attempt(lambda: open(p, "a")) for p in glob.glob("/probe/**", recursive=True)}))`)
	c.Probe = &probe.Options{}
	wantOutput(t, s, c, "no")
}

func badMounts(t *testing.T, s sandbox.Sandbox) {
	dir := t.TempDir()
	for _, m := range []sandbox.Mount{
		{Host: dir, Guest: "/"}, {Host: dir, Guest: "/proc"}, {Host: dir, Guest: "relative"}, {Host: dir, Guest: "/a/../etc"},
		{Host: "relative", Guest: "/data"}, {Host: filepath.Join(dir, "absent"), Guest: "/data"}, {Host: dir, Guest: "/.repgen"},
		{Host: dir, Guest: "/proc/sys"}, {Host: dir, Guest: "/usr/lib"}, {Host: dir, Guest: "/etc/x"},
	} {
		c := script("print(1)")
		c.Mounts = []sandbox.Mount{m}
		if _, err := s.Run(t.Context(), c, limits()); err == nil {
			t.Errorf("mount %+v was accepted", m)
		}
	}
}
