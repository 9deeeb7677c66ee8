package report

import "testing"

// TestValueOfAVariant: what a changed script prints is not said of the one that
// the report shows.
func TestValueOfAVariant(t *testing.T) {
	const head = "# widgets.half is wrong\n\n```python\nimport widgets\nprint(widgets.half(k / 2))  # -1.9e-09\n```\n\n"
	for _, c := range []struct {
		prose string
		role  Role // of the value 0.0, "" when it is none
	}{
		{"Writing `k / 2.0` gives exactly `0.0`.", ""},
		{"Replacing it by `k / 2.0`, the result is `0.0`.", ""},
		{"Writing `k / 2` gives exactly `0.0`.", RoleActual},
		{"The call prints `0.0`.", RoleActual},
		{"The expected output is `0.0`.", RoleExpected},
		{"The expected result of this call is `0.0`.", RoleExpected},
		{"Not as expected, the output is `0.0`.", RoleActual},
	} {
		role := Role("")
		for _, st := range Parse([]byte(head+c.prose+"\n"), Source{}).Statements {
			if st.Text == "0.0" {
				role = st.Role
			}
		}
		if role != c.role {
			t.Errorf("%s: role %q, want %q", c.prose, role, c.role)
		}
	}
}

// TestNamesAreNoPrintedList: "[start, stop]" speaks in the script's words.
func TestNamesAreNoPrintedList(t *testing.T) {
	for text, want := range map[string]bool{"[t1, t1]": false, "[1000.0, inf]": true, "[1e5, nan, -inf]": true, "[True, None]": true, "[n - 1]": false} {
		_, ok := kindOfInline(text, false)
		if ok != want {
			t.Errorf("%s: %v, want %v", text, ok, want)
		}
	}
}

// TestCommentWithoutAValue: "prints the expected result" states no output.
func TestCommentWithoutAValue(t *testing.T) {
	r := Parse([]byte("# half is wrong\n\n```python\nimport widgets\n\n# This prints the expected result, as it should\nwidgets.half(2)\n# This prints it twice\nwidgets.half(3)\n```\n"), Source{})
	if len(r.Statements) > 0 {
		t.Errorf("%+v", r.Statements)
	}
}
