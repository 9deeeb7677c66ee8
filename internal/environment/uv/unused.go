package uv

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/system/lazyre"
	"github.com/repgen/repgen/internal/system/proc"
)

// Unlink removes from uv's cache the names of unpacked wheels that no
// environment shares, so that Prune frees them: uv itself keeps every wheel
// that it ever unpacked, and removing an environment alone frees nothing (its
// files are links to those). A wheel without its name is fetched again when it
// is wanted; a process of uv that has looked it up already still finds it,
// since only Prune removes it, which waits for others.
func (t *Tool) Unlink(ctx context.Context) error {
	var names []string
	for _, index := range []string{"pypi", filepath.Join("index", "*")} {
		found, err := filepath.Glob(filepath.Join(t.o.CacheDir, "uv", "wheels-v*", index, "*", "*"))
		if err != nil {
			return fmt.Errorf("look for unused wheels: %w", err)
		}
		names = append(names, found...)
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if st, err := os.Lstat(name); err != nil || st.Mode()&os.ModeSymlink == 0 || shared(name) {
			continue
		}
		for _, path := range append(pointers(name), name) {
			if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
				return fmt.Errorf("forget an unused wheel: %w", err)
			}
		}
	}
	return nil
}

// pointers are the files that say what a name unpacks to: of a wheel from an
// index, and of one from a folder.
func pointers(name string) []string { return []string{name + ".http", name + ".rev"} }

// lostArchive is how uv says that it was pointed to a wheel that is not there.
var lostArchive = lazyre.New("failed to read directory `[^`]*archive-v\\d+[^`]*`: No such file")

// mend forgets the pointers whose name is gone, when uv stumbled over one: it
// does not look for the wheel again by itself, and would say that the package
// is at fault. It says whether there was anything to forget.
func (t *Tool) mend(stderr string) (bool, error) {
	if !lostArchive.MatchString(stderr) {
		return false, nil
	}
	mended := false
	for _, below := range []string{"index/*/*/*.rev", "index/*/*/*.http", "pypi/*/*.rev", "pypi/*/*.http"} {
		suffix := filepath.Ext(below)
		found, err := filepath.Glob(filepath.Join(t.o.CacheDir, "uv", "wheels-v*", below))
		if err != nil {
			return mended, fmt.Errorf("look for lost wheels: %w", err)
		}
		for _, path := range found {
			if _, err := os.Stat(strings.TrimSuffix(path, suffix)); !os.IsNotExist(err) {
				continue
			}
			if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
				return mended, fmt.Errorf("forget a lost wheel: %w", err)
			}
			mended = true
		}
	}
	return mended, nil
}

// runMended runs uv, and once more when what it stumbled over could be mended.
func (t *Tool) runMended(ctx context.Context, dir string, args []string, limit time.Duration, more ...string) (proc.Result, error) {
	r, err := t.run(ctx, dir, args, limit, more...)
	if err != nil || r.ExitCode == 0 {
		return r, err
	}
	mended, err := t.mend(string(r.Stderr))
	if err != nil || !mended {
		return r, err
	}
	return t.run(ctx, dir, args, limit, more...)
}

// shared says whether an environment holds a link to the wheel's own METADATA,
// which every installation has. What cannot be read counts as shared.
func shared(name string) bool {
	wheel, err := filepath.EvalSymlinks(name)
	if err != nil {
		return true
	}
	found := true
	err = filepath.WalkDir(wheel, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != wheel && !strings.HasSuffix(path, ".dist-info") {
			return fs.SkipDir
		}
		if filepath.Base(path) == "METADATA" {
			var st unix.Stat_t
			if err := unix.Lstat(path, &st); err != nil {
				return err
			}
			found = st.Nlink > 1
			return fs.SkipAll
		}
		return nil
	})
	return found || err != nil
}
