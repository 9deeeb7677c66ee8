package triage

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/report"
)

// TestScriptThatOnlyNamesVersions: what a form asks everybody to run is not what
// shows the failure, and its quiet end would be a false "no".
func TestScriptThatOnlyNamesVersions(t *testing.T) {
	versions := "```\n>>> import sys, scipy, numpy; print(scipy.__version__, numpy.__version__, sys.version_info)\n1.0.1 1.14.2 sys.version_info(major=3, minor=6, micro=5, releaselevel='final', serial=0)\n```\n"
	for _, c := range []struct {
		name, text string
		script     bool
	}{
		{"beside a hang in words", "# scipy.optimize.minimize hangs\n\nIt never ends, whatever maxiter I give.\n\n" + versions, false},
		{"beside a traceback of something else", "# minimize fails\n\nscipy.optimize.minimize raises:\n\n```\nTraceback (most recent call last):\n  File \"a.py\", line 2, in <module>\n    minimize(f, x0)\nValueError: bad x0\n```\n\n" + versions, false},
		{"an import that fails", "# scipy breaks on import\n\n```python\nimport scipy\nprint(scipy.__version__)\n```\n\nIt fails.\n", true},
		{"an import that fails, by its traceback", "# scipy is broken\n\n```python\nimport scipy.linalg\nprint(scipy.__version__)\n```\n\n```\nTraceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    import scipy.linalg\nImportError: cannot import name 'lapack'\n```\n", true},
	} {
		rd := newReading(report.Parse([]byte(c.text), report.Source{}), Options{})
		if rd.script.none() == c.script {
			t.Errorf("%s: script %v, want %v", c.name, !rd.script.none(), c.script)
		}
	}
}

// TestNeverCalled: a script that defines what it is about and stops there shows
// nothing; somebody has to write the call.
func TestNeverCalled(t *testing.T) {
	for _, c := range []struct {
		name, code string
		route      Route
	}{
		{"defined and left", "import numpy as np\nfrom numba import njit\n\n@njit\ndef total(a):\n    s = 1\n    for x in a:\n        s += x\n    return s\n\na = np.arange(4)", NeedsModel},
		{"called", "import numpy as np\nfrom numba import njit\n\n@njit\ndef total(a):\n    return a.sum()\n\nb = total(np.arange(4))", Attempt},
		{"printed elsewhere", "import numpy as np\nfrom numba import njit\n\n@njit\ndef total(a):\n    return a.sum()\n\nprint(np.arange(4))", Attempt},
		{"for a test runner", "from numba import njit\n\ndef test_total():\n    assert njit(sum)([1]) == 1", Attempt},
		{"no definition", "import numba\nimport numpy as np\n\na = np.arange(4)", Attempt},
		{"the package is used", "import numpy as np\nimport numba\n\ndef total(a):\n    return a.sum()\n\nnumba.njit(lambda a: a)(np.arange(4))", Attempt},
	} {
		d := routed("# numba total is wrong\n\nThe result of total is wrong when s starts at 1, with numba 0.54.\n\n```python\n" + c.code + "\n```\n")
		if d.Route != c.route {
			t.Errorf("%s: %s (%s), want %s", c.name, d.Route, d.Summary, c.route)
		}
	}
	raised := "# numba total raises\n\n```python\nfrom numba import njit\n\n%sdef total(a):\n    return a.sum()\n```\n\n```\nTraceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    total(1)\nTypeError: no sum\n```\n"
	if d := routed(strings.Replace(raised, "%s", "", 1)); d.Route != NeedsModel {
		t.Errorf("an exception of a call that is not there: %s", d.Route)
	}
	if d := routed(strings.Replace(raised, "%s", "@njit(\"f8(f8)\")\n", 1)); d.Route != Attempt {
		t.Errorf("a decorator may raise: %s", d.Route)
	}
}

// TestLinkInPlaceOfCode: nothing is fetched, and nothing can be written from it.
func TestLinkInPlaceOfCode(t *testing.T) {
	text := "# scipy minimize never ends\n\nWith my own objective it never ends, even with maxiter set.\n\n### Reproducing code example\n\n```\n%s\n```\n"
	if d := routed(strings.Replace(text, "%s", "https://cloud.example.org/s/abc123", 1)); d.Route != NeedsInfo {
		t.Errorf("a link alone: %s, %v", d.Route, d.Reasons)
	}
	if d := routed(strings.Replace(text, "%s", "from scipy.optimize import minimize\nminimize(abs, 1.0)  # https://cloud.example.org/s/abc123", 1)); d.Route == NeedsInfo {
		t.Errorf("a link beside code: %s, %v", d.Route, d.Reasons)
	}
}

// TestSessionOfVersions: what the form's session printed is no output of the script.
func TestSessionOfVersions(t *testing.T) {
	d := routed("# scipy mean is wrong\n\n```python\nimport scipy\nprint(scipy.mean([1, 2]))\n```\n\nOutput:\n\n```\n1.0\n```\n\n### Versions\n\n```\n>>> import sys, scipy, numpy; print(scipy.__version__, numpy.__version__, sys.version_info)\n1.0.1 1.14.2 sys.version_info(major=3, minor=6, micro=5, releaselevel='final', serial=0)\n```\n")
	if d.Expectation == nil || d.Expectation.Printed == nil || len(d.Expectation.Printed.Actual) != 1 {
		t.Errorf("%+v", d.Expectation)
	}
}
