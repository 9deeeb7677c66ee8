package system

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrNotPlain says that a folder holds more than files and folders: a link leads
// elsewhere, a pipe or a device is waited for.
var ErrNotPlain = errors.New("it is no plain file or folder of that place")

// maxEntries bounds the files and folders of one Folder. The largest run folders
// measured hold some hundred; 1000 executions with all controls are under 20,000.
// The rest is room (a guess).
const maxEntries = 100_000

// Folder is one that anybody may have filled. Its files are reached beneath it
// only, and only where they are plain: nothing is read or written through a link.
type Folder struct {
	root *os.Root
	// Dir is its absolute path, for who works by paths after Check.
	Dir string
}

// OpenFolder opens a folder, which the user named: links on the way to it are
// the user's.
func OpenFolder(dir string) (*Folder, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	// A pipe in the folder's place would be waited for.
	info, err := os.Stat(abs)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("open %s: %w", dir, syscall.ENOTDIR)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, err
	}
	return &Folder{root: root, Dir: abs}, nil
}

// Close closes it.
func (f *Folder) Close() error { return f.root.Close() }

// Walk calls visit for every plain file, by its path with slashes, and odd for
// what is none. A folder skip in its top is left out, and so is what is gone
// meanwhile. More than most files and folders are an error.
func (f *Folder) Walk(most int, skip string, visit func(name string, info fs.FileInfo) error, odd func(name string, mode fs.FileMode) error) error {
	seen := 0
	return fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if seen++; seen > most {
			return fmt.Errorf("%s holds more than %d files and folders", f.Dir, most)
		}
		if d.IsDir() {
			if name == skip {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return odd(name, info.Mode())
		}
		return visit(name, info)
	})
}

// Check wants plain files and folders throughout, skip left out. A file whose
// name ends in inPlace is added to as it lies there, so that it may not be
// another file too (a hard link); "" for none.
func (f *Folder) Check(skip, inPlace string) error {
	return f.Walk(maxEntries, skip, func(name string, info fs.FileInfo) error {
		if inPlace != "" && strings.HasSuffix(name, inPlace) && links(info) > 1 {
			return fmt.Errorf("%s: another file too (a hard link): %w", filepath.Join(f.Dir, name), ErrNotPlain)
		}
		return nil
	}, func(name string, mode fs.FileMode) error {
		return fmt.Errorf("%s: %s: %w", filepath.Join(f.Dir, name), kindOf(mode), ErrNotPlain)
	})
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode.IsDir():
		return "a folder"
	}
	return "a device"
}

func links(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}

// Open opens a plain file for reading.
func (f *Folder) Open(name string) (*os.File, error) {
	return f.open(name, os.O_RDONLY|syscall.O_NONBLOCK)
}

func (f *Folder) open(name string, flag int) (*os.File, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open %s: %s: %w", filepath.Join(f.Dir, name), kindOf(info.Mode()), ErrNotPlain)
	}
	return f.openSeen(name, flag, info)
}

// openSeen opens what was looked at, and nothing that took its place since.
func (f *Folder) openSeen(name string, flag int, info fs.FileInfo) (*os.File, error) {
	file, err := f.root.OpenFile(name, flag, 0)
	if err != nil {
		return nil, err
	}
	if now, err := file.Stat(); err != nil || !os.SameFile(info, now) {
		return nil, errors.Join(fmt.Errorf("open %s: it changed while it was opened: %w", filepath.Join(f.Dir, name), ErrNotPlain), file.Close())
	}
	return file, nil
}

// ReadSeen reads a plain file that Walk has shown, whole.
func (f *Folder) ReadSeen(name string, info fs.FileInfo) ([]byte, error) {
	file, err := f.openSeen(name, os.O_RDONLY|syscall.O_NONBLOCK, info)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	data := make([]byte, info.Size())
	_, err = io.ReadFull(file, data)
	return data, err
}

// Read reads a plain file of at most limit bytes.
func (f *Folder) Read(name string, limit int64) ([]byte, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	return readAll(file, name, limit)
}

func readAll(r io.Reader, name string, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("read %s: it has more than %d bytes", name, limit)
	}
	return data, nil
}

// Append opens a file, made when absent, to add to its end.
func (f *Folder) Append(name string) (*os.File, error) {
	file, err := f.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return f.open(name, os.O_APPEND|os.O_WRONLY)
	}
	return file, err
}

// Write is WriteFile beneath the folder, and makes the folders on the way.
func (f *Folder) Write(name string, data []byte) error {
	if err := f.replace(name, data, (*os.File).Sync); err != nil {
		return err
	}
	return syncDir(filepath.Join(f.Dir, filepath.Dir(name)))
}

// Keep is KeepFile beneath the folder, and makes the folders on the way.
func (f *Folder) Keep(name string, data []byte) error {
	return f.replace(name, data, func(*os.File) error { return nil })
}

func (f *Folder) replace(name string, data []byte, flush func(*os.File) error) error {
	dir := path.Dir(name)
	if err := f.root.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	tmp := path.Join(dir, "."+path.Base(name)+".tmp-"+rand.Text())
	file, err := f.root.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	err = fill(file, data, 0o644, flush)
	if err == nil {
		err = f.root.Rename(tmp, name)
	}
	if err != nil {
		_ = f.root.Remove(tmp)
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
