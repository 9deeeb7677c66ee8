// Package system knows nothing of bugs: atomic files, file locks, free disk
// space and other small services of the operating system. Child processes are
// in proc, content-addressed folders in cachedir.
package system

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// cacheVar names a folder that replaces the user's cache folder.
const cacheVar = "REPGEN_CACHE_DIR"

// CacheDir is the folder for everything that can be made again:
// $REPGEN_CACHE_DIR, else $XDG_CACHE_HOME/repgen, else ~/.cache/repgen. It is
// absolute and need not exist. The error says that none of the three is set
// to something usable.
func CacheDir() (string, error) {
	if dir := os.Getenv(cacheVar); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", fmt.Errorf("cache folder: %w", err)
		}
		return abs, nil
	}
	// The base-directory rules say that a relative value is to be ignored.
	if base := os.Getenv("XDG_CACHE_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "repgen"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return "", errors.New("cache folder: no home folder; set " + cacheVar)
	}
	return filepath.Join(home, ".cache", "repgen"), nil
}

// FreeBytes is what the current user may still write on the file system that
// holds path (the part reserved for root is not counted). A path that does not
// exist yet is answered for its nearest existing parent.
func FreeBytes(path string) (uint64, error) {
	var st unix.Statfs_t
	for p := path; ; p = filepath.Dir(p) {
		err := unix.Statfs(p, &st)
		if err == nil {
			return st.Bavail * uint64(st.Bsize), nil
		}
		if !errors.Is(err, unix.ENOENT) || p == filepath.Dir(p) {
			return 0, fmt.Errorf("free space of %s: %w", path, err)
		}
	}
}
