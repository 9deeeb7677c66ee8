package system

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile replaces path by data in one step: a reader sees the old content
// or the new one, also when the machine stops in between. The temporary file
// lies in the same folder (a rename across file systems is a copy) and is gone
// when an error is returned.
func WriteFile(path string, data []byte, perm os.FileMode) error {
	if err := replace(path, data, perm, (*os.File).Sync); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// KeepFile is WriteFile for what can be made again. It does not wait for the
// disk: after a machine that stopped the file may be empty, so its reader must
// take one that it cannot read for absent. (A flush took 3 ms on a busy disk,
// and a run keeps a dozen files: measured, a third of all it added.)
func KeepFile(path string, data []byte, perm os.FileMode) error {
	return replace(path, data, perm, func(*os.File) error { return nil })
}

// replace puts data in the place of path in one step.
func replace(path string, data []byte, perm os.FileMode, flush func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".tmp-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := fill(f, data, perm, flush); err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// fill writes, flushes and closes f; the first failure counts.
func fill(f *os.File, data []byte, perm os.FileMode, flush func(*os.File) error) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Chmod(perm)
	}
	if err == nil {
		err = flush(f)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// syncDir makes a rename durable. Some file systems cannot flush a folder;
// the content is whole all the same, so that is no failure.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("flush %s: %w", dir, err)
	}
	_ = d.Sync()
	return d.Close()
}

// WriteJSON writes v as indented JSON with a final newline, as WriteFile does,
// readable by everybody.
func WriteJSON(path string, v any) error { return asJSON(path, v, WriteFile) }

// KeepJSON writes as WriteJSON does, with the promise of KeepFile.
func KeepJSON(path string, v any) error { return asJSON(path, v, KeepFile) }

func asJSON(path string, v any, write func(string, []byte, os.FileMode) error) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return write(path, append(data, '\n'), 0o644)
}

// RemoveAll deletes a tree, also one whose folders are read-only. A path that
// does not exist is no error; links are removed, never followed.
func RemoveAll(root string) error {
	err := os.RemoveAll(root)
	if err == nil || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return os.RemoveAll(root)
}
