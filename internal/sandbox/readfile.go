package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// ErrNotPlain says that a file of a work folder is a link, a pipe, a device, a
// folder, or lies behind one: something a script may have put there to lead
// the reader elsewhere.
var ErrNotPlain = errors.New("not a plain file of the work folder")

// ErrTooBig says that a file of a work folder is longer than asked for.
var ErrTooBig = errors.New("file too big")

// ReadFile reads a file that a run left in its work folder. rel is relative to
// work; no symbolic link is followed anywhere on the way, no pipe is waited
// for, and at most limit bytes are accepted. Errors: fs.ErrNotExist,
// ErrNotPlain, ErrTooBig, or what reading said.
func ReadFile(work, rel string, limit int64) ([]byte, error) {
	data, err := readBeneath(work, rel, limit)
	if err != nil {
		return nil, fmt.Errorf("read %s from the work folder: %w", rel, err)
	}
	return data, nil
}

func readBeneath(work, rel string, limit int64) ([]byte, error) {
	if !filepath.IsLocal(rel) {
		return nil, ErrNotPlain
	}
	f, err := openBeneath(work, rel)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotPlain
	}
	// The size is taken from what is read: a file may grow or lie (/proc).
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, ErrTooBig
	}
	return data, err
}

// openBeneath resolves rel below work without links, in the kernel where it
// can (Linux 5.6 and later), else through os.Root, which stays inside too.
func openBeneath(work, rel string) (*os.File, error) {
	dir, err := unix.Open(work, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(dir) }()
	fd, err := unix.Openat2(dir, rel, &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV,
	})
	switch {
	case err == nil:
		return os.NewFile(uintptr(fd), rel), nil
	case errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM):
		return openRoot(work, rel)
	case errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EXDEV) || errors.Is(err, unix.ENXIO):
		return nil, ErrNotPlain
	}
	return nil, err
}

// openRoot is the way for old kernels: inside the folder, but links within it
// are followed.
func openRoot(work, rel string) (*os.File, error) {
	root, err := os.OpenRoot(work)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	return root.OpenFile(rel, os.O_RDONLY|unix.O_NONBLOCK, 0)
}
