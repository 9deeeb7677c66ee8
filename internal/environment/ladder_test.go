package environment

import (
	"errors"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/environment/uv"
)

// mlWorld is a small index with the shapes that the ladder is for.
func mlWorld() *world {
	w := newWorld("3.12", "3.11", "3.9")
	w.add("numpy", "1.22.0", "2022-01-01")
	w.add("numpy", "1.26.4", "2024-02-05")
	w.add("numpy", "2.1.0", "2024-08-18")
	w.add("lib", "1.0.0", "2022-01-10", "numpy")
	w.add("lib", "1.1.0", "2024-03-01", "numpy<2")
	w.add("lib", "1.2.0", "2025-01-01", "numpy")
	old := w.add("old", "0.1.0", "2020-01-01")
	old.wheels = []string{"3.9"}
	src := w.add("srconly", "1.1.0", "2015-01-01")
	src.wheels, src.sdist = nil, true
	w.add("needssrc", "2.0.0", "2022-02-01", "srconly>=1.0")
	w.add("re", "0.4.13", "2025-12-05") // uploaded again
	w.add("re", "0.4.18", "2023-10-01")
	w.add("re", "0.8.0", "2025-10-01")
	w.add("tensorflow", "2.15.0", "2023-11-14", "numpy<2")
	w.add("tensorflow-cpu", "2.15.0", "2023-11-14", "numpy<2")
	w.add("addon", "1.0.0", "2023-11-20", "tensorflow")
	w.add("ultralytics", "8.3.40", "2024-11-30")
	w.add("ultralytics", "8.3.41", "2024-12-04")
	y := w.add("yank", "1.0.0", "2022-01-01")
	y.yanked = "broken"
	w.add("yank", "2.0.0", "2022-06-01")
	return w
}

type climbCase struct {
	name    string
	spec    Spec
	want    string // "name==version name==version"
	rung    int
	rungs   string
	python  string
	asOf    string
	standIn string
	edit    string
}

