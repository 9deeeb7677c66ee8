package bundle

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/environment"
)

const wheelName = "lib-1.2-py3-none-any.whl"

// built is the sample with both sides from a project: one version, two wheels.
func built(t *testing.T, wheels map[string][]byte) Content {
	t.Helper()
	c := sample(t)
	c.Outcome.Spec.Project = &environment.ProjectSource{Dir: "/somewhere/project", Revision: "main", Name: "lib"}
	for i, l := range c.Outcome.Locks {
		p := &l.Packages[0]
		p.Word, p.Wheel = environment.WordProject, wheelName
		old := p.Hashes[0]
		p.Hashes = []string{"sha256:" + digest([]byte{byte('a' + i)})}
		l.Text = strings.ReplaceAll(l.Text, old, p.Hashes[0])
	}
	c.Outcome.Lock = c.Outcome.Locks[0]
	c.Wheel = func(p environment.Package) ([]byte, error) {
		if data, ok := wheels[p.Hashes[0]]; ok {
			return data, nil
		}
		return nil, fs.ErrNotExist
	}
	return c
}

func TestWheelsComeAlong(t *testing.T) {
	wheels := map[string][]byte{"sha256:" + digest([]byte("a")): []byte("a"), "sha256:" + digest([]byte("b")): []byte("b")}
	dir, err := Write(filepath.Join(t.TempDir(), "bundle"), built(t, wheels))
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(dir, fileScript))
	if err != nil {
		t.Fatal(err)
	}
	if want := "# [tool.uv.sources]\n# lib = { path = \"wheels/" + wheelName + "\" }\n# ///\n"; !strings.Contains(string(script), want) {
		t.Errorf("the script lacks %q:\n%s", want, script)
	}
	second := filepath.Join(dirWheels, digest([]byte("b"))[:12], wheelName)
	for name, want := range map[string]string{filepath.Join(dirWheels, wheelName): "a", second: "b"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != want {
			t.Errorf("%s holds %q: %v", name, data, err)
		}
	}
	b, tampered, err := Read(dir)
	if err != nil || len(tampered) > 0 {
		t.Fatal(err, tampered)
	}
	if readme, err := os.ReadFile(filepath.Join(dir, fileReadme)); err != nil || !strings.Contains(string(readme), "lib 1.2 is no release: ") || !strings.Contains(string(readme), "Its wheel is in wheels/.") {
		t.Errorf("the README does not say where lib came from: %v\n%s", err, readme)
	}
	for hash, data := range wheels {
		if !bytes.Equal(b.Wheels[hash], data) {
			t.Errorf("%s came back as %q", hash, b.Wheels[hash])
		}
	}
	if p := b.Outcome.Spec.Project; p == nil || p.Dir != "" || p.Revision != "main" {
		t.Errorf("the project came back as %+v", p)
	}
	if err := os.WriteFile(filepath.Join(dir, second), []byte("c"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, tampered, _ := Read(dir); !slices.Equal(tampered, []string{filepath.ToSlash(second) + ": was changed"}) {
		t.Errorf("a changed wheel: %v", tampered)
	}
}

// A wheel that is gone or too large is left out, and the rest is whole.
func TestWheelsThatStayBehind(t *testing.T) {
	large := bytes.Repeat([]byte("x"), maxWheel+1)
	for name, wheels := range map[string]map[string][]byte{
		"gone": {}, "large": {"sha256:" + digest([]byte("a")): large},
	} {
		dir, err := Write(filepath.Join(t.TempDir(), "bundle"), built(t, wheels))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, dirWheels)); err == nil {
			t.Errorf("%s: a wheel came along", name)
		}
		if readme, err := os.ReadFile(filepath.Join(dir, fileReadme)); err != nil || !strings.Contains(string(readme), "not in this bundle") {
			t.Errorf("%s: the README does not say so: %v", name, err)
		}
		b, tampered, err := Read(dir)
		if err != nil || len(tampered) > 0 || len(b.Wheels) != 0 {
			t.Errorf("%s: %v %v %v", name, err, tampered, b)
		}
	}
}
