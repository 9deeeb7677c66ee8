package environment

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// exportTop is the one folder at the top of an exported project.
const exportTop = "project/"

// leftOut are folders of a plain folder that are no source: caches, histories.
var leftOut = map[string]bool{
	".git": true, ".hg": true, ".svn": true, "__pycache__": true, ".tox": true, ".nox": true, ".mypy_cache": true,
	".pytest_cache": true, ".ruff_cache": true, "node_modules": true,
}

// packFolder writes a folder as an archive: sorted, undated, links as links,
// so that equal files give equal bytes. w may be nil. The result is the hash of
// the archive.
func packFolder(dir string, w io.Writer) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", fmt.Errorf("read the project: %w", err)
	}
	defer func() { _ = root.Close() }()
	sum := sha256.New()
	if w == nil {
		w = io.Discard
	}
	p := &packer{root: root, tar: tar.NewWriter(io.MultiWriter(sum, w))}
	if err := fs.WalkDir(root.FS(), ".", p.visit); err != nil {
		var project *ProjectError
		if errors.As(err, &project) {
			return "", err
		}
		return "", fmt.Errorf("read the project: %w", err)
	}
	if err := p.tar.Close(); err != nil {
		return "", fmt.Errorf("read the project: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// packer is one walk; bytes and files are bounded as those of an archive.
type packer struct {
	root  *os.Root
	tar   *tar.Writer
	files int
	bytes int64
}

func (p *packer) visit(name string, d fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	if d.IsDir() {
		if leftOut[d.Name()] || name != "." && p.made(name) {
			return fs.SkipDir
		}
		return nil
	}
	info, err := d.Info()
	if err != nil {
		return err
	}
	p.files++
	p.bytes += info.Size()
	if p.files > maxEntries || p.bytes > maxUnpacked {
		return &ProjectError{
			What: "the project's folder is too large", Why: fmt.Sprintf("more than %d files or %d MiB", maxEntries, maxUnpacked>>20),
			Next: "name a git checkout: what is committed is taken then",
		}
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := p.root.Readlink(name)
		if err != nil {
			return err
		}
		return p.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: exportTop + name, Linkname: target, Mode: 0o777, ModTime: firstDay})
	case info.Mode().IsRegular():
		return p.file(name, info)
	}
	return nil // pipes, sockets, devices are no source
}

// made is true for a virtual environment, and for a run folder of our own: it
// would change while it is read.
func (p *packer) made(name string) bool {
	for _, sign := range []string{"pyvenv.cfg", "00-request.json"} {
		if _, err := p.root.Lstat(path.Join(name, sign)); err == nil {
			return true
		}
	}
	return false
}

// firstDay is the first that a zip archive can hold, plus one.
var firstDay = time.Date(1980, 1, 2, 0, 0, 0, 0, time.UTC)

func (p *packer) file(name string, info fs.FileInfo) error {
	f, err := p.root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0) // a pipe by now is not waited for
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	mode := int64(0o644)
	if info.Mode()&0o111 != 0 {
		mode = 0o755
	}
	if err := p.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: exportTop + name, Size: info.Size(), Mode: mode, ModTime: firstDay}); err != nil {
		return err
	}
	// A file that grows meanwhile is cut, one that shrinks is an error.
	_, err = io.CopyN(p.tar, f, info.Size())
	return err
}

// layout is what matters of an exported project before it is built.
type layout struct {
	Hash      string // of names, modes and contents
	Pyproject string
	SetupCfg  string
	SetupPy   bool
}

// scanExport reads an exported archive without unpacking it.
func scanExport(file string) (layout, error) {
	f, err := openPlain(filepath.Split(file))
	if err != nil {
		return layout{}, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return layout{}, err
	}
	if info.Size() > maxUnpacked {
		return layout{}, fmt.Errorf("read the exported project: more than %d MiB", maxUnpacked>>20)
	}
	return scanTar(f, info.Size())
}

// scanTar reads an archive of size bytes. Its files hold no more than that: a
// sparse file is any size in a few bytes, and git writes none.
func scanTar(r io.Reader, size int64) (layout, error) {
	var l layout
	sum := sha256.New()
	t, left := tar.NewReader(r), size
	for range maxEntries {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			l.Hash = hex.EncodeToString(sum.Sum(nil))
			return l, nil
		}
		if err != nil {
			return layout{}, fmt.Errorf("read the exported project: %w", err)
		}
		if h.Typeflag == tar.TypeXGlobalHeader {
			continue // the commit's name: another commit of equal files is the same
		}
		if left -= h.Size; h.Size < 0 || left < 0 {
			return layout{}, errors.New("read the exported project: its files hold more than the archive")
		}
		_, _ = fmt.Fprintf(sum, "%q %c %o %q %d\n", h.Name, h.Typeflag, h.Mode&0o111, h.Linkname, h.Size)
		if err := l.take(h, io.TeeReader(t, sum)); err != nil {
			return layout{}, err
		}
	}
	return layout{}, errors.New("read the exported project: too many files")
}

// take reads the files that say how to build, and hashes all.
func (l *layout) take(h *tar.Header, r io.Reader) error {
	var err error
	if h.Typeflag == tar.TypeReg {
		switch strings.TrimPrefix(h.Name, exportTop) {
		case "pyproject.toml":
			l.Pyproject, err = readSome(r)
		case "setup.cfg":
			l.SetupCfg, err = readSome(r)
		case "setup.py":
			l.SetupPy = true
		}
	}
	if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	if err != nil {
		return fmt.Errorf("read %s of the project: %w", h.Name, err)
	}
	return nil
}

// openPlain opens a file below a folder that a stranger filled: no link leads out
// of it, no pipe is waited for, no device read.
func openPlain(dir, name string) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("open %s: it is no plain file", path.Base(name))
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
