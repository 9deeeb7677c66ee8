package environment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/repgen/repgen/internal/environment/uv"
	"github.com/repgen/repgen/internal/system"
)

// Solve locks a Spec as of its date by the ladder of repairs. An environment
// that cannot be had is an Unavailable, trouble with the index an *IndexError.
// Locks are cached by the Spec's content, the index and the interpreters.
func (m *Manager) Solve(ctx context.Context, s Spec) (*Lock, *Unavailable, error) {
	return m.cachedSolve(ctx, "solve", s, nil, func() (*Lock, *Unavailable, error) {
		if s.Project != nil {
			return m.solveProject(ctx, s)
		}
		m.progress(Event{Stage: "solve", Text: "resolving " + s.Subject})
		return newLadder(m, s).climb(ctx)
	})
}

func (m *Manager) compile(ctx context.Context, in uv.CompileInput) (uv.CompileResult, error) {
	tool, err := m.resolver(ctx)
	if err != nil {
		return uv.CompileResult{}, err
	}
	return tool.Compile(ctx, in)
}

func (m *Manager) prefetch(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	client, err := m.index(ctx)
	if err != nil {
		return err
	}
	if err := client.Prefetch(ctx, names); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return indexError("list the named packages", err)
	}
	return nil
}

// solverVersion changes when the same question is to be answered anew.
const solverVersion = "5"

// solveKey is everything that a lock depends on and that can change without
// the index changing its past.
type solveKey struct {
	Version string
	What    string
	Spec    Spec
	Base    string   `json:",omitempty"`
	Args    []string `json:",omitempty"`
	Index   string
	Pythons []string
}

// cachedSolve runs solve unless its lock is on disk. Only locks are kept: an
// Unavailable may be cured by a new interpreter or a better index.
func (m *Manager) cachedSolve(ctx context.Context, what string, s Spec, args []string, solve func() (*Lock, *Unavailable, error)) (*Lock, *Unavailable, error) {
	path, err := m.solvePath(ctx, what, s, args)
	if err != nil {
		return nil, nil, err
	}
	if lock, ok := readLock(path); ok && m.hasWheels(lock) {
		return lock, nil, nil
	}
	lock, u, err := solve()
	if err != nil || u != nil {
		return nil, u, err
	}
	if err := m.leaveOut(ctx, s, lock); err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, nil, fmt.Errorf("keep the lock: %w", err)
	}
	if err := system.KeepJSON(path, lock); err != nil {
		return nil, nil, fmt.Errorf("keep the lock: %w", err)
	}
	return lock, nil, nil
}

func (m *Manager) solvePath(ctx context.Context, what string, s Spec, args []string) (string, error) {
	list, err := m.interpreters(ctx)
	if err != nil {
		return "", err
	}
	key := solveKey{Version: solverVersion, What: what, Spec: s, Args: args, Index: m.indexNames()}
	for _, p := range list {
		key.Pythons = append(key.Pythons, p.Path+" "+p.Version)
	}
	data, err := json.Marshal(key)
	if err != nil {
		return "", fmt.Errorf("name the lock: %w", err)
	}
	sum := sha256.Sum256(data)
	return filepath.Join(m.opts.CacheDir, "locks", hex.EncodeToString(sum[:])+".json"), nil
}

// indexNames is what names an index: the flag and the variables. Configuration
// files are left to the age of the cache. Credentials in it must end in digests
// only.
func (m *Manager) indexNames() string {
	names := m.opts.Index
	for _, name := range []string{"UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"} {
		names += "\n" + os.Getenv(name)
	}
	return names
}

// readLock is false for a file that is absent, torn or not whole: it is then
// solved again.
func readLock(path string) (*Lock, bool) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) || err != nil {
		return nil, false
	}
	var lock Lock
	if json.Unmarshal(data, &lock) != nil || lock.Hash == "" {
		return nil, false
	}
	return &lock, true
}
