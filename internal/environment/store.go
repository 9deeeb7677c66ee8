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
	case errors.Is(err, unix.EFBIG):
		return &StoreError{
			What: "a file is larger than this process may write, while trying to " + doing, Why: err.Error(), Err: err,
			Next: "raise the limit (ulimit -f unlimited) and try again",
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

// holdTries bounds how often an entry is built that is gone, or locked by who
// looks whether it can go, before it can be held. Each try is a build at worst,
// and cleaning twice within one build has not been seen.
const holdTries = 5

// buildHeld is Build and Hold in one. Between the two the lock is nobody's, so
// another process that makes room may take it, or the whole entry: then both
// are done again.
func buildHeld(ctx context.Context, store *cachedir.Store, key string, build func(context.Context, string) error) (dir string, built bool, release func(), err error) {
	for range holdTries {
		made := false
		dir, made, release, err = buildAndHold(ctx, store, key, build)
		built = built || made
		if err != nil || release != nil {
			return dir, built && err == nil, release, err
		}
	}
	return "", false, nil, errors.New("the entry was removed as soon as it was built")
}

// buildAndHold gives no release where the entry could not be held. Whoever builds
// an entry goes on holding it while it is used, which can take minutes, so one
// who waits for the builder's lock also looks whether it can be shared already.
func buildAndHold(ctx context.Context, store *cachedir.Store, key string, build func(context.Context, string) error) (dir string, built bool, release func(), err error) {
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
	release, _ = store.Hold(key)
	return store.Path(key), built, release, nil
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
	if out := l.leftOut(); len(out) > 0 {
		_, _ = fmt.Fprintf(h, "stubs %s for %s\n", stubVersion, strings.Join(out, " "))
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
	if err := tool.Unlink(ctx); err != nil {
		return gone, err
	}
	return gone, tool.Prune(ctx)
}
