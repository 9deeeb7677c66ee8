package proof

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/report"
)

func wheels(vs ...string) []environment.Release {
	var rs []environment.Release
	for _, v := range vs {
		rs = append(rs, environment.Release{Version: v, Wheel: true})
	}
	return rs
}

func TestOutward(t *testing.T) {
	rs := wheels("0.9.0", "1.0.0", "1.0.1", "1.1.0", "1.2.0", "1.2.1", "1.2.2", "1.3.0", "1.3.1", "2.0.0")
	rs = append(rs, environment.Release{Version: "2.1.0", Wheel: true, Yanked: "broken"}, environment.Release{Version: "2.2.0rc1", Wheel: true, Pre: true})
	got := outward(rs, "1.2.0")
	want := []string{"1.2.2", "1.1.0", "1.3.0", "1.0.1", "2.0.0", "0.9.0"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestForward(t *testing.T) {
	got := forward(wheels("3.19.3", "3.19.4", "3.20.0", "3.20.1", "4.21.0", "4.21.1", "5.26.0", "5.26.1"), "3.19.4")
	want := []string{"3.20.0", "4.21.0", "5.26.0", "5.26.1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Whatever the index lists, a search never proposes the version it starts
// from, a version twice, or a pre-release.
func TestSearchOrderProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rs []environment.Release
		n := rapid.IntRange(0, 9).Draw(t, "n")
		for major := range n {
			for minor := range rapid.IntRange(1, 4).Draw(t, "minors") {
				v := string(rune('0'+major)) + "." + string(rune('0'+minor)) + ".0"
				rs = append(rs, environment.Release{Version: v, Wheel: true, Pre: rapid.Bool().Draw(t, "pre")})
			}
		}
		from := "1.0.0"
		for _, list := range [][]string{outward(rs, from), forward(rs, from)} {
			seen := map[string]bool{}
			for _, v := range list {
				if v == from || seen[v] {
					t.Fatalf("%v proposes %s", list, v)
				}
				seen[v] = true
				for _, r := range rs {
					if r.Version == v && r.Pre {
						t.Fatalf("%v proposes the pre-release %s", list, v)
					}
				}
			}
		}
	})
}

func TestMatcher(t *testing.T) {
	for _, c := range []struct {
		v    report.Version
		want string
	}{
		{report.Version{Spec: "0.6.1", Kind: report.VersionExact}, "==0.6.1"},
		{report.Version{Spec: "3.20.x", Kind: report.VersionPartial}, "==3.20.*"},
		{report.Version{Spec: "2.15", Kind: report.VersionPartial}, "==2.15.*"},
		{report.Version{Spec: "<1.6", Kind: report.VersionRange}, "<1.6"},
	} {
		if got := matcher(c.v); got != c.want {
			t.Errorf("%q: got %q, want %q", c.v.Spec, got, c.want)
		}
	}
}

func TestNextProbe(t *testing.T) {
	rs := wheels("0.11.4", "0.11.5", "0.11.6", "0.11.7", "0.11.8", "0.11.12", "0.12.0", "0.13.8")
	for _, c := range []struct {
		name string
		seen map[string]probed
		want string
	}{
		{"nothing known: outward", nil, "0.11.12"},
		{"the newest is without it: the very next one", map[string]probed{"0.13.8": without}, "0.11.6"},
		{"the next one shows it: the middle", map[string]probed{"0.13.8": without, "0.11.6": shows}, "0.11.12"},
		{"the middle is without it: nearer", map[string]probed{"0.13.8": without, "0.11.6": shows, "0.11.12": without}, "0.11.8"},
		{"the next one says nothing: the middle", map[string]probed{"0.13.8": without, "0.11.6": silent}, "0.11.12"},
		{"the newest says nothing: the very next one", map[string]probed{"0.13.8": silent}, "0.11.6"},
		{"nor does the next one: outward", map[string]probed{"0.13.8": silent, "0.11.6": silent}, "0.11.12"},
		{"a newer one shows it: outward", map[string]probed{"0.13.8": silent, "0.12.0": shows}, "0.11.12"},
		{"none between: older ones", map[string]probed{"0.11.6": without}, "0.11.4"},
	} {
		if got := nextProbe(rs, "0.11.5", c.seen); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
