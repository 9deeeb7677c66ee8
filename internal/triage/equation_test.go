package triage

import "testing"

// TestExpectedEquation: "expected log(1) = 0.0" asks for the number.
func TestExpectedEquation(t *testing.T) {
	for _, c := range []struct{ text, actual, want string }{
		{"log(1) = 0.0", "-1.9e-09", "0.0"},
		{"np.log(1.0) == 0.0", "nan", "0.0"},
		{"log(1) = 0.0", "log(1) = -1.9e-09", "log(1) = 0.0"},
		{"log(1) = zero", "-1.9e-09", "log(1) = zero"},
		{"x = 0.0", "-1.9e-09", "x = 0.0"},
		{"shape(a) = (3, 2)", "1.0", "shape(a) = (3, 2)"},
	} {
		if got := valueOfEquation(c.text, c.actual); got != c.want {
			t.Errorf("%q for %q: %q, want %q", c.text, c.actual, got, c.want)
		}
	}
}

// TestInfinityInAComment: the output pasted below the code is not the code, and
// the complaint about its infinity asks for finite numbers.
func TestInfinityInAComment(t *testing.T) {
	report := func(code string) string {
		return "# ts has wrong values\n\nThe times can be wrong or infinite:\n\n```python\nimport diffrax\n\nfor t in [1.0, 2.0]:\n    print(t, diffrax.times(" + code + "))\n\n# 1.0 [1. 1.]\n# 2.0 [2. inf]\n```\n"
	}
	if d := routed(report("t")); d.Expectation == nil || d.Expectation.Printed == nil || d.Expectation.Printed.Relation != "all_finite" {
		t.Errorf("no relation: %+v", d.Expectation)
	}
	if d := routed(report("t, float('inf')")); d.Expectation == nil || d.Expectation.Printed == nil || d.Expectation.Printed.Relation != "" {
		t.Errorf("the script computes with an infinity: %+v", d.Expectation)
	}
}

// TestAsksOnce: what a heading answers is not asked, and nothing is asked twice.
func TestAsksOnce(t *testing.T) {
	const script = "```python\nimport flax\n\nflax.dense(4)\n```\n"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"answered below a heading", "### Problem\n\n" + script + "\n### What you expected to happen:\n\nI expected parameters of half precision.\n\nflax 0.8.4\n", []string{"what the script prints or raises"}},
		{"an empty field", "### Problem\n\n" + script + "\n### Expected behavior\n\n_No response_\n\nflax 0.8.4\n", []string{actualAsk}},
		{"no script", "It hangs with flax 0.8.4.\n\n**Expected Behavior:**\nIt should raise an error that says so.\n", []string{scriptAsk}},
	} {
		d := routed("# flax.dense is odd\n\n" + c.text)
		for _, w := range c.want {
			if !contains(d.Missing, w) {
				t.Errorf("%s: does not ask %q: %q", c.name, w, d.Missing)
			}
		}
		if contains(d.Missing, "what you expected instead") {
			t.Errorf("%s: asks for what is said or asked already: %q", c.name, d.Missing)
		}
	}
}
