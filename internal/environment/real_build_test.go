package environment

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/environment/interp"
)

// TestRealDatedBackends builds one small project with each of the common
// backends, with build requirements as of a day: the wheel says which version
// of the tool made it.
func TestRealDatedBackends(t *testing.T) {
	m := realBench(t)
	python, ok, err := m.interpreter(t.Context(), "3.9")
	if err != nil || !ok {
		t.Fatalf("no Python 3.9 on this machine: %v", err)
	}
	const named = "[project]\nname = \"thing\"\nversion = \"1.0\"\n"
	for _, c := range []struct{ name, pyproject, made string }{
		{"setuptools", "[build-system]\nrequires = [\"setuptools>=61\", \"wheel\"]\nbuild-backend = \"setuptools.build_meta\"\n" + named, "bdist_wheel (0.37.1)"},
		{"poetry", "[build-system]\nrequires = [\"poetry-core>=1.0.0\"]\nbuild-backend = \"poetry.core.masonry.api\"\n" +
			"[tool.poetry]\nname = \"thing\"\nversion = \"1.0\"\ndescription = \"d\"\nauthors = [\"a <a@example.invalid>\"]\n", "poetry 1.0.8"},
		{"hatch", "[build-system]\nrequires = [\"hatchling\"]\nbuild-backend = \"hatchling.build\"\n" + named, "hatchling 1.3.1"},
		{"flit", "[build-system]\nrequires = [\"flit_core >=3.2,<4\"]\nbuild-backend = \"flit_core.buildapi\"\n" + named + "description = \"d\"\n", "flit 3.7.1"},
		{"none", "", "bdist_wheel (0.37.1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := []string{"thing-1.0/thing/__init__.py", "\"a thing\"\n__version__ = '1.0'\n"}
			if c.pyproject == "" {
				files = append(files, "thing-1.0/setup.py", "from setuptools import setup\nsetup(name='thing', version='1.0', packages=['thing'])\n")
			} else {
				files = append(files, "thing-1.0/pyproject.toml", c.pyproject)
			}
			if got := generator(t, builtOn(t, m, python, c.pyproject, "2022-06-30", files...)); got != c.made {
				t.Errorf("made by %q, want %q", got, c.made)
			}
		})
	}
}

// TestRealSetupImportsItself: as of 2018 setuptools knew no way to build a
// project whose setup.py imports the project, which every setup.py could.
func TestRealSetupImportsItself(t *testing.T) {
	m := realBench(t)
	python, ok, err := m.interpreter(t.Context(), "3.7")
	if err != nil || !ok {
		t.Fatalf("no Python 3.7 on this machine: %v", err)
	}
	made := generator(t, builtOn(t, m, python, "", "2018-07-29", "thing-1.0/thing/__init__.py", "__version__ = '1.0'\n",
		"thing-1.0/setup.py", "import thing\nfrom setuptools import setup\nsetup(name='thing', version=thing.__version__, packages=['thing'])\n"))
	if made != "bdist_wheel (0.31.1)" {
		t.Errorf("made by %q", made)
	}
}

// TestRealSetupAsProgram: a setup.py that takes __builtins__ for a module, which
// it is in a program only.
func TestRealSetupAsProgram(t *testing.T) {
	m := realBench(t)
	python, ok, err := m.interpreter(t.Context(), "3.7")
	if err != nil || !ok {
		t.Fatalf("no Python 3.7 on this machine: %v", err)
	}
	made := generator(t, builtOn(t, m, python, "", "2020-06-15", "thing-1.0/thing/__init__.py", "",
		"thing-1.0/setup.py", "from setuptools import setup\nfrom setuptools.command.build_py import build_py\n"+
			"class build(build_py):\n    def finalize_options(self):\n        build_py.finalize_options(self)\n        __builtins__.__THING_SETUP__ = False\n"+
			"setup(name='thing', version='1.0', packages=['thing'], cmdclass={'build_py': build})\n"))
	if made == "" {
		t.Error("no maker")
	}
}

// builtOn is the wheel of the project thing 1.0, built from these files with
// the tools of a day.
func builtOn(t *testing.T, m *Manager, python interp.Interpreter, pyproject, day string, files ...string) string {
	t.Helper()
	work := t.TempDir()
	if err := os.WriteFile(filepath.Join(work, "thing-1.0.tar.gz"), tarball(t, files...), 0o644); err != nil {
		t.Fatal(err)
	}
	system, err := parseBuildSystem(pyproject)
	if err != nil {
		t.Fatal(err)
	}
	s := sourceBuild{archive: "thing-1.0.tar.gz", label: "thing", system: system, python: python, asOf: endOfDay(at(day)), tail: 3}
	if err := m.buildDated(t.Context(), s, at(day), work); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(work, "out", "thing-1.0-*.whl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%q %v", found, err)
	}
	return found[0]
}

// generator is the tool that a wheel names as its maker.
func generator(t *testing.T, wheel string) string {
	t.Helper()
	z, err := zip.OpenReader(wheel)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, ".dist-info/WHEEL") {
			continue
		}
		text, err := readZipFile(f, 1<<16)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text) {
			if made, ok := strings.CutPrefix(line, "Generator: "); ok {
				return strings.TrimSpace(made)
			}
		}
	}
	return ""
}
