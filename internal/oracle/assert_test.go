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

// TestAssertOfUnlikeShapes: a comparison that raises since its operands have
// different shapes is a failed assert; one that raises for another reason, or
// somewhere else, is another failure.
func TestAssertOfUnlikeShapes(t *testing.T) {
	at := func(source string) []probe.Frame {
		return []probe.Frame{{File: "/box/reproduce.py", Line: 5, Function: "<module>", Module: "__main__", Source: source}}
	}
	inside := append(at("assert (a == b).all()"), probe.Frame{File: "/env/lib/python3.11/site-packages/torch/_tensor.py", Line: 9, Function: "wrapped", Module: "torch._tensor"})
	array := func(name string, shape ...int) probe.Observation {
		return probe.Observation{Name: name, Kind: "array", DType: "float32", Shape: shape}
	}
	for _, c := range []struct {
		name   string
		op     string
		frames []probe.Frame
		names  []probe.Observation
		want   Finding
	}{
		{"other shapes", "array_equal", at("assert (a == b).all()"), []probe.Observation{array("a", 2, 3, 16), array("b", 32, 3, 4)}, Hit},
		{"the same shape", "array_equal", at("assert (a == b).all()"), []probe.Observation{array("a", 2, 3), array("b", 2, 3)}, Collided},
		{"one unknown", "array_equal", at("assert (a == b).all()"), []probe.Observation{array("a", 2, 3)}, Collided},
		{"a scalar", "array_equal", at("assert (a == b).all()"), []probe.Observation{array("a", 2, 3), {Name: "b", Kind: "int", Text: "3"}}, Collided},
		{"an order", "<", at("assert (a < b).all()"), []probe.Observation{array("a", 2), array("b", 3)}, Collided},
		{"before the assert", "array_equal", at("b = f(a)"), []probe.Observation{array("a", 2), array("b", 3)}, Collided},
		{"in the library", "array_equal", inside, []probe.Observation{array("a", 2), array("b", 3)}, Collided},
	} {
		e := Expectation{Oracle: OracleAssert, ReporterScript: true, Compare: []Compare{{Left: "a", Op: c.op, Right: "b", Line: 5, Assert: true}}}
		ex := raised("RuntimeError", "The size of tensor a must match", c.frames...)
		ex.Record.Names = c.names
		if j := Judge(e, ex); j.Finding != c.want {
			t.Errorf("%s: %s, want %s: %v", c.name, j.Finding, c.want, j.Reasons)
		}
	}
}
