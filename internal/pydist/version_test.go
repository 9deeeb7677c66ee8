package pydist

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// golden reads a table that a reference implementation wrote.
func golden(t *testing.T, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			out = append(out, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
	}
	if len(out) < 40 {
		t.Fatalf("%s: only %d rows", name, len(out))
	}
	return out
}

func parsed(t *testing.T, s string) Version {
	t.Helper()
	v, err := ParseVersion(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestParseVersion(t *testing.T) {
	for _, row := range golden(t, "parse.tsv") {
		v, err := ParseVersion(row[0])
		if row[1] == "-" {
			if err == nil {
				t.Errorf("%q: parsed as %s, want an error", row[0], v)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", row[0], err)
			continue
		}
		var release []string
		for _, n := range v.Release() {
			release = append(release, strconv.Itoa(n))
		}
		got := []string{v.String(), title(v.IsPre()), title(v.IsLocal()), strings.Join(release, ".")}
		if !slices.Equal(got, row[1:]) {
			t.Errorf("%q: %v, want %v", row[0], got, row[1:])
		}
	}
}

// title writes a bool as Python does.
func title(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

func TestCompare(t *testing.T) {
	for _, row := range golden(t, "compare.tsv") {
		a, b := parsed(t, row[0]), parsed(t, row[1])
		want, err := strconv.Atoi(row[2])
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Compare(b); got != want {
			t.Errorf("Compare(%s, %s) = %d, want %d", a, b, got, want)
		}
		if got := b.Compare(a); got != -want {
			t.Errorf("Compare(%s, %s) = %d, want %d", b, a, got, -want)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, row := range golden(t, "match.tsv") {
		if got := title(Match(row[0], row[1])); got != row[2] {
			t.Errorf("Match(%q, %q) = %s, want %s", row[0], row[1], got, row[2])
		}
	}
	if !Match("", "1.0") || Match("", "nonsense") || Match(">=1", "nonsense") {
		t.Error("an empty spec matches valid versions and only those")
	}
}

func TestSort(t *testing.T) {
	got := []string{"1.10", "1.9", "zzz", "1.9rc1", "1.9.post1", "abc", "1.0+cpu", "1.0"}
	Sort(got)
	want := []string{"abc", "zzz", "1.0", "1.0+cpu", "1.9rc1", "1.9", "1.9.post1", "1.10"}
	if !slices.Equal(got, want) {
		t.Errorf("Sort: %v, want %v", got, want)
	}
}

var versions = rapid.StringMatching(`([1-9]!)?(0|[1-9][0-9]?)(\.(0|[1-9][0-9]?)){0,3}((a|b|rc)[0-9])?(\.post[0-9])?(\.dev[0-9])?(\+[a-z0-9]{1,3}(\.[a-z0-9]{1,2})?)?`)

func TestVersionProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := []string{versions.Draw(t, "a"), versions.Draw(t, "b"), versions.Draw(t, "c")}
		var v [3]Version
		for i, s := range texts {
			w, err := ParseVersion(s)
			if err != nil {
				t.Fatal(err)
			}
			again, err := ParseVersion(w.String())
			if err != nil || again.Compare(w) != 0 || again.String() != w.String() {
				t.Fatalf("%q does not come back from its normal form %q", s, w)
			}
			v[i] = w
		}
		a, b, c := v[0], v[1], v[2]
		if a.Compare(b) != -b.Compare(a) {
			t.Fatalf("%s and %s: not antisymmetric", a, b)
		}
		if a.Compare(b) <= 0 && b.Compare(c) <= 0 && a.Compare(c) > 0 {
			t.Fatalf("%s %s %s: not transitive", a, b, c)
		}
		if !Match("=="+a.String(), a.String()) || Match("!="+a.String(), a.String()) {
			t.Fatalf("%s is not itself", a)
		}
		if !a.IsLocal() && Match(">="+a.String(), b.String()) == (b.public().Compare(a) < 0) {
			t.Fatalf(">=%s and %s disagree with Compare", a, b)
		}
	})
}

func FuzzMatch(f *testing.F) {
	for _, s := range []string{"==1.0.*", "~=2.2", ">=1,<2", "===x", "!=1!0.*", "<1.0rc1", "==1.0+cpu", ",,", "~=1.*"} {
		f.Add(s, "1.0.post1")
	}
	f.Fuzz(func(t *testing.T, spec, version string) {
		got := Match(spec, version)
		v, err := ParseVersion(version)
		if got && err != nil {
			t.Fatalf("%q matches %q, which is no version", version, spec)
		}
		if err == nil && v.Compare(v) != 0 {
			t.Fatalf("%q is not equal to itself", version)
		}
		list := []string{version, "1.0", spec}
		Sort(list)
		if len(list) != 3 {
			t.Fatal("Sort lost a version")
		}
	})
}
