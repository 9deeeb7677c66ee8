package system

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestCacheDir(t *testing.T) {
	tests := map[string]struct{ own, xdg, home, want string }{
		"own wins":             {"/own", "/xdg", "/home/u", "/own"},
		"xdg":                  {"", "/xdg", "/home/u", "/xdg/repgen"},
		"relative xdg ignored": {"", "xdg", "/home/u", "/home/u/.cache/repgen"},
		"home":                 {"", "", "/home/u", "/home/u/.cache/repgen"},
		"nothing":              {"", "", "", ""},
		"relative home":        {"", "", "here", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv(cacheVar, tt.own)
			t.Setenv("XDG_CACHE_HOME", tt.xdg)
			t.Setenv("HOME", tt.home)
			got, err := CacheDir()
			if got != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("CacheDir() = %q, %v, want %q", got, err, tt.want)
			}
		})
	}
	t.Setenv(cacheVar, "relative")
	if got, err := CacheDir(); err != nil || !filepath.IsAbs(got) {
		t.Errorf("a relative folder became %q, %v", got, err)
	}
}

func TestFreeBytes(t *testing.T) {
	dir := t.TempDir()
	here, err := FreeBytes(dir)
	if err != nil || here == 0 {
		t.Fatalf("FreeBytes = %d, %v", here, err)
	}
	if n, err := FreeBytes(filepath.Join(dir, "not", "yet")); err != nil || n == 0 {
		t.Errorf("for a folder to come: %d, %v", n, err)
	}
	if _, err := FreeBytes(filepath.Join(dir, strings.Repeat("x", 300))); err == nil {
		t.Error("a name that cannot exist has free space")
	}
}

// writers are the two ways to put a file in the place of another.
var writers = map[string]func(string, []byte, os.FileMode) error{"WriteFile": WriteFile, "KeepFile": KeepFile}

func TestWriteFile(t *testing.T) {
	for name, write := range writers {
		t.Run(name, func(t *testing.T) { testWriter(t, write) })
	}
}

func testWriter(t *testing.T, write func(string, []byte, os.FileMode) error) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, text := range []string{"first", "second, longer", ""} {
		if err := write(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil || string(data) != text {
			t.Errorf("read %q, %v, want %q", data, err, text)
		}
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	if err := write(filepath.Join(dir, "absent", "f"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("into no folder: %v", err)
	}
	if err := write(dir, []byte("x"), 0o600); err == nil {
		t.Error("a folder was replaced by a file")
	}
	wantOnly(t, dir, "f")
}

// wantOnly fails when temporary files were left.
func wantOnly(t *testing.T, dir string, want ...string) {
	t.Helper()
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range names {
		got = append(got, n.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s holds %v, want %v", dir, got, want)
	}
}

// TestWriteFileWhole: a reader never sees a part.
func TestWriteFileWhole(t *testing.T) {
	for name, write := range writers {
		t.Run(name, func(t *testing.T) { testWhole(t, write) })
	}
}

func testWhole(t *testing.T, write func(string, []byte, os.FileMode) error) {
	path := filepath.Join(t.TempDir(), "f")
	texts := []string{strings.Repeat("a", 100000), strings.Repeat("b", 5)}
	if err := write(path, []byte(texts[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		defer stop.Store(true)
		for i := range 50 {
			if err := write(path, []byte(texts[i%2]), 0o600); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for !stop.Load() {
		data, err := os.ReadFile(path)
		if err != nil || (string(data) != texts[0] && string(data) != texts[1]) {
			t.Fatalf("saw %d bytes, %v", len(data), err)
		}
	}
	wg.Wait()
}

func TestWriteJSON(t *testing.T) {
	for name, write := range map[string]func(string, any) error{"WriteJSON": WriteJSON, "KeepJSON": KeepJSON} {
		path := filepath.Join(t.TempDir(), "f.json")
		if err := write(path, map[string]int{"a": 1}); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil || string(data) != "{\n  \"a\": 1\n}\n" {
			t.Errorf("%s: read %q, %v", name, data, err)
		}
		if err := write(path, make(chan int)); err == nil {
			t.Errorf("%s: a channel became JSON", name)
		}
	}
}

func TestRemoveAll(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(dir, "outside")
	tree := filepath.Join(dir, "tree")
	for _, d := range []string{outside, filepath.Join(tree, "a", "b")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(tree, "a", "link")); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"a/b", "a", "."} {
		if err := os.Chmod(filepath.Join(tree, d), 0o500); err != nil {
			t.Fatal(err)
		}
	}
	if err := RemoveAll(tree); err != nil {
		t.Fatal(err)
	}
	if err := RemoveAll(tree); err != nil {
		t.Errorf("the second time: %v", err)
	}
	wantOnly(t, dir, "outside")
}

func TestRemoveAllUnreadable(t *testing.T) {
	tree := filepath.Join(t.TempDir(), "tree")
	if err := os.MkdirAll(filepath.Join(tree, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(tree, "a"), 0); err != nil {
		t.Fatal(err)
	}
	if err := RemoveAll(tree); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(tree); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}
}

func TestLockFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := LockFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := TryLockFile(path); ok || err != nil {
		t.Errorf("taken twice: %v, %v", ok, err)
	}
	if _, ok, err := TryRLockFile(path); ok || err != nil {
		t.Errorf("shared beside exclusive: %v, %v", ok, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := LockFile(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting ended with %v", err)
	}
	got := make(chan error, 1)
	go func() {
		second, err := LockFile(t.Context(), path)
		if err == nil {
			err = second()
		}
		got <- err
	}()
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Errorf("the waiter: %v", err)
	}
	if _, err := LockFile(t.Context(), filepath.Join(path, "below", "a", "file")); err == nil {
		t.Error("locked a file that cannot be made")
	}
}

func TestSharedLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	a, ok, err := TryRLockFile(path)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	b, ok, err := TryRLockFile(path)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	if _, ok, err := TryLockFile(path); ok || err != nil {
		t.Errorf("exclusive beside shared: %v, %v", ok, err)
	}
	if err := errors.Join(a(), b()); err != nil {
		t.Fatal(err)
	}
	c, ok, err := TryLockFile(path)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	if err := c(); err != nil {
		t.Fatal(err)
	}
}

// TestLockExcludes: with the file removed by each holder, two must still never
// be inside at once.
func TestLockExcludes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside, wrong atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				unlock, ok, err := TryLockFile(path)
				if err != nil {
					t.Error(err)
					return
				}
				if !ok {
					time.Sleep(time.Millisecond)
					continue
				}
				if inside.Add(1) != 1 {
					wrong.Add(1)
				}
				time.Sleep(100 * time.Microsecond)
				inside.Add(-1)
				if err := errors.Join(os.Remove(path), unlock()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if wrong.Load() != 0 {
		t.Errorf("%d times two held the lock", wrong.Load())
	}
}
