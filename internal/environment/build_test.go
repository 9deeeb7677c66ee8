package environment

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/repgen/repgen/internal/sandbox"
)

func TestBuild(t *testing.T) {
	w := newWorkshop(t, "")
	l := lockOf("3.11.7", "jax==0.6.2", "numpy==2.3.0")
	e := w.built(t, l)
	if !e.Built || e.Lock.Hash == "" || !strings.HasPrefix(e.Lock.Hash, e.Key) {
		t.Errorf("first build: %+v", e)
	}
	want := "home = /py/bin\nimplementation = CPython\nversion_info = 3.11.7\ninclude-system-site-packages = false\n"
	if got := read(t, filepath.Join(e.Dir, "pyvenv.cfg")); got != want {
		t.Errorf("pyvenv.cfg %q", got)
	}
	for name, want := range map[string]string{"python": "../../py/bin/python3.11", "python3": "python", "python3.11": "python"} {
		if got, err := os.Readlink(filepath.Join(e.Dir, "bin", name)); err != nil || got != want {
			t.Errorf("%s leads to %q (%v), want %q", name, got, err, want)
		}
	}
	// The same links lead to the interpreter outside of a sandbox.
	if real, err := filepath.EvalSymlinks(filepath.Join(e.Dir, "bin", "python3")); err != nil || real != w.python.Path {
		t.Errorf("outside: %q %v", real, err)
	}
	st, err := os.Stat(filepath.Join(e.Dir, "lib/python3.11/site-packages/jax.py"))
	if err != nil || st.Mode().Perm()&0o222 != 0 {
		t.Errorf("an installed file is writable: %v %v", st, err)
	}
	again := w.built(t, l)
	if again.Built || again.Dir != e.Dir {
		t.Errorf("second build: %+v", again)
	}
	if n := strings.Count(read(t, w.log), "pip install"); n != 1 {
		t.Errorf("installed %d times", n)
	}
}

// A file that no copy of the wheel has as its RECORD says was published so. It
// costs one more download, once for all environments; a file that comes
// otherwise each time is still no environment.
func TestBuildFromMisrecordedWheel(t *testing.T) {
	w := newWorkshop(t, "")
	e := w.built(t, lockOf("3.11.7", "stripped==1.0"))
	if got := read(t, filepath.Join(e.Dir, "lib/python3.11/site-packages/stripped.py")); got != "x\n" {
		t.Errorf("installed: %q", got)
	}
	if err := w.Verify(t.Context(), e.Key); err != nil {
		t.Errorf("as published, and yet: %v", err)
	}
	w.built(t, lockOf("3.11.7", "stripped==1.0", "six==1.0"))
	if log := read(t, w.log); strings.Count(log, "pip install") != 3 {
		t.Errorf("uv ran:\n%s", log)
	}
	var damage *DamageError
	if _, _, err := w.Build(t.Context(), lockOf("3.11.7", "worse==1.0")); !errors.As(err, &damage) {
		t.Errorf("a file of another content each time: %v", err)
	}
}

// A damaged file in uv's cache costs one more download, not the environment.
func TestBuildFromDamagedCache(t *testing.T) {
	w := newWorkshop(t, "")
	e := w.built(t, lockOf("3.11.7", "damaged==1.0", "six==1.0"))
	if got := read(t, filepath.Join(e.Dir, "lib/python3.11/site-packages/damaged.py")); got != moduleText {
		t.Errorf("the damaged file stayed: %q", got)
	}
	if log := read(t, w.log); strings.Count(log, "pip install") != 2 {
		t.Errorf("uv ran:\n%s", log)
	}
}

func TestBuildEmptyLock(t *testing.T) {
	w := newWorkshop(t, "")
	if e := w.built(t, lockOf("3.11")); e.Python.Version != "3.11.7" {
		t.Errorf("%+v", e.Python)
	}
}

func TestBuildSystemPython(t *testing.T) {
	w := newWorkshop(t, "")
	w.tools.pythons[0].Prefix, w.tools.pythons[0].Path = "/usr", "/usr/bin/python3.11"
	e := w.built(t, lockOf("3.11.7", "six==1.0"))
	if got, err := os.Readlink(filepath.Join(e.Dir, "bin", "python")); err != nil || got != "/usr/bin/python3.11" {
		t.Errorf("%q %v", got, err)
	}
	if got := read(t, filepath.Join(e.Dir, "pyvenv.cfg")); !strings.HasPrefix(got, "home = /usr/bin\n") {
		t.Errorf("%q", got)
	}
	c := e.Command("/env/bin/python", "x.py")
	if len(c.Mounts) != 1 || c.Env["LD_LIBRARY_PATH"] != "" {
		t.Errorf("%+v", c)
	}
}

