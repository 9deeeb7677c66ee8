package environment

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/repgen/repgen/internal/environment/interp"
)

func TestInstalled(t *testing.T) {
	dir := t.TempDir()
	site := sitePackages(dir, "3.11")
	for path, text := range map[string]string{
		"toy_pkg-1.2.dist-info/METADATA": "Metadata-Version: 2.1\nName: Toy.Pkg\nVersion: 1.2\n\nName: other\n",
		"toy_pkg-1.2.dist-info/RECORD":   "toy/__init__.py,sha256=x,1\ntoy/sub/a.py,,\nsingle.py,,\n_fast.cpython-311.so,,\nspace/inner/__init__.py,,\n../../../bin/toy,,\ntoy_pkg-1.2.dist-info/METADATA,,\n",
		"toy/__init__.py":                "", "toy/sub/a.py": "", "single.py": "", "_fast.cpython-311.so": "", "space/inner/__init__.py": "",
		"bad-1.dist-info/METADATA": "Name: bad\nVersion: 1\n",
		"bad-1.dist-info/RECORD":   "../../../../../etc/passwd,,\n",
	} {
		name := filepath.Join(site, path)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e := &Environment{Dir: dir, Python: interp.Interpreter{Version: "3.11.7"}}
	got, err := e.Installed("toy-pkg")
	if err != nil {
		t.Fatal(err)
	}
	want := Installed{Name: "toy-pkg", Version: "1.2", SitePackages: site, Tops: []string{"single.py", "space/inner", "toy"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Installed = %+v, want %+v", got, want)
	}
	if got, err := e.Installed("absent"); err != nil || len(got.Tops) > 0 {
		t.Errorf("an absent package: %+v, %v", got, err)
	}
	if _, err := e.Installed("bad"); err == nil {
		t.Error("a RECORD that leads out of the environment is taken")
	}
}
