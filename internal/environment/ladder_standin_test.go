package environment

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/environment/uv"
	"github.com/repgen/repgen/internal/pydist"
)

func TestNearest(t *testing.T) {
	list := []Release{{Version: "0.4.13"}, {Version: "0.4.18"}, {Version: "0.5.0rc1", Pre: true}, {Version: "0.5.1", Yanked: "broken"}, {Version: "0.6.0"}}
	cases := map[string]string{
		"0.3.25": "0.4.13", "0.4.14": "0.4.18", "0.5.0": "0.6.0", "0.4.18.dev20230101": "0.4.18", "1.0": "0.6.0", "0.4.18+cu12": "0.4.18",
	}
	for version, want := range cases {
		if r, ok := nearest(list, version); !ok || r.Version != want {
			t.Errorf("nearest to %s is %q %t, want %s", version, r.Version, ok, want)
		}
	}
	if _, ok := nearest(nil, "1.0"); ok {
		t.Error("found one in nothing")
	}
	if _, ok := nearest(list, "main"); ok {
		t.Error("found one near no version")
	}
}

// TestNearestProperty: never a pre-release or a withdrawn one, and nothing
// stable lies between the asked-for version and the answer.
func TestNearestProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfNDistinct(rapid.IntRange(0, 40), 1, 12, rapid.ID[int]).Draw(t, "numbers")
		slices.Sort(numbers)
		var list []Release
		for _, n := range numbers {
			list = append(list, Release{Version: "1." + itoa(n), Pre: rapid.Bool().Draw(t, "pre")})
		}
		want := rapid.IntRange(0, 40).Draw(t, "want")
		r, ok := nearest(list, "1."+itoa(want))
		stable := slices.DeleteFunc(slices.Clone(list), func(r Release) bool { return r.Pre })
		if ok != (len(stable) > 0) {
			t.Fatalf("%v: found %t", list, ok)
		}
		if !ok {
			return
		}
		if r.Pre {
			t.Fatalf("a pre-release stands in")
		}
		for _, other := range stable {
			if pydist.Match(">=1."+itoa(want)+",<"+r.Version, other.Version) {
				t.Fatalf("%s lies before %s", other.Version, r.Version)
			}
		}
	})
}

func TestReuploaded(t *testing.T) {
	list := []Release{
		{Version: "0.4.13", Uploaded: at("2025-12-05")}, // came back
		{Version: "2.7.3", Uploaded: at("2022-05-23")},  // a patch of an old line
		{Version: "2.8.0", Uploaded: at("2022-02-02")},
	}
	for i, want := range []bool{true, false, false} {
		if got := reuploaded(list, list[i]); got != want {
			t.Errorf("%s: %t", list[i].Version, got)
		}
	}
}

// purgedWorld lost the early releases of a compiled half, and holds one of
// them under a later upload time.
func purgedWorld() *world {
	w := newWorld("3.11")
	for _, v := range []struct{ version, day string }{{"0.3.25", "2022-11-15"}, {"0.4.13", "2023-06-23"}, {"0.4.14", "2023-07-27"}, {"0.4.18", "2023-10-06"}} {
		w.add("jax", v.version, v.day, "jaxlib=="+v.version)
	}
	w.add("jaxlib", "0.4.13", "2025-12-05")
	w.add("jaxlib", "0.4.18", "2023-10-07")
	w.add("jaxlib", "0.8.0", "2024-11-01")
	w.add("equinox", "0.10.11", "2023-07-26", "jax>=0.4.13")
	return w
}

func TestFamilyStandsIn(t *testing.T) {
	cases := []struct {
		name, subject, want, standIns, exempt string
		reqs, cons                            []Requirement
		asOf                                  string
		rung                                  int
	}{
		{
			name: "both pinned, one gone", subject: "jax", asOf: "2022-11-22", want: "jax==0.4.13 jaxlib==0.4.13", rung: 6,
			reqs:     []Requirement{req("jax==0.3.25", WordReporter), req("jaxlib==0.3.25", WordReporter)},
			standIns: "jaxlib jax", exempt: "jaxlib",
		},
		{
			name: "pinned subject, its half is back under a late time", subject: "jax", asOf: "2023-06-30",
			want: "jax==0.4.13 jaxlib==0.4.13", rung: 4, reqs: []Requirement{req("jax==0.4.13", WordReporter)}, exempt: "jaxlib",
		},
		{
			name: "nothing pinned but the library above", subject: "equinox", asOf: "2023-08-02",
			want: "equinox==0.10.11 jax==0.4.18 jaxlib==0.4.18", rung: 6,
			reqs: []Requirement{req("equinox==0.10.11", WordReporter), req("jax", WordImport)},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			lock, u := solve(t, purgedWorld(), Spec{Python: "3.11", PythonSource: "report", Subject: c.subject,
				Requirements: c.reqs, Constraints: c.cons, AsOf: endOfDay(at(c.asOf))})
			if u != nil {
				t.Fatalf("%s (%s)", u.Why, rungsOf(u.Rungs))
			}
			if got := packagesOf(lock); got != c.want {
				t.Errorf("packages %q, want %q", got, c.want)
			}
			if got := strings.Join(lock.StandIns, " "); got != c.standIns {
				t.Errorf("stand-ins %q, want %q", got, c.standIns)
			}
			if got := strings.Join(lock.Exempt, " "); got != c.exempt {
				t.Errorf("exempt %q, want %q", got, c.exempt)
			}
			if lock.Rung != c.rung {
				t.Errorf("rung %d, want %d", lock.Rung, c.rung)
			}
		})
	}
}

