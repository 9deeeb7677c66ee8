package environment

import (
	"strings"
	"testing"
)

// pythonWorld has packages that began and ended with different Pythons.
func pythonWorld() *world {
	w := newWorld("3.13", "3.12", "3.11", "3.10", "3.8")
	for _, r := range []struct {
		name, version, day, wheels string
		sdist                      bool
	}{
		{"tf", "2.7.1", "2022-02-02", "3.8 3.9 3.10", false},
		{"tf", "2.15.1", "2024-03-08", "3.9 3.10 3.11", false},
		{"torch", "1.13.1", "2022-12-16", "3.8 3.9 3.10 3.11", false},
		{"vision", "0.14.1", "2022-12-16", "3.8 3.9 3.10", true},
		{"pure", "1.0", "2021-01-01", "any", false},
		{"source", "1.0", "2021-01-01", "", true},
	} {
		f := w.add(r.name, r.version, r.day)
		f.wheels, f.sdist = strings.Fields(r.wheels), r.sdist
	}
	return w
}

func TestChoosePython(t *testing.T) {
	cases := []struct {
		name, stated, source, day, reqs, cons, want string
	}{
		{name: "wheels decide", day: "2022-02-09", reqs: "tf==2.7.1", want: "3.10"},
		{name: "newest with wheels", day: "2024-03-15", reqs: "tf==2.15.1", want: "3.11"},
		{name: "a source package is worse than a wheel", day: "2022-12-22", reqs: "torch==1.13.1 vision==0.14.1", want: "3.10"},
		{name: "constraints count", day: "2024-03-15", reqs: "pure==1.0", cons: "tf==2.15.1", want: "3.11"},
		{name: "not one that did not exist yet", day: "2022-01-01", reqs: "pure==1.0", want: "3.10"},
		{name: "without pins, one that had a year to settle", day: "2024-03-01", reqs: "pure", want: "3.11"},
		{name: "only younger ones here", day: "2016-01-01", reqs: "pure", want: "3.13"},
		{name: "stated and here", stated: "3.8", source: "report", day: "2024-03-15", reqs: "pure==1.0", want: "3.8"},
		{name: "stated and absent: the nearest with wheels", stated: "3.9", source: "report", day: "2022-02-09", reqs: "tf==2.7.1", want: "3.10"},
		{name: "everything to be built alike", day: "2024-03-15", reqs: "source==1.0", want: "3.12"},
		{name: "a version gone from the index says nothing", day: "2024-03-15", reqs: "pure==9.9", want: "3.12"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := Spec{Python: c.stated, PythonSource: c.source, AsOf: at(c.day), Subject: "subject"}
			for _, text := range strings.Fields(c.reqs) {
				s.Requirements = append(s.Requirements, req(text, WordReporter))
			}
			for _, text := range strings.Fields(c.cons) {
				s.Constraints = append(s.Constraints, req(text, WordReporter))
			}
			l := newLadder(pythonWorld(), s)
			if u, err := l.choosePython(t.Context()); u != nil || err != nil {
				t.Fatalf("%v %v", u, err)
			}
			if l.python.Minor != c.want {
				t.Errorf("Python %s, want %s", l.python.Minor, c.want)
			}
			if absent := c.stated != "" && c.stated != c.want; absent != (l.rung == rungPython) {
				t.Errorf("rung %d", l.rung)
			}
		})
	}
}

func TestPinScore(t *testing.T) {
	w := pythonWorld()
	score := func(name, minor, spec string, subject bool) int {
		list, err := w.Releases(t.Context(), name, minor)
		if err != nil {
			t.Fatal(err)
		}
		return pinScore(list, Requirement{Name: name, Spec: spec}, at("2024-03-15"), subject)
	}
	cases := []struct {
		name, minor, spec string
		subject           bool
		want              int
	}{
		{"torch", "3.11", "==1.13.1", false, scoreWheel},
		{"torch", "3.11", "==1.13.1+cu117", false, scoreWheel},
		{"vision", "3.11", "==0.14.1", false, scoreSdist},
		{"tf", "3.12", "==2.15.1", false, scoreNone},
		{"tf", "3.12", "==2.15.1", true, scoreSubject},
		{"tf", "3.11", ">=2.0", false, scoreWheel},
		{"tf", "3.11", "==2.15.*", false, scoreWheel},
		{"tf", "3.11", "==9.9", true, scoreWheel},
	}
	for _, c := range cases {
		if got := score(c.name, c.minor, c.spec, c.subject); got != c.want {
			t.Errorf("%s%s on %s: %d, want %d", c.name, c.spec, c.minor, got, c.want)
		}
	}
}

func TestSamePatchIsSaid(t *testing.T) {
	l := newLadder(pythonWorld(), Spec{Python: "3.11.2", PythonSource: "flag", AsOf: at("2024-03-15")})
	if u, err := l.choosePython(t.Context()); u != nil || err != nil {
		t.Fatalf("%v %v", u, err)
	}
	if l.python.Version != "3.11.7" || !strings.Contains(strings.Join(l.edits, " "), "3.11.7 in place of 3.11.2") {
		t.Errorf("%s, %q", l.python.Version, l.edits)
	}
}
