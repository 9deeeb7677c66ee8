package proof

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

// brokenPair is how an environment fails whose lib does not find what it wants
// of helper.
func brokenPair(kind, message, source, function string) sandbox.Execution {
	ex := raised(kind, message, "lib/core.py")
	ex.Record.Exceptions[0].Frames = []probe.Frame{
		{File: "/box/certificate.py", Line: 1, Function: "<module>", Module: "__main__", Source: "import lib"},
		{File: "/env/lib/python3.11/site-packages/lib/core.py", Line: 9, Function: function, Module: "lib.core", Source: source},
	}
	return ex
}

// outgrownWorld holds a helper of March beside a lib of January.
func outgrownWorld(failure sandbox.Execution) *world {
	day := func(month time.Month) time.Time { return time.Date(2024, month, 1, 0, 0, 0, 0, time.UTC) }
	w := &world{
		base:     map[string]string{"lib": "1.2", "helper": "0.9"},
		words:    map[string]environment.Word{"helper": environment.WordResolver},
		releases: map[string][]string{"lib": {"1.2", "1.3"}, "helper": {"0.6", "0.7", "0.8", "0.9"}},
		uploaded: map[string]time.Time{
			"lib 1.2": day(time.January), "lib 1.3": day(time.April),
			"helper 0.6": day(time.January).AddDate(-1, 0, 0), "helper 0.7": day(time.January).AddDate(0, 0, -1),
			"helper 0.8": day(time.February), "helper 0.9": day(time.March),
		},
		below: map[string]string{"helper": "0.7"}, behave: failsOn("1.2"),
	}
	w.certificate = func(v map[string]string) sandbox.Execution {
		if v["helper"] == "0.9" {
			return failure
		}
		return printed("ok\n")
	}
	return w
}

// TestDependencyIsHeldAtItsImportersDay: the newest helper of the report's day
// lost what lib imports, in every form in which that shows.
func TestDependencyIsHeldAtItsImportersDay(t *testing.T) {
	cases := map[string]sandbox.Execution{
		"a name": brokenPair("ImportError", "cannot import name 'keep' from 'helper.tools' (/env/lib/python3.11/site-packages/helper/tools.py)",
			"from helper.tools import drop, keep", "<module>"),
		"a name, before 3.7":        brokenPair("ImportError", "cannot import name 'keep'", "    from helper.tools import keep", "load"),
		"an attribute while loaded": brokenPair("AttributeError", "module 'helper' has no attribute 'Bool'", "kinds = (helper.Bool, int)", "<module>"),
		"a submodule":               brokenPair("ModuleNotFoundError", "No module named 'helper.tools'", "import helper.tools", "<module>"),
	}
	for name, failure := range cases {
		t.Run(name, func(t *testing.T) {
			o := outgrownWorld(failure).prove(t, typeErrorReport(), &kept{})
			if o.Unavailable != nil {
				t.Fatal(o.Unavailable)
			}
			if o.Verdict.Headline != oracle.Fixed || o.Lock.Version("helper") != "0.7" {
				t.Errorf("%s with helper %s: %v", o.Verdict.Headline, o.Lock.Version("helper"), o.Verdict.Reasons)
			}
			if !slices.ContainsFunc(o.Notes, func(n string) bool { return strings.Contains(n, "helper held at 0.7") }) {
				t.Errorf("it is not said: %v", o.Notes)
			}
		})
	}
}

// TestDependencyStays where the pair is somebody's wish, where the index gives
// no days, where nothing older was there, and where the failure is another one.
func TestDependencyStays(t *testing.T) {
	failure := brokenPair("ImportError", "cannot import name 'keep'", "from helper.tools import keep", "<module>")
	cases := map[string]func(w *world, in *Input){
		"stated": func(w *world, in *Input) {
			w.below = nil
			in.Spec.Constraints = []environment.Requirement{{Name: "helper", Spec: "==0.9", Word: environment.WordReporter}}
			in.Report.Versions = []report.Version{{Name: "helper", Dist: "helper", Spec: "0.9", Role: report.RoleStated}}
		},
		"no days":       func(w *world, _ *Input) { w.uploaded = nil },
		"nothing older": func(w *world, _ *Input) { w.releases["helper"] = []string{"0.8", "0.9"} },
		"an attribute in use": func(w *world, _ *Input) {
			w.certificate = func(map[string]string) sandbox.Execution {
				return brokenPair("AttributeError", "module 'helper' has no attribute 'Bool'", "helper.Bool(1)", "check")
			}
		},
		"of the script's own": func(w *world, _ *Input) {
			w.certificate = func(map[string]string) sandbox.Execution {
				ex := brokenPair("ImportError", "cannot import name 'keep'", "from helper import keep", "<module>")
				ex.Record.Exceptions[0].Frames = ex.Record.Exceptions[0].Frames[1:]
				ex.Record.Exceptions[0].Frames[0].Module = "__main__"
				return ex
			}
		},
		"not in the lock": func(w *world, _ *Input) {
			w.certificate = func(map[string]string) sandbox.Execution {
				return brokenPair("ImportError", "cannot import name 'keep'", "from other.tools import keep", "<module>")
			}
		},
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			w, in := outgrownWorld(failure), typeErrorReport()
			change(w, &in)
			o := w.prove(t, in, &kept{})
			if o.Unavailable == nil {
				t.Errorf("it went on with %v: %v", o.Lock.Packages, o.Notes)
			}
			if slices.ContainsFunc(o.Notes, func(n string) bool { return strings.Contains(n, "held at") }) {
				t.Errorf("held: %v", o.Notes)
			}
		})
	}
}
