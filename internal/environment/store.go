package environment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/system"
	"github.com/repgen/repgen/internal/system/cachedir"
)

// builderVersion is part of every key: it grows when the same lock would give
// another folder.
const builderVersion = "1"

// The stores below the cache root.
const (
	envStore   = "envs"         // environments, by lock
	certStore  = "certificates" // certificates and the bytecode they left, by environment and script
	wheelStore = "wheels"       // wheels that were built from source, by source and interpreter
)

// minFree is the free space below which nothing is built, a guess: an
// environment of CPU wheels takes up to 1.4 GB (measured), its downloads as
// much again, and a full disk hurts more than this tool.
const minFree = 3 << 30

// StoreError says that the store of environments could not be used: disk full,
// no permission. It is infrastructure and says nothing of the environment.
type StoreError struct {
	What string
	Why  string
	Next string
	Err  error
}

func (e *StoreError) Error() string { return e.What + ": " + e.Why }

func (e *StoreError) Unwrap() error { return e.Err }

func (m *Manager) store(name string) (*cachedir.Store, error) {
	s, err := cachedir.Open(filepath.Join(m.opts.CacheDir, name))
	if err != nil {
		return nil, storeError("open the store", err)
	}
	return s, nil
}

// storeError words trouble with the disk; what has a better type keeps it.
func storeError(doing string, err error) error {
	var index *IndexError
	var store *StoreError
	switch {
	case errors.As(err, &index):
		return index
	case errors.As(err, &store):
		return store
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: %w", doing, err)
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		return &StoreError{
			What: "no space left while trying to " + doing, Why: err.Error(), Err: err,
			Next: "free some disk space, or set REPGEN_CACHE_DIR to a larger disk",
		}
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EROFS), errors.Is(err, unix.EPERM):
		return &StoreError{
			What: "the cache cannot be written while trying to " + doing, Why: err.Error(), Err: err,
			Next: "set REPGEN_CACHE_DIR to a folder of your own",
		}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// holdPoll is how often a waiting process looks whether another one has
// finished the entry that both want.
const holdPoll = 50 * time.Millisecond

// buildHeld is Build and Hold in one. Whoever builds an entry goes on holding
// it while it is used, which can take minutes, so one who waits for the
// builder's lock also looks whether the entry can be shared already.
func buildHeld(ctx context.Context, store *cachedir.Store, key string, build func(context.Context, string) error) (dir string, built bool, release func(), err error) {
	if release, ok := store.Hold(key); ok {
		return store.Path(key), false, release, nil
	}
	wait, cancel := context.WithCancel(ctx)
	defer cancel()
	shared := make(chan func(), 1)
	go func() {
		defer close(shared)
		tick := time.NewTicker(holdPoll)
		defer tick.Stop()
		for {
			select {
			case <-wait.Done():
				return
			case <-tick.C:
				if release, ok := store.Hold(key); ok {
					shared <- release
					cancel()
					return
				}
			}
		}
	}()
	_, built, err = store.Build(wait, key, build)
	cancel()
	if release, ok := <-shared; ok {
		return store.Path(key), built && err == nil, release, nil
	}
	if err != nil {
		return "", false, nil, err
	}
	release, ok := store.Hold(key)
	if !ok {
		return "", false, nil, errors.New("the entry was removed as soon as it was built")
	}
	return store.Path(key), built, release, nil
}

// checkSpace stops before a build that would fill the disk.
func checkSpace(dir string) error {
	free, err := system.FreeBytes(dir)
	if err != nil {
		return nil //nolint:nilerr // a file system that cannot say is tried
	}
	if free >= minFree {
		return nil
	}
	return &StoreError{
		What: "too little disk space to build an environment",
		Why:  fmt.Sprintf("%d MiB free at %s, %d MiB wanted", free>>20, dir, int64(minFree)>>20),
		Next: "free some disk space, or set REPGEN_CACHE_DIR to a larger disk",
		Err:  unix.ENOSPC,
	}
}

// lockHash is the key of a lock: what is installed, for which interpreter. The
// interpreter's place is no part of it, since an environment is tied to it by
// its place inside the sandbox alone.
func lockHash(l *Lock, p interp.Interpreter) string {
	h := sha256.New()
	layout := "py"
	if p.InUsr() {
		layout = p.Path
	}
	_, _ = fmt.Fprintf(h, "%s\n%s %s %s %s\n", builderVersion, p.Version, p.ABI, p.Arch, layout)
	for _, pkg := range l.Packages {
		_, _ = fmt.Fprintf(h, "%s==%s %t %s\n", pkg.Name, pkg.Version, pkg.Sdist, strings.Join(pkg.Hashes, " "))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// shortKey is enough of a hash for a folder name.
func shortKey(hash string) string { return hash[:32] }

// Trim removes environments, certificates and built wheels that were not used
// for maxAge, then the longest unused until each kind is at most maxBytes, and
// what uv's cache keeps for none of them. Zero is no limit. It returns how
// many entries went.
func (m *Manager) Trim(ctx context.Context, maxBytes int64, maxAge time.Duration) (int, error) {
	gone := 0
	for _, name := range []string{envStore, certStore, wheelStore} {
		s, err := m.store(name)
		if err != nil {
			return gone, err
		}
		removed, err := s.Trim(ctx, maxBytes, maxAge)
		gone += len(removed)
		if err != nil {
			return gone, storeError("trim the store", err)
		}
	}
	if gone == 0 {
		return 0, nil
	}
	tool, err := m.resolver(ctx)
	if err != nil {
		return gone, err
	}
	return gone, tool.Prune(ctx)
}
