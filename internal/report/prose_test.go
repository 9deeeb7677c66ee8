package report

import (
	"fmt"
	"slices"
	"testing"
)

// TestInsteadOfReturning: both sides of a sentence that names what should have
// come first.
func TestInsteadOfReturning(t *testing.T) {
	for _, c := range []struct {
		name, prose string
		want        []string
	}{
		{"a shape", "Instead of returning the original shape (2,3,16,16), `merge` will return (32, 3, 4, 4).", []string{"expected (2,3,16,16)", "actual (32, 3, 4, 4)"}},
		{"a value", "It returns 3 instead of giving 4.", []string{"actual 3", "expected 4"}},
		{"a size", "It prints 7 instead of the right size 8.", []string{"actual 7", "expected 8"}},
		{"without a verb", "It returns 3 instead of 4.", []string{"actual 3", "expected 4"}},
		{"no value", "Instead of returning the original it will return a copy.", nil},
	} {
		r := Parse([]byte("# merge is wrong\n\n"+c.prose+"\n"), Source{})
		var got []string
		for _, st := range r.Statements {
			got = append(got, fmt.Sprintf("%s %s", st.Role, st.Text))
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
