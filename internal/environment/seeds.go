package environment

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/repgen/repgen/internal/sandbox"
)

// The environments of one report differ in one or two packages. Compiling what
// they share anew in each certificate costs three quarters of its time
// (measured: keras on jax 4.1 s of CPU without bytecode, 1.0 with it), so a
// certificate starts from the bytecode that the first one of the same Spec
// left.
//
// That bytecode was written by a run of the environment's own packages, which
// are not trusted: it is never used for another report, whatever environments
// it shares. Within one report the same packages run on both sides anyway.

// maxSeeds bounds how many Specs are remembered; one run has one or two.
const maxSeeds = 64

// seed is where a certified environment of a Spec lies; the zero seed is none.
type seed struct {
	key string // of the environment
	env string // its folder in the store
	pyc string // the bytecode that its certificate left
	ok  bool   // the certificate went well, so it imported everything
}

// seeds are those of one Manager, by seedKey.
type seeds struct {
	mu    sync.Mutex
	known map[string]seed
}

// of is the seed for an environment: none for the one that left it.
func (s *seeds) of(spec Spec, e *Environment) seed {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.known[seedKey(spec, e)]
	if found.key == e.Key || !hasBytecodePrefix(e.Python) {
		return seed{}
	}
	return found
}

// keep remembers the first environment of a Spec, or the first that imported
// everything.
func (s *seeds) keep(spec Spec, e *Environment, ok bool) {
	if e.bytecode == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[string]seed{}
	}
	key := seedKey(spec, e)
	if old, known := s.known[key]; !known && len(s.known) < maxSeeds || known && ok && !old.ok {
		s.known[key] = seed{e.Key, e.Dir, e.bytecode, ok}
	}
}

// seedKey is one report's Spec on one interpreter; needs that a run showed are
// left out, since they are added to the same report's environment.
func seedKey(s Spec, e *Environment) string {
	var asked []Requirement
	for _, r := range s.Requirements {
		if r.Word != WordUndeclared {
			asked = append(asked, r)
		}
	}
	s.Requirements = asked
	data, err := json.Marshal(s)
	if err != nil { // plain data always marshals
		return ""
	}
	sum := sha256.Sum256(append(data, e.Python.Path+e.Python.Version...))
	return hex.EncodeToString(sum[:])
}

// plant copies the bytecode of the files that both environments share. Shared
// is the same file on disk, by hard links: an interpreter takes bytecode for a
// source of the same size and time, and many wheels give all their files one
// time, so that another release of a package could run the old code.
func (from seed) plant(e *Environment, dst string) error {
	if from.pyc == "" {
		return nil
	}
	root := filepath.Join(from.pyc, sandbox.EnvDir)
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read is compiled anew
		}
		if !d.Type().IsRegular() || !strings.HasSuffix(path, ".pyc") {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		module, _, ok := strings.Cut(filepath.Base(rel), ".cpython-")
		source := filepath.Join(filepath.Dir(rel), module+".py")
		if !ok || !sameFile(filepath.Join(from.env, source), filepath.Join(e.Dir, source)) {
			return nil
		}
		return copyFile(path, filepath.Join(dst, sandbox.EnvDir, rel))
	})
}

func sameFile(a, b string) bool {
	x, err := os.Lstat(a)
	if err != nil || !x.Mode().IsRegular() {
		return false
	}
	y, err := os.Lstat(b)
	return err == nil && os.SameFile(x, y)
}
