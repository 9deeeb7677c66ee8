package environment

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/environment/uv"
)

// youngWorld has a package of 2020 that needs one of 2021.
func youngWorld() *world {
	w := newWorld("3.11", "3.9")
	w.add("young", "0.1.0", "2020-06-01")
	w.add("young", "0.2.0", "2020-09-01")
	w.add("young", "1.0.0", "2024-01-01")
	w.add("numpy", "1.19.0", "2019-01-01")
	w.add("numpy", "1.26.4", "2024-02-05")
	w.add("needs-new", "1.0", "2019-05-01", "dep>=2.0")
	w.add("dep", "1.0", "2018-01-01")
	w.add("dep", "2.0", "2020-01-01")
	w.add("dep", "3.0", "2025-01-01")
	pre := w.add("fresh", "0.1rc1", "2020-01-01")
	pre.uploaded = at("2020-01-01")
	w.add("fresh", "0.1", "2020-02-01")
	return w
}

func TestDateBeforeThePackage(t *testing.T) {
	for _, c := range []struct {
		name, req, source, want, asOf string // want: packages, "" for unavailable
		word                          Word
		why, next, edit               string
	}{
		{"no version", "young", "flag", "", "", WordImport, "the first release of young is 0.1.0 of 2020-06-01, after 2019-06-01, the day that --date gives",
			"give a day from 2020-06-01 on with --date", ""},
		{"no version, the report's day", "young", "report", "", "", WordImport, "after 2019-06-01, the day of the report", "young==VERSION", ""},
		{"a release candidate came first", "fresh", "flag", "", "", WordImport, "the first release of fresh is 0.1 of 2020-02-01", "", ""},
		{"an exact version", "young==0.2.0", "report", "young==0.2.0", "2020-09-01", WordReporter, "", "", "date moved from 2019-06-01 to 2020-09-01"},
		{"a partial version", "young==0.*", "report", "young==0.1.0", "2020-06-01", WordReporter, "", "", "date moved from 2019-06-01 to 2020-06-01"},
		{"a range", "young>=0.2", "flag", "young==0.2.0", "2020-09-01", WordReporter, "", "", "date moved"},
		{"in time", "numpy", "flag", "numpy==1.19.0", "2019-06-01", WordImport, "", "", ""},
		{"a need of ours", "young", "flag", "numpy==1.19.0", "2019-06-01", WordUndeclared, "", "", "young left out: its first release is 0.1.0 of 2020-06-01"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Spec{Python: "3.9", PythonSource: "flag", AsOf: at("2019-06-01"), AsOfSource: c.source, Subject: req(c.req, c.word).Name,
				Requirements: []Requirement{req(c.req, c.word)}}
			if c.word == WordUndeclared {
				s.Subject = "numpy"
				s.Requirements = append(s.Requirements, req("numpy", WordImport))
			}
			lock, u := solve(t, youngWorld(), s)
			if c.want == "" {
				if u == nil || !strings.Contains(u.Why, c.why) || !strings.Contains(u.Next, c.next) {
					t.Fatalf("%+v %+v", lock, u)
				}
				return
			}
			if u != nil {
				t.Fatal(u.Why)
			}
			if got := packagesOf(lock); got != c.want || lock.AsOf.Format(dayForm) != c.asOf {
				t.Errorf("%s as of %s, want %s as of %s", got, lock.AsOf.Format(dayForm), c.want, c.asOf)
			}
			if !strings.Contains(strings.Join(lock.Edits, "\n"), c.edit) {
				t.Errorf("edits %q lack %q", lock.Edits, c.edit)
			}
		})
	}
}

// TestDateMovesToTheFirstThatFits: the resolver names the newest of a range;
// the date moves to the first release that fits it.
func TestDateMovesToTheFirstThatFits(t *testing.T) {
	w := youngWorld()
	w.fail = []uv.Failure{{Class: uv.AfterDate, Name: "dep", Version: "3.0", Latest: true, Published: at("2025-01-01"),
		Detail: "Because there are no versions of dep>=2.0 and needs-new==1.0 depends on dep>=2.0, we can conclude"}}
	lock, u := solve(t, w, Spec{Python: "3.9", PythonSource: "flag", Subject: "needs-new", AsOf: at("2019-06-01"),
		Requirements: []Requirement{req("needs-new==1.0", WordReporter)}})
	if u != nil {
		t.Fatal(u.Why)
	}
	if got := packagesOf(lock); got != "dep==2.0 needs-new==1.0" || lock.AsOf.Format(dayForm) != "2020-01-01" {
		t.Errorf("%s as of %s", got, lock.AsOf.Format(dayForm))
	}
}

func TestNeededSpec(t *testing.T) {
	for detail, want := range map[string]string{
		"a==1 depends on dep>=2.0, we can conclude":        ">=2.0",
		"you require dep==1.2.*,>=1 and more":              "==1.2.*,>=1",
		"a depends on dep[x]>=2, and":                      ">=2",
		"a depends on dep, we":                             "",
		"a depends on deposit>=2":                          "",
		"a depends on dep>>=2":                             "",
		"there are no versions of dep>=2.0 and nobody did": "",
	} {
		if got := neededSpec(detail, "dep"); got != want {
			t.Errorf("%q: %q, want %q", detail, got, want)
		}
	}
	if got := neededSpec("x depends on scikit_learn>=1.0 and", "scikit-learn"); got != ">=1.0" {
		t.Errorf("another spelling: %q", got)
	}
}

// TestDatesProperty: whatever the day, an unpinned subject is either of a
// release uploaded by the lock's day, or the reason names its first day; and
// the day never moves for it.
func TestDatesProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.IntRange(0, 3000).Draw(t, "day")
		s := Spec{Python: "3.9", PythonSource: "flag", AsOf: at("2018-01-01").AddDate(0, 0, days), AsOfSource: "flag", Subject: "young",
			Requirements: []Requirement{req("young", WordImport)}}
		lock, u, err := newLadder(youngWorld(), s).climb(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		early := s.AsOf.Before(at("2020-06-01"))
		if (u != nil) != early {
			t.Fatalf("%s: %+v", s.AsOf.Format(time.RFC3339), u)
		}
		if u == nil && !lock.AsOf.Equal(s.AsOf) {
			t.Fatalf("the day moved from %s to %s", s.AsOf, lock.AsOf)
		}
	})
}

func TestAddWhatIsTooYoung(t *testing.T) {
	w := youngWorld()
	s := Spec{Python: "3.9", PythonSource: "flag", Subject: "numpy", AsOf: at("2019-06-01"), Requirements: []Requirement{req("numpy", WordImport)}}
	base, u := solve(t, w, s)
	if u != nil {
		t.Fatal(u.Why)
	}
	lock, u, err := addTo(t.Context(), w, s, base, Requirement{Name: "young", Word: WordUndeclared, Why: "an import failed without it"})
	if err != nil || u == nil || !strings.Contains(u.Why, "its first release is 0.1.0") {
		t.Errorf("%+v %+v %v", lock, u, err)
	}
}
