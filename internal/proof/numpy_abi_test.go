package proof

import (
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
)

// TestNumpyOneIsTakenWhereTwoDoesNotFit: lib was built for NumPy 1 and does not
// say so; the environment of a later day holds NumPy 2.
func TestNumpyOneIsTakenWhereTwoDoesNotFit(t *testing.T) {
	const size = "numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject"
	build := func() *world {
		w := &world{
			base: map[string]string{"lib": "1.2", "numpy": "2.1.0"}, releases: map[string][]string{"lib": {"1.2", "1.3"}},
			below: map[string]string{"numpy": "1.26.4"}, behave: failsOn("1.2"),
		}
		w.certificate = func(v map[string]string) sandbox.Execution {
			if strings.HasPrefix(v["numpy"], "2.") {
				return raised("ValueError", size, "lib/_core.py")
			}
			return printed("ok\n")
		}
		return w
	}
	o := build().prove(t, typeErrorReport(), &kept{})
	if o.Verdict.Headline != oracle.Fixed || o.Lock.Version("numpy") != "1.26.4" {
		t.Fatalf("%s with numpy %s: %v", o.Verdict.Headline, o.Lock.Version("numpy"), o.Verdict.Reasons)
	}
	if !slices.ContainsFunc(o.Notes, func(n string) bool { return strings.Contains(n, "NumPy 1") }) {
		t.Errorf("it is not said: %v", o.Notes)
	}
	in := typeErrorReport()
	in.Report.Versions = []report.Version{{Name: "numpy", Dist: "numpy", Spec: "2.1.0", Role: report.RoleStated}}
	if o := build().prove(t, in, &kept{}); o.Unavailable == nil {
		t.Error("a NumPy that the reporter states was moved")
	}
	if slices.ContainsFunc(in.Spec.Constraints, func(r environment.Requirement) bool { return r.Name == "numpy" }) {
		t.Error("the caller's spec was changed")
	}
}
