package environment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
)

// after adds to what the fake uv does once it has installed into $env.
func (w *workshop) after(t *testing.T, script string) {
	t.Helper()
	path := w.tools.uv.Path
	write(t, path, read(t, path)+"\nif [ -n \"$env\" ]; then for site in \"$env\"/lib/python*/site-packages; do\n"+script+"\ndone; fi\n", 0o755)
}

// TestSettleWritesNothingShared: what a wheel brings under the names that an
// environment needs itself is a link to uv's cache, and the cache stays as it is.
func TestSettleWritesNothingShared(t *testing.T) {
	w := newWorkshop(t, "")
	cache := t.TempDir()
	names := []string{"pyvenv.cfg", "bin/pyvenv.cfg", "bin/python", "bin/python3", "bin/python3.11"}
	for _, name := range names {
		write(t, filepath.Join(cache, name), "of the cache", 0o644)
		w.after(t, `ln "`+filepath.Join(cache, name)+`" "$env/`+name+`"`)
	}
	e := w.built(t, lockOf("3.11.7", "six==1.0"))
	for _, name := range names {
		if got := read(t, filepath.Join(cache, name)); got != "of the cache" {
			t.Errorf("%s: the cache now holds %q", name, got)
		}
	}
	if got := read(t, filepath.Join(e.Dir, "pyvenv.cfg")); !strings.HasPrefix(got, "home = /py/bin\n") {
		t.Errorf("pyvenv.cfg %q", got)
	}
	if _, err := os.Lstat(filepath.Join(e.Dir, "bin/pyvenv.cfg")); err == nil {
		t.Error("a wheel's configuration is beside the interpreter, which reads it first")
	}
	for name, want := range map[string]string{"python": "../../py/bin/python3.11", "python3": "python", "python3.11": "python"} {
		if got, err := os.Readlink(filepath.Join(e.Dir, "bin", name)); err != nil || got != want {
			t.Errorf("%s leads to %q (%v), want %q", name, got, err, want)
		}
	}
}

// TestStubIsNotWrittenThrough: where a stub's name is taken, by whatever leads
// elsewhere, the libraries themselves are installed, into an emptied folder.
func TestStubIsNotWrittenThrough(t *testing.T) {
	for name, taken := range map[string]string{
		"a link":    `ln -s "@" "$site/torch/lib/libnccl.so.2"`,
		"a pipe":    `mkfifo "$site/torch/lib/libnccl.so.2"`,
		"the place": `mv "$site/torch/lib" "$site/elsewhere"; ln -s "$(dirname "@")" "$site/torch/lib"`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkshop(t, "")
			w.importer(t)
			mine := filepath.Join(t.TempDir(), "mine")
			write(t, mine, "mine", 0o644)
			w.after(t, strings.ReplaceAll(taken, "@", mine))
			l := torchLock()
			if err := w.leaveOut(t.Context(), Spec{}, l); err != nil {
				t.Fatal(err)
			}
			e := w.built(t, l)
			if len(e.Lock.LeftOut) > 0 {
				t.Errorf("stubs were written: %v", e.Lock.LeftOut)
			}
			names, err := os.ReadDir(filepath.Dir(mine))
			if err != nil || len(names) != 1 || read(t, mine) != "mine" {
				t.Errorf("outside: %v %v, %q", names, err, read(t, mine))
			}
		})
	}
}

// TestRecordThatLeadsOut: a wheel that lists a file elsewhere is an environment
// that cannot be had, and no fault of this machine.
func TestRecordThatLeadsOut(t *testing.T) {
	w := newWorkshop(t, "")
	w.after(t, `echo "../../../../../etc/passwd,," >> "$site"/six-1.0.dist-info/RECORD`)
	_, no, err := w.Build(t.Context(), lockOf("3.11.7", "six==1.0"))
	if err != nil || no == nil || !strings.Contains(no.Why, "outside of the environment") {
		t.Errorf("%+v %v", no, err)
	}
}

// TestCacheBehindALink: uv writes scripts that find the interpreter by the paths
// that it is given, and the user's cache may lie behind a link.
func TestCacheBehindALink(t *testing.T) {
	real := t.TempDir()
	link := filepath.Join(t.TempDir(), "cache")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	w := newWorkshop(t, "")
	got, err := newTarget(link, w.python)
	if err != nil || filepath.Dir(got.env) != filepath.Dir(got.filled) || strings.Contains(got.env, link) || filepath.Base(got.env) != filepath.Base(sandbox.EnvDir) {
		t.Errorf("%+v %v", got, err)
	}
}
