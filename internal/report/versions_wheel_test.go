package report

import (
	"strings"
	"testing"
)

// TestWheelVersions: the name of a wheel says which release was installed, and
// for which interpreter where its tags fit one only.
func TestWheelVersions(t *testing.T) {
	for _, c := range []struct{ name, text, want, span string }{
		{"prose", "(I installed via `pip install gridlib[all]`, it seems to be gridlib-0.9.3-cp38-cp38-win_amd64.whl)", "gridlib 0.9.3", "gridlib-0.9.3-cp38-cp38"},
		{"log", "```\nDownloading https://files/ab/Grid_lib-2.1-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl (2.1 MB)\n```", "grid-lib 2.1", "Grid_lib-2.1-cp311-cp311"},
		{"any interpreter", "```\nUsing cached gridlib-1.0.post1-py3-none-any.whl (3 kB)\n```", "gridlib 1.0.post1", "gridlib-1.0.post1"},
		{"a stable interface", "Used gridlib-1.0.0-cp37-abi3-win_amd64.whl here.", "gridlib 1.0.0", "gridlib-1.0.0"},
		{"a build number", "Used gridlib-1.0.0-2-cp310-cp310-win_amd64.whl here.", "gridlib 1.0.0", "gridlib-1.0.0-2-cp310-cp310"},
		{"said before", "I use gridlib 1.2.3.\n\nThe cache holds gridlib-1.0.0-py3-none-any.whl.", "", ""},
		{"no wheel", "See gridlib-1.0.0-notes.txt and my-file.whl, cp38-cp38.whl.", "", ""},
	} {
		r := Parse([]byte("# gridlib fails\n\n"+c.text+"\n"), Source{})
		check(t, r)
		got, span := "", ""
		for _, v := range r.Versions {
			if v.Where == "wheel" {
				got += strings.TrimSpace(v.Dist + " " + v.Spec)
				span = r.Text[v.Span.Start:v.Span.End]
				if v.Kind != VersionExact || v.Role != RoleStated {
					t.Errorf("%s: %+v", c.name, v)
				}
			}
		}
		if got != c.want || span != c.span {
			t.Errorf("%s: %q of %q, want %q of %q", c.name, got, span, c.want, c.span)
		}
	}
}

// TestManyWheels: an installer's log is read no further than is useful.
func TestManyWheels(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		b.WriteString("x" + strings.Repeat("a", i%300) + "-1.0-py3-none-any.whl\n")
	}
	r := Parse([]byte("# gridlib fails\n\n```\n"+b.String()+"```\n"), Source{})
	check(t, r)
	if len(r.Versions) > maxWheels+8 {
		t.Errorf("%d versions", len(r.Versions))
	}
}