var climbCases = []climbCase{
	{
		name: "exact pins", spec: Spec{Python: "3.11", PythonSource: "report", Subject: "lib",
			Requirements: []Requirement{req("lib==1.1.0", WordReporter)}, AsOf: at("2024-03-10")},
		want: "lib==1.1.0 numpy==1.26.4", rung: 1, rungs: "1 solved", python: "3.11.7", asOf: "2024-03-10",
	},
	{
		name: "constraints bind only what is needed", spec: Spec{Python: "3.11", PythonSource: "report", Subject: "lib",
			Requirements: []Requirement{req("lib==1.1.0", WordReporter)},
			Constraints:  []Requirement{req("numpy==1.22.0", WordReporter), req("yank==2.0.0", WordReporter)}, AsOf: at("2024-03-10")},
		want: "lib==1.1.0 numpy==1.22.0", rung: 1, rungs: "1 solved", python: "3.11.7", asOf: "2024-03-10",
	},
	{
		name: "nothing but the standard library", spec: Spec{AsOf: at("2024-03-10")},
		want: "", rung: 1, rungs: "1 solved", python: "3.11.7", asOf: "2024-03-10",
	},
	{
		name: "contradicting constraint", spec: Spec{Python: "3.11", PythonSource: "report", Subject: "lib",
			Requirements: []Requirement{req("lib==1.1.0", WordReporter)},
			Constraints:  []Requirement{req("numpy==2.1.0", WordReporter)}, AsOf: at("2024-09-01")},
		want: "lib==1.1.0 numpy==1.26.4", rung: 7, rungs: "1 conflict, 7 solved", python: "3.11.7", asOf: "2024-09-01",
		edit: "numpy==2.1.0 no longer pinned",
	},
	{
		name: "local label stripped, private name dropped", spec: Spec{Python: "3.11", PythonSource: "report", Subject: "lib",
			Requirements: []Requirement{req("lib==1.1.0+cu117", WordReporter)},
			Constraints:  []Requirement{req("my-private==0.3", WordReporter)}, AsOf: at("2024-03-10")},
		want: "lib==1.1.0 numpy==1.26.4", rung: 2, rungs: "2 solved", python: "3.11.7", asOf: "2024-03-10",
		edit: "my-private left out",
	},
	{
		name: "version of another package gone", spec: Spec{Python: "3.11", PythonSource: "report", Subject: "lib",
			Requirements: []Requirement{req("lib==1.1.0", WordReporter)},
			Constraints:  []Requirement{req("numpy==1.25.9", WordReporter)}, AsOf: at("2024-03-10")},
		want: "lib==1.1.0 numpy==1.26.4", rung: 2, rungs: "2 solved", python: "3.11.7", asOf: "2024-03-10",
		edit: "numpy==1.25.9 no longer pinned: the index does not have it",
	},
	{
		name: "source package", spec: Spec{Python: "3.9", PythonSource: "report", Subject: "needssrc",
			Requirements: []Requirement{req("needssrc==2.0.0", WordReporter)}, AsOf: at("2022-02-09")},
		want: "needssrc==2.0.0 srconly==1.1.0", rung: 3, rungs: "1 only sdist, 3 solved", python: "3.9.7", asOf: "2022-02-09",
		edit: "srconly 1.1.0 built from source",
	},
	{
		name: "pin newer than the date", spec: Spec{Python: "3.11", PythonSource: "report", Subject: "lib",
			Requirements: []Requirement{req("lib==1.2.0", WordReporter)}, AsOf: at("2024-12-01"), AsOfSource: "report"},
		want: "lib==1.2.0 numpy==2.1.0", rung: 4, rungs: "4 solved", python: "3.11.7", asOf: "2025-01-01",
		edit: "date moved from 2024-12-01 to 2025-01-01",
	},
	{
		name: "the user's day outweighs a listed constraint", spec: Spec{Python: "3.11", PythonSource: "report", Subject: "lib",
			Requirements: []Requirement{req("lib==1.1.0", WordReporter)},
			Constraints:  []Requirement{req("yank==2.0.0", WordReporter), req("numpy==2.1.0", WordReporter)},
			AsOf:         at("2024-03-10"), AsOfSource: "flag"},
		want: "lib==1.1.0 numpy==1.26.4", rung: 2, rungs: "2 solved", python: "3.11.7", asOf: "2024-03-10",
		edit: "numpy==2.1.0 no longer pinned: it is newer than the date",
	},
	{
		name: "uploaded again", spec: Spec{Python: "3.9", PythonSource: "report", Subject: "re",
			Requirements: []Requirement{req("re==0.4.13", WordReporter)}, AsOf: at("2023-07-15")},
		want: "re==0.4.13", rung: 4, rungs: "4 solved", python: "3.9.7", asOf: "2023-07-15",
		edit: "the date does not bind it",
	},
	{
		name: "another interpreter than the stated one", spec: Spec{Python: "3.11", PythonSource: "report", Subject: "old",
			Requirements: []Requirement{req("old==0.1.0", WordReporter)}, AsOf: at("2021-01-20")},
		want: "old==0.1.0", rung: 5, rungs: "5 solved", python: "3.9.7", asOf: "2021-01-20",
		edit: "Python 3.9 in place of 3.11",
	},
	{
		name: "stated interpreter absent", spec: Spec{Python: "3.10", PythonSource: "report", Subject: "lib",
			Requirements: []Requirement{req("lib==1.1.0", WordReporter)}, AsOf: at("2024-03-10")},
		want: "lib==1.1.0 numpy==1.26.4", rung: 5, rungs: "5 solved", python: "3.11.7", asOf: "2024-03-10",
		edit: "Python 3.11 stands in for 3.10",
	},
	{
		name: "interpreter chosen by wheels", spec: Spec{PythonSource: "wheels", Subject: "old",
			Requirements: []Requirement{req("old==0.1.0", WordReporter)}, AsOf: at("2024-01-20")},
		want: "old==0.1.0", rung: 1, rungs: "1 solved", python: "3.9.7", asOf: "2024-01-20",
	},
	{
		name: "subject gone", spec: Spec{Python: "3.11", PythonSource: "report", Subject: "lib",
			Requirements: []Requirement{req("lib==1.0.9", WordReporter)}, AsOf: at("2023-03-10")},
		want: "lib==1.1.0 numpy==1.26.4", rung: 6, rungs: "6 solved", python: "3.11.7", asOf: "2024-03-01",
		standIn: "lib", edit: "lib 1.1.0 stands in for 1.0.9",
	},
	{
		name: "two builds of the same code", spec: Spec{Python: "3.11", PythonSource: "report", Subject: "tensorflow-cpu",
			Requirements: []Requirement{req("tensorflow-cpu==2.15.0", WordReporter), req("addon", WordImport)}, AsOf: at("2024-03-10")},
		want: "addon==1.0.0 numpy==1.26.4 tensorflow==2.15.0", rung: 2, rungs: "1 two builds of the same code, 2 solved",
		python: "3.11.7", asOf: "2024-03-10", edit: "tensorflow-cpu -> tensorflow",
	},
	{
		name: "poisoned day", spec: Spec{Python: "3.11", PythonSource: "report", Subject: "ultralytics",
			Requirements: []Requirement{req("ultralytics", WordImport)}, AsOf: at("2024-12-05")},
		want: "ultralytics==8.3.40", rung: 2, rungs: "1 poisoned release, 2 solved", python: "3.11.7", asOf: "2024-12-05",
	},
	{
		name: "yanked pin stays", spec: Spec{Python: "3.11", PythonSource: "report", Subject: "yank",
			Requirements: []Requirement{req("yank==1.0.0", WordReporter)}, AsOf: at("2022-03-05")},
		want: "yank==1.0.0", rung: 1, rungs: "1 solved", python: "3.11.7", asOf: "2022-03-05",
	},
}

