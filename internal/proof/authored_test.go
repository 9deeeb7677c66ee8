package proof

import (
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/triage"
)

const agentBody = "import lib\n\naxis = (0,) if control else 3\nout = lib.call(axis)\nobserve('out', out)\n"

// callLine is the line of agentBody with the judged call, as it runs.
var callLine = 4 + candidate.ShimLines

const agentText = "# lib.call fails\n\nWith axis=3 the call fails, it should give the number 7 as before.\n"

// agentReport is typeErrorReport with a model's script.
func agentReport(body string) Input {
	in := typeErrorReport()
	in.Report = report.Parse([]byte(agentText), report.Source{})
	in.Decision.Expectation.ReporterScript = false
	in.Candidate = candidate.FromAgent(body, "the axis\n3")
	return in
}

// raisedAt is raised with the script's frame at a line.
func raisedAt(line int, source string) sandbox.Execution {
	ex := raised("TypeError", "'int' object is not iterable", "lib/core.py")
	ex.Record.Exceptions[0].Frames[0].Line = line
	ex.Record.Exceptions[0].Frames[0].Source = source
	return ex
}

func observedOut(text string) sandbox.Execution {
	ex := printed("")
	ex.Record.Observations = []probe.Observation{{Name: "out", Kind: "float", Type: "float", Text: text}}
	return ex
}

// agentWorld is a library that fails on the given releases unless control is
// true.
func agentWorld(bad ...string) *world {
	return &world{
		base: map[string]string{"lib": "1.2"}, releases: map[string][]string{"lib": {"1.1", "1.2", "1.3"}},
		scripted: func(_ string, c sandbox.Command, v map[string]string) sandbox.Execution {
			if slices.Contains(bad, v["lib"]) && !c.Probe.Control {
				return raisedAt(callLine, "out = lib.call(axis)")
			}
			return observedOut("7.0")
		},
	}
}

func sideOf(o *Outcome, side oracle.Side) *oracle.Group {
	for i := range o.Evidence.Groups {
		if o.Evidence.Groups[i].Side == side {
			return &o.Evidence.Groups[i]
		}
	}
	return nil
}

func TestAuthoredControlGivesC(t *testing.T) {
	w := agentWorld("1.1", "1.2", "1.3")
	o := w.prove(t, agentReport(agentBody), &kept{})
	if o.Verdict.Headline != oracle.Reproduced || o.Verdict.Grade != "C" {
		t.Fatalf("got %s %s: %s", o.Verdict.Headline, o.Verdict.Grade, strings.Join(append(o.Notes, o.Verdict.Reasons...), "\n"))
	}
	g := sideOf(o, oracle.SideAuthored)
	if g == nil || len(g.Executions) != 3 || g.Change != "without the axis 3" || g.Script != "" {
		t.Fatalf("the control is %+v", g)
	}
	if o.Evidence.Groups[o.Verdict.Control].Side != oracle.SideAuthored {
		t.Errorf("the control of the verdict is %d", o.Verdict.Control)
	}
	if words := strings.Join(o.Verdict.Reasons, "\n"); !strings.Contains(words, "without the axis 3") {
		t.Errorf("what was left out is not said:\n%s", words)
	}
}

