package environment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/environment/interp"
)

func TestLockHash(t *testing.T) {
	python := interp.Interpreter{Path: "/a/bin/python3.11", Prefix: "/a", Version: "3.11.7", ABI: "cp311", Arch: "x86_64"}
	base := lockHash(lockOf("3.11.7", "a==1.0", "b==2.0"), python)
	moved := python
	moved.Path, moved.Prefix = "/b/bin/python3.11", "/b"
	if got := lockHash(lockOf("3.11.7", "a==1.0", "b==2.0"), moved); got != base {
		t.Error("the interpreter's place is part of the key")
	}
	told := lockOf("3.11.7", "a==1.0", "b==2.0")
	told.Edits, told.AsOf, told.Packages[0].Why = []string{"x"}, time.Now(), "because"
	if got := lockHash(told, python); got != base {
		t.Error("what is said of a lock is part of the key")
	}
	seen := map[string]string{base: "base"}
	check := func(name string, l *Lock, p interp.Interpreter) {
		t.Helper()
		h := lockHash(l, p)
		if old, ok := seen[h]; ok {
			t.Errorf("%s has the key of %s", name, old)
		}
		seen[h] = name
	}
	check("version", lockOf("3.11.7", "a==1.1", "b==2.0"), python)
	check("fewer", lockOf("3.11.7", "a==1.0"), python)
	other := lockOf("3.11.7", "a==1.0", "b==2.0")
	other.Packages[1].Hashes = []string{"sha256:bb"}
	check("hash", other, python)
	sdist := lockOf("3.11.7", "a==1.0", "b==2.0")
	sdist.Packages[0].Sdist = true
	check("sdist", sdist, python)
	for _, wheel := range []string{"sha256:aa", "sha256:bb"} {
		sdist.Packages[0].Built = wheel
		check("built as "+wheel, sdist, python)
	}
	patch := python
	patch.Version = "3.11.8"
	check("patch", lockOf("3.11.7", "a==1.0", "b==2.0"), patch)
	system := python
	system.Path, system.Prefix = "/usr/bin/python3.11", "/usr"
	check("layout", lockOf("3.11.7", "a==1.0", "b==2.0"), system)
}

func TestStoreError(t *testing.T) {
	var store *StoreError
	for _, cause := range []error{unix.ENOSPC, unix.EDQUOT, unix.EROFS, unix.EFBIG, &os.PathError{Err: unix.EACCES}} {
		err := storeError("build", fmt.Errorf("write: %w", cause))
		if !errors.As(err, &store) || store.Next == "" || !errors.Is(err, cause) {
			t.Errorf("%v: %v", cause, err)
		}
	}
	if err := storeError("build", context.Canceled); errors.As(err, &store) || !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	index := indexError("x", errors.New("y"))
	if err := storeError("build", fmt.Errorf("entry: %w", index)); !errors.Is(err, error(index)) {
		t.Errorf("an index error lost its type: %v", err)
	}
	if err := storeError("build", errors.New("else")); errors.As(err, &store) {
		t.Errorf("everything is the disk's fault: %v", err)
	}
}
