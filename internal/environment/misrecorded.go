package environment

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/repgen/repgen/internal/system"
)

// A wheel's own RECORD can be wrong about its files: publishers strip libraries
// after the wheel was recorded (libtorch_cpu.so of torch 1.9.1 has 372 MB, its
// RECORD says 2.5 GB, in whichever copy). Such a file is no damage. It is known
// by coming alike out of two downloads, each of which uv has compared with the
// hash in the lock; what is known is kept, so that no other environment pays for
// a second download.

// foundFiles are the contents of files, by their path below the environment.
type foundFiles map[string]string

// lookAt hashes what is there in place of what was recorded. A missing file is
// an error: it is never as published.
func (e *DamageError) lookAt(env string) (foundFiles, error) {
	out := foundFiles{}
	for _, path := range e.Files {
		sum, err := fileHash(env, path)
		if err != nil {
			return nil, fmt.Errorf("look at a file that is not as recorded: %w", err)
		}
		out[path] = hex.EncodeToString(sum)
	}
	return out, nil
}

// within says whether all of them are known.
func (f foundFiles) within(known []string) bool {
	for path, sum := range f {
		if !slices.Contains(known, sum+" "+path) {
			return false
		}
	}
	return len(f) > 0
}

// alike says whether both downloads brought the same files.
func (f foundFiles) alike(other foundFiles) bool { return len(f) > 0 && maps.Equal(f, other) }

func (m *Manager) misrecordedPath() string {
	return filepath.Join(m.opts.CacheDir, "misrecorded-1.json")
}

// misrecorded are the known ones. A list that cannot be read costs a download.
func (m *Manager) misrecorded() []string {
	data, err := os.ReadFile(m.misrecordedPath())
	if err != nil {
		return nil
	}
	var known []string
	if json.Unmarshal(data, &known) != nil {
		return nil
	}
	return known
}

// keepMisrecorded adds to the list. Two processes that do so at once lose one
// entry, which costs a download as well.
func (m *Manager) keepMisrecorded(found foundFiles) {
	known := m.misrecorded()
	for path, sum := range found {
		if one := sum + " " + path; !slices.Contains(known, one) {
			known = append(known, one)
		}
	}
	slices.Sort(known)
	if err := system.KeepJSON(m.misrecordedPath(), known); err != nil {
		m.log.Debug("the files that wheels record wrongly were not kept", "error", err)
	}
}
