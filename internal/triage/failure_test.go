package triage

import "testing"

// TestMessageInComment: the class in the title and the message in a comment of
// the script are one failure; another failure of that class is not it.
func TestMessageInComment(t *testing.T) {
	for _, c := range []struct{ name, title, comment, message string }{
		{"below the call", "fold can raise TypeError", "# TypeError: bad axes, got (2,) and (1,).", "bad axes, got (2,) and (1,)."},
		{"introduced", "fold can raise TypeError", "# raises TypeError: bad axes", "bad axes"},
		{"of another class", "fold can raise TypeError", "# ValueError: bad axes", ""},
		{"what should come", "fold can raise TypeError", "# should be TypeError: bad axes", ""},
		{"the title has its own", "fold raises TypeError: no axes", "# TypeError: bad axes", "no axes"},
	} {
		d := routed("# " + c.title + "\n\nA small example:\n\n```python\nimport optax\n\nprint(optax.fold(1))\n" + c.comment + "\n```\n")
		if d.Expectation == nil || d.Expectation.Symptom.Exception != "TypeError" || d.Expectation.Symptom.Message != c.message {
			t.Errorf("%s: %+v", c.name, d.Expectation)
		}
	}
}

// TestAssertOnTheRelease: it is no claim of the report.
func TestAssertOnTheRelease(t *testing.T) {
	d := routed("# numba sum is wrong\n\nWith 0.55.1:\n\n```python\nimport numba as nb\n\nassert nb.__version__ == \"0.55.1\"\na = nb.njit(sum)([1])\nassert a == 1\n```\n")
	if d.Expectation == nil || len(d.Expectation.Compare) != 1 || d.Expectation.Compare[0].Left != "a" {
		t.Errorf("%+v", d.Expectation)
	}
	if d := routed("# numba sum is wrong\n\n```python\nimport numba as nb\n\nassert nb.__version__ == \"0.55.1\"\na = nb.njit(sum)([1])\n```\n"); d.Expectation != nil {
		t.Errorf("%+v", d.Expectation)
	}
}
