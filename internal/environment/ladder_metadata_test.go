package environment

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/environment/uv"
)

// refusedWorld has releases that the resolver refuses as they are.
func refusedWorld() *world {
	w := newWorld("3.12", "3.9")
	src := w.add("gymlike", "0.21.0", "2021-10-03", "numpy")
	src.wheels, src.sdist, src.bad = nil, true, []string{`dependency "opencv-python (>=3.)" left out`}
	wheel := w.add("wheelbad", "1.0.0", "2021-10-03", "numpy")
	wheel.bad = []string{`dependency "pytz (>dev)" read as "pytz"`}
	w.add("numpy", "1.22.0", "2022-01-01")
	return w
}

func TestBadMetadata(t *testing.T) {
	for _, c := range []climbCase{
		{
			name: "source", spec: Spec{Python: "3.9", PythonSource: "report", Subject: "gymlike", AsOf: at("2022-03-01"),
				Requirements: []Requirement{req("gymlike==0.21.0", WordReporter)}},
			want: "gymlike==0.21.0 numpy==1.22.0", rung: 9, rungs: "1 only sdist, 9 solved", python: "3.9.7", asOf: "2022-03-01",
			edit: "gymlike 0.21.0 built from source in the sandbox, its metadata repaired",
		},
		{
			name: "wheel", spec: Spec{Python: "3.9", PythonSource: "report", Subject: "wheelbad", AsOf: at("2022-03-01"),
				Requirements: []Requirement{req("wheelbad==1.0.0", WordReporter)}},
			want: "numpy==1.22.0 wheelbad==1.0.0", rung: 9, rungs: "1 bad metadata, 9 solved", python: "3.9.7", asOf: "2022-03-01",
			edit: "wheelbad 1.0.0 taken from the index, its metadata repaired",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			lock, u := solve(t, refusedWorld(), c.spec)
			if u != nil {
				t.Fatalf("unavailable: %s (%s)", u.Why, rungsOf(u.Rungs))
			}
			c.check(t, lock)
			for _, p := range lock.Packages {
				if own := p.Name != "numpy"; p.Repaired != own || p.Sdist != (p.Name == "gymlike") {
					t.Errorf("%s: repaired %t, sdist %t", p.Name, p.Repaired, p.Sdist)
				}
			}
		})
	}
}

// TestBadMetadataThatStays: what no repair helps ends as unavailable, with the
// reason, and not in a loop.
func TestBadMetadataThatStays(t *testing.T) {
	w := refusedWorld()
	w.noBuild = true
	_, u := solve(t, w, Spec{Python: "3.9", PythonSource: "flag", Subject: "wheelbad", AsOf: at("2022-03-01"),
		Requirements: []Requirement{req("wheelbad==1.0.0", WordFlag)}})
	if u == nil || !strings.Contains(u.Why, "setup.py fails") || w.calls > 4 {
		t.Errorf("%+v after %d calls", u, w.calls)
	}
	w = refusedWorld()
	again := uv.Failure{Class: uv.BadMetadata, Name: "numpy", Version: "9.9"}
	w.fail = []uv.Failure{again, {Class: uv.BadMetadata}}
	lock, u := solve(t, w, Spec{Python: "3.9", PythonSource: "report", Subject: "wheelbad", AsOf: at("2022-03-01"),
		Requirements: []Requirement{req("wheelbad", WordReporter), req("numpy==1.22.0", WordReporter)}})
	if lock == nil && u == nil {
		t.Error("neither a lock nor a reason")
	}
}

// TestBadMetadataOfARange: where every release that would do is refused and
// nobody pinned one, the newest of the day is repaired, not the newest of all.
func TestBadMetadataOfARange(t *testing.T) {
	w := refusedWorld()
	old := w.add("wheelbad", "0.9.0", "2021-01-03")
	old.bad = []string{`dependency "pytz (>dev)" read as "pytz"`}
	w.add("wheelbad", "2.0.0", "2023-01-03")
	w.add("above", "1.0.0", "2021-11-01", "wheelbad")
	w.fail = []uv.Failure{{Class: uv.BadMetadata, Name: "wheelbad", Names: []string{"above", "wheelbad"}}}
	lock, u := solve(t, w, Spec{Python: "3.9", PythonSource: "report", Subject: "above", AsOf: at("2022-03-01"),
		Requirements: []Requirement{req("above==1.0.0", WordReporter)}})
	if u != nil {
		t.Fatalf("%s (%s)", u.Why, rungsOf(u.Rungs))
	}
	if got := rungsOf(lock.Rungs); got != "1 bad metadata, 9 solved" || !strings.Contains(strings.Join(lock.Edits, "\n"), "wheelbad 1.0.0 taken from the index, its metadata repaired") {
		t.Errorf("rungs %s, edits %q", got, lock.Edits)
	}
}

// TestSourceOfAnOlderDay: a source that does not build with a younger Python
// is tried with one that was there when it was uploaded.
func TestSourceOfAnOlderDay(t *testing.T) {
	w := refusedWorld()
	w.noBuildOn = []string{"3.12"}
	lock, u := solve(t, w, Spec{Python: "3.12", PythonSource: "report", Subject: "gymlike", AsOf: at("2024-03-01"),
		Requirements: []Requirement{req("gymlike==0.21.0", WordReporter)}})
	if u != nil {
		t.Fatalf("%s (%s)", u.Why, rungsOf(u.Rungs))
	}
	if lock.Python != "3.9.7" || lock.Rung != rungMetadata || len(lock.Asked) != 1 || lock.Asked[0].Name != "python" {
		t.Errorf("python %s, rung %d, asked %+v", lock.Python, lock.Rung, lock.Asked)
	}
	w = refusedWorld()
	w.noBuildOn = []string{"3.12"}
	if _, u := solve(t, w, Spec{Python: "3.12", PythonSource: "flag", Subject: "gymlike", AsOf: at("2024-03-01"),
		Requirements: []Requirement{req("gymlike==0.21.0", WordReporter)}}); u == nil {
		t.Error("left the Python that the user named")
	}
}
