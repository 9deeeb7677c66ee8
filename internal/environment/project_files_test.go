package environment

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/pydist"
)

func TestParseState(t *testing.T) {
	id := strings.Repeat("a1", 20)
	for _, c := range []struct {
		out, version string
		ok           bool
	}{
		{"1700000000 " + id + "\nv1.2.3-0-ga1a1a1a", "1.2.3", true},
		{"1700000000 " + id + "\nv1.2.3-14-ga1a1a1a", "1.2.4.dev14+ga1a1a1a", true},
		{"1700000000 " + id + "\n2.0rc1-3-ga1a1a1a", "2.0.dev3+ga1a1a1a", true},
		{"1700000000 " + id + "\npkg-name-v0.5-2-ga1a1a1a", "0.6.dev2+ga1a1a1a", true},
		{"1700000000 " + id, "0.0.dev0+ga1a1a1a", true},
		{"1700000000 " + id + "\nnightly-today", "0.0.dev0+ga1a1a1a", true},
		{"1700000000 " + id[:39], "", false},
		{"-1 " + id, "", false},
		{"commit " + id, "", false},
		{"", "", false},
	} {
		s, ok := parseState(c.out)
		if ok != c.ok || s.Version != c.version {
			t.Errorf("%q: %+v %t, want %q", c.out, s, ok, c.version)
		}
	}
}

// Whatever git's answer says, a version that is passed on is one.
func FuzzParseState(f *testing.F) {
	id := strings.Repeat("a1", 20)
	f.Add("1700000000 " + id + "\nv1.2.3-14-ga1a1a1a")
	f.Add("1700000000 " + id + "\n1!2.0.post1-3-gff\n")
	f.Add("x")
	f.Fuzz(func(t *testing.T, out string) {
		s, ok := parseState(out)
		if !ok {
			return
		}
		if _, err := pydist.ParseVersion(s.Version); err != nil {
			t.Fatalf("%q became the version %q", out, s.Version)
		}
		if len(s.Commit) != 40 && len(s.Commit) != 64 {
			t.Fatalf("%q became the commit %q", out, s.Commit)
		}
	})
}

func TestPlainRevision(t *testing.T) {
	for _, good := range []string{"HEAD~1", "v1.0^{}", "origin/main@{yesterday}", ":/fix the bug", "größer"} {
		if !plainRevision(good) {
			t.Errorf("%q is refused", good)
		}
	}
	for _, bad := range []string{"-x", "--output=/etc/x", "a\x00b", "a\nb", strings.Repeat("a", 400)} {
		if plainRevision(bad) {
			t.Errorf("%q is taken", bad)
		}
	}
}

// Equal files give equal bytes, whatever their dates; caches, environments and
// our own run folders are no source; links stay links.
func TestPackFolder(t *testing.T) {
	fill := func() string {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "pyproject.toml"), "x", 0o644)
		write(t, filepath.Join(dir, "pkg", "run.sh"), "y", 0o755)
		for _, out := range []string{".tox/a", "pkg/__pycache__/b.pyc", "env/pyvenv.cfg", "env/lib/c.py", "out/run/00-request.json", "out/run/d"} {
			write(t, filepath.Join(dir, out), "z", 0o644)
		}
		if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	first, second := fill(), fill()
	if err := os.Chtimes(filepath.Join(second, "pyproject.toml"), firstDay, firstDay); err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	a, err := packFolder(first, &buf)
	if err != nil {
		t.Fatal(err)
	}
	b, err := packFolder(second, nil)
	if err != nil || a != b {
		t.Errorf("equal folders: %s %s %v", a, b, err)
	}
	for _, bad := range []string{".tox", "pyc", "env/", "00-request", "root:"} {
		if bytes.Contains(buf.Bytes(), []byte(bad)) {
			t.Errorf("the archive holds %q", bad)
		}
	}
	write(t, filepath.Join(second, "pkg", "run.sh"), "Y", 0o755)
	if b, err = packFolder(second, nil); err != nil || a == b {
		t.Errorf("a changed file is not seen: %v", err)
	}
	if _, err := packFolder(filepath.Join(first, "absent"), nil); err == nil {
		t.Error("a folder that is not there was packed")
	}
	l, err := scanTar(&buf, int64(buf.Len()))
	if err != nil || l.Pyproject != "x" {
		t.Errorf("scanned as %+v %v", l, err)
	}
}

