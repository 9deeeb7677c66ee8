package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

func TestReadFile(t *testing.T) {
	outer := t.TempDir()
	work := filepath.Join(outer, "work")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(work, "dir"), 0o755))
	must(os.WriteFile(filepath.Join(outer, "secret"), []byte("host"), 0o644))
	must(os.WriteFile(filepath.Join(work, "dir", "plain"), []byte("0123456789"), 0o644))
	must(os.Symlink("../secret", filepath.Join(work, "out")))
	must(os.Symlink(filepath.Join(outer, "secret"), filepath.Join(work, "abs")))
	must(os.Symlink("dir", filepath.Join(work, "in")))
	must(os.Symlink("loop", filepath.Join(work, "loop")))
	must(unix.Mkfifo(filepath.Join(work, "pipe"), 0o644))

	tests := map[string]struct {
		limit int64
		want  string
		err   error
	}{
		"dir/plain":        {10, "0123456789", nil},
		"dir/../dir/plain": {100, "0123456789", nil},
		"./dir/plain":      {9, "", ErrTooBig},
		"dir":              {10, "", ErrNotPlain},
		"out":              {10, "", ErrNotPlain},
		"abs":              {10, "", ErrNotPlain},
		"in/plain":         {10, "", ErrNotPlain},
		"loop":             {10, "", ErrNotPlain},
		"pipe":             {10, "", ErrNotPlain},
		"../secret":        {10, "", ErrNotPlain},
		"/etc/passwd":      {1 << 20, "", ErrNotPlain},
		"":                 {10, "", ErrNotPlain},
		"absent":           {10, "", fs.ErrNotExist},
		"dir/plain/below":  {10, "", unix.ENOTDIR},
	}
	for rel, tt := range tests {
		t.Run(rel, func(t *testing.T) {
			data, err := ReadFile(work, rel, tt.limit)
			if string(data) != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("ReadFile = %q, %v, want %q, %v", data, err, tt.want, tt.err)
			}
		})
	}
	if _, err := ReadFile(filepath.Join(outer, "absent"), "x", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a work folder: %v", err)
	}
}

// TestOpenRoot: the way for old kernels stays inside as well.
func TestOpenRoot(t *testing.T) {
	outer := t.TempDir()
	work := filepath.Join(outer, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{filepath.Join(outer, "secret"): "host", filepath.Join(work, "plain"): "mine"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../secret", filepath.Join(work, "out")); err != nil {
		t.Fatal(err)
	}
	if f, err := openRoot(work, "out"); err == nil {
		t.Errorf("%s was opened", f.Name())
	}
	f, err := openRoot(work, "plain")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// TestReadFileNeverLeaves tries any path over a folder full of traps.
func TestReadFileNeverLeaves(t *testing.T) {
	outer := t.TempDir()
	work := filepath.Join(outer, "w")
	if err := os.MkdirAll(filepath.Join(work, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{filepath.Join(outer, "s"), filepath.Join(outer, "d")} {
		if err := os.WriteFile(p, []byte("host"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"u": "..", "r": "/", "a": outer, "d/u": "../.."} {
		if err := os.Symlink(to, filepath.Join(work, name)); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{"..", ".", "", "u", "r", "a", "d", "s", "w"})).Draw(t, "parts")
		if data, err := ReadFile(work, strings.Join(parts, "/"), 100); err == nil {
			t.Fatalf("%v gave %q", parts, data)
		}
	})
}

func TestEnvironment(t *testing.T) {
	c := Command{Env: map[string]string{"HOME": "/box", "X": "1"}}
	env := c.Environment(nil)
	if env["HOME"] != "/box" || env["X"] != "1" || env["TMPDIR"] != "/tmp" || env["PYTHONPATH"] != "" {
		t.Errorf("environment %v", env)
	}
	if len(c.Env) != 2 {
		t.Errorf("the command's own map was changed: %v", c.Env)
	}
}

func TestLimitsWithDefaults(t *testing.T) {
	d := DefaultLimits()
	if got := (Limits{}).WithDefaults(); got != d {
		t.Errorf("all zero: %+v", got)
	}
	if got := (Limits{Pids: 3, DiskBytes: 4}).WithDefaults(); got.Pids != 3 || got.DiskBytes != 4 || got.Wall != d.Wall {
		t.Errorf("two set: %+v", got)
	}
}

func TestLayerError(t *testing.T) {
	err := &LayerError{Layer: "network", Why: "no", Fix: "do this"}
	if err.Error() != "sandbox layer network: no; do this" {
		t.Errorf("%v", err)
	}
}
