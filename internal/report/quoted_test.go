package report

import "testing"

// TestQuotedValues: a value between quotation marks is one, other words there
// are not; a dimension that is not known belongs to a shape.
func TestQuotedValues(t *testing.T) {
	for _, c := range []struct {
		text             string
		expected, actual []string
	}{
		{`The shape of "out" should be "(?, 1, 32)", however it prints as "(?, 64, 64)"`, []string{"(?, 1, 32)"}, []string{"(?, 64, 64)"}},
		{`I expected "[1. 2.]" but got "[nan 2.]".`, []string{"[1. 2.]"}, []string{"[nan 2.]"}},
		{`It should be (None, 3), but it is (None, 4).`, []string{"(None, 3)"}, []string{"(None, 4)"}},
		{`It prints "all is well" and should be "quiet".`, nil, nil},
		{"It gives `(3, \"4\")`, which is \"fine\".", nil, []string{`(3, "4")`}},
	} {
		r := Parse([]byte("# A wrong area\n\n"+c.text+"\n"), Source{})
		check(t, r)
		got := map[Role][]string{}
		for _, s := range r.Statements {
			if s.Kind == SaysOutput || s.Kind == SaysValue {
				got[s.Role] = append(got[s.Role], s.Text)
			}
		}
		for role, want := range map[Role][]string{RoleExpected: c.expected, RoleActual: c.actual} {
			if len(got[role]) != len(want) || len(want) > 0 && got[role][0] != want[0] {
				t.Errorf("%s\n%s: %q, want %q", c.text, role, got[role], want)
			}
		}
	}
}
