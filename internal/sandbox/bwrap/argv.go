package bwrap

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/inner"
)

// etcOfHost are the loader's cache, the names that libraries go by on Debian,
// and the fonts (without them plots complain on stderr). Nothing of the host's
// users, network or keys.
var etcOfHost = []string{"/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts"}

// tmpShare: a tmpfs takes memory, so none may be larger than this part of the
// memory limit.
const tmpShare = 2

// systemTree gives the guest /usr and the links into it as the host has them;
// on a host whose /lib is a folder of its own, that folder.
func systemTree() []string {
	args := []string{"--ro-bind", "/usr", "/usr"}
	for _, dir := range []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"} {
		if target, err := os.Readlink(dir); err == nil {
			args = append(args, "--symlink", target, dir)
		} else if _, err := os.Stat(dir); err == nil {
			args = append(args, "--ro-bind", dir, dir)
		}
	}
	return args
}

// argv is the whole command line after the program's name, first that of the
// first process. Order matters in two places: a tmpfs hides what was bound below
// it before, and the root is sealed last. --die-with-parent is left out on
// purpose: see inner.Order.
func (s *Sandbox) argv(c sandbox.Command, l sandbox.Limits, work string, fds childFDs, first []string) []string {
	a := []string{
		"--unshare-all", "--unshare-user", "--new-session", "--as-pid-1",
		"--clearenv", "--cap-drop", "ALL", "--uid", guestUID, "--gid", guestUID, "--hostname", guestHost,
		// Our first process is small; these keep it so.
		"--setenv", "GOMAXPROCS", "1", "--setenv", "GOGC", "off",
	}
	a = append(a, s.rootTree...)
	a = append(a, "--proc", "/proc", "--dev", "/dev")
	a = append(a, s.tmpfs("/dev/shm", l)...)
	a = append(a, s.tmpfs("/tmp", l)...)
	a = append(a, "--dir", "/tmp/home", "--dir", "/tmp/cache")
	for _, f := range etcOfHost {
		a = append(a, "--ro-bind-try", f, f)
	}
	for name := range guestFiles {
		a = append(a, "--ro-bind", filepath.Join(s.etcDir(), name), "/etc/"+name)
	}
	for _, m := range sorted(c.Mounts) {
		how := "--ro-bind"
		if m.Writable {
			how = "--bind"
		}
		a = append(a, how, m.Host, m.Guest)
	}
	if c.Probe != nil {
		a = append(a, "--ro-bind", s.probeDir(), sandbox.ProbeDir)
	}
	a = append(a, "--bind", work, sandbox.WorkDir, "--chdir", sandbox.WorkDir)
	a = append(a, "--ro-bind", s.exe, inner.Path)
	// As root on the host we own the files of /proc; sealing it takes away
	// what their modes would still allow.
	a = append(a, "--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/")
	a = append(a, "--seccomp", strconv.Itoa(fds.filter), "--info-fd", strconv.Itoa(fds.info), "--")
	return append(a, first...)
}

// tmpfs is a folder in memory that cannot grow past the disk limit, nor past
// its share of the memory.
func (s *Sandbox) tmpfs(at string, l sandbox.Limits) []string {
	a := []string{"--perms", "1777"}
	if s.hasSize {
		a = append(a, "--size", strconv.FormatInt(min(l.DiskBytes, l.MemoryBytes/tmpShare), 10))
	}
	return append(a, "--tmpfs", at)
}

// sorted puts parents before children, so that none hides another.
func sorted(mounts []sandbox.Mount) []sandbox.Mount {
	out := slices.Clone(mounts)
	slices.SortStableFunc(out, func(a, b sandbox.Mount) int {
		return strings.Count(a.Guest, "/") - strings.Count(b.Guest, "/")
	})
	return out
}

// reserved places, and all below them, belong to the sandbox itself.
var reserved = []string{"/proc", "/dev", "/sys", "/etc", "/usr", "/.repgen", sandbox.ProbeDir}

// mayMount says whether a command may put something at guest: an absolute,
// clean place that is neither reserved nor the root nor the work folder.
func mayMount(guest string) bool {
	if !path.IsAbs(guest) || path.Clean(guest) != guest || guest == "/" || guest == sandbox.WorkDir {
		return false
	}
	for _, r := range reserved {
		if guest == r || strings.HasPrefix(guest, r+"/") {
			return false
		}
	}
	return true
}

// check refuses a command that would open or break the isolation.
func check(c sandbox.Command) error {
	for _, m := range c.Mounts {
		if !mayMount(m.Guest) {
			return fmt.Errorf("sandbox: mount at %q: not a place for mounts", m.Guest)
		}
		if !filepath.IsAbs(m.Host) {
			return fmt.Errorf("sandbox: mount of %q: not an absolute path", m.Host)
		}
		if _, err := os.Stat(m.Host); err != nil {
			return fmt.Errorf("sandbox: mount at %s: %w", m.Guest, err)
		}
	}
	if c.Work != "" {
		if st, err := os.Stat(c.Work); err != nil || !st.IsDir() || !filepath.IsAbs(c.Work) {
			return fmt.Errorf("sandbox: work folder %q: not an absolute path of a folder", c.Work)
		}
	}
	for k := range c.Env {
		if k == "" || strings.ContainsAny(k, "=\x00") {
			return fmt.Errorf("sandbox: bad name of a variable: %q", k)
		}
	}
	return nil
}

// kernelAtLeast reads the release of uname, "6.1.0-13-amd64".
func kernelAtLeast(major, minor int) bool {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return false
	}
	var a, b int
	if _, err := fmt.Sscanf(unix.ByteSliceToString(u.Release[:]), "%d.%d", &a, &b); err != nil {
		return false
	}
	return a > major || (a == major && b >= minor)
}

// explain turns what bubblewrap said before anything ran into the layer that
// failed and the way to get it.
func explain(text string) error {
	text = strings.TrimSpace(sandbox.Clean([]byte(text)))
	userns := &sandbox.LayerError{Layer: "user-namespace", Why: text,
		Fix: "allow user namespaces: sysctl -w user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1" +
			" kernel.apparmor_restrict_unprivileged_userns=0 (those that exist here; in a container, run it with them allowed)"}
	for _, sign := range []string{"new namespace", "uid map", "RTM_NEWADDR", "RTM_NEWLINK", "NETLINK", "pivot_root", "user namespace"} {
		if strings.Contains(text, sign) {
			return userns
		}
	}
	switch {
	case strings.Contains(text, "seccomp"):
		return &sandbox.LayerError{Layer: "seccomp", Why: text, Fix: "use a kernel with CONFIG_SECCOMP_FILTER"}
	case text == "":
		return errors.New("sandbox: bubblewrap ended without a word")
	}
	return &sandbox.LayerError{Layer: "filesystem", Why: text, Fix: "check that the named path exists and can be read"}
}
