package environment

import (
	"strings"
	"testing"
)

// TestStatedPython: what happens to a stated interpreter that is not here, or
// that no installer serves.
func TestStatedPython(t *testing.T) {
	w := newWorld("3.13", "3.12", "3.11", "3.9", "3.6")
	on := func(r *fakeRelease, minors ...string) { r.wheels = minors }
	on(w.add("lib", "1.0", "2019-06-01"), "3.6", "3.9")
	on(w.add("lib", "2.0", "2024-11-01"), "3.11", "3.12", "3.13")
	on(w.add("two", "0.9", "2012-01-01")) // wheels for Python 2 alone
	for _, c := range []struct {
		name, python, source, pin string
		want, edit, why, next     string
	}{
		{"too new", "3.14", "report", "lib==2.0", "3.13.7", "Python 3.13 stands in for 3.14, which is not on this machine", "", ""},
		{"too old", "3.5", "report", "lib==1.0", "3.6.7", "Python 3.6 stands in for 3.5, which is not on this machine", "", ""},
		{"between, nearest with wheels", "3.10", "report", "lib==1.0", "3.9.7", "Python 3.9 stands in for 3.10", "", ""},
		{"between, the other side", "3.10", "report", "lib==2.0", "3.11.7", "Python 3.11 stands in for 3.10", "", ""},
		{"two, wheels for three", "2.7", "report", "lib==1.0", "3.6.7", "Python 3.6 stands in for 2.7, which cannot be installed into", "", ""},
		{"two, no wheels for three", "2.7", "report", "two==0.9", "", "", "Python 2.7 cannot be installed into", "--python"},
		{"two, no version", "2.7", "report", "lib", "", "", "the installer knows Python 3 only", "--python"},
		{"two, by flag", "2.7", "flag", "lib==1.0", "", "", "Python 2.7 cannot be installed into", "--python"},
		{"absent, by flag", "3.14", "flag", "lib==2.0", "", "", "Python 3.14 is not on this machine (found: 3.13, 3.12, 3.11, 3.9, 3.6)", "leave out --python"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lock, u := solve(t, w, Spec{Python: c.python, PythonSource: c.source, Subject: req(c.pin, WordReporter).Name, AsOf: at("2025-03-01"),
				Requirements: []Requirement{req(c.pin, WordReporter)}})
			if c.want == "" {
				if u == nil || !strings.Contains(u.Why, c.why) || !strings.Contains(u.Next, c.next) {
					t.Fatalf("%+v %+v", lock, u)
				}
				return
			}
			if u != nil {
				t.Fatal(u.Why)
			}
			if lock.Python != c.want || lock.Rung != rungPython || !strings.Contains(strings.Join(lock.Edits, "\n"), c.edit) {
				t.Errorf("python %s, rung %d, edits %q", lock.Python, lock.Rung, lock.Edits)
			}
			if len(lock.Asked) != 1 || lock.Asked[0].Name != "python" || lock.Asked[0].Asked != c.python {
				t.Errorf("asked %+v", lock.Asked)
			}
		})
	}
}

// TestYoungerPython: an interpreter that the table does not know yet is used
// when it is stated, and when it is a year old or the pins have wheels for it.
func TestYoungerPython(t *testing.T) {
	w := newWorld("3.15", "3.14", "3.13")
	r := w.add("lib", "3.0", "2026-10-20")
	r.wheels = []string{"3.15"}
	w.add("any", "1.0", "2020-01-01")
	for _, c := range []struct{ python, source, pin, day, want string }{
		{"3.15", "flag", "any==1.0", "2026-11-01", "3.15.7"},
		{"3.14", "report", "any==1.0", "2026-11-01", "3.14.7"},
		{"", "wheels", "lib==3.0", "2026-11-01", "3.15.7"},
		{"", "wheels", "any", "2026-11-01", "3.14.7"},      // 3.15 is not a year old
		{"", "wheels", "any", "2027-11-01", "3.15.7"},      // now it is
		{"", "wheels", "any==1.0", "2026-01-01", "3.14.7"}, // 3.15 did not exist
	} {
		lock, u := solve(t, w, Spec{Python: c.python, PythonSource: c.source, AsOf: at(c.day), Requirements: []Requirement{req(c.pin, WordImport)}})
		if u != nil {
			t.Errorf("%+v: %s", c, u.Why)
			continue
		}
		if lock.Python != c.want {
			t.Errorf("%+v: python %s", c, lock.Python)
		}
	}
}

func TestReleasedOn(t *testing.T) {
	for minor, want := range map[string]string{"3.6": "2016-12-23", "3.13": "2024-10-07", "3.14": "2025-10-07", "3.16": "2027-10-07"} {
		if d, ok := releasedOn(minor); !ok || d.Format(dayForm) != want {
			t.Errorf("%s: %s %t", minor, d.Format(dayForm), ok)
		}
	}
	for _, minor := range []string{"2.7", "3.5", "3", "", "4.20"} {
		if _, ok := releasedOn(minor); ok {
			t.Errorf("%q has a day", minor)
		}
	}
}
