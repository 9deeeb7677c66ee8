package environment

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/system"
)

// Free space on the disk of the store. All three are guesses from what was
// measured: an environment of CPU wheels takes up to 1.5 GB, the largest one
// with CUDA's libraries 4.9 GB, and a full disk hurts more than this tool.
const (
	// roomy is enough for any environment: nothing is asked.
	roomy = 16 << 30
	// spare stays free, whatever is built: certificates, runs, other programs.
	spare = 1 << 30
	// unknownNeed is wanted when the index does not say how large its files are.
	unknownNeed = 3 << 30
)

// idle is how long an environment has to be unused to be given up for another
// one when the disk is short (a guess): what is in use is locked, and to build
// one again costs a minute, where to stop costs the verdict. It is longer than a
// search goes without coming back to one.
const idle = 5 * time.Minute

// spaceNeed is what an installation will take on disk.
type spaceNeed struct {
	bytes    int64
	packages int    // still to be downloaded
	largest  string // of them, with its size
}

// onDisk is the size of an unpacked wheel. Measured: torch and CUDA's libraries
// 1.9 to 2.0 times the download, numpy, scipy and scikit-learn 3.0 to 3.3,
// jaxlib 4.1 to 4.5. Nothing else is written: the archive is unpacked as it
// comes, and an environment is made of links to what was unpacked.
func onDisk(wheel int64) int64 {
	const large = 300 << 20
	if wheel > large {
		return wheel * 21 / 10
	}
	return wheel * 45 / 10
}

// spaceFor says what a lock still needs, from the sizes that the index lists.
// What uv has unpacked already costs nothing more. False: the index does not
// say.
func (m *Manager) spaceFor(ctx context.Context, e *Environment) (spaceNeed, bool) {
	left, names := e.Lock.leftOut(), make([]string, 0, len(e.Lock.Packages))
	var wanted []Package
	for _, p := range e.Lock.Packages {
		if slices.Contains(left, p.Name) || p.Wheel != "" || p.Sdist || m.unpacked(p) {
			continue
		}
		wanted, names = append(wanted, p), append(names, p.Name)
	}
	if len(wanted) == 0 {
		return spaceNeed{}, true
	}
	client, err := m.index(ctx)
	if err != nil || client.Prefetch(ctx, names) != nil {
		return spaceNeed{}, false
	}
	n, top, known := spaceNeed{packages: len(wanted)}, int64(0), false
	for _, p := range wanted {
		project, err := client.Project(ctx, p.Name)
		if err != nil {
			continue
		}
		f, ok := project.Wheel(p.Version, e.Python.Minor)
		if !ok || f.Size <= 0 {
			continue
		}
		known = true
		size := onDisk(f.Size)
		n.bytes += size
		if size > top {
			top, n.largest = size, fmt.Sprintf("%s %s with %s", p.Name, p.Version, sizeText(size))
		}
	}
	return n, known
}

// unpacked says whether uv's cache holds a release already. Its layout is uv's
// own matter: where it is another one, more is asked for than needed.
func (m *Manager) unpacked(p Package) bool {
	for _, index := range []string{"pypi", filepath.Join("index", "*")} {
		found, err := filepath.Glob(filepath.Join(m.opts.CacheDir, "uv", "wheels-v*", index, p.Name, p.Version+"-*"))
		if err == nil && slices.ContainsFunc(found, isFolder) {
			return true
		}
	}
	return false
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// checkSpace stops before a build that would fill the disk. When it is short,
// environments that nobody has used for minutes are given up first.
func (m *Manager) checkSpace(ctx context.Context, dir string, e *Environment) error {
	free, err := m.freeBytes(dir)
	if err != nil || free >= roomy {
		return nil //nolint:nilerr // a file system that cannot say is tried
	}
	n, known := m.spaceFor(ctx, e)
	wanted := n.bytes + spare
	if !known {
		wanted = unknownNeed
	}
	if free >= wanted {
		return nil
	}
	if gone, err := m.Trim(ctx, 0, idle); err != nil {
		m.log.Debug("make room", "error", err)
	} else if gone > 0 {
		m.log.Info("made room for an environment", "removed", gone)
	}
	if free, err = m.freeBytes(dir); err != nil || free >= wanted {
		return nil //nolint:nilerr // see above
	}
	return tooLittle(dir, free, wanted, n)
}

func (m *Manager) freeBytes(dir string) (int64, error) {
	if m.free != nil {
		return m.free(dir)
	}
	free, err := system.FreeBytes(dir)
	return int64(min(free, math.MaxInt64)), err //nolint:gosec // bounded
}

// tooLittle says how much is needed, where, for what, and what to do.
func tooLittle(dir string, free, wanted int64, n spaceNeed) error {
	why := fmt.Sprintf("%s free at %s, %s wanted", sizeText(free), filepath.Dir(dir), sizeText(wanted))
	if n.packages > 0 {
		why += fmt.Sprintf(" (%d packages to download", n.packages)
		if n.largest != "" {
			why += ", the largest " + n.largest
		}
		why += ")"
	}
	return &StoreError{
		What: "too little disk space to build an environment", Why: why, Err: unix.ENOSPC,
		Next: fmt.Sprintf("free %s there, or set REPGEN_CACHE_DIR to a folder on a larger disk; nothing was changed", sizeText(wanted-free)),
	}
}

func sizeText(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%d MiB", (n+1<<20-1)>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
