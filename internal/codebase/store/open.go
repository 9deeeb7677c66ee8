package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/codebase/bm25"
	"github.com/repgen/repgen/internal/codebase/source"
	"github.com/repgen/repgen/internal/system"
)

// Names inside a store's folder.
const (
	fileName = "chunks.idx"
	lockName = "chunks.lock"
)

// unsettled is how old a file's time of change must be to be believed when the
// file is indexed: within one tick of the file system's clock two contents can
// have the same time and size. Two seconds is the coarsest clock in use (FAT).
const unsettled = 2 * time.Second

// keepFile is replaced by tests that have no full disk.
var keepFile = system.KeepFile

// Open brings the index in the folder dir up to date with tree and opens it.
// The folder is made when absent; one that cannot be written to is no error
// (Change.Unsaved), nor is a file in it that is damaged or of another version
// (Change.Rebuilt). The error says that the tree cannot be listed, or is ctx's,
// and then the index on disk is the one that was there before.
//
// Several processes may open one folder: who finds work to do takes a lock, and
// the others wait and find it done. A reader keeps the file that it opened
// although another takes its place.
func Open(ctx context.Context, dir string, tree source.Tree, o Options) (*Store, *Change, error) {
	began := time.Now()
	if o.Split == nil || o.EmbedText == nil || o.IdentOf == nil {
		return nil, nil, errors.New("open index: no chunker given")
	}
	if o.Params == nil {
		o.Params = &bm25.DefaultParams
	}
	if o.Jobs <= 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	op := &opening{dir: dir, tree: tree, o: o, began: began, recipe: recipeOf(o.Recipe)}
	s, err := op.run(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("open index: %w", err)
	}
	op.change.Took = time.Since(began)
	return s, &op.change, nil
}

// recipeOf gives the recipe a fixed place in the header.
func recipeOf(name string) (r [16]byte) {
	sum := sha256.Sum256([]byte(name))
	copy(r[:], sum[:])
	return r
}

// opening is one call of Open.
type opening struct {
	dir    string
	tree   source.Tree
	o      Options
	began  time.Time
	recipe [16]byte
	change Change

	old   *image // what was found, empty when nothing could be used
	found fs.FileInfo
	files []source.File // as listed, sorted
}

// run lists without the lock, so that searches of a project that did not change
// never wait for each other.
func (op *opening) run(ctx context.Context) (s *Store, err error) {
	op.load()
	defer func() {
		if op.old != nil && (s == nil || s.img != op.old) {
			err = errors.Join(err, op.old.close())
		}
	}()
	if err := op.list(ctx); err != nil {
		return nil, err
	}
	img := op.old
	if !op.current() {
		if img, err = op.renew(ctx); err != nil {
			return nil, err
		}
	}
	if s, err = newStore(img, op.files, op.tree, op.o); err != nil && img != op.old {
		err = errors.Join(err, img.close())
	}
	return s, err
}

// load reads the index on disk. What cannot be used is told in change.Rebuilt
// and leaves an empty image.
func (op *opening) load() {
	op.change.Rebuilt = ""
	img, info, err := readFile(filepath.Join(op.dir, fileName))
	if err == nil && img.recipe != op.recipe {
		_ = img.close()
		err = errOther
	}
	if err == nil { // now, not when the old index is already trusted
		if _, werr := bm25.New(img.words, *op.o.Params); werr != nil {
			_ = img.close()
			err = fmt.Errorf("%w: %w", errDamaged, werr)
		}
	}
	op.found = info
	if err != nil {
		img = &image{}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ENOTDIR) {
			op.change.Rebuilt = "the index on disk is not usable: " + err.Error()
		}
	}
	op.old = img
}

// readFile reads an index file and checks it. info is that of the file, also
// when it is no index.
//
// The file itself is not mapped: who cuts it short or writes into it, and a disk
// that fails, would end the process with SIGBUS, or change what was checked.
// Opening reads all of it anyway, for the sum.
func readFile(path string) (*image, fs.FileInfo, error) {
	// Not waiting for somebody to write into what is no file but a pipe.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() || info.Size() < headerSize || info.Size() != int64(int(info.Size())) {
		return nil, info, fmt.Errorf("%w: cut short", errDamaged)
	}
	data, err := newMapped(int(info.Size()))
	if err != nil {
		return nil, info, fmt.Errorf("read %s: %w", path, err)
	}
	var img *image
	if _, err = io.ReadFull(f, data); err == nil {
		img, err = decode(data)
	} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: cut short", errDamaged)
	}
	if err != nil {
		_ = unix.Munmap(data)
		return nil, info, err
	}
	img.mapped = true
	return img, info, nil
}

// newMapped is memory of the size that the collector does not count: it would
// let as much again be garbage before it runs. It begins at a page.
func newMapped(size int) ([]byte, error) {
	return unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
}

