package oracle

import (
	"testing"

	"github.com/repgen/repgen/internal/sandbox/probe"
)

// TestWhoseAssert: only an assert of the reporter's script speaks for him.
func TestWhoseAssert(t *testing.T) {
	script := func(source string) probe.Frame {
		return probe.Frame{File: "/box/reproduce.py", Line: 5, Function: "<module>", Module: "__main__", Source: source}
	}
	numpy := func(function string) probe.Frame {
		return probe.Frame{File: "/env/lib/python3.11/site-packages/numpy/testing/_private/utils.py", Line: 9, Function: function, Module: "numpy.testing._private.utils", Source: "raise AssertionError(msg)"}
	}
	inner := probe.Frame{File: "/py/lib/python3.11/contextlib.py", Line: 81, Function: "inner", Module: "contextlib"}
	for _, c := range []struct {
		name   string
		class  string
		frames []probe.Frame
		want   Finding
	}{
		{"an assert statement", "AssertionError", []probe.Frame{script("assert ok(x)")}, Hit},
		{"a testing helper", "AssertionError", []probe.Frame{script("np.testing.assert_allclose(a, b)"), inner, numpy("assert_allclose"), inner, numpy("assert_array_compare")}, Hit},
		{"a raise by hand", "AssertionError", []probe.Frame{script("raise AssertionError('x')")}, Collided},
		{"an assert inside the library", "AssertionError", []probe.Frame{script("lib.f(x)"), numpy("f")}, Collided},
		{"another exception", "ValueError", []probe.Frame{script("assert ok(x)")}, Collided},
		{"no frames", "AssertionError", nil, Collided},
	} {
		e := Expectation{Oracle: OracleAssert, ReporterScript: true}
		if j := Judge(e, raised(c.class, "", c.frames...)); j.Finding != c.want {
			t.Errorf("%s: %s, want %s: %v", c.name, j.Finding, c.want, j.Reasons)
		}
	}
}
