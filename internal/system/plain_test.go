package system

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// What is no plain file is refused at once; a pipe is not waited for.
func TestReadPlain(t *testing.T) {
	dir := t.TempDir()
	plain, link, pipe := filepath.Join(dir, "plain"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.WriteFile(plain, []byte("12345"), 0o600), os.Symlink(plain, link), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{plain, link} {
		if data, err := ReadPlain(path, 5); err != nil || string(data) != "12345" {
			t.Errorf("%s: %q, %v", path, data, err)
		}
	}
	if data, err := ReadPlain(plain, 4); err == nil || data != nil {
		t.Errorf("more than the limit: %q, %v", data, err)
	}
	if _, err := ReadPlain(filepath.Join(dir, "gone"), 5); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
	for _, path := range []string{dir, pipe, "/dev/zero"} {
		done := make(chan error, 1)
		go func() { _, err := ReadPlain(path, 5); done <- err }()
		select {
		case err := <-done:
			if err == nil {
				t.Errorf("%s was read", path)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s is waited for", path)
		}
	}
}
