// Package cachedir is a store of folders named by what they hold: each is
// built once, under a temporary name, made read-only and renamed, so that one
// that exists is whole. Any number of processes may share a store.
package cachedir

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/system"
)

// Names inside a store.
const (
	markerName = ".complete" // inside a finished entry
	lockSuffix = ".lock"     // beside it; its time of change is the last use
	tmpInfix   = ".tmp-"     // an entry being built or removed
)

// Store is one folder of entries. It holds no state but the path.
type Store struct{ dir string }

// Open makes the folder when it is absent.
func Open(dir string) (*Store, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open cache %s: %w", dir, err)
	}
	if err := os.MkdirAll(abs, 0o755); err != nil {
		return nil, fmt.Errorf("open cache: %w", err)
	}
	return &Store{dir: abs}, nil
}

// marker is what a finished entry says of itself.
type marker struct {
	Bytes int64     `json:"bytes"` // on disk, when it was built
	Built time.Time `json:"built"`
}

// keyForm keeps keys inside the store and apart from its own names.
var keyForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$`)

// Path is where the entry of key is or would be.
func (s *Store) Path(key string) string { return filepath.Join(s.dir, key) }

func (s *Store) lockPath(key string) string { return s.Path(key) + lockSuffix }

func (s *Store) complete(key string) bool {
	_, err := os.Lstat(filepath.Join(s.Path(key), markerName))
	return err == nil
}

// Build gives the entry of key, building it when it is absent. build gets an
// empty folder to fill; when it fails, nothing is left and the next call tries
// again. built says whether this call did the work: of several callers that
// ask at once, in any process, one builds and the others wait for it.
func (s *Store) Build(ctx context.Context, key string, build func(ctx context.Context, tmp string) error) (path string, built bool, err error) {
	if !keyForm.MatchString(key) {
		return "", false, fmt.Errorf("build cache entry: bad key %q", key)
	}
	if s.complete(key) {
		_ = s.Touch(key) // a read-only store still serves
		return s.Path(key), false, nil
	}
	unlock, err := system.LockFile(ctx, s.lockPath(key))
	if err != nil {
		return "", false, fmt.Errorf("build cache entry %s: %w", key, err)
	}
	defer func() { _ = unlock() }()
	if s.complete(key) {
		return s.Path(key), false, nil
	}
	if err := s.buildLocked(ctx, key, build); err != nil {
		return "", false, fmt.Errorf("build cache entry %s: %w", key, s.explain(err))
	}
	return s.Path(key), true, nil
}

// holdPoll is how often a waiting BuildHeld looks whether the one who builds has
// come to an end. A guess, short beside anything that is built.
const holdPoll = 20 * time.Millisecond

// BuildHeld is Build and Hold in one: what was built is held from then on without
// a moment in which somebody could remove it. One who waits for a builder gets
// the entry as soon as it is finished, though the builder goes on holding it.
func (s *Store) BuildHeld(ctx context.Context, key string, build func(ctx context.Context, tmp string) error) (path string, built bool, release func(), err error) {
	if !keyForm.MatchString(key) {
		return "", false, nil, fmt.Errorf("build cache entry: bad key %q", key)
	}
	for {
		if release, ok := s.Hold(key); ok {
			return s.Path(key), built, release, nil
		}
		unlock, share, ok, err := system.TryLockFileToShare(s.lockPath(key))
		switch {
		case err != nil && s.complete(key):
			return s.Path(key), false, func() {}, nil // a read-only store still serves: nobody removes anything there
		case err != nil:
			return "", false, nil, fmt.Errorf("build cache entry %s: %w", key, err)
		case ok:
			if !s.complete(key) {
				if err := s.buildLocked(ctx, key, build); err != nil {
					return "", false, nil, errors.Join(fmt.Errorf("build cache entry %s: %w", key, s.explain(err)), unlock())
				}
				built = true
			}
			if share() == nil {
				_ = s.Touch(key)
				return s.Path(key), built, func() { _ = unlock() }, nil
			}
			_ = unlock()
		}
		select {
		case <-ctx.Done():
			return "", false, nil, fmt.Errorf("build cache entry %s: %w", key, ctx.Err())
		case <-time.After(holdPoll):
		}
	}
}

// buildLocked fills, seals and renames, under the key's lock.
func (s *Store) buildLocked(ctx context.Context, key string, build func(context.Context, string) error) (err error) {
	if err := s.sweep(key); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(s.dir, key+tmpInfix)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = system.RemoveAll(tmp)
		}
	}()
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := build(ctx, tmp); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := seal(tmp); err != nil {
		return err
	}
	return os.Rename(tmp, s.Path(key))
}

// explain turns a full disk into a sentence; everything else stays.
func (s *Store) explain(err error) error {
	if !errors.Is(err, unix.ENOSPC) && !errors.Is(err, unix.EDQUOT) {
		return err
	}
	free, ferr := system.FreeBytes(s.dir)
	if ferr != nil {
		return fmt.Errorf("disk full at %s: %w", s.dir, err)
	}
	return fmt.Errorf("disk full at %s (%d MiB free now, the unfinished entry was removed): %w", s.dir, free>>20, err)
}

// sweep removes what killed builders of key left. The lock is held, so no
// living one exists; an unmarked entry cannot be whole either.
func (s *Store) sweep(key string) error {
	left, err := filepath.Glob(s.Path(key) + tmpInfix + "*")
	if err != nil {
		return err
	}
	if _, err := os.Lstat(s.Path(key)); err == nil {
		left = append(left, s.Path(key))
	}
	for _, p := range left {
		if err := system.RemoveAll(p); err != nil {
			return err
		}
	}
	return nil
}

// seal takes every write permission away and writes the marker.
func seal(dir string) error {
	size, err := sealTree(dir)
	if err != nil {
		return err
	}
	data, err := json.Marshal(marker{Bytes: size, Built: time.Now().UTC()})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, markerName), data, 0o444); err != nil {
		return err
	}
	return os.Chmod(dir, 0o555)
}

// Touch marks the entry as used now.
func (s *Store) Touch(key string) error {
	now := time.Now()
	if err := os.Chtimes(s.lockPath(key), now, now); err != nil {
		return fmt.Errorf("touch cache entry %s: %w", key, err)
	}
	return nil
}

// Hold keeps the entry from being trimmed until release is called. ok is
// false when there is no finished entry (or it is being removed just now):
// build it again.
func (s *Store) Hold(key string) (release func(), ok bool) {
	if !keyForm.MatchString(key) {
		return nil, false
	}
	unlock, ok, err := system.TryRLockFile(s.lockPath(key))
	if err != nil || !ok {
		return nil, false
	}
	if !s.complete(key) {
		_ = unlock()
		return nil, false
	}
	_ = s.Touch(key)
	return func() { _ = unlock() }, true
}