// TestMissingBehindAnotherCause: the first cause of a text is not always the
// one that can be cured.
func TestMissingBehindAnotherCause(t *testing.T) {
	w := purgedWorld()
	first := uv.Failure{Class: uv.OnlySdist, Name: "jax", Version: "0.4.14",
		Detail: "jax[cpu]<=0.1.18 has no usable wheels. (1) Because there is no version of jaxlib==0.4.14 and jax[cpu]>=0.4.14 depends on it"}
	w.fail = []uv.Failure{first, first}
	lock, u := solve(t, w, Spec{Python: "3.11", PythonSource: "report", Subject: "equinox", AsOf: endOfDay(at("2023-08-02")),
		Requirements: []Requirement{req("equinox==0.10.11", WordReporter), req("jax", WordImport)}})
	if u != nil {
		t.Fatalf("%s (%s)", u.Why, rungsOf(u.Rungs))
	}
	if got := lock.Version("jaxlib"); got != "0.4.18" {
		t.Errorf("jaxlib %s", got)
	}
}

func TestConflictPrefersConstraintsAndNewUploads(t *testing.T) {
	w := mlWorld()
	w.fail = []uv.Failure{{Class: uv.Conflict, Names: []string{"lib", "numpy", "yank"}, Detail: "lib==1.1.0 numpy==1.22.0 yank==2.0.0"}}
	lock, u := solve(t, w, Spec{Python: "3.11", PythonSource: "report", Subject: "lib", AsOf: at("2024-03-10"),
		Requirements: []Requirement{req("lib==1.1.0", WordReporter), req("numpy==1.22.0", WordReporter)},
		Constraints:  []Requirement{req("yank==2.0.0", WordReporter)}})
	if u != nil {
		t.Fatal(u.Why)
	}
	if got := packagesOf(lock); got != "lib==1.1.0 numpy==1.22.0" {
		t.Errorf("packages %q", got)
	}
	if !strings.Contains(strings.Join(lock.Edits, "\n"), "yank==2.0.0 no longer pinned") {
		t.Errorf("edits %q", lock.Edits)
	}
}

// TestPinsAreHeld: whatever the pins, a solved lock holds the subject's, and
// every pin it does not hold was said to be loosened.
func TestPinsAreHeld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := mlWorld()
		versions := map[string][]string{"numpy": {"1.22.0", "1.26.4", "2.1.0", "1.99"}, "lib": {"1.0.0", "1.1.0", "1.2.0"},
			"yank": {"1.0.0", "2.0.0", "3.0.0"}, "old": {"0.1.0"}, "nope": {"1.0"}}
		s := Spec{PythonSource: "wheels", Subject: "lib", AsOf: at(rapid.SampledFrom([]string{"2022-02-01", "2024-03-10", "2025-03-01"}).Draw(t, "day"))}
		pick := func(name string) Requirement {
			return req(name+"=="+rapid.SampledFrom(versions[name]).Draw(t, name), WordReporter)
		}
		s.Requirements = []Requirement{pick("lib")}
		for _, name := range []string{"numpy", "yank", "old", "nope"} {
			if rapid.Bool().Draw(t, "use "+name) {
				s.Constraints = append(s.Constraints, pick(name))
			}
		}
		lock, u, err := newLadder(w, s).climb(t.Context())
		if err != nil || u != nil {
			t.Fatalf("%v %v", u, err)
		}
		if got := lock.Version("lib"); got != s.Requirements[0].exact() {
			t.Fatalf("subject %s for %s", got, s.Requirements[0].Spec)
		}
		edits := strings.Join(lock.Edits, "\n")
		for _, c := range s.Constraints {
			if v := lock.Version(c.Name); v != "" && v != c.exact() && !strings.Contains(edits, c.Name+c.Spec+" no longer pinned") {
				t.Fatalf("%s is %s, and nothing says so: %q", c.line(), v, lock.Edits)
			}
		}
	})
}
