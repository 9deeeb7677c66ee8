package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/sandbox"
)

// The work folder lies on the host's disk, not on a file system of its own size:
// one in memory would turn four gigabytes of files into memory beside a limit of
// eight, and a script that writes much into one that runs out of it; one in an
// image file takes root, and as long again as an empty script (measured: 26 ms to
// make, mount and unmount ext4). So it is measured, by names, by descriptors, and
// by what the kernel says was written; package bwrap denies the calls that take
// space without writing it.
const (
	// folderShare: measuring the folders may take one part in so many of the
	// time, unless much came up meanwhile: one part in freshShare of a limit.
	folderShare = 20
	freshShare  = 16
	// diskShare: nobody gets more than this part of what is free, so that a
	// script reaches our limit before the disk's end, which is everybody's.
	diskShare = 2
	// leastFree on the disk to begin, and half of it to go on: below, a script may
	// fail for want of space that others took, and what it did says nothing. A
	// guess.
	leastFree = 128 << 20
)

// full is the error of a disk without room: of the machine, not a limit.
func full(folder, how string, left int64) error {
	return &sandbox.LayerError{
		Layer: "disk", Why: fmt.Sprintf("the disk of the work folder %s %s: %d MiB are free, %d are needed", folder, how, left>>20, leastFree>>20),
		Fix: "free some space, or set TMPDIR to a folder on a larger disk",
	}
}

// disk measures folders.
type disk struct {
	folders []string
	bytes   int64 // the limit here and now
	files   int
	start   space
	used    int64 // as last measured
	next    time.Time
	written int64 // then
	names   int64 // left then
}

// fresh says whether much came up since the last measure. Files of others make it
// measure too often, and nothing worse.
func (d *disk) fresh(u Usage, now space) bool {
	return u.Written-d.written >= d.bytes/freshShare || d.names-now.files >= int64(d.files/freshShare)
}

// space is what a file system has left.
type space struct {
	bytes, files int64
	inMemory     bool // no disk at all
	uncounted    bool // the kernel does not count what a process writes there
}

// spaceAt asks a file system.
func spaceAt(path string) (space, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return space{}, fmt.Errorf("measure the work folder: %w", err)
	}
	out := space{bytes: int64(s.Bavail) * s.Bsize, files: int64(s.Ffree)}
	switch s.Type {
	case unix.TMPFS_MAGIC, unix.RAMFS_MAGIC:
		out.inMemory, out.uncounted = true, true
	case unix.FUSE_SUPER_MAGIC, unix.V9FS_MAGIC:
		out.uncounted = true
	}
	return out, nil
}

// begin takes the measure before anything runs.
func (d *disk) begin(folders []string, l sandbox.Limits) error {
	s, err := spaceAt(folders[0])
	if err != nil {
		return err
	}
	if s.bytes < leastFree {
		return full(folders[0], "is full", s.bytes)
	}
	*d = disk{folders: folders, bytes: min(l.DiskBytes, s.bytes/diskShare), files: l.Files, start: s, names: s.files}
	return nil
}

// look compares with the limits, as often as it is worth it; final looks always.
func (d *disk) look(u Usage, final bool) (*Hit, error) {
	now, err := spaceAt(d.folders[0])
	if err != nil {
		return nil, err
	}
	low := now.bytes < leastFree/2
	begun := time.Now()
	if begun.Before(d.next) && !d.fresh(u, now) && !low && !final {
		return nil, nil
	}
	seen := count{bytes: d.bytes, files: d.files}
	for _, f := range d.folders {
		seen.add(f)
	}
	here, _ := unlinked(u.Pids, seen.devs)
	d.used, d.written, d.names = seen.usedBytes+here, u.Written, now.files
	d.next = time.Now().Add(max(slowPoll, folderShare*time.Since(begun)))
	switch {
	case d.used > d.bytes:
		return d.hit(), nil
	case seen.usedFiles > d.files:
		return filesHit(d.files), nil
	case (u.Written > d.bytes || now.uncounted) && d.start.bytes-now.bytes > d.bytes:
		// What has neither name nor descriptor (mapped, or on its way in a socket)
		// shows in what it cost. Others write to the disk too, and a script may write
		// the same file many times: only both together say it.
		return d.hit(), nil
	case seen.blind && d.start.files-now.files > int64(d.files):
		return filesHit(d.files), nil
	case low:
		return nil, full(d.folders[0], "became full", now.bytes)
	}
	return nil, nil
}

func (d *disk) hit() *Hit {
	return &Hit{sandbox.DiskLimit, fmt.Sprintf("disk %d MiB", d.bytes>>20)}
}

func filesHit(n int) *Hit {
	return &Hit{sandbox.DiskLimit, fmt.Sprintf("files %d", n)}
}

// count adds up folders, and stops when a limit is passed.
type count struct {
	bytes, usedBytes int64
	files, usedFiles int
	devs             map[uint64]bool // the file systems that were seen
	blind            bool            // something could not be read
}

// add measures a tree. Links are not followed.
func (c *count) add(root string) {
	if c.devs == nil {
		c.devs = map[uint64]bool{}
	}
	_ = filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			// Removed meanwhile; or not ours to read, or too deep for a path.
			c.blind = c.blind || !errors.Is(err, fs.ErrNotExist)
			return nil
		}
		c.usedFiles++
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			c.usedBytes += st.Blocks * blockSize
			c.devs[st.Dev] = true
		}
		if c.usedBytes > c.bytes || c.usedFiles > c.files {
			return filepath.SkipAll
		}
		return nil
	})
}

// blockSize is the unit of st_blocks, whatever the file system's own is.
const blockSize = 512

// unlinked sums the files without a name that the processes hold open: on the
// given file systems, and elsewhere (files in memory).
func unlinked(pids []int, devs map[uint64]bool) (here, elsewhere int64) {
	type key struct{ dev, ino uint64 }
	seen := map[key]bool{}
	for _, p := range pids {
		dir := fmt.Sprintf("/proc/%d/fd", p)
		for _, name := range descriptors(dir) {
			var st unix.Stat_t
			if unix.Stat(dir+"/"+name, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink > 0 {
				continue
			}
			k := key{st.Dev, st.Ino}
			switch {
			case seen[k]:
			case devs[st.Dev]:
				here += st.Blocks * blockSize
			default:
				elsewhere += st.Blocks * blockSize
			}
			seen[k] = true
		}
	}
	return here, elsewhere
}