// TestAuthoredControlRules: everything that makes of grade C a lead.
func TestAuthoredControlRules(t *testing.T) {
	everywhere := []string{"1.1", "1.2", "1.3"}
	for name, c := range map[string]struct {
		body   string
		change func(in *Input, w *world)
		want   string
	}{
		"the judged call left out": {"import lib\n\nout = 0\nif not control:\n    out = lib.call(3)\nobserve('out', out)\n", nil, ""},
		"a trigger of its own":     {strings.Replace(agentBody, "else 3", "else 42", 1), nil, "has 42, which the report does not"},
		"the report asks":          {agentBody, func(in *Input, _ *world) { in.Decision.Expectation.Asks = true }, "asks whether this is expected"},
		"no place was stated": {agentBody, func(in *Input, _ *world) { in.Decision.Expectation.Symptom.Frames = nil },
			"are not all those of the reporter's own log"},
		"no message was stated": {agentBody, func(in *Input, _ *world) { in.Decision.Expectation.Symptom.Message = "" },
			"are not all those of the reporter's own log"},
		"the control shows it": {agentBody, func(_ *Input, w *world) {
			w.scripted = func(string, sandbox.Command, map[string]string) sandbox.Execution { return raisedAt(callLine, "") }
		}, "shows it too"},
		"the control dies otherwise": {agentBody, func(_ *Input, w *world) {
			w.scripted = func(_ string, c sandbox.Command, _ map[string]string) sandbox.Execution {
				if c.Probe.Control {
					return raised("ValueError", "other", "lib/core.py")
				}
				return raisedAt(callLine, "")
			}
		}, "proves nothing"},
		"the control observes nothing": {agentBody, func(_ *Input, w *world) {
			w.scripted = func(_ string, c sandbox.Command, _ map[string]string) sandbox.Execution {
				if c.Probe.Control {
					return printed("")
				}
				return raisedAt(callLine, "")
			}
		}, "never observed out"},
		"a refused script": {agentBody + "lib.call.__globals__\n", nil, "may not be believed"},
	} {
		t.Run(name, func(t *testing.T) {
			w, in := agentWorld(everywhere...), agentReport(c.body)
			if c.change != nil {
				c.change(&in, w)
			}
			o := w.prove(t, in, &kept{})
			words := strings.Join(append(o.Notes, o.Verdict.Reasons...), "\n")
			if Positive(o.Verdict.Headline) || o.Verdict.Grade != "D" || !strings.Contains(words, c.want) {
				t.Errorf("%s %s, want a lead with %q:\n%s", o.Verdict.Headline, o.Verdict.Grade, c.want, words)
			}
		})
	}
}

