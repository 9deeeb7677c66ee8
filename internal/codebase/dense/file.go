package dense

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/system"
)

// lockWait is how long an append waits for another process. An append holds
// the lock for milliseconds, a compaction of 50,000 rows for a fifth of a
// second; what waits longer has met a stopped process. A guess; tests are less
// patient.
var lockWait = 5 * time.Second

const (
	lockPoll = 5 * time.Millisecond
	// syncBytes and syncTime are how much may be lost when the power goes (a
	// killed process loses nothing that Add returned from). A flush took 3 ms on
	// a busy disk, so one for each batch of eight would be felt.
	syncBytes = 4 << 20
	syncTime  = 2 * time.Second
)

var (
	errBusy    = errors.New("another process holds the file")
	errForeign = errors.New("another process has put a file of another model in its place")
)

// file is an open file of vectors. end is where the next block goes, tail what
// lay behind it when it was last scanned.
type file struct {
	f        *os.File
	path     string
	key      modelKey
	end      int64
	tail     int64
	synced   int64
	syncedAt time.Time
	readonly bool
	// write is f.WriteAt; tests put a full disk here.
	write func(p []byte, at int64) (int, error)
}

// openFile opens the file at path when it is of the model, else puts a new one
// in its place. A nil file comes with an error that says why there is none; a
// file with an error can only be read.
func openFile(path string, key modelKey) (f *file, begun string, err error) {
	f, begun, err = openOld(path, key)
	if f != nil || begun == "" {
		return f, begun, err
	}
	unlock, err := lock(path)
	if err != nil {
		return nil, begun, err
	}
	defer func() { _ = unlock() }()
	// Another process may have begun it while we waited.
	if f, again, err := openOld(path, key); f != nil {
		return f, again, err
	}
	if err := replace(path, key.header(), nil); err != nil {
		return nil, begun, err
	}
	f, _, err = openOld(path, key)
	return f, begun, err
}

// openOld opens a file of the model. No file and no begun means that a new one
// is of no use either.
func openOld(path string, key modelKey) (f *file, begun string, err error) {
	g, err := os.OpenFile(path, os.O_RDWR, 0)
	readonly := false
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS) {
		var rerr error
		if g, rerr = os.Open(path); rerr == nil {
			readonly = true
			err = fmt.Errorf("vectors cannot be written: %w", err)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, BegunAbsent, nil
	}
	if g == nil {
		return nil, "", fmt.Errorf("vectors cannot be read: %w", err)
	}
	// A file that is too short is one to replace, no trouble.
	head := make([]byte, headSize)
	n, rerr := g.ReadAt(head, 0)
	if rerr != nil && rerr != io.EOF {
		_ = g.Close()
		return nil, "", fmt.Errorf("vectors cannot be read: %w", rerr)
	}
	if why := key.misfit(head[:n]); why != "" {
		_ = g.Close()
		return nil, why, nil
	}
	return &file{f: g, path: path, key: key, end: headSize, synced: headSize,
		readonly: readonly, syncedAt: time.Now(), write: g.WriteAt}, "", err
}

// lock excludes other writers of path, and makes its folder.
func lock(path string) (unlock func() error, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("vectors cannot be written: %w", err)
	}
	for until := time.Now().Add(lockWait); ; time.Sleep(lockPoll) {
		unlock, ok, err := system.TryLockFile(path + ".lock")
		if err != nil {
			return nil, fmt.Errorf("vectors cannot be written: %w", err)
		}
		if ok {
			return unlock, nil
		}
		if time.Now().After(until) {
			return nil, errBusy
		}
	}
}

// replace puts a new file in the place of path in one step: a header, and what
// fill writes after it (nil for nothing).
func replace(path string, header []byte, fill func(io.Writer) error) (err error) {
	t, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".tmp-*")
	if err != nil {
		return fmt.Errorf("vectors cannot be written: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(t.Name())
			err = fmt.Errorf("vectors cannot be written: %w", err)
		}
	}()
	_, err = t.Write(header)
	if err == nil && fill != nil {
		err = fill(t)
	}
	if err == nil {
		err = t.Chmod(0o644)
	}
	if err == nil {
		err = t.Sync()
	}
	if cerr := t.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(t.Name(), path)
	}
	return err
}

// scan reads the blocks behind end and moves it.
func (f *file) scan() ([]block, error) {
	info, err := f.f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	blocks, err := scanBlocks(f.f, f.end, info.Size(), f.key.dims)
	if len(blocks) > 0 {
		last := &blocks[len(blocks)-1]
		f.end = last.end
		f.synced = max(f.synced, last.synced)
	}
	f.tail = info.Size() - f.end
	return blocks, err
}

// current says whether path still names this file.
func (f *file) current() bool {
	have, err := f.f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(f.path)
	return err == nil && os.SameFile(have, named)
}

// append writes one block at the end. Under the lock, after a scan. A block
// that could not be written whole is cut off again.
func (f *file) append(ids []chunk.Ident, rows []row) (b block, err error) {
	// What another process left unfinished would pass for a block one day.
	if f.tail != 0 {
		if err := f.f.Truncate(f.end); err != nil {
			return b, fmt.Errorf("vectors cannot be written: %w", err)
		}
		f.tail = 0
	}
	data := encodeBlock(f.end, f.synced, ids, rows, f.key.dims)
	if _, err := f.write(data, f.end); err != nil {
		if f.f.Truncate(f.end) != nil {
			f.tail = 1 // unknown: cut it before the next one
		}
		return b, fmt.Errorf("vectors cannot be written: %w", err)
	}
	b = block{layout: layoutOf(int64(len(ids)), int64(f.key.dims)), at: f.end, end: f.end + int64(len(data))}
	f.end = b.end
	if f.end-f.synced >= syncBytes || time.Since(f.syncedAt) >= syncTime {
		f.sync()
	}
	return b, nil
}

// sync flushes what was written; when that fails, the next opening checks
// these blocks, so nobody has to know.
func (f *file) sync() {
	f.syncedAt = time.Now()
	if f.synced < f.end && unix.Fdatasync(int(f.f.Fd())) == nil {
		f.synced = f.end
	}
}

func (f *file) close() error {
	if !f.readonly {
		f.sync()
	}
	if err := f.f.Close(); err != nil {
		return fmt.Errorf("close vectors: %w", err)
	}
	return nil
}
