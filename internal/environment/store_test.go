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
	"github.com/repgen/repgen/internal/system/cachedir"
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

// One who waits for a builder gets the entry as soon as it is finished, though
// the builder goes on holding it.
func TestBuildHeldWhileHeld(t *testing.T) {
	store, err := cachedir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { makeWritable(t, store.Path("")) })
	started, finish := make(chan struct{}), make(chan struct{})
	held := make(chan func())
	go func() {
		_, built, release, err := buildHeld(t.Context(), store, "k", func(context.Context, string) error {
			close(started)
			<-finish
			return nil
		})
		if err != nil || !built {
			t.Errorf("builder: built %t, %v", built, err)
			release = func() {}
		}
		held <- release
	}()
	<-started
	second := make(chan error)
	go func() {
		_, built, release, err := buildHeld(t.Context(), store, "k", func(context.Context, string) error {
			return errors.New("built twice")
		})
		if err == nil {
			release()
		}
		if built {
			err = errors.New("the second says it built")
		}
		second <- err
	}()
	close(finish)
	release := <-held
	if err := <-second; err != nil {
		t.Error(err)
	}
	release()
	if _, _, _, err := buildHeld(t.Context(), store, "bad", func(context.Context, string) error { return unix.ENOSPC }); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("a failed build: %v", err)
	}
}

// While others make room again and again, whoever builds gets to hold what it
// built: an entry that goes in between is built anew.
func TestBuildHeldWhileTrimmed(t *testing.T) {
	store, err := cachedir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { makeWritable(t, store.Path("")) })
	gone := 0
	build := func(context.Context, string) error { gone++; return nil }
	// The first build leaves a lock that is taken, as by one who looks whether
	// the entry can go, and an entry that does go.
	dir, built, release, err := buildAndHold(t.Context(), store, "k", build)
	if err != nil || !built || release == nil {
		t.Fatalf("first: built %t, %v", built, err)
	}
	release()
	if removed, err := store.Trim(t.Context(), 0, time.Nanosecond); err != nil || len(removed) != 1 {
		t.Fatalf("trimmed %v, %v", removed, err)
	}
	stop := make(chan struct{})
	trimmed := make(chan struct{})
	go func() {
		defer close(trimmed)
		for {
			select {
			case <-stop:
				return
			default:
				_, _ = store.Trim(t.Context(), 0, time.Nanosecond)
			}
		}
	}()
	for range 50 {
		again, _, release, err := buildHeld(t.Context(), store, "k", build)
		if err != nil {
			t.Error(err)
			break
		}
		if again != dir {
			t.Errorf("held %s, want %s", again, dir)
		}
		release()
	}
	close(stop)
	<-trimmed
	if gone < 2 {
		t.Errorf("built %d times: nothing was ever removed", gone)
	}
}
