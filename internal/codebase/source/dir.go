package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// DirTree is the source in a folder.
type DirTree struct {
	root      string
	tops      []string // nil: everything below root
	installed bool
}

// Dir is the project in the folder root. Its .gitignore files hold, and those
// above it when it lies inside a git work tree, unless they ignore the root
// itself: who names an ignored folder wants it read. It fails when root is no
// folder.
func Dir(root string) (*DirTree, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("open project: %w", err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return nil, fmt.Errorf("open project: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("open project: %s is no folder", root)
	}
	return &DirTree{root: abs}, nil
}

// Installed is an installed distribution: the top-level packages and modules
// tops ("keras", "six", "google/protobuf") of a site-packages folder, with
// paths relative to it. Nothing in it counts as vendored and no .gitignore is
// read. A top that is not there is left out.
func Installed(sitePackages string, tops []string) (*DirTree, error) {
	t, err := Dir(sitePackages)
	if err != nil {
		return nil, err
	}
	t.installed, t.tops = true, []string{}
	for _, top := range tops {
		top = filepath.ToSlash(filepath.Clean(filepath.FromSlash(top)))
		if filepath.IsLocal(top) && top != "." && !slices.Contains(t.tops, top) {
			t.tops = append(t.tops, top)
		}
	}
	return t, nil
}

// Root is the folder, absolute.
func (t *DirTree) Root() string { return t.root }

// List walks the folder. Of a file whose size and time are as in known nothing
// is read.
func (t *DirTree) List(ctx context.Context, known Known) (*Listing, error) {
	w := newWalk(t, known)
	if err := w.run(ctx); err != nil {
		return nil, err
	}
	l, err := w.inspect(ctx)
	if err != nil {
		return nil, err
	}
	l.sort()
	return l, nil
}

// Read gives the text of one file.
func (t *DirTree) Read(ctx context.Context, path string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b, err := t.bytes(path)
	if err != nil {
		return nil, fmt.Errorf("read source: %w", err)
	}
	return decode(path, b), nil
}

// bytes reads a file, never through a symlink as its last part, never from a
// pipe or a device, and at most MaxFile.
func (t *DirTree) bytes(path string) ([]byte, error) {
	if !filepath.IsLocal(path) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	name := filepath.Join(t.root, filepath.FromSlash(path))
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("no regular file")}
	}
	b := make([]byte, 0, min(info.Size(), MaxFile)+1)
	for len(b) <= MaxFile {
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if errors.Is(err, io.EOF) {
			return b, nil
		}
		if err != nil {
			return nil, err
		}
		if len(b) == cap(b) {
			b = slices.Grow(b, 4096)
		}
	}
	return nil, &fs.PathError{Op: "read", Path: name, Err: errTooLarge}
}

var errTooLarge = errors.New("larger than 1 MiB")

// outside is what of a git work tree stands around the root.
type outside struct {
	top    string   // the work tree's folder, "" for none
	prefix string   // the root's path in it, with a trailing slash
	up     *ignores // the .gitignore files between
}

// outer looks for the git work tree that the root lies in. One whose files
// ignore the root itself does not count.
func (t *DirTree) outer() outside {
	if t.installed {
		return outside{}
	}
	o := outside{top: t.root}
	for !exists(filepath.Join(o.top, ".git")) {
		above := filepath.Dir(o.top)
		if above == o.top {
			return outside{}
		}
		o.top = above
	}
	rel, err := filepath.Rel(o.top, t.root)
	if err != nil {
		return outside{}
	}
	if rel == "." {
		return o
	}
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		o.up = readIgnores(filepath.Join(o.top, o.prefix), o.prefix, o.up)
		if o.up.ignored(o.prefix+part, true) {
			return outside{}
		}
		o.prefix += part + "/"
	}
	return o
}

// readIgnores reads the .gitignore of a folder; one that cannot be read ignores
// nothing, as in git.
func readIgnores(folder, dir string, up *ignores) *ignores {
	one := DirTree{root: folder}
	text, err := one.bytes(".gitignore")
	if err != nil {
		return up
	}
	return parseIgnores(dir, text, up)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
