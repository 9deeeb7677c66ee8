package ort_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/codebase/ort"
)

func touch(t *testing.T, path string) string {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("no library"), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	named := touch(t, filepath.Join(dir, "named.so"))
	pulled := touch(t, filepath.Join(dir, "pulled.so"))
	system := touch(t, filepath.Join(dir, "sys", "libonnxruntime.so"))
	touch(t, filepath.Join(dir, "sys", "libonnxruntime.so.1.20.0"))
	none := filepath.Join(dir, "none")
	for name, c := range map[string]struct {
		s    ort.Search
		want string
	}{
		"named first":         {ort.Search{Named: named, Installed: pulled, Folders: []string{filepath.Dir(system)}}, named},
		"then the pulled one": {ort.Search{Installed: pulled, Folders: []string{filepath.Dir(system)}}, pulled},
		"then the system's":   {ort.Search{Folders: []string{none, filepath.Dir(system)}}, system},
		"the pulled is gone":  {ort.Search{Installed: none, Folders: []string{filepath.Dir(system)}}, system},
		"a named one that is not there is not passed over": {ort.Search{Named: none, Installed: pulled}, ""},
		"a folder is no library":                           {ort.Search{Named: dir, Installed: pulled}, ""},
		"nothing":                                          {ort.Search{Folders: []string{none, "[", dir}}, ""},
	} {
		got, err := c.s.Find()
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q %v", name, got, err)
		}
		var e *ort.NoRuntimeError
		if err != nil && (!errors.Is(err, ort.ErrNoRuntime) || !errors.As(err, &e) || e.Next == "" || len(e.Tried) == 0) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLoadRefuses: what is no library is a value to branch on, and another one
// may be tried after it.
func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	text := touch(t, filepath.Join(dir, "text.so"))
	for _, path := range []string{"", text, dir, filepath.Join(dir, "none.so")} {
		if err := ort.Load(path); !errors.Is(err, ort.ErrNoRuntime) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", path, err)
		}
	}
	if library, version := ort.Loaded(); library != "" || version != "" {
		t.Errorf("loaded %s %s", library, version)
	}
	if _, err := ort.Open(ort.Model{Data: []byte("x"), Inputs: []string{"a"}, Outputs: []string{"b"}}); !errors.Is(err, ort.ErrNoRuntime) {
		t.Error(err)
	}
}

func TestWant(t *testing.T) {
	x := ort.Tensor{Shape: []int64{2, 3}}
	if err := x.Want(2, -1); err != nil {
		t.Error(err)
	}
	if err := x.Want(2, 4); err == nil || !strings.Contains(err.Error(), "[2 4]") {
		t.Error(err)
	}
	if err := x.Want(-1); err == nil || !strings.Contains(err.Error(), "[any]") {
		t.Error(err)
	}
}
