package environment

import (
	"fmt"
	"strings"
	"testing"
)

// jaxWorld has a family that is released in step, and a third package that
// some releases of the subject need newer than others.
func jaxWorld() *world {
	w := newWorld("3.11")
	for _, v := range []struct{ version, day string }{{"0.6.1", "2025-05-22"}, {"0.6.2", "2025-06-17"}, {"0.7.0", "2025-07-22"}} {
		scipy := ">=1.10"
		if v.version == "0.7.0" {
			scipy = ">=1.16"
		}
		w.add("jax", v.version, v.day, "jaxlib=="+v.version, "scipy"+scipy)
		w.add("jaxlib", v.version, v.day)
	}
	w.add("scipy", "1.15.3", "2025-05-08")
	w.add("scipy", "1.16.0", "2025-06-22")
	w.add("helper", "1.0.0", "2025-01-01")
	w.add("helper", "1.1.0", "2025-07-01")
	return w
}

func jaxBase(t *testing.T, w *world) (Spec, *Lock) {
	t.Helper()
	s := Spec{Python: "3.11", PythonSource: "report", Subject: "jax", AsOf: at("2025-06-18"),
		Requirements: []Requirement{req("jax==0.6.2", WordReporter), req("helper", WordImport)},
		Constraints:  []Requirement{req("jaxlib==0.6.2", WordReporter), req("scipy==1.15.3", WordReporter)}}
	lock, u := solve(t, w, s)
	if u != nil {
		t.Fatalf("base: %s", u.Why)
	}
	return s, lock
}

func TestMove(t *testing.T) {
	cases := []struct {
		version, packages, moves, asOf string
	}{
		{"0.6.1", "helper==1.0.0 jax==0.6.1 jaxlib==0.6.1 scipy==1.15.3", "jax 0.6.2 0.6.1, jaxlib 0.6.2 0.6.1", "2025-06-18"},
		{"0.7.0", "helper==1.0.0 jax==0.7.0 jaxlib==0.7.0 scipy==1.16.0", "jax 0.6.2 0.7.0, jaxlib 0.6.2 0.7.0, scipy 1.15.3 1.16.0", "2025-07-23"},
	}
	for _, c := range cases {
		t.Run(c.version, func(t *testing.T) {
			w := jaxWorld()
			s, base := jaxBase(t, w)
			lock, u, err := moveOn(t.Context(), w, s, base, "jax", c.version)
			if err != nil || u != nil {
				t.Fatalf("move: %v %v", u, err)
			}
			if got := packagesOf(lock); got != c.packages {
				t.Errorf("packages %q, want %q", got, c.packages)
			}
			var moves []string
			for _, m := range diff(base, lock) {
				moves = append(moves, fmt.Sprintf("%s %s %s", m.Name, m.From, m.To))
			}
			if got := strings.Join(moves, ", "); got != c.moves {
				t.Errorf("moves %q, want %q", got, c.moves)
			}
			if got := lock.AsOf.Format("2006-01-02"); got != c.asOf {
				t.Errorf("as of %s, want %s", got, c.asOf)
			}
			if lock.Python != base.Python || lock.Hash == base.Hash {
				t.Errorf("python %s, hash %s", lock.Python, lock.Hash)
			}
			for _, p := range lock.Packages {
				if (p.Word == WordSubject) != (p.Name == "jax") {
					t.Errorf("%s has word %s", p.Name, p.Word)
				}
			}
		})
	}
}

func TestMoveNeverChangesPython(t *testing.T) {
	w := jaxWorld()
	w.pythons = append(w.pythons, newWorld("3.9").pythons...)
	s, base := jaxBase(t, w)
	r := w.add("jax", "0.8.0", "2025-10-15", "jaxlib==0.7.0")
	r.wheels = []string{"3.9"}
	lock, u, err := moveOn(t.Context(), w, s, base, "jax", "0.8.0")
	if err != nil || u == nil {
		t.Fatalf("moved to %v, %v", lock, err)
	}
	if !strings.Contains(u.Why, "environment absent: jax 0.8.0 has no file for Python 3.11") {
		t.Errorf("why %q", u.Why)
	}
	for _, in := range w.inputs {
		if in.Python != "/opt/python3.11" {
			t.Errorf("resolved on %s", in.Python)
		}
	}
}

// TestMoveToWhatIsAbsent: a release that cannot be had is no control, and says
// so by its kind; nothing else stands in for it.
func TestMoveToWhatIsAbsent(t *testing.T) {
	w := jaxWorld()
	s, base := jaxBase(t, w)
	src := w.add("jax", "0.9.0", "2025-10-15")
	src.wheels, src.sdist = nil, true
	w.add("jax", "0.9.1", "2025-10-16", "gone-for-good")
	for version, want := range map[string]string{
		"0.0.7": "release absent: the index has no jax 0.0.7",
		"0.9.1": "environment absent: jax 0.9.1 does not go with the rest: gone-for-good",
	} {
		lock, u, err := moveOn(t.Context(), w, s, base, "jax", version)
		if err != nil || u == nil || !strings.Contains(u.Why, want) {
			t.Errorf("%s: %+v %+v %v", version, lock, u, err)
		}
	}
	if lock, u, err := moveOn(t.Context(), w, s, base, "jax", "0.9.0"); err != nil || u != nil || lock.Version("jax") != "0.9.0" {
		t.Errorf("a source is built: %+v %v", u, err)
	}
	numpy := w.add("jaxlib", "9.0", "2025-10-15")
	numpy.wheels, numpy.sdist = nil, true
	if _, u, err := moveOn(t.Context(), w, s, base, "jaxlib", "9.0"); err != nil || u == nil || !strings.Contains(u.Why, "never built from source") {
		t.Errorf("never built: %+v %v", u, err)
	}
}

