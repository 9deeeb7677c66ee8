package environment

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/sandbox"
)

// dated is a workshop whose sandbox builds another wheel of termcolor on each
// day of its build requirements.
func dated(t *testing.T) *workshop {
	t.Helper()
	w := newWorkshop(t, sourceIndex(t, tarball(t, "termcolor-1.1.0/setup.py", "x"), ""))
	w.box.run = func(c sandbox.Command) sandbox.Execution {
		if !strings.HasPrefix(c.Label, "build ") {
			return sandbox.Execution{Outcome: sandbox.Exited}
		}
		days := strings.Split(read(t, w.log), "--exclude-newer ")
		day, _, _ := strings.Cut(days[len(days)-1], "T")
		write(t, filepath.Join(c.Work, "out", goodWheel), string(zipped(t, "termcolor.py", day)), 0o644)
		return sandbox.Execution{Outcome: sandbox.Exited}
	}
	return w
}

func (w *workshop) builds() int {
	return len(slices.DeleteFunc(slices.Clone(w.box.seen), func(c sandbox.Command) bool { return !strings.HasPrefix(c.Label, "build ") }))
}

// TestWheelOfADay: the same source built with what another day had is another
// wheel, and its environment another one.
func TestWheelOfADay(t *testing.T) {
	w := dated(t)
	early, late := time.Date(2021, 3, 4, 9, 0, 0, 0, time.UTC), time.Date(2025, 3, 4, 9, 0, 0, 0, time.UTC)
	envs := map[string]string{}
	for _, c := range []struct {
		asOf   time.Time
		day    string // of the lock, when it says so
		want   string
		builds int
	}{
		{early, "", "2021-03-04", 1},
		{early.Add(10 * time.Hour), "", "2021-03-04", 1},
		{late, "", "2025-03-04", 2},
		{late, "2021-03-04", "2021-03-04", 2}, // a control with a later date
	} {
		l := lockOf("3.11.7", "termcolor==1.1.0")
		l.AsOf, l.Packages[0].Sdist, l.Packages[0].BuiltAsOf = c.asOf, true, c.day
		e := w.built(t, l)
		if l.Packages[0].Built != "" {
			t.Error("the caller's lock was changed")
		}
		text, links, err := w.installText(e)
		if err != nil || len(links) != 1 || !strings.Contains(text, e.Lock.Packages[0].Built) {
			t.Fatalf("%q %q %v", text, links, err)
		}
		if wheel := read(t, filepath.Join(links[0], goodWheel)); !strings.Contains(wheel, c.want) {
			t.Errorf("as of %s (%q): a wheel of another day", c.asOf, c.day)
		}
		if w.builds() != c.builds {
			t.Errorf("as of %s (%q): %d builds, want %d", c.asOf, c.day, w.builds(), c.builds)
		}
		if old, ok := envs[c.want]; ok && old != e.Key {
			t.Errorf("as of %s (%q): another environment of the same wheel", c.asOf, c.day)
		}
		envs[c.want] = e.Key
	}
	if envs["2021-03-04"] == envs["2025-03-04"] {
		t.Error("one environment holds both wheels")
	}
}

// TestEnvironmentOfALostWheel: an environment that is there needs no wheel that
// it was made of.
func TestEnvironmentOfALostWheel(t *testing.T) {
	w := dated(t)
	l := lockOf("3.11.7", "termcolor==1.1.0")
	l.AsOf, l.Packages[0].Sdist = time.Date(2021, 3, 4, 0, 0, 0, 0, time.UTC), true
	first := w.built(t, l)
	makeWritable(t, w.opts.CacheDir)
	if err := os.RemoveAll(filepath.Join(w.opts.CacheDir, wheelStore)); err != nil {
		t.Fatal(err)
	}
	again := w.built(t, &first.Lock)
	if again.Built || again.Key != first.Key || w.builds() != 1 {
		t.Errorf("built %t, %d wheels, %s then %s", again.Built, w.builds(), first.Key, again.Key)
	}
}

// TestLockOfNoDay: a stranger's lock may say anything.
func TestLockOfNoDay(t *testing.T) {
	w := dated(t)
	l := lockOf("3.11.7", "termcolor==1.1.0")
	l.Packages[0].Sdist, l.Packages[0].BuiltAsOf = true, "../../etc"
	if _, no, err := w.Build(t.Context(), l); err != nil || no == nil || !strings.Contains(no.Why, "no day") {
		t.Errorf("%+v %v", no, err)
	}
}

// TestProjectWheelOfADay: so it is with a project.
func TestProjectWheelOfADay(t *testing.T) {
	w, p := studio(t)
	p, _, err := w.ResolveProject(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	before := 0
	for _, c := range []struct {
		asOf time.Time
		more int
	}{{at("2024-03-01"), 1}, {at("2024-03-01").Add(time.Hour), 0}, {at("2024-03-02"), 1}} {
		if _, u, err := w.wheelOf(t.Context(), projectBuild{src: p, state: p.At, asOf: c.asOf, python: func(string) (interp.Interpreter, *Unavailable) { return w.python, nil }}); err != nil || u != nil {
			t.Fatalf("%+v %v", u, err)
		}
		if n := w.builds(); n-before != c.more {
			t.Errorf("as of %s: %d builds more, want %d", c.asOf, n-before, c.more)
		}
		before = w.builds()
	}
}
