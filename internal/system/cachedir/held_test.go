package cachedir

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// One who waits for a builder gets the entry as soon as it is finished, though
// the builder goes on holding it.
func TestBuildHeldWhileHeld(t *testing.T) {
	store := open(t)
	started, finish := make(chan struct{}), make(chan struct{})
	held := make(chan func())
	go func() {
		_, built, release, err := store.BuildHeld(t.Context(), "k", func(context.Context, string) error {
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
		_, built, release, err := store.BuildHeld(t.Context(), "k", func(context.Context, string) error {
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
	if _, _, _, err := store.BuildHeld(t.Context(), "bad", func(context.Context, string) error { return unix.ENOSPC }); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("a failed build: %v", err)
	}
}

// While others make room again and again, whoever builds gets to hold what it
// built: nothing goes between the two.
func TestBuildHeldWhileTrimmed(t *testing.T) {
	store := open(t)
	stop, trimmed := make(chan struct{}), make(chan struct{})
	var gone atomic.Int32
	trim := func() {
		removed, _ := store.Trim(t.Context(), 0, time.Nanosecond) // two at once may meet at a leftover
		gone.Add(int32(len(removed)))                             //nolint:gosec // one or none
	}
	go func() {
		defer close(trimmed)
		for {
			select {
			case <-stop:
				return
			default:
				trim()
			}
		}
	}()
	for i := range 100 {
		builds := 0
		path, built, release, err := store.BuildHeld(t.Context(), "k", func(context.Context, string) error { builds++; return nil })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(filepath.Join(path, markerName)); err != nil || builds > 1 || built != (builds == 1) {
			t.Errorf("entry %d: built %d times (says %t), and then %v", i, builds, built, err)
		}
		release()
		trim()
	}
	close(stop)
	<-trimmed
	if gone.Load() == 0 {
		t.Error("nothing was ever removed")
	}
}

// What cannot be locked, as in a store on a disk that is only read, is there all
// the same.
func TestBuildHeldWithoutALock(t *testing.T) {
	store := open(t)
	want := mustBuild(t, store, "k", 1)
	if err := os.Remove(store.lockPath("k")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(store.lockPath("k"), 0o755); err != nil { // as root nothing else is refused
		t.Fatal(err)
	}
	path, built, release, err := store.BuildHeld(t.Context(), "k", fill(1))
	if err != nil || built || path != want {
		t.Fatalf("%s %t %v", path, built, err)
	}
	release()
	if _, _, _, err := store.BuildHeld(t.Context(), "../k", fill(1)); err == nil {
		t.Error("a key leads out of the store")
	}
	if _, _, _, err := store.BuildHeld(canceled(t), "k2", func(ctx context.Context, _ string) error { return ctx.Err() }); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled build: %v", err)
	}
}

func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