func scanBytes(data []byte) (layout, error) { return scanTar(bytes.NewReader(data), int64(len(data))) }

func TestScanTar(t *testing.T) {
	scan := func(files ...string) layout {
		l, err := scanBytes(exported(t, files...))
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := scan("setup.py", "1", "setup.cfg", "[options]\npython_requires = >=3.8\n", "deep/pyproject.toml", "no")
	if !l.SetupPy || l.Pyproject != "" || l.requiresPython() != ">=3.8" {
		t.Errorf("%+v", l)
	}
	same := scan("a", "1").Hash
	for _, c := range []struct {
		name, content string
		equal         bool
	}{{"a", "1", true}, {"a", "2", false}, {"b", "1", false}} {
		if got := scan(c.name, c.content).Hash; (got == same) != c.equal {
			t.Errorf("%+v: the hash is not that of names and contents", c)
		}
	}
	if got := scan("pyproject.toml", "[project]\nrequires-python = '>=3.10'\n").requiresPython(); got != ">=3.10" {
		t.Errorf("requires %q", got)
	}
	if _, err := scanBytes(exported(t, "pyproject.toml", strings.Repeat(" ", maxPyproject+1))); err == nil {
		t.Error("a huge pyproject.toml was read")
	}
	// One hole of 8 TiB, in the old format of GNU tar.
	if _, err := scanBytes(sparse(1 << 43)); err == nil || !strings.Contains(err.Error(), "more than the archive") {
		t.Errorf("a file that is one large hole: %v", err)
	}
	if _, err := scanBytes(bytes.Repeat([]byte("x"), 2000)); err == nil {
		t.Error("junk was read")
	}
}

// sparse is an archive of one file that is nothing but a hole.
func sparse(size int64) []byte {
	h := make([]byte, 512)
	octal := func(at, width int, v int64) { copy(h[at:], fmt.Sprintf("%0*o", width-1, v)) }
	copy(h, exportTop+"hole")
	octal(100, 8, 0o644)
	octal(124, 12, 0) // bytes in the archive
	octal(136, 12, 0)
	h[156] = 'S'
	copy(h[257:], "ustar  ")
	octal(386, 12, size) // one empty piece at the end
	octal(398, 12, 0)
	binary.BigEndian.PutUint64(h[483+4:], uint64(size))
	h[483] = 0x80 // base 256
	copy(h[386:], append([]byte{0x80, 0, 0, 0}, binary.BigEndian.AppendUint64(nil, uint64(size))...))
	copy(h[148:], "        ")
	sum := int64(0)
	for _, b := range h {
		sum += int64(b)
	}
	copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
	return append(h, make([]byte, 1024)...)
}

func FuzzScanTar(f *testing.F) {
	f.Add(exported(f, "pyproject.toml", "[project]\nname = 'x'\n"))
	f.Add(exported(f, "setup.cfg", "[options]\npython_requires = >=3.8"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := scanBytes(data)
		if err == nil && len(l.Hash) != 64 {
			t.Fatalf("no hash: %+v", l)
		}
		if strings.ContainsAny(l.requiresPython(), "\n") && l.Pyproject == "" {
			t.Fatalf("several lines from setup.cfg: %q", l.requiresPython())
		}
	})
}

func TestBackend(t *testing.T) {
	b := projectBuild{src: ProjectSource{Dir: "/somewhere/proj"}}
	for _, c := range []struct {
		name, want string // requirements, or the error
		l          layout
	}{
		{"legacy", "setuptools wheel", layout{SetupPy: true}},
		{"cfg", "setuptools wheel", layout{SetupCfg: "[metadata]"}},
		{"tools and setup.py", "setuptools wheel", layout{SetupPy: true, Pyproject: "[tool.black]\n"}},
		{"project only", "setuptools wheel", layout{Pyproject: "[project]\nname = 'x'\n"}},
		{"modern", "hatchling", layout{Pyproject: "[build-system]\nrequires = ['hatchling']\nbuild-backend = 'hatchling.build'\n"}},
		{"nothing", "neither a pyproject.toml nor a setup.py", layout{}},
		{"tools only", "builds nothing", layout{Pyproject: "[tool.black]\n"}},
		{"damaged", "pyproject.toml", layout{Pyproject: "[[["}},
	} {
		system, err := c.l.backend(b)
		got := strings.Join(system.Requires, " ")
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestReadWheel(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "Tiny_Net-1.0+g12-cp311-cp311-linux_x86_64.whl")
	write(t, file, string(zipped(t,
		"tinynet/__init__.py", "", "tinynet/deep/x.py", "", "single.py", "", "native.cpython-311-x86_64-linux-gnu.so", "",
		"tinynet/data.txt", "", "share/readme.md", "", "not a module/x.py", "",
		"Tiny_Net-1.0+g12.data/scripts/run.py", "",
		"Tiny_Net-1.0+g12.dist-info/METADATA", "Name: Tiny_Net\nrequires-python: >=3.8, <4\n\nRequires-Python: >=9\n",
	)), 0o644)
	w, err := readWheel(file)
	if err != nil {
		t.Fatal(err)
	}
	if w.Name != "tiny-net" || w.Version != "1.0+g12" || w.pure() || w.RequiresPython != ">=3.8, <4" {
		t.Errorf("%+v", w)
	}
	if !slices.Equal(w.Provides, []string{"native", "single", "tinynet"}) {
		t.Errorf("provides %v", w.Provides)
	}
	for _, name := range []string{"x.whl", "x-one-py3-none-any.whl", "x-1-py3-none-any\n.whl", "x-1-py3-none-\".whl"} {
		bad := filepath.Join(dir, name)
		write(t, bad, "junk", 0o644)
		if _, err := readWheel(bad); err == nil {
			t.Errorf("%q was read", name)
		}
	}
	junk := filepath.Join(dir, "x-1-py3-none-any.whl")
	write(t, junk, "junk", 0o644)
	if _, err := readWheel(junk); err == nil {
		t.Error("junk was read")
	}
}

// A wheel is kept under its own hash or not at all.
func TestKeepWheel(t *testing.T) {
	w := newWorkshop(t, "")
	data := zipped(t, "x/__init__.py", "1")
	file := filepath.Join(t.TempDir(), "x-1.0-py3-none-any.whl")
	write(t, file, string(data), 0o644)
	info, err := readWheel(file)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.KeepWheel(t.Context(), info.Package, data); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := w.Wheel(info.Package); err != nil || !bytes.Equal(got, data) {
		t.Errorf("came back otherwise: %v", err)
	}
	with := func(change func(p *Package)) Package {
		p := info.Package
		change(&p)
		return p
	}
	for name, p := range map[string]Package{
		"other bytes":   with(func(p *Package) { p.Hashes = []string{"sha256:" + strings.Repeat("0", 64)} }),
		"another name":  with(func(p *Package) { p.Name = "y" }),
		"version":       with(func(p *Package) { p.Version = "2.0" }),
		"a way out":     with(func(p *Package) { p.Wheel = "../x-1.0-py3-none-any.whl" }),
		"hash as path":  with(func(p *Package) { p.Hashes = []string{"sha256:" + strings.Repeat("../", 21) + "a"} }),
		"no hash":       with(func(p *Package) { p.Hashes = nil }),
		"two hashes":    with(func(p *Package) { p.Hashes = append(slices.Clone(p.Hashes), p.Hashes...) }),
		"no wheel":      with(func(p *Package) { p.Wheel = "" }),
		"strange bytes": with(func(p *Package) { p.Wheel = "x-1.0-py3-none-any\x1b.whl" }),
	} {
		if err := w.KeepWheel(t.Context(), p, data); err == nil {
			t.Errorf("%s: it was kept", name)
		}
		if name != "another name" && name != "version" {
			if _, err := w.Wheel(p); err == nil {
				t.Errorf("%s: it was found", name)
			}
		}
	}
}

// What is damaged is not kept, since an installer would unpack it here.
func TestDamagedWheel(t *testing.T) {
	good := zipped(t, "x/__init__.py", strings.Repeat("content ", 100))
	if err := checkUnpacked(good); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(r *rapid.T) {
		bad := slices.Clone(good)
		// Any byte of the packed content.
		i := rapid.IntRange(60, 70).Draw(r, "i")
		bad[i] ^= byte(rapid.IntRange(1, 255).Draw(r, "x"))
		if err := checkUnpacked(bad); err == nil {
			r.Fatalf("byte %d changed and nothing noticed", i)
		}
	})
	if err := checkUnpacked([]byte("junk")); err == nil {
		t.Error("junk was taken")
	}
}
