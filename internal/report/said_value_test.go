package report

import "testing"

// TestSaidValue: words around a value in a field for output are the reporter's
// and no program's; a line that a program may have printed is left as it is.
func TestSaidValue(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{" returns 0", "0"},
		{"It gives: nan.", "nan"},
		{"the call returned [1, 2]", "[1, 2]"},
		{"evaluates to -1.5e3", "-1.5e3"},
		{"returns a wrong value", "returns a wrong value"},
		{"total 3", "total 3"},
		{"gives 3 of 4 rows", "gives 3 of 4 rows"},
	} {
		r := Parse([]byte("# f is wrong\n\n### Code\n\n```\nlib.f(1)\n```\n\n### Error message\n\n```\n"+c.line+"\n```\n\nTrue value is 0.5\n"), Source{})
		check(t, r)
		got := ""
		for _, s := range r.Statements {
			if s.Where == "block" && s.Role == RoleActual {
				got += s.Text
				if r.Text[s.Span.Start:s.Span.End] != s.Text {
					t.Errorf("%q: the span is %q", c.line, r.Text[s.Span.Start:s.Span.End])
				}
			}
		}
		if got != c.want {
			t.Errorf("%q says %q, want %q", c.line, got, c.want)
		}
	}
}
