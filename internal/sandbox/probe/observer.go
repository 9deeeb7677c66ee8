package probe

import (
	"bytes"
	"crypto/rand"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// The names of what the observer reads from its environment.
const (
	EnvFD      = "REPGEN_PROBE_FD"
	EnvKey     = "REPGEN_PROBE_KEY"
	EnvOptions = "REPGEN_PROBE_OPTIONS"
)

//go:embed observer/sitecustomize.py observer/repgen_probe/*.py
var observer embed.FS

// Materialise writes the observer's Python files into dir, which is created,
// so that PYTHONPATH=dir starts it. Files that are already right stay
// untouched; others are replaced atomically, so several processes may do this
// to one folder at a time.
func Materialise(dir string) error {
	err := fs.WalkDir(observer, "observer", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("observer", filepath.FromSlash(path))
		if err != nil {
			return err
		}
		target := filepath.Join(dir, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		want, err := observer.ReadFile(path)
		if err != nil {
			return err
		}
		if have, err := os.ReadFile(target); err == nil && bytes.Equal(have, want) {
			return nil
		}
		return replace(target, want)
	})
	if err != nil {
		return fmt.Errorf("write the observer to %s: %w", dir, err)
	}
	return nil
}

// replace writes through a temporary file: an interpreter that starts now sees
// the old file or the new one, never half of one.
func replace(target string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(target), ".tmp-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	// Another user inside the sandbox must be able to read it.
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), target)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// NewKey is the key of one execution, 32 hex digits: every honest line of its
// channel carries it. It stops blind forgery only, the script could find it.
func NewKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: it aborts the program instead
	return hex.EncodeToString(b[:])
}

// Env is what the observer reads from the process's environment and removes
// from os.environ: the channel's descriptor, the key, the options as JSON.
func Env(opts Options, fd int, key string) map[string]string {
	text, err := json.Marshal(opts)
	if err != nil { // strings always marshal
		text = []byte("{}")
	}
	return map[string]string{
		EnvFD: strconv.Itoa(fd), EnvKey: key, EnvOptions: string(text),
	}
}
