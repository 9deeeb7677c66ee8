package candidate

import (
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
)

// named is a script after its operands were named.
func named(script string) *Candidate {
	c := &Candidate{Script: script, Original: script, Origin: originReporter}
	c.nameOperands()
	c.facts(pysyntax.Parse(c.Script))
	return c
}

// TestNameOperands: each line of one assert, and what becomes of it.
func TestNameOperands(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"assert abs(f(x) - g(x)) > 1e-6, 'no'", "asserted_left_1 = abs(f(x) - g(x)); assert asserted_left_1 > 1e-6, 'no'"},
		{"assert f(x) == g(x)", "asserted_left_1 = f(x); asserted_right_1 = g(x); assert asserted_left_1 == asserted_right_1"},
		{"assert f(x) == f(x)", "asserted_left_1 = f(x); asserted_right_1 = f(x); assert asserted_left_1 == asserted_right_1"},
		{"assert 0.5 <= f(x)", "asserted_right_1 = f(x); assert 0.5 <= asserted_right_1"},
		{"assert np.allclose(f(x), y, atol=1e-3)", "asserted_left_1 = f(x); assert np.allclose(asserted_left_1, y, atol=1e-3)"},
		{"print(f(x) == g(x))", "asserted_left_1 = f(x); asserted_right_1 = g(x); print(asserted_left_1 == asserted_right_1)"},
		{"print(f(x) < 3)", "asserted_left_1 = f(x); print(asserted_left_1 < 3)"},
		{"print(f(x) == 3, 1)", ""},
		{"print(bool(f(x) == 3))", ""},
		{"print('f(x) == 3', end='')", ""},
		{"print(f(x) == 3); g(x)", ""},
		{"print(0 < f(x) < 1)", ""},
		{"print(x and f(x) == 3)", ""},
		{"assert y == 3", ""},
		{"assert y.shape == z.shape", ""},
		{"assert f(x)", ""},
		{"assert 0 < f(x) < 1", ""},
		{"assert x is not None and f(x) == 3", ""},
		{"assert f(x) == 3 if x else True", ""},
		{"assert all(f(i) == 3 for i in x)", ""},
		{"if x: assert f(x) == 3", ""},
		{"y = 1; assert f(y) == 3", ""},
		{"def h(): assert f(1) == 3", ""},
		{"assert (f(x) ==\n    g(x))", ""},
		{"assert f(x) == g(", ""},
	} {
		got := named(c.line + "\n")
		want := c.want
		if want == "" {
			want = c.line
		}
		if strings.TrimRight(got.Script, "\n") != want {
			t.Errorf("%q became %q, want %q", c.line, got.Script, want)
		}
		if changed := c.want != ""; changed != (len(got.Operands) == 1) || changed != (len(got.Edits) == 1) {
			t.Errorf("%q: operands %+v, edits %+v", c.line, got.Operands, got.Edits)
		}
	}
}

// TestNamed: the report's comparisons follow the names, in the script's lines,
// and the names are watched.
func TestNamed(t *testing.T) {
	c := named("import m\n\nassert m.f(1) == 2\nassert m.f(1) == 2\nassert y == 2\n")
	list := []oracle.Compare{
		{Left: "m.f(1)", Op: "==", Right: "2", Line: 1, Assert: true},
		{Left: "m.f(1)", Op: "==", Right: "2", Line: 2, Assert: true},
		{Left: "m.f(1)", Op: "==", Right: "2", Line: 3, Assert: true},
		{Left: "m.f(1)", Op: "==", Right: "2", Line: 4},
		{Left: "y", Op: "==", Right: "2", Line: 3, Assert: true},
	}
	got := c.Named(list)
	want := slices.Clone(list)
	want[0].Left, want[0].Line = "asserted_left_3", 3
	want[1].Left, want[1].Line = "asserted_left_4", 4
	if !slices.Equal(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if list[0].Left != "m.f(1)" {
		t.Error("the decision's own list was changed")
	}
	for _, name := range []string{"asserted_left_3", "asserted_left_4"} {
		if !slices.Contains(c.Watch, name) {
			t.Errorf("%s is not watched: %q", name, c.Watch)
		}
	}
	p := named("print(m.f(1) == 2)\nassert m.f(1) == 2\n")
	both := p.Named([]oracle.Compare{{Left: "m.f(1)", Op: "==", Right: "2", Line: 1}, {Left: "m.f(1)", Op: "==", Right: "2", Line: 2, Assert: true}})
	if both[0].Left != "asserted_left_1" || both[1].Left != "asserted_left_2" {
		t.Errorf("a print and an assert: %+v", both)
	}
	if plain := (&Candidate{}).Named(list); !slices.Equal(plain, list) {
		t.Errorf("without operands %+v", plain)
	}
}
