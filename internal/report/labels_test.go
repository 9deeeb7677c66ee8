package report

import (
	"fmt"
	"slices"
	"testing"
)

// shown are the output statements with the version that they are said of.
func shown(r *Report) []string {
	var out []string
	for _, s := range r.Statements {
		key := fmt.Sprintf("%s %s", s.Role, s.Text)
		if s.Version != nil {
			key += fmt.Sprintf(" of %s (%s)", s.Version.Spec, s.Version.Role)
		}
		out = append(out, key)
	}
	return out
}

// TestOutputsOfVersions reads outputs that are shown under the label of a version.
func TestOutputsOfVersions(t *testing.T) {
	code := "# rank is wrong\n\nI use tinynet 0.19.3.\n\n```python\nimport tinynet\nprint(tinynet.rank())\n```\n\n"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"leads", "Output with 0.18.3:\n\n```\n2\n```\n\nOutput with 0.19.3:\n\n```\n1\n```\n", []string{"actual 2 of 0.18.3 (good)", "actual 1 of 0.19.3 (mention)"}},
		{"the other way round", "With 0.19.3:\n\n```\n1\n```\n\nWith 0.18.3:\n\n```\n2\n```\n", []string{"actual 1 of 0.19.3 (mention)", "actual 2 of 0.18.3 (good)"}},
		{"headings", "### v0.18.3\n\n```\n2\n```\n\n### v0.19.3\n\n```\n1\n```\n", []string{"actual 2 of 0.18.3 (good)", "actual 1 of 0.19.3 (mention)"}},
		{"the same", "With 0.18.3:\n\n```\n1\n```\n\nWith 0.19.3:\n\n```\n1\n```\n", []string{"actual 1 of 0.18.3 (mention)", "actual 1 of 0.19.3 (mention)"}},
		{"a newer one", "With 0.20.0:\n\n```\n2\n```\n\nWith 0.19.3:\n\n```\n1\n```\n", []string{"actual 2 of 0.20.0 (mention)", "actual 1 of 0.19.3 (mention)"}},
		{"none of them the reporter's", "With 0.17.0:\n\n```\n2\n```\n\nWith 0.18.0:\n\n```\n1\n```\n", []string{"actual 2 of 0.17.0 (mention)", "actual 1 of 0.18.0 (mention)"}},
		{"only the older one", "With 0.18.3:\n\n```\n2\n```\n", []string{"actual 2 of 0.18.3 (mention)"}},
	} {
		r := Parse([]byte(code+c.text), Source{})
		if got := shown(r); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		check(t, r)
	}
}

// TestLabelledLines reads lines that hold several values.
func TestLabelledLines(t *testing.T) {
	for text, want := range map[string][]string{
		"Expected: 2 1\nActual: 1 1":                {"expected 2 1", "actual 1 1"},
		"- Expected output: [1, 2]\n- Got: [2 1]":   {"expected [1, 2]", "actual [2 1]"},
		"Expected result: 3":                        {"expected 3"},
		"Expected: no idea":                         nil,
		"Observed loss: approximately `[-8.2e-8]`.": {"actual [-8.2e-8]"},
		"- measured final norm = 2.5":               {"actual 2.5"},
		"Expected shape: `(3, 4)`":                  {"expected (3, 4)"},
		"Current plan: 2 steps":                     nil,
		"Observed problem: it hangs":                nil,
		"期望输出：1 2\n实际输出：2 1":                        {"expected 1 2", "actual 2 1"},
	} {
		r := Parse([]byte("# rank is wrong\n\n"+text+"\n"), Source{})
		if got := shown(r); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		check(t, r)
	}
}

// TestExpectedSection: under a heading that says "expected", a verb states what
// should come unless the words speak of today.
func TestExpectedSection(t *testing.T) {
	for text, want := range map[string][]string{
		"It prints `True`.": {"expected True"},
		"It returns 3.":     {"expected 3"},
		"It prints `True`. At the moment it prints `False`.": {"expected True", "actual False"},
		"It raises a ValueError.":                            {"expected ValueError"},
		"A `ConvergenceWarning`.":                            {"expected ConvergenceWarning"},
		"No `ConvergenceWarning`.":                           {"expected No `ConvergenceWarning"},
		"`(3, 2)`":                                           {"expected (3, 2)"},
		"I expect 3 but got 4.":                              {"expected 3", "actual 4"},
	} {
		r := Parse([]byte("# rank is wrong\n\nIt is wrong.\n\n### Expected behavior\n\n"+text+"\n"), Source{})
		got := shown(r)
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		check(t, r)
	}
}

// TestMissedWarnings reads warnings that should have come.
func TestMissedWarnings(t *testing.T) {
	for text, want := range map[string][]string{
		"There is no ConvergenceWarning.":           {"expected ConvergenceWarning"},
		"It should emit a UserWarning.":             {"expected UserWarning"},
		"It returns without a DeprecationWarning.":  {"expected DeprecationWarning"},
		"It prints a UserWarning.":                  nil,
		"A ConvergenceWarning was raised in 1.3.2.": nil,
	} {
		r := Parse([]byte("# rank is wrong\n\n"+text+"\n"), Source{})
		if got := shown(r); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
