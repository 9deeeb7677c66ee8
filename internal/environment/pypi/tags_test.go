package pypi

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFits(t *testing.T) {
	for _, c := range []struct {
		file, python, glibc string
		want                bool
	}{
		{"six-1.16.0-py2.py3-none-any.whl", "3.11", "", true},
		{"six-1.16.0-py2-none-any.whl", "3.11", "", false},
		{"a-1-py3-none-any.whl", "3.6.15", "", true},
		{"a-1-py310-none-any.whl", "3.9", "", false},
		{"a-1-py38-none-any.whl", "3.9", "", true},
		{"numpy-1.25.2-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl", "3.11", "2.36", true},
		{"numpy-1.25.2-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl", "3.10", "2.36", false},
		{"numpy-2.4.0-cp313-cp313t-manylinux_2_28_x86_64.whl", "3.13", "", false},
		{"numpy-1.25.2-cp311-cp311-musllinux_1_1_x86_64.whl", "3.11", "", false},
		{"numpy-1.25.2-cp311-cp311-win_amd64.whl", "3.11", "", false},
		{"numpy-1.25.2-cp311-cp311-macosx_11_0_arm64.whl", "3.11", "", false},
		{"torch-1.4.0-cp37-cp37m-manylinux1_x86_64.whl", "3.7", "", true},
		{"torch-1.4.0-cp37-cp37m-manylinux1_x86_64.whl", "3.8", "", false},
		{"torch-1.4.0-cp38-cp38-manylinux1_x86_64.whl", "3.8", "", true},
		{"x-1-cp37-abi3-manylinux2014_x86_64.whl", "3.12", "", true},
		{"x-1-cp312-abi3-manylinux2014_x86_64.whl", "3.11", "", false},
		{"new-1-cp311-cp311-manylinux_2_39_x86_64.whl", "3.11", "2.36", false},
		{"new-1-cp311-cp311-manylinux_2_39_x86_64.whl", "3.11", "", true},
		{"x-1-cp311-none-linux_x86_64.whl", "3.11", "2.36", true},
		{"x-1-1-cp311-none-manylinux2010_x86_64.whl", "3.11", "2.36", true},
		{"x-1-cp311-none-manylinux2010_i686.whl", "3.11", "2.36", false},
		{"x-1-py3-none-manylinux_x_y_x86_64.whl", "3.11", "", false},
	} {
		file := strings.ReplaceAll(c.file, "x86_64", machine())
		w, ok := parseWheel(file)
		if !ok {
			t.Errorf("%s: no wheel", file)
			continue
		}
		target, ok := newTarget(c.python, c.glibc)
		if !ok {
			t.Fatalf("no target %s", c.python)
		}
		if got := target.fits(w); got != c.want {
			t.Errorf("%s on %s, glibc %q: %t, want %t", file, c.python, c.glibc, got, c.want)
		}
	}
}

func TestTargetRefusesOthers(t *testing.T) {
	for _, python := range []string{"", "3", "2.7", "3.x", "pypy3.9"} {
		if _, ok := newTarget(python, ""); ok {
			t.Errorf("%q is taken for a Python 3", python)
		}
	}
}

func TestAllows(t *testing.T) {
	for _, c := range []struct {
		spec, python string
		want         bool
	}{
		{"", "3.11", true},
		{">=3.7", "3.6", false},
		{">=3.7", "3.11.7", true},
		{">=3.8.1", "3.8", true},
		{">=3.8.1", "3.8.0", false},
		{"!=3.9.7,>=3.8", "3.9", true},
		{">=2.7, !=3.0.*, !=3.1.*, !=3.2.*, !=3.3.*", "3.9", true},
		{">=3.6.*", "3.9", true},
		{">=3.7,<3.11", "3.11", false},
		{">=3.7,<3.11,", "3.10", true},
		{"~=3.8", "3.11", true},
		{"<4", "3.12", true},
		{"three and up", "3.12", true},
		{">=3.20", "3.12", false},
		{"==3.4.*", "3.12", false},
	} {
		if got := allows(c.spec, c.python); got != c.want {
			t.Errorf("%q on %s: %t, want %t", c.spec, c.python, got, c.want)
		}
	}
}

func TestParseSdist(t *testing.T) {
	for _, c := range []struct{ project, file, want string }{
		{"scikit-learn", "scikit-learn-0.24.1.tar.gz", "0.24.1"},
		{"scikit-learn", "scikit_learn-1.6.0.tar.gz", "1.6.0"},
		{"ruamel-yaml", "ruamel.yaml-0.17.zip", "0.17"},
		{"pot", "POT-0.9.6.tar.gz", "0.9.6"},
		{"pytorch-lightning", "pytorch-lightning-1.0.tar.bz2", "1.0"},
		{"foo", "foo-bar-1.0.tar.gz", ""},
		{"foo", "foo-1.0.exe", ""},
		{"foo", "foo.tar.gz", ""},
		{"tf-nightly", "tf-nightly-2.16.0.dev20231201.tar.gz", "2.16.0.dev20231201"},
	} {
		got, ok := parseSdist(c.project, c.file)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q %t, want %q", c.file, got, ok, c.want)
		}
	}
}

func TestWheelVersion(t *testing.T) {
	name, version, ok := WheelVersion("Scikit_Learn-1.0rc1-cp39-cp39-linux_x86_64.whl")
	if !ok || name != "scikit-learn" || version != "1.0rc1" {
		t.Errorf("%q %q %t", name, version, ok)
	}
	for _, bad := range []string{"", "x.whl", "x-1.tar.gz", "-1-py3-none-any.whl", "x-one-py3-none-any.whl"} {
		if _, _, ok := WheelVersion(bad); ok {
			t.Errorf("%q is taken for a wheel", bad)
		}
	}
}

// A wheel made for one interpreter fits that one and no other minor version.
func TestExactWheelFitsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		made := rapid.IntRange(6, 14).Draw(t, "made")
		asked := rapid.IntRange(6, 14).Draw(t, "asked")
		w := wheelName{name: "x", version: "1", systems: []string{"any"}}
		own := "cp3" + itoa(made)
		w.pythons, w.abis = []string{own}, []string{own}
		if made < 8 {
			w.abis = []string{own + "m"}
		}
		target, _ := newTarget("3."+itoa(asked), "")
		if got := target.fits(w); got != (made == asked) {
			t.Fatalf("made for 3.%d, asked on 3.%d: %t", made, asked, got)
		}
	})
}

func itoa(n int) string {
	if n >= 10 {
		return string(rune('0'+n/10)) + string(rune('0'+n%10))
	}
	return string(rune('0' + n))
}

func FuzzParseWheel(f *testing.F) {
	f.Add("numpy-1.25.2-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl")
	f.Add("--------.whl")
	target, _ := newTarget("3.11", "2.36")
	f.Fuzz(func(t *testing.T, name string) {
		w, ok := parseWheel(name)
		if ok && (w.name == "" || w.version == "") {
			t.Fatalf("%q gives an empty name or version", name)
		}
		_ = target.fits(w)
		if v, ok := parseSdist("numpy", name); ok && !strings.Contains(name, v) {
			t.Fatalf("%q gives version %q", name, v)
		}
	})
}

func FuzzAllows(f *testing.F) {
	f.Add(">=3.6.*, !=3.9.7,")
	f.Fuzz(func(t *testing.T, spec string) {
		// Either answer is fine; a specifier without any operator excludes nothing.
		if !allows(spec, "3.11") && !strings.ContainsAny(spec, "<>=!~") {
			t.Fatalf("%q excludes without an operator", spec)
		}
	})
}