func TestClimb(t *testing.T) {
	for _, c := range climbCases {
		t.Run(c.name, func(t *testing.T) {
			lock, u := solve(t, mlWorld(), c.spec)
			if u != nil {
				t.Fatalf("unavailable: %s (%s)", u.Why, rungsOf(u.Rungs))
			}
			c.check(t, lock)
		})
	}
}

func (c climbCase) check(t *testing.T, lock *Lock) {
	t.Helper()
	if got := packagesOf(lock); got != c.want {
		t.Errorf("packages %q, want %q", got, c.want)
	}
	if lock.Rung != c.rung || rungsOf(lock.Rungs) != c.rungs {
		t.Errorf("rung %d (%s), want %d (%s)", lock.Rung, rungsOf(lock.Rungs), c.rung, c.rungs)
	}
	if lock.Python != c.python {
		t.Errorf("python %s, want %s", lock.Python, c.python)
	}
	if got := lock.AsOf.Format("2006-01-02"); got != c.asOf {
		t.Errorf("as of %s, want %s", got, c.asOf)
	}
	if got := strings.Join(lock.StandIns, ";"); got != c.standIn {
		t.Errorf("stand-ins %q, want %q", got, c.standIn)
	}
	if !strings.Contains(strings.Join(lock.Edits, "\n"), c.edit) {
		t.Errorf("edits %q lack %q", lock.Edits, c.edit)
	}
	if lock.Hash == "" {
		t.Error("no hash")
	}
}

func packagesOf(l *Lock) string {
	var out []string
	for _, p := range l.Packages {
		out = append(out, p.Name+"=="+p.Version)
	}
	return strings.Join(out, " ")
}

func TestClimbUnavailable(t *testing.T) {
	cases := []struct {
		name string
		spec Spec
		edit func(*world)
		why  string
	}{
		{name: "imported but nowhere", why: "no distribution named qqzz is on the index",
			spec: Spec{Subject: "qqzz", Requirements: []Requirement{req("qqzz", WordImport)}, AsOf: at("2024-01-01")}},
		{name: "flag asks for an absent Python", why: "Python 3.7 is not on this machine",
			spec: Spec{Python: "3.7", PythonSource: "flag", AsOf: at("2024-01-01")}},
		{name: "Python 2", why: "Python 2.7 cannot be installed into",
			spec: Spec{Python: "2.7", PythonSource: "report", AsOf: at("2024-01-01")}},
		{name: "no interpreter", why: "no Python interpreter was found", edit: func(w *world) { w.pythons = nil },
			spec: Spec{AsOf: at("2024-01-01")}},
		{name: "poisoned subject", why: "ultralytics 8.3.41 is never installed",
			spec: Spec{Subject: "ultralytics", Requirements: []Requirement{req("ultralytics==8.3.41", WordReporter)}, AsOf: at("2024-12-06")}},
		{name: "flag asks for a release that never was", why: "the index has no lib==9.9",
			spec: Spec{Subject: "numpy", Requirements: []Requirement{req("lib==9.9", WordFlag)}, AsOf: at("2024-12-06")}},
		{name: "subject without a file for the flag's Python", why: "old==0.1.0 has no file for Python 3.11",
			spec: Spec{Python: "3.11", PythonSource: "flag", Subject: "old",
				Requirements: []Requirement{req("old==0.1.0", WordReporter)}, AsOf: at("2021-12-06")}},
		{name: "source build fails", why: "no set of packages holds needssrc==2.0.0", edit: func(w *world) { w.noBuild = true },
			spec: Spec{Python: "3.11", PythonSource: "flag", Subject: "needssrc",
				Requirements: []Requirement{req("needssrc==2.0.0", WordReporter)}, AsOf: at("2022-12-06")}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := mlWorld()
			if c.edit != nil {
				c.edit(w)
			}
			lock, u := solve(t, w, c.spec)
			if u == nil {
				t.Fatalf("solved: %s", packagesOf(lock))
			}
			if !strings.Contains(u.Why, c.why) {
				t.Errorf("why %q, want %q", u.Why, c.why)
			}
		})
	}
}

