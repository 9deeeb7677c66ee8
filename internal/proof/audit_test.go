package proof

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/audit"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/sandbox"
)

// asks is a log in which what lib.call is given follows from an answer of
// importlib's, which is reported on release 1.2 and other elsewhere.
func asks(v map[string]string) []json.RawMessage {
	spec, x, end := "none", "3", `["x", 1, {"k": "exception", "v": "TypeError"}]`
	if v["lib"] != "1.2" {
		spec, x, end = "other", "4", `["r", 1, {"k": "none", "v": "None"}]`
	}
	return []json.RawMessage{fmt.Appendf(nil, `[["s", 0, "call", 2, 4, "importlib.util.find_spec"],
		["q", 0, 0, "", [{"k": "public", "v": "importlib.util.find_spec"}]], ["r", 0, {"k": %q, "e": [{"k": "int", "v": %q}]}],
		["s", 1, "call", 3, 0, "lib.call"], ["q", 1, 1, "lib", [{"k": "public", "v": "lib.call", "t": "lib"}, {"k": "int", "v": %q}]], %s, ["end"]]`, spec, x, x, end)}
}

// TestAuditDecides: what a script that is not the reporter's asked on two releases
// decides over the grade that a release can give it; of the reporter's own it is
// only told.
func TestAuditDecides(t *testing.T) {
	unnamed := func(map[string]string) []json.RawMessage { return logOf(`["r", 0, {"k": "none", "v": "None"}]`) }
	for name, c := range map[string]struct {
		logged func(v map[string]string) []json.RawMessage
		change func(w *world, in *Input)
		own    bool
		grade  oracle.Grade
		audits int
		says   string
	}{
		"it counts":                           {nil, nil, false, "B", 2, "differs first at: lib.call(...) -> TypeError / 7.0 (line 1, column 1)"},
		"it asks for the release":             {asks, nil, false, "D", 3, "the script asks which release it runs on"},
		"the sides are told the same":         {unnamed, nil, false, "D", 3, "compiled or hidden"},
		"no log":                              {func(map[string]string) []json.RawMessage { return nil }, nil, false, "C", 2, "grade C at best: the recorder left no log"},
		"a damaged log":                       {func(map[string]string) []json.RawMessage { return []json.RawMessage{[]byte(`[["q"]]`)} }, nil, false, "C", 2, "is damaged"},
		"a cut log":                           {func(map[string]string) []json.RawMessage { return []json.RawMessage{[]byte(`[["cut", "events"]]`)} }, nil, false, "C", 2, "was cut"},
		"the symptom is gone":                 {nil, healed, false, "C", 2, "with the recorder in it the reported side shows clean"},
		"the control's environment is gone":   {nil, vanishes, false, "C", 0, "cannot be had any more"},
		"the reporter's own, which asks":      {asks, nil, true, "B", 3, "of the reporter's script: what it does follows from importlib.util.find_spec(...)"},
		"the reporter's own":                  {nil, nil, true, "B", 2, "differs first at: lib.call(...)"},
		"the reporter's own, and a full disk": {nil, func(w *world, _ *Input) { w.full = true }, true, "B", 0, "could not be audited: run the candidate: no space left"},
		"the reporter's own, which takes long": {nil, func(w *world, _ *Input) {
			was := w.scripted
			w.scripted = func(s string, c sandbox.Command, v map[string]string) sandbox.Execution {
				ex := was(s, c, v)
				ex.WallSeconds = ownAuditLimit.Seconds() + 1
				return ex
			}
		}, true, "B", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, in := agentWorld("1.1", "1.2"), agentReport(agentBody)
			if c.own {
				in = typeErrorReport()
				in.Candidate.Script = agentBody
			}
			w.logged = c.logged
			if c.change != nil {
				c.change(w, &in)
			}
			o := w.prove(t, in, &kept{})
			words := strings.Join(append(o.Notes, o.Verdict.Reasons...), "\n")
			if o.Verdict.Grade != c.grade || len(w.audits) != c.audits || !strings.Contains(words, c.says) {
				t.Fatalf("grade %s after %v, want %s with %q:\n%s", o.Verdict.Grade, w.audits, c.grade, c.says, words)
			}
			if again := Rejudge(*o.Expectation, o.Evidence); again.Grade != c.grade {
				t.Errorf("judged again: %s", again.Grade)
			}
			if d := View(in.Decision, in.Candidate, o).Divergence; (d != nil) != strings.Contains(words, "differs first at") {
				t.Errorf("the result has %v", d)
			}
			if n := len(sideOf(o, oracle.SideReported).Executions); n != 5 {
				t.Errorf("%d executions of the reported side are counted", n)
			}
		})
	}
}

// healed: the symptom does not come where the recorder is.
func healed(w *world, _ *Input) {
	was := w.scripted
	w.scripted = func(s string, c sandbox.Command, v map[string]string) sandbox.Execution {
		if c.Probe.Audit {
			return observedOut("7.0")
		}
		return was(s, c, v)
	}
}

// vanishes: the control can be built until it has run.
func vanishes(w *world, _ *Input) { w.vanishes = "1.3" }

// TestAuditFailsWithTheMachine: trouble of the infrastructure is no verdict on
// somebody else's script.
func TestAuditFailsWithTheMachine(t *testing.T) {
	w := agentWorld("1.1", "1.2")
	w.full = true
	p := &Prover{Solver: w, Builder: w, Sandbox: w, Journal: &kept{}, WorkRoot: t.TempDir(), Parallel: 1}
	if _, err := p.Prove(t.Context(), agentReport(agentBody)); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}

// TestAuditIsResumed: a killed run does not make an audited execution again, and
// takes none for another.
func TestAuditIsResumed(t *testing.T) {
	w, j := agentWorld("1.1", "1.2"), &kept{}
	first := w.prove(t, agentReport(agentBody), j)
	runs, audits := len(w.runs), len(w.audits)
	second := w.prove(t, agentReport(agentBody), j)
	if len(w.runs) != runs || len(w.audits) != audits {
		t.Errorf("%d and %d executions were made again", len(w.runs)-runs, len(w.audits)-audits)
	}
	if first.Verdict.Grade != second.Verdict.Grade || second.Evidence.Audit.Finding.Consequence != audit.Counts {
		t.Errorf("%s, %+v", second.Verdict.Grade, second.Evidence.Audit.Finding)
	}
}

// TestAuditIsGroundedAnew: a finding is not believed as recorded.
func TestAuditIsGroundedAnew(t *testing.T) {
	w, in := agentWorld("1.1", "1.2"), agentReport(agentBody)
	w.logged = asks
	o := w.prove(t, in, &kept{})
	o.Evidence.Audit.Finding = audit.Finding{Consequence: audit.Counts}
	Ground(in.Report, in.Candidate, o.Expectation, &o.Evidence)
	if v := Rejudge(*o.Expectation, o.Evidence); v.Grade != "D" {
		t.Errorf("grade %s: %v", v.Grade, v.Reasons)
	}
	if !slices.ContainsFunc(o.Verdict.Reasons, func(r string) bool { return strings.Contains(r, "find_spec") }) {
		t.Errorf("the divergence is not said: %v", o.Verdict.Reasons)
	}
}

var errFull = errors.New("no space left on device")

// gone: the environment of a release that has run is no longer there.
func (w *world) gone(l *environment.Lock) bool {
	return w.vanishes != "" && len(w.audits) == 0 && w.ran("newest lib "+w.vanishes) >= controlRuns && versions(l)["lib"] == w.vanishes
}
