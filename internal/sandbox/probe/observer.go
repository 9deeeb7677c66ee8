package probe

import (
	"bytes"
	"crypto/rand"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// The names of what the observer reads from its environment.
const (
	EnvFD      = "REPGEN_PROBE_FD"
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

// Channel makes the channel of one execution: our end, the process's, and the
// key that every line of the observer carries. The key waits in the channel
// itself, for whoever reads first: the environment of a process can be read as
// long as it lives. A pair of sockets, since the far end of a pipe can be opened
// again through /proc and then shows what others write.
func Channel() (ours, theirs *os.File, key string, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, "", fmt.Errorf("make the observer's channel: %w", err)
	}
	theirs = os.NewFile(uintptr(fds[1]), "observer")
	if err := unix.SetNonblock(fds[0], true); err != nil { // else it has no deadlines
		return nil, nil, "", errors.Join(fmt.Errorf("make the observer's channel: %w", err), unix.Close(fds[0]), theirs.Close())
	}
	ours = os.NewFile(uintptr(fds[0]), "observer")
	key = newKey()
	if _, err := ours.WriteString(key); err != nil {
		return nil, nil, "", errors.Join(fmt.Errorf("give the observer its key: %w", err), ours.Close(), theirs.Close())
	}
	return ours, theirs, key, nil
}

// ReadAll reads our end to the last byte that anybody wrote, at most limit of
// them. Whoever closes the other end without having read the key, because it was
// no Python, resets it: that is an end too.
func ReadAll(ours *os.File, limit int64) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(ours, limit))
	if errors.Is(err, unix.ECONNRESET) {
		err = nil
	}
	return raw, err
}

// newKey is 32 hex digits.
func newKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: it aborts the program instead
	return hex.EncodeToString(b[:])
}

// Env is what the observer reads from the process's environment and removes
// from os.environ: the channel's descriptor, and the options as JSON.
func Env(opts Options, fd int) map[string]string {
	text, err := json.Marshal(opts)
	if err != nil { // strings always marshal
		text = []byte("{}")
	}
	return map[string]string{EnvFD: strconv.Itoa(fd), EnvOptions: string(text)}
}
