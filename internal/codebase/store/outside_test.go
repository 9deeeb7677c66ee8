package store

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/codebase/bm25"
)

// everything asks an open store for all that it holds.
func everything(t *testing.T, s *Store) {
	t.Helper()
	checkSmall(t, s)
	q := []bm25.Weighted{{Token: "x", Weight: 1}, {Token: "fit", Weight: 1}, {Token: "a", Weight: 1}}
	for _, h := range s.BM25().Search(q, 5, nil) {
		s.BM25().Explain(q, h.Doc)
	}
	for i := range s.Len() {
		s.Chunk(i)
		s.Ident(i)
		if _, err := s.Text(t.Context(), i); err != nil {
			t.Error(err)
		}
	}
}

// TestFileChangesUnderAReader has somebody else spoil the file that a store was
// opened from: what is open serves as before, what is opened next begins anew.
func TestFileChangesUnderAReader(t *testing.T) {
	spoil := map[string]func(path string) error{
		"cut to nothing": func(path string) error { return os.Truncate(path, 0) },
		"cut":            func(path string) error { return os.Truncate(path, headerSize) },
		"overwritten": func(path string) error {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt(bytes.Repeat([]byte{0xff}, len(data)), 0)
			if cerr := f.Close(); err == nil {
				err = cerr
			}
			return err
		},
		"removed": os.Remove,
	}
	for name, do := range spoil {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			tree := newProject(small())
			made, _ := mustOpen(t, dir, tree, options())
			again, _ := mustOpen(t, dir, tree, options())
			if err := do(filepath.Join(dir, fileName)); err != nil {
				t.Fatal(err)
			}
			everything(t, made)
			everything(t, again)
			next, c := mustOpen(t, dir, tree, options())
			if c.Added != 3 || c.Unsaved != "" {
				t.Errorf("opened next: %+v", c)
			}
			everything(t, next)
		})
	}
}

// TestNoFileInItsPlace has something else lie where the index should: opening
// must neither wait for it nor fail.
func TestNoFileInItsPlace(t *testing.T) {
	put := map[string]func(path string) error{
		"pipe":   func(path string) error { return unix.Mkfifo(path, 0o600) },
		"folder": func(path string) error { return os.MkdirAll(filepath.Join(path, "x"), 0o755) },
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"loop":   func(path string) error { return os.Symlink(fileName, path) },
	}
	for name, do := range put {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := do(filepath.Join(dir, fileName)); err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				s, _, err := Open(t.Context(), dir, newProject(small()), options())
				if err != nil {
					t.Error(err)
					return
				}
				checkSmall(t, s)
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}()
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				t.Fatal("it waits")
			}
		})
	}
}