// list asks the tree, which reads the files whose size or time differ.
func (op *opening) list(ctx context.Context) error {
	l, err := op.tree.List(ctx, op.known)
	if err != nil {
		return err
	}
	op.change.Skipped = slices.Clone(l.Skipped)
	op.files = slices.Clone(l.Files)
	slices.SortStableFunc(op.files, func(a, b source.File) int { return strings.Compare(a.Path, b.Path) })
	op.files = slices.CompactFunc(op.files, func(a, b source.File) bool { return a.Path == b.Path })
	return nil
}

// known is source.Known of the old index.
func (op *opening) known(path string) (source.File, bool) {
	f, ok := op.old.find(path)
	if !ok {
		return source.File{}, false
	}
	r := op.old.files[f]
	file := source.File{
		Path: path, Size: r.Size, Hash: string(op.old.hash(f)),
		Test: source.IsTest(path), Notebook: strings.HasSuffix(path, ".ipynb"),
	}
	// Without a time a folder's file is read again; a blob of git has none, and
	// is known by its name.
	if r.ModTime != 0 {
		file.ModTime = time.Unix(0, r.ModTime)
	}
	return file, true
}

// current says whether the old index is that of the listed files.
func (op *opening) current() bool {
	if op.old.data == nil || len(op.files) != len(op.old.files) {
		return false
	}
	for f := range op.files {
		if string(op.old.path(f)) != op.files[f].Path || !op.same(f, &op.files[f]) || op.touched(f, &op.files[f]) {
			return false
		}
	}
	return true
}

// same says whether a listed file has the bytes of the f-th one of the old
// index; the paths are known to be equal.
func (op *opening) same(f int, file *source.File) bool {
	return string(op.old.hash(f)) == file.Hash && op.old.files[f].Size == file.Size
}

// touched says that the table's times want an update.
func (op *opening) touched(f int, file *source.File) bool {
	return op.old.files[f].ModTime != op.modTime(file)
}

// modTime is what is kept of a file's time: 0 when it says nothing.
func (op *opening) modTime(file *source.File) int64 {
	if file.ModTime.IsZero() || file.ModTime.After(op.began.Add(-unsettled)) {
		return 0
	}
	return file.ModTime.UnixNano()
}

// renew makes the index that the listed files want and keeps it if it can.
func (op *opening) renew(ctx context.Context) (*image, error) {
	unlock, err := op.lock(ctx)
	if err != nil {
		return nil, err
	}
	if unlock != nil {
		defer func() { _ = unlock() }()
		if err := op.reload(); err != nil {
			return nil, err
		}
		if op.current() {
			return op.old, nil // by another process, meanwhile
		}
	}
	img, err := op.build(ctx)
	if err != nil || img == op.old {
		return img, err
	}
	if op.change.Unsaved == "" {
		kept, err := op.keep(img)
		if err == nil {
			return kept, nil
		}
		op.change.Unsaved = op.explain(err)
	}
	return decode(img.data) // one copy in memory is enough
}

// lock makes the folder and takes its lock. A folder that cannot be written to
// gives no lock and no error.
func (op *opening) lock(ctx context.Context) (unlock func() error, err error) {
	if err = os.MkdirAll(op.dir, 0o755); err == nil {
		unlock, err = system.LockFile(ctx, filepath.Join(op.dir, lockName))
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		op.change.Unsaved = op.explain(err)
		return nil, nil
	}
	return unlock, nil
}

// reload looks again when the file is not the one that was loaded. The lock is
// held.
func (op *opening) reload() error {
	info, err := os.Stat(filepath.Join(op.dir, fileName))
	if err != nil || op.found != nil && os.SameFile(info, op.found) {
		return nil // none to load, or the same one
	}
	if err := op.old.close(); err != nil {
		return err
	}
	op.load()
	return nil
}

// keep writes an image and reads it back, so that the heap can let it go.
// The lock is held: temporary files of others are those of killed processes.
func (op *opening) keep(img *image) (*image, error) {
	path := filepath.Join(op.dir, fileName)
	left, err := filepath.Glob(filepath.Join(op.dir, "."+fileName+".tmp-*"))
	if err != nil {
		return nil, err
	}
	for _, p := range left {
		_ = os.Remove(p)
	}
	// Not flushed: an index that the machine lost is made again.
	if err := keepFile(path, img.data, 0o644); err != nil {
		return nil, err
	}
	kept, _, err := readFile(path)
	return kept, err
}

// explain says in words why nothing was kept.
func (op *opening) explain(err error) string {
	switch {
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		return "disk full: " + err.Error()
	case errors.Is(err, unix.EROFS), errors.Is(err, fs.ErrPermission):
		return "the cache cannot be written to: " + err.Error()
	}
	return err.Error()
}
