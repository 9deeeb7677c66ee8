package environment

import (
	"slices"
	"testing"

	"github.com/repgen/repgen/internal/environment/uv"
)

// TestSourceAtFault: the resolver names first what it met in old releases; the
// package whose newest release has no wheel is the one to build.
func TestSourceAtFault(t *testing.T) {
	w := mlWorld()
	w.add("pretty", "0.7.2", "2013-01-01").sdist = true
	w.add("pretty", "3.4.0", "2021-01-01").sdist = true
	clip := w.add("clip", "1.8.2", "2021-01-01")
	clip.wheels, clip.sdist = nil, true
	w.add("shell", "2.0.0", "2021-06-01", "pretty", "clip")
	w.fail = []uv.Failure{{Class: uv.OnlySdist, Name: "pretty", Sdists: []string{"clip", "pretty"}}}
	s := Spec{
		Python: "3.11", PythonSource: "report", Subject: "lib", AsOf: at("2024-03-10"),
		Requirements: []Requirement{req("lib==1.1.0", WordReporter), req("shell==2.0.0", WordReporter)},
	}
	lock, u := solve(t, w, s)
	if u != nil {
		t.Fatalf("unavailable: %s (%s)", u.Why, rungsOf(u.Rungs))
	}
	if !slices.Equal(w.built, []string{"clip==1.8.2"}) {
		t.Errorf("built %v, want clip alone", w.built)
	}
	if lock.Version("shell") != "2.0.0" {
		t.Errorf("packages %s", packagesOf(lock))
	}
}

// TestSourceAtFaultUnknown: where the index cannot tell, the resolver's word
// stays.
func TestSourceAtFaultUnknown(t *testing.T) {
	w := mlWorld()
	w.add("pretty", "3.4.0", "2021-01-01")
	l := newLadder(w, Spec{Subject: "lib", AsOf: at("2024-03-10")})
	l.python, l.cutoff = w.pythons[0], at("2024-03-10")
	for _, f := range []uv.Failure{
		{Class: uv.OnlySdist, Name: "srconly"},
		{Class: uv.OnlySdist, Name: "srconly", Sdists: []string{"numpy", "pretty"}},
	} {
		got, err := l.sourceAtFault(t.Context(), f)
		if err != nil || got != "srconly" {
			t.Errorf("%+v: %s (%v)", f, got, err)
		}
	}
}

// TestSourceVersion: what nobody pins is built in its newest release of the day,
// and what somebody pins in that one.
func TestSourceVersion(t *testing.T) {
	for detail, want := range map[string]string{
		"opt<=0.1.0 depends on kern>=1.0.0 and kern==1.0.0 has no usable wheels": "kern==1.2.0",
		"opt==0.1.0 depends on kern==1.0.0 and kern==1.0.0 has no usable wheels": "kern==1.0.0",
	} {
		w := mlWorld()
		for version, day := range map[string]string{"1.0.0": "2023-01-01", "1.2.0": "2023-06-01", "2.0.0": "2024-06-01"} {
			kern := w.add("kern", version, day)
			kern.wheels, kern.sdist = nil, true
		}
		w.add("opt", "0.1.0", "2023-01-02", "kern")
		w.fail = []uv.Failure{{Class: uv.OnlySdist, Name: "kern", Version: "1.0.0", Sdists: []string{"kern"}, Detail: detail}}
		s := Spec{
			Python: "3.11", PythonSource: "report", Subject: "lib", AsOf: at("2024-03-10"),
			Requirements: []Requirement{req("lib==1.1.0", WordReporter), req("opt", WordImport)},
		}
		if _, u := solve(t, w, s); u != nil {
			t.Fatalf("unavailable: %s (%s)", u.Why, rungsOf(u.Rungs))
		}
		if len(w.built) == 0 || w.built[0] != want {
			t.Errorf("%s: built %v, want %s first", detail, w.built, want)
		}
	}
}
