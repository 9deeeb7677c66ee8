package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	slashpath "path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// racy is how old a file must be when it is listed for its time to tell a later
// change: file systems store times as coarsely as two seconds (FAT).
const racy = 2 * time.Second

// walk goes through a folder with a list of folders to visit, not by recursion:
// the depth is the project's.
type walk struct {
	tree  *DirTree
	known Known
	outside
	start time.Time
	limit int // files: MaxFiles

	folders []folder // a stack
	files   []candidate
	list    Listing
	full    bool // over the limit
}

type folder struct {
	path  string // relative, with a trailing slash; "" for the root
	above *ignores
}

// candidate is a file that is listed unless its contents are against it.
type candidate struct {
	file File
	read bool // its hash is not known
}

func newWalk(t *DirTree, known Known) *walk {
	if known == nil {
		known = func(string) (File, bool) { return File{}, false }
	}
	return &walk{tree: t, known: known, start: time.Now(), limit: MaxFiles}
}

func (w *walk) run(ctx context.Context) error {
	if w.tree.installed {
		w.tops()
	} else {
		w.outside = w.tree.outer()
		w.folders = append(w.folders, folder{"", w.outside.up})
	}
	for len(w.folders) > 0 && !w.full {
		if err := ctx.Err(); err != nil {
			return err
		}
		next := w.folders[len(w.folders)-1]
		w.folders = w.folders[:len(w.folders)-1]
		if err := w.folder(ctx, next); err != nil {
			return err
		}
	}
	w.tracked()
	if w.full {
		w.list.skip(".", WhyTooMany, fmt.Sprintf("only the first %d files are read", w.limit))
	}
	return ctx.Err()
}

// tops begins with the packages and modules of a distribution.
func (w *walk) tops() {
	for _, top := range w.tree.tops {
		for _, name := range []string{top, top + ".py"} {
			info, err := os.Lstat(filepath.Join(w.tree.root, filepath.FromSlash(name)))
			switch {
			case err != nil:
				continue
			case info.IsDir():
				w.folders = append(w.folders, folder{path: name + "/"})
			case isPython(name):
				w.file(name, fs.FileInfoToDirEntry(info))
			default:
				continue
			}
			break
		}
	}
}

// folder reads one folder. Only one that is the root can fail.
func (w *walk) folder(ctx context.Context, f folder) error {
	full := filepath.Join(w.tree.root, filepath.FromSlash(f.path))
	entries, err := os.ReadDir(full)
	if err != nil {
		if f.path == "" {
			return fmt.Errorf("list project: %w", err)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			w.list.skip(f.path[:len(f.path)-1], WhyUnreadable, reason(err))
		}
		return nil
	}
	here := f.above
	if !w.tree.installed && has(entries, ".gitignore") {
		here = readIgnores(full, w.prefix+f.path, here)
	}
	if !w.tree.installed && f.path != "" {
		if more := foreign(f.path, entries); more != "" {
			w.list.skip(f.path[:len(f.path)-1], WhyVendored, more)
			return nil
		}
	}
	first := len(w.folders)
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.entry(f.path+e.Name(), e, here)
	}
	slices.Reverse(w.folders[first:]) // the first by name is visited first
	return nil
}

func has(entries []fs.DirEntry, name string) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
}

// foreign says what a folder is that its contents show not to be the project's.
func foreign(path string, entries []fs.DirEntry) string {
	for _, e := range entries {
		if more, ok := telling[e.Name()]; ok && (e.Name() != "evidence.json" || has(entries, bundled)) {
			return more
		}
		if path == "build/" && (e.Name() == "lib" || strings.HasPrefix(e.Name(), "bdist.")) {
			return "a build of setuptools"
		}
	}
	return ""
}

func (w *walk) entry(path string, e fs.DirEntry, here *ignores) {
	switch {
	case e.Type()&fs.ModeSymlink != 0:
		w.symlink(path, here)
	case e.IsDir():
		switch more, ok := vendoredDirs[e.Name()]; {
		case ok && !w.tree.installed || quiet[e.Name()]:
			if !quiet[e.Name()] {
				w.list.skip(path, WhyVendored, more)
			}
		case here.ignored(w.prefix+path, true):
			w.list.skip(path, WhyIgnored, "")
		default:
			w.folders = append(w.folders, folder{path + "/", here})
		}
	case !isPython(path) || !e.Type().IsRegular():
	case here.ignored(w.prefix+path, false):
		w.list.skip(path, WhyIgnored, "")
	default:
		w.file(path, e)
	}
}

// tracked takes back what is ignored and yet part of the project: git ignores
// no file that it tracks.
func (w *walk) tracked() {
	ignored := map[string]bool{}
	for _, s := range w.list.Skipped {
		if s.Why == WhyIgnored {
			ignored[s.Path] = true
		}
	}
	if len(ignored) == 0 || w.top == "" {
		return
	}
	var back []string
	for full := range tracked(w.top) {
		path, below := strings.CutPrefix(full, w.prefix)
		if dir, _ := vendored(path); !below || dir != "" {
			continue
		}
		for part := path; part != "."; part = slashpath.Dir(part) {
			if ignored[part] {
				back = append(back, path)
				break
			}
		}
	}
	slices.Sort(back)
	for _, path := range back {
		info, err := os.Lstat(filepath.Join(w.tree.root, filepath.FromSlash(path)))
		if err == nil && info.Mode().IsRegular() {
			w.list.Skipped = slices.DeleteFunc(w.list.Skipped, func(s Skip) bool { return s.Path == path })
			w.file(path, fs.FileInfoToDirEntry(info))
		}
	}
}

// symlink notes one that would have mattered: a file of ours, a folder, or one
// whose target nobody knows.
func (w *walk) symlink(path string, here *ignores) {
	if here.ignored(w.prefix+path, false) {
		return
	}
	full := filepath.Join(w.tree.root, filepath.FromSlash(path))
	info, err := os.Stat(full)
	if err != nil {
		target, _ := os.Readlink(full)
		w.list.skip(path, WhySymlink, "broken: it points to "+cmp.Or(target, "nothing that can be read"))
		return
	}
	if info.IsDir() || isPython(path) {
		w.list.skip(path, WhySymlink, "")
	}
}

// file takes a regular file, with what is known of it.
func (w *walk) file(path string, e fs.DirEntry) {
	if why, more := generatedName(path); why != "" {
		w.list.skip(path, why, more)
		return
	}
	info, err := e.Info()
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			w.list.skip(path, WhyUnreadable, reason(err))
		}
		return
	}
	if info.Size() > MaxFile {
		w.list.skip(path, WhyTooLarge, sizeText(info.Size()))
		return
	}
	if len(w.files) >= w.limit {
		w.full = true
		return
	}
	c := candidate{file: File{Size: info.Size(), ModTime: info.ModTime()}, read: true}
	if old, ok := w.known(path); ok && old.Hash != "" && old.Size == c.file.Size && !old.ModTime.IsZero() && old.ModTime.Equal(c.file.ModTime) {
		c.file.Hash, c.read = old.Hash, false
	}
	if c.file.ModTime.After(w.start.Add(-racy)) {
		c.file.ModTime = time.Time{}
	}
	c.file.Path = path
	w.files = append(w.files, c)
}

// reason is an error without the path that the Skip has already.
func reason(err error) string {
	if errors.Is(err, unix.ENAMETOOLONG) {
		return "the path is longer than the system takes"
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