func TestMovePoisoned(t *testing.T) {
	w := mlWorld()
	s := Spec{Python: "3.11", PythonSource: "report", Subject: "ultralytics", AsOf: at("2024-12-01"),
		Requirements: []Requirement{req("ultralytics", WordImport)}}
	base, u := solve(t, w, s)
	if u != nil {
		t.Fatal(u.Why)
	}
	if lock, u, err := moveOn(t.Context(), w, s, base, "ultralytics", "8.3.41"); err != nil || u == nil {
		t.Errorf("moved onto a poisoned release: %v %v", lock, err)
	}
}

func TestMoveKeepsSourceBuilds(t *testing.T) {
	w := mlWorld()
	w.add("needssrc", "2.1.0", "2022-03-01", "srconly>=1.0")
	s := Spec{Python: "3.9", PythonSource: "report", Subject: "needssrc", AsOf: at("2022-02-09"),
		Requirements: []Requirement{req("needssrc==2.0.0", WordReporter)}}
	base, u := solve(t, w, s)
	if u != nil {
		t.Fatal(u.Why)
	}
	before := w.calls
	lock, u, err := moveOn(t.Context(), w, s, base, "needssrc", "2.1.0")
	if err != nil || u != nil {
		t.Fatalf("%v %v", u, err)
	}
	if w.calls != before+1 {
		t.Errorf("%d resolver calls for a move", w.calls-before)
	}
	if i := indexPackage(lock, "srconly"); i < 0 || !lock.Packages[i].Sdist {
		t.Errorf("source build forgotten: %+v", lock.Packages)
	}
}

func indexPackage(l *Lock, name string) int {
	for i, p := range l.Packages {
		if p.Name == name {
			return i
		}
	}
	return -1
}

func TestAdd(t *testing.T) {
	w := jaxWorld()
	w.add("packaging", "25.0", "2025-04-19")
	w.add("packaging", "26.0", "2026-01-01")
	s, base := jaxBase(t, w)
	lock, u, err := addTo(t.Context(), w, s, base, Requirement{Name: "packaging", Word: WordUndeclared, Why: "an import failed without it"})
	if err != nil || u != nil {
		t.Fatalf("%v %v", u, err)
	}
	if got, want := packagesOf(lock), packagesOf(base)+" packaging==25.0"; !strings.Contains(got, "packaging==25.0") ||
		len(strings.Fields(got)) != len(strings.Fields(want)) {
		t.Errorf("packages %q", got)
	}
	if moves := diff(base, lock); len(moves) != 1 || moves[0] != (Move{Name: "packaging", To: "25.0"}) {
		t.Errorf("moves %v", moves)
	}
	if i := indexPackage(lock, "packaging"); lock.Packages[i].Word != WordUndeclared {
		t.Errorf("word %q", lock.Packages[i].Word)
	}
	if !strings.Contains(strings.Join(lock.Edits, "\n"), "packaging added") {
		t.Errorf("edits %q", lock.Edits)
	}
}

func TestAddUnknown(t *testing.T) {
	w := jaxWorld()
	s, base := jaxBase(t, w)
	_, u, err := addTo(t.Context(), w, s, base, Requirement{Name: "nowhere", Word: WordUndeclared})
	if err != nil || u == nil || !strings.Contains(u.Why, "nowhere") {
		t.Errorf("%v %v", u, err)
	}
}

func TestNeeded(t *testing.T) {
	w := specWorld()
	base := &Lock{Python: "3.11.7", AsOf: at("2024-04-01")}
	cases := map[string]string{"pkg_resources": "setuptools", "tensorflow": "tensorflow-cpu", "Packaging": "packaging", "distutils": "setuptools"}
	for name, want := range cases {
		if got, err := needed(t.Context(), w, base, name); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", name, got, err, want)
		}
	}
}

// TestMoveKeepsBuiltWheels: a control with a later date has the wheel that was
// built for the reported side: nothing but the subject is moved.
func TestMoveKeepsBuiltWheels(t *testing.T) {
	w := jaxWorld()
	helper := w.add("helper", "0.9.0", "2024-01-01")
	helper.wheels, helper.sdist = nil, true
	s, _ := jaxBase(t, w)
	s.Requirements[1] = req("helper==0.9.0", WordReporter)
	base, u := solve(t, w, s)
	if u != nil {
		t.Fatalf("base: %s", u.Why)
	}
	lock, u, err := moveOn(t.Context(), w, s, base, "jax", "0.7.0")
	if err != nil || u != nil {
		t.Fatalf("move: %+v %v", u, err)
	}
	if !lock.AsOf.After(base.AsOf) {
		t.Fatalf("as of %s and %s", base.AsOf, lock.AsOf)
	}
	for side, l := range map[string]*Lock{"reported": base, "control": lock} {
		p := l.Packages[0]
		if p.Name != "helper" || !p.Sdist || p.Built == "" || p.BuiltAsOf != "2025-06-18" {
			t.Errorf("%s: %+v", side, p)
		}
	}
}