func TestBuildAtOnce(t *testing.T) {
	w := newWorkshop(t, "")
	l := lockOf("3.11.7", "jax==0.6.2")
	var g errgroup.Group
	builds := make([]*Environment, 6)
	for i := range builds {
		g.Go(func() error {
			e, no, err := w.Build(t.Context(), l)
			if no != nil {
				return errors.New(no.Why)
			}
			builds[i] = e
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range builds {
		if e.Built {
			n++
		}
		e.Release()
		e.Release() // harmless
	}
	if n != 1 {
		t.Errorf("%d of the callers built it", n)
	}
}

func TestBuildFailures(t *testing.T) {
	w := newWorkshop(t, "")
	_, no, err := w.Build(t.Context(), lockOf("3.7.16", "a==1.0"))
	if err != nil || no == nil || !strings.Contains(no.Why, "Python 3.7.16") || !strings.Contains(no.Next, "3.7") {
		t.Errorf("absent Python: %+v %v", no, err)
	}
	l := lockOf("3.11.7", "nowheel==1.0")
	l.Rungs = []Rung{{Number: 1}}
	_, no, err = w.Build(t.Context(), l)
	if err != nil || no == nil || !strings.Contains(no.Why, "no usable wheels") || len(no.Rungs) != 1 {
		t.Errorf("no wheel: %+v %v", no, err)
	}
	_, no, err = w.Build(t.Context(), lockOf("3.11.7", "diskfull==1.0"))
	var disk *StoreError
	if no != nil || !errors.As(err, &disk) || disk.Next == "" || !strings.Contains(disk.Error(), "No space left") {
		t.Errorf("disk full: %+v %v", no, err)
	}
	_, no, err = w.Build(t.Context(), lockOf("3.11.7", "netdown==1.0"))
	var index *IndexError
	if no != nil || !errors.As(err, &index) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("network down: %+v %v", no, err)
	}
	left, err := filepath.Glob(filepath.Join(w.opts.CacheDir, envStore, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range left {
		if !strings.HasSuffix(path, ".lock") {
			t.Errorf("left behind: %s", path)
		}
	}
}

func TestCommand(t *testing.T) {
	w := newWorkshop(t, "")
	e := w.built(t, lockOf("3.11.7", "jax==0.6.2"))
	e.Env = map[string]string{"KERAS_BACKEND": "jax", "PYTHONHASHSEED": "7"}
	c := e.Command("/env/bin/python", "reproduce.py")
	if !slices.Equal(c.Argv, []string{"/env/bin/python", "reproduce.py"}) {
		t.Errorf("argv %q", c.Argv)
	}
	for name, want := range map[string]string{
		"PATH": "/env/bin:/usr/bin:/bin", "PYTHONHASHSEED": "7", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONNOUSERSITE": "1",
		"LANG": "C.UTF-8", "KERAS_BACKEND": "jax", "LD_LIBRARY_PATH": "/py/lib", "PYTHONPYCACHEPREFIX": "",
	} {
		if c.Env[name] != want {
			t.Errorf("%s is %q, want %q", name, c.Env[name], want)
		}
	}
	want := []sandbox.Mount{{Host: e.Dir, Guest: "/env"}, {Host: w.python.Prefix, Guest: "/py"}}
	if !slices.Equal(c.Mounts, want) {
		t.Errorf("mounts %+v", c.Mounts)
	}
	c.Env["X"] = "1"
	if e.Command("x").Env["X"] != "" {
		t.Error("commands share their environment")
	}
}

func TestVerify(t *testing.T) {
	w := newWorkshop(t, "")
	e := w.built(t, lockOf("3.11.7", "jax==0.6.2"))
	if err := w.Verify(t.Context(), e.Key); err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(e.Dir, "lib/python3.11/site-packages/jax.py")
	if err := os.Chmod(module, 0o644); err != nil {
		t.Fatal(err)
	}
	write(t, module, "x = 2\n", 0o644) // as long as before
	var damage *DamageError
	if err := w.Verify(t.Context(), e.Key); !errors.As(err, &damage) || !slices.Equal(damage.Files, []string{"lib/python3.11/site-packages/jax.py"}) {
		t.Errorf("a changed file: %v", err)
	}
	if err := w.Verify(t.Context(), "nothing"); err == nil {
		t.Error("an unknown key was verified")
	}
}

func TestTrim(t *testing.T) {
	w := newWorkshop(t, "")
	held := w.built(t, lockOf("3.11.7", "held==1.0"))
	free, _, err := w.Build(t.Context(), lockOf("3.11.7", "free==1.0"))
	if err != nil {
		t.Fatal(err)
	}
	free.Release()
	n, err := w.Trim(t.Context(), 1, 0)
	if err != nil || n != 1 {
		t.Errorf("trimmed %d, %v; want the one that nobody holds", n, err)
	}
	if _, err := os.Stat(held.Dir); err != nil {
		t.Errorf("an environment in use was removed: %v", err)
	}
	if !strings.Contains(read(t, w.log), "cache prune") {
		t.Error("uv's own cache was not pruned")
	}
}
