package environment

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/repgen/repgen/internal/environment/pypi"
	"github.com/repgen/repgen/internal/pydist"
)

// localKey is a wheel's place in the store: its own hash. A lock may be a
// stranger's, so names that lead elsewhere are refused.
func localKey(p Package) (string, bool) {
	if !wheelForm.MatchString(p.Wheel) || len(p.Hashes) != 1 {
		return "", false
	}
	hash, ok := strings.CutPrefix(p.Hashes[0], "sha256:")
	raw, err := hex.DecodeString(hash)
	return "local-" + hash, ok && err == nil && len(raw) == sha256.Size
}

// KeepWheel puts a wheel of a lock (a bundle's, say) into the store, where
// Build finds it. A wheel that is not the locked one is an error.
func (m *Manager) KeepWheel(ctx context.Context, p Package, data []byte) error {
	sum := sha256.Sum256(data)
	name, version, ok := pypi.WheelVersion(p.Wheel)
	if !ok || name != p.Name || !pydist.Match("=="+p.Version, version) {
		return fmt.Errorf("keep the wheel of %s: %q is another one", p.Name, p.Wheel)
	}
	key, ok := localKey(p)
	if !ok || p.Hashes[0] != "sha256:"+hex.EncodeToString(sum[:]) {
		return fmt.Errorf("keep the wheel %s: it is not the locked one", p.Wheel)
	}
	if err := checkUnpacked(data); err != nil {
		return fmt.Errorf("keep the wheel %s: %w", p.Wheel, err)
	}
	_, err := m.wheelEntry(ctx, key, func(_ context.Context, tmp string) error {
		return os.WriteFile(filepath.Join(tmp, p.Wheel), data, 0o644)
	})
	if err != nil {
		return storeError("keep the wheel "+p.Wheel, err)
	}
	return nil
}

// Wheel reads a wheel of a lock that was built from a project. fs.ErrNotExist
// says that the store no longer has it.
func (m *Manager) Wheel(p Package) ([]byte, error) {
	dir, err := m.wheelDir(p)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, p.Wheel))
}

// wheelDir is the folder of the store with a project's wheel, for find-links.
func (m *Manager) wheelDir(p Package) (string, error) {
	key, ok := localKey(p)
	if !ok {
		return "", fmt.Errorf("find the wheel of %s: the lock does not name it by one hash", p.Name)
	}
	dir, ok, err := m.foundWheel(key)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", fmt.Errorf("find the wheel %s: %w", p.Wheel, fs.ErrNotExist)
	}
	if _, err := os.Stat(filepath.Join(dir, p.Wheel)); err != nil {
		return "", fmt.Errorf("find the wheel %s: %w", p.Wheel, err)
	}
	return dir, nil
}

// lostWheel is the outcome for a lock whose wheel is gone.
func lostWheel(p Package) *Unavailable {
	return &Unavailable{
		Why:  fmt.Sprintf("%s %s was built from a project, and its wheel is no longer here", p.Name, p.Version),
		Next: "reproduce the report again with --project",
	}
}

// checkUnpacked reads a wheel through once: an installer unpacks it outside of
// the sandbox, where nothing else would bound it.
func checkUnpacked(data []byte) error {
	z, err := readZip(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	left := int64(maxUnpacked)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return err
		}
		n, err := io.Copy(io.Discard, io.LimitReader(r, left+1))
		_ = r.Close()
		if left -= n; left < 0 {
			return fmt.Errorf("it unpacks to more than %d MiB", maxUnpacked>>20)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", clip(f.Name, 80), err)
		}
	}
	return nil
}
