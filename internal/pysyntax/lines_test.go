package pysyntax

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLogicalLines(t *testing.T) {
	for _, tc := range []struct{ src, want string }{
		{"x = 1\ny = 2", "0-0 x = 1|1-1 y = 2"},
		{"f(1,  # one )\n  2)\nz", "0-1 f(1, 2)|2-2 z"},
		{"s = '''a\n(b\n'''; t\nu", "0-2 s = '''a (b '''; t|3-3 u"},
		{"s = 'it\\'s' # don't\nu", "0-0 s = 'it\\'s'|1-1 u"},
		{"don't (\nx)\ny", "0-0 don't (|1-1 x)|2-2 y"},
		{"a = 1 + \\\n  2\nb", `0-1 a = 1 + \ 2|2-2 b`},
		{"\n  # c\n\tx", "0-0 |1-1 |2-2 x"},
		{"x = {'число': [\n", "0-1 x = {'число': ["},
	} {
		lines, _ := logicalLines(strings.Split(tc.src, "\n"))
		var got []string
		for _, l := range lines {
			got = append(got, fmt.Sprintf("%d-%d %s", l.first, l.last, l.text))
		}
		if text := strings.Join(got, "|"); text != tc.want {
			t.Errorf("%q: %q", tc.src, text)
		}
	}
}

func TestOpenBrackets(t *testing.T) {
	for src, want := range map[string]string{
		"f([1, {": ")]}", "f(1))": "+1", "f(')')": "", "f(1)\n]": "+1", "'''": "quote",
	} {
		_, end := logicalLines(strings.Split(src, "\n"))
		got := string(end.open)
		if end.extra > 0 {
			got += fmt.Sprintf("+%d", end.extra)
		}
		if end.quote != "" {
			got = "quote"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}

// TestLogicalLinesCoverTheText: every physical line belongs to one logical line,
// in order, whatever the text.
func TestLogicalLinesCoverTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune("ab ()[]{}'\"\\#:\t数")), 0, 12, -1), 1, 8).Draw(t, "lines")
		found, _ := logicalLines(lines)
		next := 0
		for _, l := range found {
			if l.first != next || l.last < l.first {
				t.Fatalf("%d-%d, expected to begin at %d", l.first, l.last, next)
			}
			next = l.last + 1
		}
		if next != len(lines) {
			t.Fatalf("%d of %d lines", next, len(lines))
		}
	})
}

// TestRepairOnlyHelps: cutting, joining and shifting the lines of a sound script
// never makes a repair that adds errors, moves lines or is not recorded.
func TestRepairOnlyHelps(t *testing.T) {
	pool := []string{
		"import torch", "class A(B):", "def f(self, x):", "    def g(self):", "return x", "        return 1", "for i in x:", "if a:", "else:", "x = f(1,", "2)",
		"print x", "print(x)", ">>> y", "", "# c", "\tz = 1", "        z = 2", "```", "try:", "except E, e:", "with a as b:", "'''", "…", "12 x", "@d", "x）", "raise E, 'm'",
	}
	rapid.Check(t, func(t *rapid.T) {
		src := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pool), 1, 14).Draw(t, "lines"), "\n") + "\n"
		before := Parse(src)
		fixed, fixes := Repair(src)
		after := Parse(fixed)
		switch {
		case len(fixes) == 0 && fixed != src:
			t.Fatalf("changed without a record: %q to %q", src, fixed)
		case len(after.SyntaxErrors) > len(before.SyntaxErrors):
			t.Fatalf("%d errors became %d: %q", len(before.SyntaxErrors), len(after.SyntaxErrors), fixed)
		case strings.Count(fixed, "\n") != strings.Count(src, "\n"):
			t.Fatalf("lines moved: %q", fixed)
		case len(before.SyntaxErrors) == 0 && !needsPython2(before) && fixed != src:
			t.Fatalf("a sound text was changed: %q", src)
		}
		if again, _ := Repair(fixed); len(Parse(again).SyntaxErrors) > len(after.SyntaxErrors) {
			t.Fatalf("a second repair does harm: %q", again)
		}
	})
}

func TestDividesIntegers(t *testing.T) {
	for src, want := range map[string]bool{
		"x = 1 / 2": true, "x = 1 // 2": false, "x /= 2": true, "x //= 2": false, "'a/b'": false, "# 1 / 2": false, "f(a)[b / c]": true,
		"d.keys()[0]": true, "d.keys()": false, "x = (": false, "x = a /b": true,
	} {
		if got := DividesIntegers(src); got != want {
			t.Errorf("%q: %v", src, got)
		}
	}
}
