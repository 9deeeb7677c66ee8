package system

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFolder: plain files come and go, whatever else lies there.
func TestFolder(t *testing.T) {
	f := openFolder(t)
	if err := errors.Join(f.Write("a/b/one", []byte("1")), f.Keep("two", []byte("22"))); err != nil {
		t.Fatal(err)
	}
	if err := f.Keep("two", []byte("2")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		file, err := f.Append("log")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString("x"); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"a/b/one": "1", "two": "2", "log": "xx"} {
		if data, err := f.Read(name, 2); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if _, err := f.Read("log", 1); err == nil {
		t.Error("more than the limit was read")
	}
	if _, err := f.Read("gone", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
	if err := f.Check("", ".jsonl"); err != nil {
		t.Errorf("plain files: %v", err)
	}
	n := 0
	seen := func(name string, info fs.FileInfo) error {
		n++
		data, err := f.ReadSeen(name, info)
		if want, rerr := f.Read(name, 2); err != nil || rerr != nil || string(data) != string(want) {
			t.Errorf("%s: seen %q, %v; read %q, %v", name, data, err, want, rerr)
		}
		if other, err := f.root.Lstat("two"); err != nil {
			t.Error(err)
		} else if _, err := f.ReadSeen("log", other); !errors.Is(err, ErrNotPlain) {
			t.Errorf("what took its place is read: %v", err)
		}
		return nil
	}
	if err := f.Walk(10, "", seen, nil); err != nil || n != 3 {
		t.Errorf("%d files, %v", n, err)
	}
	n = 0
	if err := f.Walk(10, "a", func(string, fs.FileInfo) error { n++; return nil }, nil); err != nil || n != 2 {
		t.Errorf("%d files without those of a folder, %v", n, err)
	}
	if err := f.Walk(2, "", func(string, fs.FileInfo) error { return nil }, nil); err == nil || !strings.Contains(err.Error(), "more than 2") {
		t.Errorf("too many: %v", err)
	}
}

func openFolder(t testing.TB) *Folder {
	t.Helper()
	f, err := OpenFolder(filepath.Join(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestFolderFollowsNothing: what is no plain file of the folder is neither read
// nor written, and said to be there.
func TestFolderFollowsNothing(t *testing.T) {
	for name, make := range map[string]func(path, outside string) error{
		"a link to a file":   func(path, outside string) error { return os.Symlink(filepath.Join(outside, "file"), path) },
		"a link to nothing":  func(path, outside string) error { return os.Symlink(filepath.Join(outside, "new"), path) },
		"a link to a folder": func(path, outside string) error { return os.Symlink(outside, path) },
		"a link to a neighbour": func(path, _ string) error {
			return errors.Join(os.WriteFile(path+"2", nil, 0o600), os.Symlink(filepath.Base(path)+"2", path))
		},
		"a pipe":   func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
		"a device": func(path, _ string) error { return os.Symlink("/dev/zero", path) },
	} {
		t.Run(name, func(t *testing.T) {
			f, outside := openFolder(t), t.TempDir()
			if err := os.WriteFile(filepath.Join(outside, "file"), []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := make(filepath.Join(f.Dir, "x"), outside); err != nil {
				t.Fatal(err)
			}
			if err := f.Check("", ""); !errors.Is(err, ErrNotPlain) || !strings.Contains(err.Error(), "/x: ") {
				t.Errorf("the check says %v", err)
			}
			if data, err := f.Read("x", 10); !errors.Is(err, ErrNotPlain) {
				t.Errorf("%q was read, %v", data, err)
			}
			if file, err := f.Append("x"); err == nil {
				t.Errorf("it is added to: %v", file.Close())
			}
			if strings.Contains(name, "folder") {
				if err := f.Write("x/y", []byte("theirs")); err == nil {
					t.Error("written through it")
				}
			} else if err := f.Write("x", []byte("theirs")); err != nil {
				t.Errorf("not replaced: %v", err) // by a file of our own
			}
			entries, err := os.ReadDir(outside)
			if data, _ := os.ReadFile(filepath.Join(outside, "file")); err != nil || len(entries) != 1 || string(data) != "mine" {
				t.Errorf("outside: %v, %q, %v", entries, data, err)
			}
		})
	}
}

// TestFolderOfHardLinks: a file that is written in place is no other file too.
func TestFolderOfHardLinks(t *testing.T) {
	f, outside := openFolder(t), filepath.Join(t.TempDir(), "file")
	if err := errors.Join(os.WriteFile(outside, nil, 0o600), os.Link(outside, filepath.Join(f.Dir, "x.jsonl"))); err != nil {
		t.Fatal(err)
	}
	if err := f.Check("", ".jsonl"); !errors.Is(err, ErrNotPlain) {
		t.Errorf("the check says %v", err)
	}
	if err := f.Check("", ""); err != nil {
		t.Errorf("what is only read may be another file too: %v", err)
	}
}

// TestNoFolder: a pipe in its place is not waited for.
func TestNoFolder(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFolder(pipe); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("a pipe: %v", err)
	}
	if _, err := OpenFolder(pipe + "2"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

// TestLockFollowsNoLink: a link in the lock's place makes no file where it leads.
func TestLockFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	lock, outside := filepath.Join(dir, "lock"), filepath.Join(dir, "outside")
	if err := os.Symlink(outside, lock); err != nil {
		t.Fatal(err)
	}
	if _, _, err := TryLockFile(lock); err == nil {
		t.Error("it was locked")
	}
	if _, err := os.Lstat(outside); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
}
