package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/system"
)

const (
	// recordName is the file of an entry's folder that says what it holds.
	recordName = "installed.json"
	// recordedName keeps the hashes of files that the manifest has none for, so
	// that they are checked also after the folder was removed.
	recordedName = "recorded.json"
	// importedRevision is the revision of what a user imported.
	importedRevision = "imported"
	// maxRecord bounds a record, a guess far above its size.
	maxRecord = 1 << 20
)

// record is an Installed with the version of its form.
type record struct {
	Schema int `json:"schema"`
	Installed
}

// readRecord reads and checks the record of a folder: somebody may have changed
// it, and its file names become paths.
func readRecord(dir string) (*Installed, error) {
	data, err := readSmall(filepath.Join(dir, recordName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("its record is missing")
	}
	if err != nil {
		return nil, fmt.Errorf("its record cannot be read: %w", err)
	}
	in, err := parseRecord(data)
	if err != nil {
		return nil, err
	}
	in.Dir = dir
	return in, nil
}

// readSmall reads a file of at most maxRecord bytes, never from a pipe, which
// would be waited for, or a device.
func readSmall(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", filepath.Base(path))
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, maxRecord))
}

func parseRecord(data []byte) (*Installed, error) {
	var r record
	if err := strict(data, &r); err != nil {
		return nil, fmt.Errorf("its record is broken: %w", err)
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("its record has schema %d", r.Schema)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("its record is broken: %w", err)
	}
	for _, f := range r.Files {
		if f.Unknown {
			return nil, fmt.Errorf("its record has no hash of %s", f.Path)
		}
	}
	return &r.Installed, nil
}

func (in *Installed) write(dir string) error {
	return system.WriteJSON(filepath.Join(dir, recordName), record{Schema: Schema, Installed: *in})
}

// sizes looks for files that are missing or cut short.
func (in *Installed) sizes() error {
	for _, f := range in.Files {
		info, err := os.Lstat(filepath.Join(in.Dir, f.Path))
		switch {
		case err != nil:
			return fmt.Errorf("%s is missing", f.Path)
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is no file", f.Path)
		case info.Size() != f.Size:
			return fmt.Errorf("%s has %d bytes instead of %d", f.Path, info.Size(), f.Size)
		}
	}
	return nil
}

// changed looks for files that were written after their record, which no pull
// and no import does, and hashes them: another file of the same size must not
// pass for the model. What was only copied is then remembered by the record's
// time, so that it is hashed once.
func (in *Installed) changed(want map[string]File) error {
	record := filepath.Join(in.Dir, recordName)
	info, err := os.Stat(record)
	if err != nil {
		return fmt.Errorf("its record cannot be read: %w", err)
	}
	latest := info.ModTime()
	for _, f := range in.Files {
		path := filepath.Join(in.Dir, f.Path)
		file, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("%s is missing", f.Path)
		}
		if !file.ModTime().After(info.ModTime()) {
			continue
		}
		if file.ModTime().After(latest) {
			latest = file.ModTime()
		}
		size, sum, err := sumFile(path)
		if err != nil {
			return err
		}
		if what := differs(want[f.Path], size, sum); what != "" {
			return fmt.Errorf("%s: %s", f.Path, what)
		}
	}
	if latest.After(info.ModTime()) {
		_ = os.Chtimes(record, latest, latest) // in a folder of another user it is hashed again
	}
	return nil
}

// sumFile is hashFile for a quarter of a second that nobody interrupts.
func sumFile(path string) (size int64, sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", fmt.Errorf("hash: %w", err)
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	size, err = io.Copy(h, f)
	if err != nil {
		return 0, "", fmt.Errorf("hash: %w", err)
	}
	return size, hex.EncodeToString(h.Sum(nil)), nil
}

// hashFile gives size and hash of a file, and stops soon after ctx's end.
func hashFile(ctx context.Context, path string) (size int64, sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", fmt.Errorf("hash: %w", err)
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	for {
		if err := ctx.Err(); err != nil {
			return 0, "", err
		}
		n, err := io.CopyN(h, f, 8<<20)
		size += n
		if errors.Is(err, io.EOF) {
			return size, hex.EncodeToString(h.Sum(nil)), nil
		}
		if err != nil {
			return 0, "", fmt.Errorf("hash: %w", err)
		}
	}
}

// recorded are the hashes of earlier pulls: "name@revision/file" to File.
type recorded map[string]File

func (m *Models) recorded() recorded {
	data, err := readSmall(filepath.Join(m.dir, recordedName))
	all := recorded{}
	if err == nil && json.Unmarshal(data, &all) == nil {
		return all
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		m.o.Log.Warn("the recorded hashes cannot be read", "error", err)
	}
	return recorded{}
}

// remember adds the hashes of an entry's files. The caller holds the lock of
// all records.
func (m *Models) remember(in *Installed) error {
	all := m.recorded()
	for _, f := range in.Files {
		for _, name := range in.Recorded {
			if f.Path == name {
				all[key(in.Entry, name)] = f
			}
		}
	}
	return system.WriteJSON(filepath.Join(m.dir, recordedName), all)
}

func key(e Entry, file string) string { return e.Name + "@" + e.Revision + "/" + file }
