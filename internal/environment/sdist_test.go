package environment

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// tarball packs files (name, content by turns) as a source package.
func tarball(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for i := 0; i < len(files); i += 2 {
		h := &tar.Header{Name: files[i], Mode: 0o644, Size: int64(len(files[i+1])), Typeflag: tar.TypeReg}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const flit = "[build-system]\nrequires = [\"flit_core >=3\"]\nbuild-backend = \"flit_core.buildapi\"\nbackend-path = [\".\"]\n"

func TestReadBuildSystem(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	want := buildSystem{Requires: []string{"flit_core >=3"}, Backend: "flit_core.buildapi", BackendPath: []string{"."}}
	legacy := buildSystem{Requires: legacyRequires}
	var z bytes.Buffer
	zw := zip.NewWriter(&z)
	f, err := zw.Create("a-1/pyproject.toml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(flit)); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		want buildSystem
	}{
		{put("a.tar.gz", tarball(t, "a-1/setup.py", "x", "a-1/pyproject.toml", flit)), want},
		{put("b.tgz", tarball(t, "./a-1/pyproject.toml", flit)), want},
		{put("c.zip", z.Bytes()), want},
		{put("d.tar.gz", tarball(t, "a-1/setup.py", "x", "a-1/tests/pyproject.toml", flit)), legacy},
		{put("e.tar.gz", tarball(t)), legacy},
		{put("f.tar.gz", tarball(t, "a-1/pyproject.toml", "[tool.black]\nline-length = 1\n")), legacy},
	} {
		got, err := readBuildSystem(c.path)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v %v", filepath.Base(c.path), got, err)
		}
	}
	big := "[build-system]\nrequires=[]\n#" + strings.Repeat("x", maxPyproject)
	for _, bad := range []string{
		put("g.tar.gz", []byte("no archive")),
		put("h.tar.xz", []byte("no archive")),
		put("i.zip", []byte("no archive")),
		put("j.tar.gz", tarball(t, "a-1/pyproject.toml", "not = [toml")),
		put("k.tar.gz", tarball(t, "a-1/pyproject.toml", big)),
		put("l.tar.gz", tarball(t, "a-1/pyproject.toml", "[build-system]\nrequires = 3\n")),
		filepath.Join(dir, "absent.tar.gz"),
	} {
		if got, err := readBuildSystem(bad); err == nil {
			t.Errorf("%s: %+v", filepath.Base(bad), got)
		}
	}
}

func TestBuildSystemDefaults(t *testing.T) {
	got, err := parseBuildSystem("[build-system]\n")
	if err != nil || !reflect.DeepEqual(got.Requires, legacyRequires) {
		t.Errorf("%+v %v", got, err)
	}
}

func FuzzBuildSystem(f *testing.F) {
	f.Add(flit)
	f.Add("[build-system]\nrequires = [\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseBuildSystem(text)
		if err == nil && got.Backend == "" && len(got.Requires) == 0 {
			t.Fatalf("%q: neither a backend nor requirements", text)
		}
	})
}

func FuzzPyprojectOfTar(f *testing.F) {
	f.Add(tarball(f, "a-1/pyproject.toml", flit))
	f.Fuzz(func(t *testing.T, data []byte) {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return
		}
		if text, err := pyprojectOfTar(z); err == nil && len(text) > maxPyproject {
			t.Fatal("more than the limit was read")
		}
	})
}