func TestEveryRungIsRecorded(t *testing.T) {
	w := mlWorld()
	w.noBuild = true
	_, u := solve(t, w, Spec{Python: "3.11", PythonSource: "report", Subject: "needssrc", AsOf: at("2023-06-06"),
		Requirements: []Requirement{req("needssrc==2.0.0", WordReporter), req("numpy==1.22.0", WordReporter)}})
	if u == nil {
		t.Fatal("solved without its source package")
	}
	got := rungsOf(u.Rungs)
	for _, want := range []string{"1 only sdist", "8 only sdist"} {
		if !strings.Contains(got, want) {
			t.Errorf("rungs %q lack %q", got, want)
		}
	}
	if len(u.Rungs) > maxCalls {
		t.Errorf("%d rungs", len(u.Rungs))
	}
}

func TestInfrastructureIsAnError(t *testing.T) {
	spec := Spec{Python: "3.11", PythonSource: "report", Subject: "lib", AsOf: at("2024-03-10"),
		Requirements: []Requirement{req("lib==1.1.0", WordReporter)}}
	w := mlWorld()
	w.fail = []uv.Failure{{Class: uv.Unreachable, Detail: "connection refused"}}
	_, u, err := newLadder(w, spec).climb(t.Context())
	var index *IndexError
	if u != nil || !errors.As(err, &index) || index.Next == "" || index.Why != "connection refused" {
		t.Errorf("unreachable index: %v, %v", u, err)
	}
	w = mlWorld()
	w.fail = []uv.Failure{{Class: uv.DiskFull, Detail: "no space"}}
	if _, u, err = newLadder(w, spec).climb(t.Context()); u != nil || err == nil || errors.As(err, &index) {
		t.Errorf("full disk: %v, %v", u, err)
	}
	w = mlWorld()
	w.err = &IndexError{What: "down"}
	if _, u, err = newLadder(w, spec).climb(t.Context()); u != nil || !errors.As(err, &index) {
		t.Errorf("listing fails: %v, %v", u, err)
	}
}

// TestRepairsEnd feeds the ladder every class of failure for ever: it must end
// by itself, and never loosen the subject.
func TestRepairsEnd(t *testing.T) {
	classes := []uv.Class{uv.Conflict, uv.WrongPython, uv.RequiresPython, uv.OnlySdist, uv.VersionMissing, uv.AfterDate,
		uv.PackageMissing, uv.Yanked, uv.BadMetadata, uv.BuildFailed, uv.ParseError, uv.HashMismatch, uv.Other}
	for _, class := range classes {
		for _, name := range []string{"", "lib", "numpy", "nobody"} {
			w := mlWorld()
			for range maxCalls + 1 {
				w.fail = append(w.fail, uv.Failure{Class: class, Name: name, Version: "1.1.0", Detail: "lib==1.1.0 and numpy==1.26.4"})
			}
			lock, u := solve(t, w, Spec{Python: "3.11", PythonSource: "report", Subject: "lib", AsOf: at("2024-03-10"),
				Requirements: []Requirement{req("lib==1.1.0", WordReporter), req("numpy==1.26.4", WordReporter)},
				Constraints:  []Requirement{req("yank==2.0.0", WordReporter)}})
			if u == nil {
				t.Errorf("%s of %q: solved %s", class, name, packagesOf(lock))
				continue
			}
			for _, in := range w.inputs {
				if !strings.HasPrefix(in.Requirements[0], "lib==") {
					t.Errorf("%s of %q: the subject became %q", class, name, in.Requirements[0])
				}
			}
			if w.calls > 12 {
				t.Errorf("%s of %q: %d resolver calls", class, name, w.calls)
			}
		}
	}
}
