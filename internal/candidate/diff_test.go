package candidate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDiff(t *testing.T) {
	old := "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n"
	changed := "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\n"
	want := `--- original
+++ edited
@@ -1,5 +1,5 @@
 a
-b
+B
 c
 d
 e
@@ -10,3 +10,4 @@
 j
 k
 l
+m
`
	if got := Diff(old, changed); got != want {
		t.Errorf("got\n%s", got)
	}
	if Diff(old, old) != "" {
		t.Error("equal texts have no diff")
	}
	if got := Diff("", "x\n"); got != "--- original\n+++ edited\n@@ -0,0 +1 @@\n+x\n" {
		t.Errorf("got\n%s", got)
	}
}

// TestDiffApplies: a patch made from any two texts turns the one into the other.
func TestDiffApplies(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "", "x = 1", "  y"}), 0, 40)
	rapid.Check(t, func(t *rapid.T) {
		a, b := lines.Draw(t, "a"), lines.Draw(t, "b")
		patch := Diff(strings.Join(a, "\n")+"\n", strings.Join(b, "\n")+"\n")
		// "\n" is one empty line, as no line at all is.
		if len(a) == 0 {
			a = []string{""}
		}
		if len(b) == 0 {
			b = []string{""}
		}
		got, err := patched(a, patch)
		if err != nil || !slices.Equal(got, b) {
			t.Fatalf("%v: %q with\n%s\ngives %q, want %q", err, a, patch, got, b)
		}
	})
}

// patched applies a unified diff strictly: every kept and removed line must be
// where the hunk says.
func patched(old []string, patch string) ([]string, error) {
	var out []string
	at := 0
	for _, line := range strings.Split(strings.TrimSuffix(patch, "\n"), "\n") {
		switch {
		case line == "", strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
		case strings.HasPrefix(line, "@@"):
			begin, count, err := hunkStart(strings.Fields(line)[1])
			if err != nil {
				return nil, err
			}
			if count > 0 {
				begin--
			}
			if begin < at || begin > len(old) {
				return nil, fmt.Errorf("hunk %s at %d", line, at)
			}
			out = append(out, old[at:begin]...)
			at = begin
		case line[0] == '+':
			out = append(out, line[1:])
		default:
			if at >= len(old) || old[at] != line[1:] {
				return nil, fmt.Errorf("line %d is not %q", at, line[1:])
			}
			if line[0] == ' ' {
				out = append(out, line[1:])
			}
			at++
		}
	}
	return append(out, old[at:]...), nil
}

func hunkStart(field string) (begin, count int, err error) {
	first, second, found := strings.Cut(strings.TrimPrefix(field, "-"), ",")
	count = 1
	if begin, err = strconv.Atoi(first); err == nil && found {
		count, err = strconv.Atoi(second)
	}
	return begin, count, err
}

func TestDiffOfHugeTexts(t *testing.T) {
	a := strings.Repeat("x\ny\n", 3000)
	b := strings.Repeat("y\nz\n", 3000)
	if got := Diff(a, b); strings.Count(got, "\n-") < 5000 || strings.Count(got, "\n+") < 5000 {
		t.Error("the replaced middle is incomplete")
	}
}
