package bwrap

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/inner"
)

// /proc/PID/mountinfo says of each mount which folder of which file system it
// shows: the cache of environments, hence mostly the user's home, hence a name
// that has no business in a bundle. No mount hides it: the file is the kernel's, one
// for each process, and a folder keeps its path however often it is bound
// elsewhere first. So the paths are taken out of what comes back.

// hide replaces each mounted path of the host by its place inside.
func (s *Sandbox) hide(c sandbox.Command, work string) *strings.Replacer {
	pairs := append(slices.Clip(s.hidden), s.mounts.names(work, sandbox.WorkDir)...)
	for _, m := range c.Mounts {
		pairs = append(pairs, s.mounts.names(m.Host, m.Guest)...)
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { // the longest first
		return cmp.Or(len(b[0])-len(a[0]), strings.Compare(a[0], b[0]))
	})
	var flat []string
	for _, p := range pairs {
		flat = append(flat, p[0], p[1])
	}
	return strings.NewReplacer(flat...)
}

// hideAlways are the paths that every run mounts.
func (s *Sandbox) hideAlways() (pairs [][2]string) {
	for host, guest := range map[string]string{s.exe: inner.Path, s.probeDir(): sandbox.ProbeDir, s.etcDir(): "/etc"} {
		pairs = append(pairs, s.mounts.names(host, guest)...)
	}
	for _, source := range s.mounts.sources {
		pairs = append(pairs, [2]string{source, "/host"})
	}
	return pairs
}

// names pairs a place inside with the path of the host that stands there: as we
// name it, without links, and as its file system names it; each as the kernel
// writes it, as that looks in a string of Python's, and in that one as JSON.
func (t mountTable) names(host, guest string) (pairs [][2]string) {
	host = filepath.Clean(host)
	real, err := filepath.EvalSymlinks(host)
	if err != nil {
		real = host
	}
	for _, p := range []string{host, real, t.inside(real)} {
		if isCommon(p) {
			continue
		}
		pairs = append(pairs, [2]string{p, guest})
		for o := octal(p); o != p && len(o) <= 4*len(p); o = strings.ReplaceAll(o, `\`, `\\`) {
			pairs = append(pairs, [2]string{o, guest})
		}
	}
	return pairs
}

// isCommon: a path that any machine has tells nothing, and replacing it would
// spoil honest output.
func isCommon(p string) bool {
	return strings.Count(p, "/") < 2 || strings.HasPrefix(p, "/usr/")
}

var (
	asOctal = strings.NewReplacer(`\`, `\134`, " ", `\040`, "\t", `\011`, "\n", `\012`)
	asPlain = strings.NewReplacer(`\134`, `\`, `\040`, " ", `\011`, "\t", `\012`, "\n")
)

// octal is a path as the kernel writes it there.
func octal(p string) string {
	return asOctal.Replace(p)
}

// mountTable is what hide needs of our own /proc/self/mountinfo.
type mountTable struct {
	mounts []mount
	// sources are the paths that mounts name as what they are made of: where
	// the host is a container itself, the folders of its layers.
	sources []string
}

type mount struct{ root, at string }

// readMounts reads the table; without it paths are hidden as we name them only.
func readMounts() mountTable {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return mountTable{}
	}
	return parseMounts(string(data))
}

func parseMounts(text string) mountTable {
	var t mountTable
	for line := range strings.Lines(text) {
		// "36 35 98:0 /root /at options tags - type source options" (proc(5))
		before, after, ok := strings.Cut(line, " - ")
		f, rest := strings.Fields(before), strings.Fields(after)
		if !ok || len(f) < 6 || len(rest) < 3 {
			continue
		}
		t.mounts = append(t.mounts, mount{asPlain.Replace(f[3]), asPlain.Replace(f[4])})
		for option := range strings.SplitSeq(rest[2], ",") {
			_, value, _ := strings.Cut(option, "=")
			for p := range strings.SplitSeq(value, ":") {
				if strings.HasPrefix(p, "/") && !isCommon(p) {
					t.sources = append(t.sources, p)
				}
			}
		}
	}
	return t
}

// inside is a path from the root of its file system: what mountinfo shows of it.
func (t mountTable) inside(path string) string {
	best, rest := mount{root: "/"}, path
	for _, m := range t.mounts {
		r, ok := strings.CutPrefix(path, strings.TrimSuffix(m.at, "/"))
		if ok && (r == "" || r[0] == '/') && len(m.at) >= len(best.at) {
			best, rest = m, r // a later mount at the same place hides the earlier
		}
	}
	return filepath.Join(best.root, rest)
}
