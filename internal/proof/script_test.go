package proof

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

// Of two scripts only the second fails: it is run once like the first, and goes
// on alone.
func TestFailingOneOfTwoScripts(t *testing.T) {
	in := typeErrorReport()
	second := &candidate.Candidate{Script: "import lib\n\nlib.call(2)\n", Origin: "reporter", Imports: []string{"lib"}}
	in.Alternatives = []*candidate.Candidate{in.Candidate, second}
	w := oldWorld(func(script string, _ sandbox.Command, v map[string]string) sandbox.Execution {
		if strings.Contains(script, "call(2)") && v["lib"] == "1.2" {
			return raised("TypeError", "'int' object is not iterable", "lib/core.py")
		}
		return printed("fine\n")
	})
	o := w.prove(t, in, &kept{})
	if o.Verdict.Headline != oracle.Fixed || o.Candidate != second {
		t.Fatalf("got %s with %v: %v", o.Verdict.Headline, o.Candidate, o.Verdict.Reasons)
	}
	if w.ran("reported") != 6 {
		t.Errorf("%d executions, want one of the first script and five of the second", w.ran("reported"))
	}
	if !slices.ContainsFunc(o.Notes, func(n string) bool { return strings.Contains(n, "number 2") }) {
		t.Errorf("which script was taken is not said: %v", o.Notes)
	}
}

// heldMove solves a control only when something has happened.
type heldMove struct {
	*world
	until chan struct{}
}

func (h heldMove) Move(ctx context.Context, s environment.Spec, base *environment.Lock, name, version string) (*environment.Lock, []environment.Move, *environment.Unavailable, error) {
	select {
	case <-h.until:
	case <-ctx.Done():
	}
	return h.world.Move(ctx, s, base, name, version)
}

// A control that is built while another script is tried looks at the report, which
// stays where it is (the race detector says so).
func TestAnotherScriptBesideABuild(t *testing.T) {
	in := typeErrorReport()
	second := &candidate.Candidate{Script: "import lib\n\nlib.call(2)\n", Origin: "reporter", Imports: []string{"lib"}}
	in.Alternatives = []*candidate.Candidate{in.Candidate, second}
	tried := make(chan struct{})
	var once sync.Once
	w := oldWorld(func(script string, _ sandbox.Command, v map[string]string) sandbox.Execution {
		if !strings.Contains(script, "call(2)") {
			return printed("fine\n")
		}
		once.Do(func() { close(tried) })
		if v["lib"] == "1.2" {
			return raised("TypeError", "'int' object is not iterable", "lib/core.py")
		}
		return printed("fine\n")
	})
	p := &Prover{Solver: heldMove{w, tried}, Builder: w, Sandbox: w, Journal: &kept{}, WorkRoot: t.TempDir(), Parallel: 1}
	if o, err := p.Prove(t.Context(), in); err != nil || o.Verdict.Headline != oracle.Fixed {
		t.Fatal(o, err)
	}
}

func TestFirstScriptThatFailsNeedsNoOther(t *testing.T) {
	in := typeErrorReport()
	in.Alternatives = []*candidate.Candidate{in.Candidate, {Script: "import lib\n", Origin: "reporter"}}
	w := &world{base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": {"1.2", "1.3"}}, behave: failsOn("1.2")}
	if o := w.prove(t, in, &kept{}); o.Candidate != nil || w.ran("reported") != 5 {
		t.Fatalf("%v, %d executions", o.Candidate, w.ran("reported"))
	}
}

// unknownArgument is how a call of the script's own is refused.
func unknownArgument(message string) sandbox.Execution {
	ex := raised("TypeError", message, "lib/core.py")
	ex.Record.Exceptions[0].Frames = ex.Record.Exceptions[0].Frames[:1]
	return ex
}

func TestObsoleteArgument(t *testing.T) {
	for _, c := range []struct {
		message string
		want    *badArgument
	}{
		{"call() got an unexpected keyword argument 'fast'", &badArgument{"call", "fast"}},
		{"Model.__init__() got an unexpected keyword argument 'fast'", &badArgument{"Model", "fast"}},
		{"__init__() got an unexpected keyword argument 'fast'", &badArgument{"", "fast"}},
		{"Model.fit() got an unexpected keyword argument 'fast'", &badArgument{"fit", "fast"}},
		{"got an unexpected keyword argument 'fast'", &badArgument{"", "fast"}},
		{"'int' object is not iterable", nil},
	} {
		got := obsoleteArgument(unknownArgument(c.message))
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%q: got %v, want %v", c.message, got, c.want)
		}
	}
	if got := obsoleteArgument(raised("TypeError", "call() got an unexpected keyword argument 'fast'", "lib/core.py")); got != nil {
		t.Errorf("a call inside the library counts: %v", got)
	}
	if got := obsoleteArgument(sandbox.Execution{Record: probe.Record{Exceptions: []probe.Exception{{Type: "TypeError"}}}}); got != nil {
		t.Errorf("an exception without frames counts: %v", got)
	}
}

// obsolete is a script with an argument that no installed release knows.
func obsolete() (Input, *world) {
	in := typeErrorReport()
	script := "import lib\n\nlib.call(3, fast=True)\n"
	in.Candidate = candidate.Reread(&candidate.Candidate{Script: script, Original: script, Origin: "reporter"})
	w := oldWorld(func(script string, _ sandbox.Command, v map[string]string) sandbox.Execution {
		switch {
		case strings.Contains(script, "fast"):
			return unknownArgument("call() got an unexpected keyword argument 'fast'")
		case v["lib"] == "1.2":
			return raised("TypeError", "'int' object is not iterable", "lib/core.py")
		}
		return printed("fine\n")
	})
	return in, w
}

func TestObsoleteArgumentOfAnUnpinnedRelease(t *testing.T) {
	in, w := obsolete()
	w.words = map[string]environment.Word{"lib": environment.WordImport}
	o := w.prove(t, in, &kept{})
	if o.Candidate == nil || strings.Contains(o.Candidate.Script, "fast") {
		t.Fatalf("the argument is still there: %v", o.Candidate)
	}
	if o.Verdict.Headline != oracle.Fixed || o.Verdict.Grade != "B" {
		t.Errorf("got %s %s: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
	}
	if groupOf(o, oracle.SideNeutral) != nil {
		t.Error("likeness counts although an edit of ours may be the cause")
	}
	if r := View(in.Decision, o.Candidate, o); !slices.ContainsFunc(r.Edits, func(e candidate.Edit) bool { return e.Kind == "obsolete_argument" && e.Risky }) {
		t.Errorf("the edit is not shown: %+v", r.Edits)
	}
}

// On the very release that the reporter names, the refusal is what was found.
func TestObsoleteArgumentOfThePinnedReleaseStays(t *testing.T) {
	in, w := obsolete()
	if o := w.prove(t, in, &kept{}); o.Candidate != nil || o.Verdict.Headline != oracle.DifferentFailure {
		t.Fatalf("got %s with %v", o.Verdict.Headline, o.Candidate)
	}
}
