package environment

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/sandbox"
)

// link makes a hard link, as an installer from one cache does.
func link(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(from, to); err != nil {
		t.Fatal(err)
	}
}

func TestPlant(t *testing.T) {
	dir := t.TempDir()
	a, b, pyc, dst := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "pyc"), filepath.Join(dir, "dst")
	write(t, filepath.Join(a, "lib/same/m.py"), "x = 1\n", 0o644)
	link(t, filepath.Join(a, "lib/same/m.py"), filepath.Join(b, "lib/same/m.py"))
	// Another release of a package whose file has the same size and time: an
	// interpreter would take the old bytecode for it.
	write(t, filepath.Join(a, "lib/moved/m.py"), "x = 1\n", 0o644)
	write(t, filepath.Join(b, "lib/moved/m.py"), "x = 2\n", 0o644)
	st, err := os.Stat(filepath.Join(a, "lib/moved/m.py"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(b, "lib/moved/m.py"), st.ModTime(), st.ModTime()); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(a, "lib/gone/m.py"), "x = 1\n", 0o644)
	for _, name := range []string{"env/lib/same/m", "env/lib/moved/m", "env/lib/gone/m", "env/lib/nosource/m", "py/lib/os"} {
		write(t, filepath.Join(pyc, name+".cpython-311.pyc"), "code", 0o444)
	}
	write(t, filepath.Join(pyc, "env/lib/same/m.txt"), "no code", 0o444)
	if err := (seed{env: a, pyc: pyc}).plant(&Environment{Dir: b}, dst); err != nil {
		t.Fatal(err)
	}
	var got []string
	err = filepath.WalkDir(dst, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			rel, _ := filepath.Rel(dst, path)
			got = append(got, rel)
		}
		return err
	})
	if want := []string{"env/lib/same/m.cpython-311.pyc"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("planted %q, want %q (%v)", got, want, err)
	}
	// What is planted can be written to by who is certified: it is a copy.
	if sameFile(filepath.Join(pyc, got[0]), filepath.Join(dst, got[0])) {
		t.Error("it is a link to the first one's")
	}
	if err := (seed{}).plant(&Environment{Dir: b}, filepath.Join(dir, "none")); err != nil {
		t.Errorf("no seed: %v", err)
	}
}

// A control's certificate starts from the bytecode of the reported side; that of
// another report does not, whatever they share.
func TestCertifyFromSeed(t *testing.T) {
	w := newWorkshop(t, "")
	planted := 0
	w.box.run = func(c sandbox.Command) sandbox.Execution {
		for _, m := range c.Mounts {
			if m.Guest == bytecodeDir && m.Writable {
				have, err := filepath.Glob(filepath.Join(m.Host, "env/lib/python3.11/site-packages/*.pyc"))
				if err != nil {
					t.Error(err)
				}
				planted = len(have)
				for _, name := range []string{"numpy", "jax"} {
					path := filepath.Join(m.Host, "env/lib/python3.11/site-packages", name+".cpython-311.pyc")
					if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
						t.Error(err)
					}
					if err := os.WriteFile(path, []byte("code"), 0o644); err != nil {
						t.Error(err)
					}
				}
			}
		}
		return sandbox.Execution{Outcome: sandbox.Exited}
	}
	// Both environments get numpy's file from one cache.
	shared := filepath.Join(t.TempDir(), "numpy.py")
	write(t, shared, moduleText, 0o644)
	write(t, w.tools.uv.Path, read(t, w.tools.uv.Path)+`
if [ -n "$env" ]; then for site in "$env"/lib/python*/site-packages; do ln -f `+shared+` "$site/numpy.py"; done; fi
`, 0o755)
	spec := Spec{Subject: "jax", Imports: []string{"jax"}, Requirements: []Requirement{{Name: "jax", Spec: "==0.6.2"}}}
	other := spec
	other.Requirements = []Requirement{{Name: "jax", Spec: "==0.6.1"}}
	needs := spec
	needs.Requirements = append(slices.Clone(spec.Requirements), Requirement{Name: "packaging", Word: WordUndeclared})
	reported := lockOf("3.11.7", "jax==0.6.2", "numpy==2.3.0")
	control := lockOf("3.11.7", "jax==0.6.3", "numpy==2.3.0")
	tests := []struct {
		name string
		lock *Lock
		spec Spec
		want int
	}{
		{"the reported side", reported, spec, 0},
		{"a control", control, spec, 1},
		{"a need added", lockOf("3.11.7", "jax==0.6.2", "numpy==2.3.0", "packaging==24.0"), needs, 1},
		{"another report, same environment", control, other, 0},
	}
	for _, tt := range tests {
		planted = -1
		e := w.built(t, tt.lock)
		if cert, err := w.Certify(t.Context(), e, tt.spec); err != nil || !cert.OK {
			t.Fatalf("%s: %+v %v", tt.name, cert, err)
		}
		if planted != tt.want {
			t.Errorf("%s: began with the bytecode of %d files, want %d", tt.name, planted, tt.want)
		}
	}
}

func TestSeedsKeepTheFirstThatWorks(t *testing.T) {
	var s seeds
	spec := Spec{Subject: "jax"}
	python := interp.Interpreter{Minor: "3.11", Version: "3.11.7"}
	env := func(key, minor string) *Environment {
		p := python
		p.Minor = minor
		return &Environment{Key: key, Dir: "/" + key, bytecode: "/pyc/" + key, Python: p}
	}
	s.keep(spec, &Environment{Key: "nothing", Python: python}, true)
	s.keep(spec, env("failed", "3.11"), false)
	if got := s.of(spec, env("x", "3.11")); got.key != "failed" {
		t.Errorf("%+v", got)
	}
	s.keep(spec, env("works", "3.11"), true)
	s.keep(spec, env("later", "3.11"), true)
	if got := s.of(spec, env("x", "3.11")); got.key != "works" || got.pyc != "/pyc/works" {
		t.Errorf("%+v", got)
	}
	if got := s.of(spec, env("works", "3.11")); got != (seed{}) {
		t.Errorf("its own seed: %+v", got)
	}
	if got := s.of(spec, env("x", "3.7")); got != (seed{}) {
		t.Errorf("an interpreter that cannot use it: %+v", got)
	}
	if got := s.of(Spec{Subject: "numpy"}, env("x", "3.11")); got != (seed{}) {
		t.Errorf("another Spec: %+v", got)
	}
}
