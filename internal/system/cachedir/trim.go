package cachedir

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/system"
)

// entry is one finished folder as Trim sees it.
type entry struct {
	key   string
	bytes int64
	used  time.Time
}

// Trim removes the entries not used for maxAge, then the longest unused ones
// until the rest is at most maxBytes (zero of either: no such limit). Entries
// that are held, or being built, stay. It returns the removed keys.
func (s *Store) Trim(ctx context.Context, maxBytes int64, maxAge time.Duration) (removed []string, err error) {
	entries, err := s.entries()
	if err != nil {
		return nil, fmt.Errorf("trim cache: %w", err)
	}
	var total int64
	for _, e := range entries {
		total += e.bytes
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return removed, fmt.Errorf("trim cache: %w", err)
		}
		old := maxAge > 0 && time.Since(e.used) > maxAge
		big := maxBytes > 0 && total > maxBytes
		if !old && !big {
			continue
		}
		gone, err := s.drop(e.key)
		if err != nil {
			return removed, fmt.Errorf("trim cache entry %s: %w", e.key, err)
		}
		if gone {
			total -= e.bytes
			removed = append(removed, e.key)
		}
	}
	return removed, s.sweepDead()
}

// entries lists the finished ones, the longest unused first.
func (s *Store) entries() ([]entry, error) {
	names, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	var all []entry
	for _, n := range names {
		if !n.IsDir() || !keyForm.MatchString(n.Name()) || !s.complete(n.Name()) {
			continue
		}
		all = append(all, s.entry(n.Name()))
	}
	slices.SortFunc(all, func(a, b entry) int { return a.used.Compare(b.used) })
	return all, nil
}

// entry reads marker and last use; an unreadable marker counts as empty.
func (s *Store) entry(key string) entry {
	e := entry{key: key}
	var m marker
	if data, err := os.ReadFile(filepath.Join(s.Path(key), markerName)); err == nil {
		_ = json.Unmarshal(data, &m)
	}
	e.bytes, e.used = m.Bytes, m.Built
	if st, err := os.Stat(s.lockPath(key)); err == nil {
		e.used = st.ModTime()
	}
	return e
}

// drop removes one entry unless somebody uses it. The rename comes first: an
// entry that is half removed must never look finished.
func (s *Store) drop(key string) (bool, error) {
	unlock, ok, err := system.TryLockFile(s.lockPath(key))
	if err != nil || !ok {
		return false, err
	}
	defer func() { _ = unlock() }()
	tmp := s.Path(key) + tmpInfix + "trash"
	if err := system.RemoveAll(tmp); err != nil {
		return false, err
	}
	if err := os.Rename(s.Path(key), tmp); err != nil {
		return false, err
	}
	if err := system.RemoveAll(tmp); err != nil {
		return false, err
	}
	// Whoever waits for this very file notices that it has no name any more.
	return true, os.Remove(s.lockPath(key))
}

// sweepDead removes the leftovers of killed builders whose key nobody asked
// for again.
func (s *Store) sweepDead() error {
	left, err := filepath.Glob(filepath.Join(s.dir, "*"+tmpInfix+"*"))
	if err != nil {
		return err
	}
	for _, p := range left {
		key, _, _ := strings.Cut(filepath.Base(p), tmpInfix)
		unlock, ok, err := system.TryLockFile(s.lockPath(key))
		if err != nil || !ok {
			continue // a living builder
		}
		err = system.RemoveAll(p)
		_ = unlock()
		if err != nil {
			return fmt.Errorf("trim cache: %w", err)
		}
	}
	return nil
}
