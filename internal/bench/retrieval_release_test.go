package bench

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// archived packs headers with contents.
func archived(t testing.TB, entries ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, h := range entries {
		text := h.Linkname
		if h.Typeflag == tar.TypeReg {
			h.Linkname = ""
			h.Size = int64(len(text))
		}
		h.Mode = 0o644
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := w.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
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

// file is an entry whose text stands in Linkname.
func file(name, text string) tar.Header {
	return tar.Header{Name: name, Typeflag: tar.TypeReg, Linkname: text}
}

func TestReleaseTree(t *testing.T) {
	data := archived(t,
		file("p-1.0/src/p/a.py", "a = 1\n"), file("./p-1.0/b.py", "b = 2\n"), file("p-1.0/readme.md", "x"),
		file("p-1.0/../../evil.py", "x"), file("p-1.0//etc/evil.py", "x"), file("top.py", "x"),
		tar.Header{Name: "p-1.0/link.py", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
		file("p-1.0/big.py", strings.Repeat("x = 1\n", 200_000)),
	)
	tree, err := ReleaseTree(t.Context(), bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	list, err := tree.List(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range list.Files {
		names = append(names, f.Path)
	}
	if strings.Join(names, " ") != "b.py src/p/a.py" {
		t.Errorf("%v", names)
	}
	if text, err := tree.Read(t.Context(), "src/p/a.py"); err != nil || string(text) != "a = 1\n" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestReleaseTreeBad(t *testing.T) {
	whole := archived(t, file("p-1.0/a.py", strings.Repeat("a = 1\n", 1000)))
	for name, data := range map[string][]byte{
		"nothing": nil, "no archive": []byte("hello, this is no archive at all"), "cut short": whole[:len(whole)-20],
	} {
		if _, err := ReleaseTree(t.Context(), bytes.NewReader(data)); err == nil || !strings.Contains(err.Error(), "source release") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadReleases(t *testing.T) {
	got, err := ReadReleases("testdata/retrieval/" + ReleasesFile)
	if err != nil || got["keras"].Package != "keras" || len(got) < 2 {
		t.Errorf("%v, %v", got, err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"no JSON": "x", "no release": `{"a":{"package":"a"}}`, "a list": `[]`} {
		path := filepath.Join(dir, "r.json")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadReleases(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzReleaseTree(f *testing.F) {
	f.Add(archived(f, file("p-1.0/a.py", "a = 1\n")))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := ReleaseTree(t.Context(), bytes.NewReader(data))
		if err != nil {
			return
		}
		list, err := tree.List(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list.Files {
			if !filepath.IsLocal(f.Path) {
				t.Fatalf("a path outside: %q", f.Path)
			}
		}
	})
}
