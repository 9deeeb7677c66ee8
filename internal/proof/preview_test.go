package proof

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

// lackingName is a run whose own line names what lib has not.
func lackingName() sandbox.Execution {
	const message = "module 'lib.wrappers' has no attribute 'vector'"
	return sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 1,
		Stderr: "Traceback (most recent call last):\n  File \"/box/reproduce.py\", line 3, in <module>\n    lib.wrappers.vector.call()\nAttributeError: " + message + "\n",
		Record: probe.Record{Started: true, Ended: true, Python: "3.11.7", Exceptions: []probe.Exception{{
			Type: "AttributeError", MRO: []string{"AttributeError", "Exception"}, Message: message,
			Frames: []probe.Frame{{File: "/box/reproduce.py", Line: 3, Function: "<module>", Module: "__main__", Source: "lib.wrappers.vector.call()"}},
		}}}}
}

// previewWorld has a release of January without the name, two pre-releases with
// the bug and one after the day, and a release with the fix.
func previewWorld() (*world, Input) {
	day := func(month time.Month) time.Time { return time.Date(2024, month, 1, 0, 0, 0, 0, time.UTC) }
	w := &world{
		base: map[string]string{"lib": "1.2"}, words: map[string]environment.Word{"lib": environment.WordImport},
		releases: map[string][]string{"lib": {"1.2", "2.0a1", "2.0a2", "2.0a3", "2.0", "2.1"}},
		uploaded: map[string]time.Time{"lib 1.2": day(time.January), "lib 2.0a1": day(time.February), "lib 2.0a2": day(time.March),
			"lib 2.0a3": day(time.May), "lib 2.0": day(time.June), "lib 2.1": day(time.July)},
	}
	w.behave = func(v map[string]string) sandbox.Execution {
		switch {
		case v["lib"] == "1.2":
			return lackingName()
		case strings.HasPrefix(v["lib"], "2.0a"):
			return raised("TypeError", "'int' object is not iterable", "lib/core.py")
		}
		return printed("ok\n")
	}
	in := typeErrorReport()
	in.Spec.AsOf, in.Spec.AsOfSource = day(time.April), "flag"
	return w, in
}

// TestPreview takes the newest pre-release of the day where the release of the
// day lacks what the script uses.
func TestPreview(t *testing.T) {
	w, in := previewWorld()
	o := w.prove(t, in, &kept{})
	if o.Verdict.Headline != oracle.Fixed || o.Lock.Version("lib") != "2.0a2" {
		t.Errorf("%s with lib %s: %v", o.Verdict.Headline, o.Lock.Version("lib"), o.Verdict.Reasons)
	}
	if !slices.ContainsFunc(o.Notes, func(n string) bool { return strings.Contains(n, "lacks what the script uses") }) {
		t.Errorf("it is not said: %v", o.Notes)
	}
}

// TestPreviewInTheMaking: the author had what became the next pre-release.
func TestPreviewInTheMaking(t *testing.T) {
	w, in := previewWorld()
	inner := w.behave
	w.behave = func(v map[string]string) sandbox.Execution {
		if v["lib"] == "2.0a2" {
			return printed("ok\n")
		}
		return inner(v)
	}
	if o := w.prove(t, in, &kept{}); o.Verdict.Headline != oracle.Fixed || o.Lock.Version("lib") != "2.0a3" {
		t.Errorf("%s with lib %s: %v", o.Verdict.Headline, o.Lock.Version("lib"), o.Verdict.Reasons)
	}
}

// TestNoPreview where the version is the reporter's word, where the name is what
// was reported, where it fails otherwise, and where the symptom does not come.
func TestNoPreview(t *testing.T) {
	for name, change := range map[string]func(w *world, in *Input){
		"stated": func(w *world, _ *Input) { w.words["lib"] = environment.WordReporter },
		"reported": func(_ *world, in *Input) {
			in.Decision.Expectation.Symptom.Exception, in.Decision.Expectation.Symptom.Message = "AttributeError", "module 'lib.core' has no attribute 'call'"
		},
		"in the library": func(w *world, _ *Input) {
			inner := w.behave
			w.behave = func(v map[string]string) sandbox.Execution {
				if v["lib"] == "1.2" {
					return raised("AttributeError", "module 'lib.wrappers' has no attribute 'vector'", "lib/core.py")
				}
				return inner(v)
			}
		},
		"nothing comes": func(w *world, _ *Input) {
			w.behave = func(v map[string]string) sandbox.Execution {
				if v["lib"] == "1.2" {
					return lackingName()
				}
				return printed("ok\n")
			}
		},
		"no day": func(_ *world, in *Input) { in.Spec.AsOf = time.Time{} },
	} {
		t.Run(name, func(t *testing.T) {
			w, in := previewWorld()
			change(w, &in)
			o := w.prove(t, in, &kept{})
			if o.Verdict.Headline != oracle.DifferentFailure || o.Lock.Version("lib") != "1.2" {
				t.Errorf("%s with lib %s: %v", o.Verdict.Headline, o.Lock.Version("lib"), o.Verdict.Reasons)
			}
		})
	}
}
