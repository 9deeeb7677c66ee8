package environment

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/report"
)

// TestImpliedPython: what no line says, wheels and paths do, where they agree.
func TestImpliedPython(t *testing.T) {
	const wheel = "gridlib-0.9.3-cp38-cp38-win_amd64.whl"
	for _, c := range []struct {
		name, text string
		span       int // of a wheel at the text's beginning, 0: none
		want, why  string
	}{
		{"a wheel", wheel, len("gridlib-0.9.3-cp38-cp38"), "3.8", "the build of gridlib"},
		{"a wheel for several", "gridlib-0.9.3-cp37-abi3-win_amd64.whl", len("gridlib-0.9.3"), "", ""},
		{"a wheel before a path", wheel + "\n/usr/lib/python3.11/json/", len("gridlib-0.9.3-cp38-cp38"), "3.8", "gridlib"},
		{"a virtual environment", "venv/lib/python3.11/site-packages/gridlib/__init__.py:3: in <module>", 0, "3.11", "lib/python3.11"},
		{"an installation", `File "C:\Users\me\AppData\Local\Programs\Python\Python310\lib\site-packages\gridlib\a.py"`, 0, "3.10", `Python310\lib`},
		{"twice the same", "/opt/lib/python3.9/a.py /opt/lib64/python3.9/b.py", 0, "3.9", ""},
		{"two of them", "/opt/lib/python3.9/a.py /opt/lib/python3.10/b.py", 0, "", ""},
		{"no minor", "/usr/lib/python3/dist-packages/gridlib/a.py", 0, "", ""},
		{"an old one", "/usr/lib/python3.2/gridlib/a.py", 0, "", ""},
		{"another library's folder", "/home/me/mylib/python3.9/a.py", 0, "", ""},
		{"nothing", "", 0, "", ""},
	} {
		r := &report.Report{Text: c.text}
		if c.span > 0 {
			r.Versions = []report.Version{{Name: "gridlib", Dist: "gridlib", Spec: "0.9.3", Kind: exact, Where: "wheel",
				Role: report.RoleStated, Span: report.Span{Start: 0, End: c.span}}}
		}
		w := newInference(specWorld(), SpecInput{Report: r})
		if got, why := w.impliedPython(); got != c.want || !strings.Contains(why, c.why) {
			t.Errorf("%s: %q (%s), want %q (%s)", c.name, got, why, c.want, c.why)
		}
	}
}
