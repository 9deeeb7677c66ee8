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
		if pkg.made() {
			_, _ = fmt.Fprintf(h, "built %s\n", pkg.Built)
		}
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