func TestAgentsExceptionWithACleanReleaseIsB(t *testing.T) {
	w := agentWorld("1.1", "1.2")
	o := w.prove(t, agentReport(agentBody), &kept{})
	if o.Verdict.Headline != oracle.Fixed || o.Verdict.Grade != "B" {
		t.Errorf("got %s %s: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
	}
	if sideOf(o, oracle.SideRemoval) != nil || sideOf(o, oracle.SideContrast) != nil {
		t.Error("a model's script was edited for a control")
	}
}

// TestAgentWithoutHitsSweepsNothing: other releases are not asked for a script
// that misses.
func TestAgentWithoutHitsSweepsNothing(t *testing.T) {
	w := agentWorld()
	o := w.prove(t, agentReport(agentBody), &kept{})
	if o.Verdict.Headline != oracle.NotReproduced || len(w.runs) != 5 {
		t.Errorf("%s after %v", o.Verdict.Headline, w.runs)
	}
}

// observedReport is a claim over what the script observes.
func observedReport(good string) Input {
	in := agentReport(agentBody)
	in.Report = report.Parse([]byte("# call\n\n`lib.call` gives 9.5 for axis=3 here.\n\nIt should be the number 7 as before.\n"), report.Source{})
	in.Decision = &triage.Decision{Route: triage.Attempt, Subjects: []string{"lib"}, Expectation: &oracle.Expectation{
		Oracle: oracle.OracleObserved, Subject: "lib", Modules: []string{"lib"}, Symptom: symptom.Symptom{Kind: symptom.WrongValue},
		Observed: &oracle.Observed{
			Names: []oracle.ObservedName{{Name: "out", Type: "number"}}, Bad: "out == 9.5", Good: good,
			BadQuote: "gives 9.5 for axis=3", GoodQuote: "should be the number 7",
		},
	}}
	return in
}

func TestObservedClaims(t *testing.T) {
	values := func(per map[string]string) *world {
		w := agentWorld()
		w.scripted = func(_ string, c sandbox.Command, v map[string]string) sandbox.Execution {
			if c.Probe.Control {
				return observedOut("7.0")
			}
			return observedOut(per[v["lib"]])
		}
		return w
	}
	fixed, nowhere := map[string]string{"1.1": "9.5", "1.2": "9.5", "1.3": "7.0"}, map[string]string{"1.1": "9.5", "1.2": "9.5", "1.3": "9.5"}
	unquoted := observedReport("out == 7")
	unquoted.Decision.Expectation.Observed.GoodQuote = "it must be seven, of course"
	seeded := observedReport("out == 7")
	seeded.Candidate = candidate.FromAgent("import lib\nlib.seed(3)\n"+strings.TrimPrefix(agentBody, "import lib\n"), "x")
	lucky := values(fixed)
	inner := lucky.scripted
	lucky.scripted = func(script string, c sandbox.Command, v map[string]string) sandbox.Execution {
		if strings.Contains(script, "seed(104)") {
			return observedOut("7.0")
		}
		return inner(script, c, v)
	}
	for name, c := range map[string]struct {
		in       Input
		w        *world
		headline oracle.Headline
		grade    oracle.Grade
		want     string
	}{
		"anchored, and good on another release":      {observedReport("out == 7"), values(fixed), oracle.Fixed, "B", "out == 7 holds"},
		"anchored, with its own control alone":       {observedReport("out == 7"), values(nowhere), oracle.Lead, "D", "its author wrote what is judged"},
		"not anchored":                               {unquoted, values(fixed), oracle.Lead, "D", "does not rest on the reporter's words"},
		"a value that the report has not":            {observedReport("out == 8"), values(map[string]string{"1.1": "9.5", "1.2": "9.5", "1.3": "8.0"}), oracle.Lead, "D", "the report has no 8"},
		"only not bad on the other release":          {observedReport("out == 7"), values(map[string]string{"1.1": "9.5", "1.2": "9.5", "1.3": "3.0"}), oracle.Lead, "D", "neither what is bad nor what is good"},
		"not bad here":                               {observedReport("out == 7"), values(map[string]string{"1.1": "7.0", "1.2": "7.0", "1.3": "7.0"}), oracle.NotReproduced, "", ""},
		"neither here":                               {observedReport("out == 7"), values(map[string]string{"1.1": "3", "1.2": "3", "1.3": "7.0"}), oracle.Undecided, "", ""},
		"vacuous":                                    {observedReport("out == 9.5"), values(fixed), oracle.Failed, "", ""},
		"right on the reported release, other seeds": {seeded, lucky, oracle.Lead, "D", "another seed"},
	} {
		t.Run(name, func(t *testing.T) {
			o := c.w.prove(t, c.in, &kept{})
			words := strings.Join(append(o.Notes, o.Verdict.Reasons...), "\n")
			if o.Verdict.Headline != c.headline || o.Verdict.Grade != c.grade {
				t.Errorf("%s %s, want %s %s:\n%s", o.Verdict.Headline, o.Verdict.Grade, c.headline, c.grade, words)
			}
			for _, r := range o.Evidence.Groups {
				for _, j := range r.Judgements {
					words += "\n" + strings.Join(j.Reasons, "\n")
				}
			}
			if !strings.Contains(words, c.want) {
				t.Errorf("nothing says %q:\n%s", c.want, words)
			}
		})
	}
}

// TestAgainRunsTheOwnControl: a verification runs it, whatever the grade rests on.
func TestAgainRunsTheOwnControl(t *testing.T) {
	w := agentWorld("1.1", "1.2", "1.3")
	in := agentReport(agentBody)
	o := w.prove(t, in, &kept{})
	before := w.ran("authored")
	p := &Prover{Solver: w, Builder: w, Sandbox: w, Journal: NoJournal{}, WorkRoot: t.TempDir(), Parallel: 1}
	r, err := p.Again(t.Context(), in.Candidate, o)
	if err != nil || r.Unavailable != nil || len(r.Differences) > 0 {
		t.Fatalf("%+v %v", r, err)
	}
	if got := w.ran("authored") - before; got != 3 {
		t.Errorf("the control ran %d times", got)
	}
	w.scripted = func(_ string, c sandbox.Command, _ map[string]string) sandbox.Execution {
		if c.Probe.Control {
			return printed("") // another release of the observer, or a liar: nothing is observed
		}
		return raisedAt(callLine, "")
	}
	r, err = p.Again(t.Context(), in.Candidate, o)
	if err != nil || !slices.ContainsFunc(r.Differences, func(d Difference) bool { return d.Field == "grade" }) {
		t.Errorf("a control that observes nothing passed: %+v %v", r, err)
	}
}

func TestTry(t *testing.T) {
	in, j := agentReport(agentBody), &kept{}
	w := agentWorld("1.1", "1.2", "1.3")
	p := &Prover{Solver: w, Builder: w, Sandbox: w, Journal: j, WorkRoot: t.TempDir(), Parallel: 1}
	trial, err := p.Try(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if trial.Judgement.Finding != oracle.Hit || trial.Control == nil || trial.ControlJudgement.Finding != oracle.Clean || trial.ControlUnfit != "" {
		t.Errorf("%+v", trial)
	}
	if len(w.runs) != 2 || len(w.built) != 1 || trial.Lock == nil || trial.Lock.Version("lib") != "1.2" {
		t.Errorf("ran %v, built %v", w.runs, w.built)
	}
	o, err := p.Prove(t.Context(), in)
	if err != nil || o.Verdict.Grade != "C" {
		t.Fatalf("%+v %v", o, err)
	}
	if r, a := w.ran("reported"), w.ran("authored"); r != 5 || a != 3 {
		t.Errorf("the proof did not take over the trial's executions: %d reported, %d of the control", r, a)
	}
}

func TestTrySaysWhatIsWrong(t *testing.T) {
	try := func(t *testing.T, w *world, in Input) *Trial {
		t.Helper()
		p := &Prover{Solver: w, Builder: w, Sandbox: w, Journal: NoJournal{}, WorkRoot: t.TempDir(), Parallel: 1}
		trial, err := p.Try(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return trial
	}
	t.Run("no hit, no control", func(t *testing.T) {
		trial := try(t, agentWorld(), agentReport(agentBody))
		if trial.Judgement.Finding != oracle.Clean || trial.Control != nil || trial.ControlUnfit != "" {
			t.Errorf("%+v", trial)
		}
	})
	t.Run("an unfit control", func(t *testing.T) {
		trial := try(t, agentWorld("1.2"), agentReport(strings.Replace(agentBody, "else 3", "else 42", 1)))
		if trial.Control == nil || !strings.Contains(trial.ControlUnfit, "has 42") {
			t.Errorf("%q", trial.ControlUnfit)
		}
	})
	t.Run("no environment", func(t *testing.T) {
		w := agentWorld("1.2")
		w.base = nil
		trial := try(t, w, agentReport(agentBody))
		if trial.Unavailable == nil || trial.Lock != nil || len(w.runs) > 0 {
			t.Errorf("%+v", trial)
		}
	})
	t.Run("a missing module goes to the ladder", func(t *testing.T) {
		w := agentWorld("1.2")
		w.provides = map[string]string{"extra": "2.0"}
		inner := w.scripted
		w.scripted = func(s string, c sandbox.Command, v map[string]string) sandbox.Execution {
			if v["extra"] == "" {
				return raised("ModuleNotFoundError", "No module named 'extra'", "lib/core.py")
			}
			return inner(s, c, v)
		}
		trial := try(t, w, agentReport(agentBody))
		if trial.Judgement.Finding != oracle.Hit || trial.Lock.Version("extra") != "2.0" || len(trial.Notes) != 1 {
			t.Errorf("%s %v %v", trial.Judgement.Finding, trial.Lock, trial.Notes)
		}
	})
	t.Run("it costs what ran", func(t *testing.T) {
		w := agentWorld("1.2")
		inner := w.scripted
		w.scripted = func(s string, c sandbox.Command, v map[string]string) sandbox.Execution {
			ex := inner(s, c, v)
			ex.WallSeconds = 1.5
			return ex
		}
		if trial := try(t, w, agentReport(agentBody)); trial.Sandbox != 3 {
			t.Errorf("%v seconds", trial.Sandbox)
		}
	})
}
