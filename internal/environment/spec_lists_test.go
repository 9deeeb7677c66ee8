package environment

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/report"
)

// lineVersion is one line of a report and what the parser makes of it.
func lineVersion(text, dist, spec string, kind report.VersionKind, where string, local bool) (report.Version, string) {
	return report.Version{Name: dist, Dist: dist, Spec: spec, Kind: kind, Where: where, Role: report.RoleStated, Local: local,
		Span: report.Span{Start: 0, End: len(text)}}, text
}

func TestFromList(t *testing.T) {
	const moving = report.VersionMoving
	for _, c := range []struct {
		name, text, dist, spec string
		kind                   report.VersionKind
		where                  string
		local                  bool
		want                   string // spec kept, "" when the line is left out
		edit                   string
	}{
		{"plain", "six==1.16.0", "six", "1.16.0", exact, "freeze", false, "1.16.0", ""},
		{"git tag", "-e git+https://h/x@v4.30.0#egg=x", "x", "4.30.0", exact, "freeze", true, "4.30.0", "git tag 4.30.0"},
		{"git sha", "x @ git+https://h/x@0ab3c4d", "x", "0ab3c4d", moving, "freeze", true, "", "x at 0ab3c4d: a git revision"},
		{"git branch", "-e git+https://h/x@main", "x", "main", moving, "freeze", true, "", "x at main: a git revision"},
		{"git alone", "-e git+ssh://git@h/x.git", "x", "", moving, "freeze", true, "", "x: a git revision"},
		{"wheel file", "x @ file:///w/x-1.2-py3-none-any.whl", "x", "1.2", exact, "freeze", true, "1.2", "a file of version 1.2"},
		{"conda build", "x @ file:///croot/x_1/work", "x", "", moving, "freeze", true, "", "a file of the reporter's machine"},
		{"folder", "-e /home/me/x", "x", "", moving, "freeze", true, "", "left out"},
		{"windows", `x @ C:\x`, "x", "", moving, "freeze", true, "", "left out"},
		{"elsewhere", "x @ https://h/x", "x", "", moving, "freeze", true, "", "from a private place"},
		{"conda's own", "cudatoolkit=11.3", "cudatoolkit", "11.3", exact, "conda", false, "", "a part of the system"},
		{"conda's name for it", "matplotlib-base=3.5.1=py39_0", "matplotlib-base", "3.5.1", exact, "conda", false, "3.5.1", ""},
		{"the same name in a freeze", "readline==6.2.4", "readline", "6.2.4", exact, "freeze", false, "6.2.4", ""},
		{"conda's name", "_libgcc_mutex 0.1", "-libgcc-mutex", "0.1", exact, "conda", false, "", "no name"},
	} {
		v, text := lineVersion(c.text, c.dist, c.spec, c.kind, c.where, c.local)
		w := newInference(specWorld(), SpecInput{Report: &report.Report{Text: text}})
		var out skippedLines
		got, ok := w.fromList(v, &out)
		if kept := map[bool]string{true: got.Spec}[ok]; kept != c.want {
			t.Errorf("%s: kept %q, want %q", c.name, kept, c.want)
		}
		if all := strings.Join(append(w.spec.Edits, out.edits()...), "\n"); !strings.Contains(all, c.edit) || (all == "") != (c.edit == "") {
			t.Errorf("%s: edits %q lack %q", c.name, all, c.edit)
		}
	}
}

// TestCondaNames: each leads to a distribution, none to a part of the system.
func TestCondaNames(t *testing.T) {
	for name, dist := range condaNames {
		if !distName.MatchString(name) || !distName.MatchString(dist) || name == dist {
			t.Errorf("%q to %q", name, dist)
		}
		if slices.Contains(condaOnly, name) {
			t.Errorf("%s is said to be a part of the system", name)
		}
	}
	for i, name := range condaOnly {
		if !distName.MatchString(name) || slices.Contains(condaOnly[:i], name) {
			t.Errorf("%q is no name or comes twice", name)
		}
	}
	w := newInference(specWorld(), SpecInput{})
	v, ok := w.fromList(report.Version{Name: "py-opencv", Dist: "py-opencv", Spec: "4.5.5", Kind: exact, Where: "conda"}, &skippedLines{})
	if !ok || v.Dist != "opencv-python" {
		t.Errorf("%+v %t", v, ok)
	}
}

func TestSkippedLinesAreSummed(t *testing.T) {
	var out skippedLines
	for _, name := range strings.Fields("a b c d e f g h i j a") {
		out.add(reasonFile, name)
	}
	out.add(reasonConda, "mkl")
	got := strings.Join(out.edits(), "\n")
	want := "a, b, c, d, e, f, g, h and 2 more: " + reasonFile + "\nmkl: " + reasonConda
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPythonOfBuilds(t *testing.T) {
	for text, want := range map[string]string{
		"pytorch=1.9.0=py3.8_cuda11.1": "3.8", "numpy 1.21.2 py38h20f2e39_0": "3.8", "scipy=1.7.1=py310h292c36d_2": "3.10",
		"x @ file:///w/x-1.2-cp39-cp39-linux_x86_64.whl": "3.9", "happy3.8 1": "", "py-xgboost=1.0=py": "", "tk=8=h1": "",
	} {
		v, text := lineVersion(text, "x", "1", exact, "conda", false)
		w := newInference(specWorld(), SpecInput{Report: &report.Report{Text: text, Versions: []report.Version{v}}})
		if got, _ := w.pythonOfBuilds(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestOrderedRangesHaveNoLocalPart(t *testing.T) {
	for spec, want := range map[string]string{
		">=1.0+cu117_lib": ">=1.0", ">=1.0+cu117, <2+cpu": ">=1.0,<2", "==1.0+cu117,!=1.1+cpu": "==1.0+cu117,!=1.1+cpu", "~=1.4+x": "~=1.4", ">=1": ">=1",
	} {
		if got := pin(report.Version{Spec: spec, Kind: report.VersionRange}); got != want {
			t.Errorf("%q: %q, want %q", spec, got, want)
		}
	}
}

// TestListsAreSafe: whatever a list holds, what comes out of it is names and
// versions, never an option or an address.
func TestListsAreSafe(t *testing.T) {
	plain := regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\[[A-Za-z0-9._,-]+\])?(?:(?:[<>=!~]=?=?)[A-Za-z0-9._+!*,<>=~-]+)?$`)
	piece := rapid.SampledFrom([]string{"six==1.0", "-e ", "git+https://h/x", "@v1.2", "@0ab3c4d", "#egg=y", "x @ ", "file:///", "a-1.0-cp39-cp39-any.whl",
		"=1.2=py38_0", "  - ", "_lib", "numpy", "==", ">=1.0", " 1.0 ", "--index-url", "\t", "é", "\n", "; os_name", "-r x", "+cu117", ".dev20240801"})
	rapid.Check(t, func(t *rapid.T) {
		text := "# t\n\n```\n" + strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "pieces"), "") + "\nsix==1.16.0\nabc==2\n```\n"
		s, u, err := inferSpec(t.Context(), specWorld(), SpecInput{Report: report.Parse([]byte(text), report.Source{}),
			Candidate: &candidate.Candidate{Script: "x = 1"}})
		if err != nil || u != nil {
			t.Fatalf("%q: %v %v", text, u, err)
		}
		for _, r := range append(s.Requirements, s.Constraints...) {
			if !plain.MatchString(r.line()) {
				t.Fatalf("%q: line %q", text, r.line())
			}
		}
	})
}
