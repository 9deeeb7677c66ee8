package environment

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestParseRecord(t *testing.T) {
	got, err := parseRecord("/e", "/e/lib/python3.11/site-packages", strings.NewReader(
		"a/b.py,sha256=AbC_-,12\n\"with,comma.py\",,\n../../../bin/tool,sha256=x,7\na-1.0.data/scripts/tool,sha256=y,9\n\na.dist-info/RECORD,,\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []recorded{
		{"", "/e/lib/python3.11/site-packages/a/b.py", "sha256=AbC_-", 12},
		{"", "/e/lib/python3.11/site-packages/with,comma.py", "", -1},
		{"", "/e/bin/tool", "sha256=x", 7},
		{"", "/e/lib/python3.11/site-packages/a.dist-info/RECORD", "", -1},
	}
	if len(got) != len(want) {
		t.Fatalf("%d entries: %+v", len(got), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
	for _, bad := range []string{"../../../../etc/passwd,,\n", "/etc/passwd,,\n", "../../../../e2/x,,\n", "a-1.0.data/../../../../../etc/passwd,,\n"} {
		if _, err := parseRecord("/e", "/e/lib/python3.11/site-packages", strings.NewReader(bad)); err == nil {
			t.Errorf("%q leads out and is accepted", bad)
		}
	}
}

// TestSharedPaths: two distributions that bring one path leave it as the second
// brought it, which is no damage; a file that is neither's is.
func TestSharedPaths(t *testing.T) {
	env, dir := site(t, "a/x.py,,3\na/y.py,,3\n")
	write(t, filepath.Join(dir, "a_nightly-1.0.dist-info/RECORD"), "a/x.py,,5\na/y.py,,5\na/z.py,,5\n", 0o644)
	for name, text := range map[string]string{"x": "12345", "y": "123", "z": "12345"} {
		write(t, filepath.Join(dir, "a", name+".py"), text, 0o644)
	}
	if err := checkRecords(t.Context(), env, deepCheck); err != nil {
		t.Errorf("each file is one of its owners': %v", err)
	}
	write(t, filepath.Join(dir, "a/y.py"), "1234", 0o644)
	var damage *DamageError
	if err := checkRecords(t.Context(), env, quickCheck); !errors.As(err, &damage) || !strings.HasSuffix(damage.Files[0], "a/y.py") || len(damage.Packages) != 2 {
		t.Errorf("%v, want a/y.py to be neither's", err)
	}
}

func FuzzParseRecord(f *testing.F) {
	f.Add("a/b.py,sha256=AbC,12\n\"x\"\"y\",,\n")
	f.Add("../../../../x,,")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseRecord("/e", "/e/site", strings.NewReader(text))
		if err != nil {
			return
		}
		for _, one := range list {
			rel, err := filepath.Rel("/e", one.path)
			if err != nil || !filepath.IsLocal(rel) {
				t.Fatalf("%q leads out of the environment", one.path)
			}
		}
	})
}

// site makes an environment with one package and returns its site-packages.
func site(t *testing.T, record string) (env, dir string) {
	t.Helper()
	env = t.TempDir()
	dir = filepath.Join(env, "lib/python3.11/site-packages")
	write(t, filepath.Join(dir, "a-1.0.dist-info/RECORD"), record, 0o644)
	return env, dir
}

func TestCheckRecords(t *testing.T) {
	const digest = "sha256=_W4xoVOTDFMqqGdqrLMvn4BCJVStLpzCtWZVBOTnNHM" // of another text
	env, dir := site(t, "a.py,"+digest+",6\nstart.pth,"+digest+",6\n")
	write(t, filepath.Join(dir, "a.py"), moduleText, 0o644)
	write(t, filepath.Join(dir, "start.pth"), moduleText, 0o644)
	var damage *DamageError
	if err := checkRecords(t.Context(), env, quickCheck); !errors.As(err, &damage) || len(damage.Files) != 1 || !strings.HasSuffix(damage.Files[0], "start.pth") {
		t.Errorf("quick: %v, want only what runs at every start", err)
	}
	if err := checkRecords(t.Context(), env, deepCheck); !errors.As(err, &damage) || len(damage.Files) != 2 {
		t.Errorf("deep: %v", err)
	}
	write(t, filepath.Join(dir, "a.py"), "short", 0o644)
	if err := checkRecords(t.Context(), env, quickCheck); !errors.As(err, &damage) || len(damage.Files) != 2 {
		t.Errorf("another size: %v", err)
	}
	env, _ = site(t, "missing.py,,\n")
	if err := checkRecords(t.Context(), env, quickCheck); !errors.As(err, &damage) || !strings.Contains(damage.Error(), "missing.py") {
		t.Errorf("a missing file: %v", err)
	}
	env, dir = site(t, "a.py,md5=xx,6\n")
	write(t, filepath.Join(dir, "a.py"), moduleText, 0o644)
	if err := checkRecords(t.Context(), env, deepCheck); err != nil {
		t.Errorf("an old hash function: %v", err)
	}
}

// TestStrippedLabel: a publisher edited the description of a recorded wheel. It
// has to be there; another wheel's, or a module of that name, is compared.
func TestStrippedLabel(t *testing.T) {
	env, dir := site(t, "a-1.0.dist-info/METADATA,sha256=xx,99\n")
	if err := checkRecords(t.Context(), env, quickCheck); err == nil {
		t.Error("no description, and nobody noticed")
	}
	write(t, filepath.Join(dir, "a-1.0.dist-info/METADATA"), "Name: a\nVersion: 1.0\n", 0o644)
	if err := checkRecords(t.Context(), env, deepCheck); err != nil {
		t.Errorf("a shorter description: %v", err)
	}
	for _, path := range []string{"a-1.0.dist-info/entry_points.txt", "a/METADATA", "a/b.dist-info/METADATA"} {
		env, dir := site(t, path+",sha256=xx,99\n")
		write(t, filepath.Join(dir, path), "short", 0o644)
		if err := checkRecords(t.Context(), env, quickCheck); err == nil {
			t.Errorf("%s is not what its wheel brought, and nobody noticed", path)
		}
	}
}

func TestInstalledVersions(t *testing.T) {
	env, dir := site(t, "")
	write(t, filepath.Join(dir, "Foo_Bar-1.0.dist-info/METADATA"), "Metadata-Version: 2.1\nname: Foo.Bar\nVersion: 1.0+cpu\n\nName: other\n", 0o644)
	write(t, filepath.Join(dir, "torn-1.0.dist-info/METADATA"), "Version: 2\n", 0o644)
	got, err := installedVersions(env, "3.11")
	if err != nil || len(got) != 1 || got["foo-bar"] != "1.0+cpu" {
		t.Errorf("%v %v", got, err)
	}
	if got, err := installedVersions(env, "3.12"); err != nil || len(got) != 0 {
		t.Errorf("another Python: %v %v", got, err)
	}
}

// TestDamagedReadersAreNotWaitedFor: a list or a description that is a pipe, or a
// link that leads elsewhere, is no environment, at once.
func TestDamagedReadersAreNotWaitedFor(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a pipe": func(path string) error { return unix.Mkfifo(path, 0o644) },
		"a link": func(path string) error { return os.Symlink("/etc/passwd", path) },
		"zeroes": func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		env, dir := site(t, "a.py,,\n")
		info := filepath.Join(dir, "a-1.0.dist-info")
		for _, file := range []string{"METADATA", "x.pth"} {
			if err := make(filepath.Join(info, file)); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := installedVersions(env, "3.11"); err == nil {
			t.Errorf("%s: versions %v", name, got)
		}
		write(t, filepath.Join(info, "RECORD"), "a-1.0.dist-info/x.pth,sha256=xx,\n", 0o644)
		if err := checkRecords(t.Context(), env, quickCheck); err == nil {
			t.Errorf("%s: nothing is damaged", name)
		}
		if err := os.Remove(filepath.Join(info, "RECORD")); err != nil {
			t.Fatal(err)
		}
		if err := make(filepath.Join(info, "RECORD")); err != nil {
			t.Fatal(err)
		}
		if err := checkRecords(t.Context(), env, quickCheck); err == nil {
			t.Errorf("%s: it was read as a list", name)
		}
	}
}

// TestDamageOnce: a file is looked at and named once, however often its wheel
// lists it.
func TestDamageOnce(t *testing.T) {
	env, dir := site(t, strings.Repeat("x.pth,sha256=xx,3\n", 1000))
	write(t, filepath.Join(dir, "x.pth"), "abc", 0o644)
	var damage *DamageError
	if err := checkRecords(t.Context(), env, quickCheck); !errors.As(err, &damage) || len(damage.Files) != 1 || len(damage.Packages) != 1 {
		t.Errorf("%v", err)
	}
}
