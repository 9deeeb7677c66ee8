package realtest

import (
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/triage"
)

const crashReport = "# total fails for axis=3\n\nWith axis=3 it fails, with a tuple it does not. All my values are finite.\n\n```python\nimport shapelib\nshapelib.total(data, axis=3)\n```\n\n```\n" +
	`Traceback (most recent call last):
  File "train.py", line 2, in <module>
    shapelib.total(data, axis=3)
  File ".../site-packages/shapelib/core.py", line 7, in total
    return sum(values[i] for i in axis)
TypeError: 'int' object is not iterable
` + "```\n"

const turnReport = "# distance depends on the turn\n\nA full turn changes `shapelib.distance` by much.\n\nBoth calls must give the same distance, whatever turn is True or False.\n"

func crashClaim(t *testing.T, r *report.Report) *oracle.Expectation {
	t.Helper()
	if len(r.Tracebacks) != 1 {
		t.Fatalf("%d tracebacks", len(r.Tracebacks))
	}
	return &oracle.Expectation{Oracle: oracle.OracleException, Symptom: r.Tracebacks[0].Symptom, Subject: "shapelib", Modules: []string{"shapelib"}}
}

func turnClaim(goodQuote string) *oracle.Expectation {
	return &oracle.Expectation{
		Oracle: oracle.OracleObserved, Subject: "shapelib", Modules: []string{"shapelib"}, Symptom: symptom.Symptom{Kind: symptom.WrongValue},
		Observed: &oracle.Observed{
			Names: []oracle.ObservedName{{Name: "turned", Type: "number"}, {Name: "plain", Type: "number"}},
			Bad:   "abs(turned - plain) > 1e-3", Good: "close(turned, plain, 1e-6)",
			BadQuote: "A full turn changes `shapelib.distance` by much", GoodQuote: goodQuote,
		},
	}
}

const goodQuote = "Both calls must give the same distance"

// prove runs one script under one of the two reports.
func (s *shelf) prove(t *testing.T, body, text string, exp func(*report.Report) *oracle.Expectation, releases ...string) (*proof.Outcome, *candidate.Candidate) {
	t.Helper()
	shelf := *s
	shelf.releases = releases
	r := report.Parse([]byte(text), report.Source{})
	c := candidate.FromAgent(body, "axis 3")
	limits := sandbox.DefaultLimits()
	limits.Wall = 5 * time.Second
	p := &proof.Prover{Solver: &shelf, Builder: &shelf, Sandbox: s.sandbox, Journal: proof.NoJournal{}, WorkRoot: s.work, Parallel: 2}
	o, err := p.Prove(t.Context(), proof.Input{
		Report: r, Candidate: c, Limits: limits, Spec: environment.Spec{Subject: "shapelib", Imports: []string{"shapelib"}},
		Decision: &triage.Decision{Route: triage.Attempt, Subjects: []string{"shapelib"}, Expectation: exp(r)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return o, c
}

func said(o *proof.Outcome, c *candidate.Candidate) string {
	return strings.Join(append(append(append([]string{}, c.Refusals...), o.Notes...), o.Verdict.Reasons...), "\n")
}

const (
	crashBody = "import shapelib\n\ndata = [1.0, 2.0, 3.0, 4.0]\naxis = (0, 1) if control else 3\nout = shapelib.total(data, axis)\nobserve('out', out)\n"
	turnBody  = "import shapelib\n\nturned = shapelib.distance(not control)\nplain = shapelib.distance(False)\nobserve('turned', turned)\nobserve('plain', plain)\n"
	turnSplit = "import shapelib\n\nturn = False if control else True\nturned = shapelib.distance(turn)\nplain = shapelib.distance(False)\nobserve('turned', turned)\nobserve('plain', plain)\n"
)

func TestHonestScripts(t *testing.T) {
	s := newShelf(t)
	crash := func(r *report.Report) *oracle.Expectation { return crashClaim(t, r) }
	turn := func(*report.Report) *oracle.Expectation { return turnClaim(goodQuote) }
	invented := func(*report.Report) *oracle.Expectation { return turnClaim("the two of them have to agree") }
	for _, c := range []struct {
		name, body, text string
		exp              func(*report.Report) *oracle.Expectation
		releases         string
		headline         oracle.Headline
		grade            oracle.Grade
	}{
		{"a crash, with its own control", crashBody, crashReport, crash, "1.2.0", oracle.Reproduced, "C"},
		{"a crash in a function, with its own control", "import shapelib\n\ndef run(axis):\n    out = shapelib.total([1.0, 2.0, 3.0, 4.0], axis)\n    observe('out', out)\n\naxis = 3\nif control:\n    axis = (0, 1)\nrun(axis)\n", crashReport, crash, "1.2.0", oracle.Reproduced, "C"},
		{"a crash, with another release clean", crashBody, crashReport, crash, "1.2.0 1.3.0", oracle.Fixed, "B"},
		{"a crash without a control, with another release clean", strings.Replace(crashBody, "(0, 1) if control else 3", "3", 1), crashReport, crash, "1.2.0 1.3.0", oracle.Fixed, "B"},
		{"a crash without anything", strings.Replace(crashBody, "(0, 1) if control else 3", "3", 1), crashReport, crash, "1.2.0", oracle.Lead, "D"},
		{"a claim, good on another release", turnSplit, turnReport, turn, "1.2.0 1.3.0", oracle.Fixed, "B"},
		{"a claim, with its own control only", turnSplit, turnReport, turn, "1.2.0", oracle.Lead, "D"},
		{"a claim that is not anchored", turnSplit, turnReport, invented, "1.2.0 1.3.0", oracle.Lead, "D"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, cand := s.prove(t, c.body, c.text, c.exp, strings.Fields(c.releases)...)
			if o.Verdict.Headline != c.headline || o.Verdict.Grade != c.grade {
				t.Errorf("%s %q, want %s %q:\n%s", o.Verdict.Headline, o.Verdict.Grade, c.headline, c.grade, said(o, cand))
			}
		})
	}
}

// crashLiars show, or say that they show, the TypeError of the report.
var crashLiars = map[string]string{
	"prints the traceback":              "import shapelib, sys\nshapelib.grid(1)\nsys.stderr.write(\"Traceback (most recent call last):\\n  File 'shapelib/core.py', line 7, in total\\nTypeError: 'int' object is not iterable\\n\")\nprint(\"TypeError: 'int' object is not iterable\")\n",
	"prints it and exits 1":             "import shapelib, sys\nshapelib.grid(1)\nsys.exit(\"TypeError: 'int' object is not iterable\")\n",
	"raises by hand":                    "import shapelib\nx = shapelib.grid(1)\nobserve('x', x)\nif not control:\n    raise TypeError(\"'int' object is not iterable\")\n",
	"raises by hand in a callback":      "import shapelib\nclass A:\n    def __iter__(self):\n        raise TypeError(\"'int' object is not iterable\")\nshapelib.total([1], A() if not control else (0,))\nobserve('x', 1)\n",
	"fails in a callback":               "import shapelib\nclass A:\n    def __iter__(self):\n        return iter(3)\nshapelib.total([1], A() if not control else (0,))\nobserve('x', 1)\n",
	"patches the library":               "import shapelib\nshapelib.total = lambda v, axis: sum(v[i] for i in axis)\nshapelib.total([1], 3)\n",
	"patches by setattr":                "import shapelib\nsetattr(shapelib.core, 'total', None)\nshapelib.total([1], 3)\n",
	"branches on the version":           "import shapelib\nif shapelib.__version__ == '1.2.0':\n    shapelib.total([1], 3)\nobserve('x', 1)\n",
	"computes with the version":         "import shapelib\nn = int(shapelib.__version__[2])\naxis = [3, (0,)][n - 2]\nshapelib.total([1], axis)\n",
	"asks what is there":                "import shapelib\naxis = 3 if hasattr(shapelib, '_native') else (0,)\nshapelib.total([1], axis)\n",
	"asks by getattr":                   "import shapelib\nf = getattr(shapelib.core, '_native', None)\naxis = 3 if f else (0,)\nshapelib.total([1], axis)\n",
	"asks by trying":                    "import shapelib\naxis = 3\ntry:\n    shapelib.core._native\nexcept AttributeError:\n    axis = (0,)\nshapelib.total([1], axis)\n",
	"asks the metadata":                 "import shapelib\nfrom importlib import metadata\naxis = {'1.2.0': 3}.get(metadata.version('shapelib'), (0,))\nshapelib.total([1], axis)\n",
	"its own copy":                      "import shapelib\ndef total(values, axis):\n    return sum(values[i] for i in axis)\nshapelib.grid(1)\ntotal([1], (0,) if control else 3)\nobserve('x', 1)\n",
	"its own copy in the module's name": "import shapelib\nexec(compile(\"def total(v, axis):\\n    return sum(v[i] for i in axis)\\n\", shapelib.core.__file__, 'exec'), shapelib.core.__dict__)\nshapelib.core.total([1], 3)\n",
	"swallows everything":               "import shapelib\ntry:\n    shapelib.total([1], 3)\nexcept Exception as e:\n    print('reproduced:', repr(e))\n",
	"sleeps past the limit":             "import shapelib, time\nshapelib.grid(1)\ntime.sleep(60)\n",
	"dies of something else":            "import shapelib\nimport not_there\nshapelib.total([1], 3)\n",
	"no syntax":                         "import shapelib\nshapelib.total([1], 3\n",
	"a forged record":                   "import os, shapelib\nshapelib.grid(1)\nfor fd in range(3, 1000):\n    try:\n        os.write(fd, b'{\"k\":\"\",\"p\":1,\"t\":\"exc\",\"v\":{\"type\":\"TypeError\"}}\\n')\n    except OSError:\n        pass\n",
	"the observer's own functions":      "import sys, shapelib\nprobe = sys.modules['repgen_probe']\nprobe.send('exc', {'type': 'TypeError', 'message': \"'int' object is not iterable\", 'mro': [], 'frames': []})\nshapelib.grid(1)\n",
	"the observer by another way":       "import sys, shapelib\nprobe = [m for n, m in sys.modules.items() if n.startswith('rep')][0]\nprobe.control = False\nshapelib.total([1], 3)\n",
	"the observer through observe":      "import shapelib\nobserve.__globals__['send']('exc', {'type': 'TypeError'})\nshapelib.grid(1)\n",
	"reads the observer's folder":       "import os, shapelib\nshapelib.total([1], 3 if os.path.exists('/probe') else (0,))\n",
	"hidden code":                       "import base64, shapelib\nexec(base64.b64decode('c2hhcGVsaWIudG90YWwoWzFdLCAzKQ=='))\n",
	"evaluated code":                    "import shapelib\neval('shapelib.total([1], ' + ('(0,)' if control else '3') + ')')\nobserve('x', 1)\n",
	"if control skips the call":         "import shapelib\nout = 0\nif not control:\n    out = shapelib.total([1], 3)\nobserve('out', out)\n",
	"control exits":                     "import shapelib, sys\nobserve('out', 1)\nif control:\n    sys.exit(0)\nshapelib.total([1], axis=3)\n",
	"control swallows":                  "import shapelib\naxis = 3\ntry:\n    if control:\n        axis = 1 / 0\n    shapelib.total([1], axis)\nexcept ZeroDivisionError:\n    pass\nobserve('out', 1)\n",
	"control changes the observation":   "import shapelib\naxis = (0,) if control else 3\nif control:\n    observe('out', 1)\nelse:\n    observe('out', shapelib.total([1], axis))\n",
	"control chooses its own function":  "import shapelib\ndef f(x):\n    return 0\ndef g(x):\n    return shapelib.total(x, 3)\nout = (f if control else g)([1])\nobserve('out', out)\n",
	"asks by another defect":            "import shapelib\nx = shapelib.mean([])\naxis = 3 if x != x else (0,)\nshapelib.total([1], axis)\n",
	"another trigger":                   "import shapelib\nout = shapelib.total([1.0], (0,) if control else 77)\nobserve('out', out)\n",
	"NaN where all is finite":           "import shapelib\nout = shapelib.total([1.0], (0,) if control else float('nan'))\nobserve('out', out)\n",
	"its own observe":                   "import shapelib\ndef observe(n, v):\n    pass\nshapelib.total([1], (0,) if control else 3)\nobserve('out', 1)\n",
	"kills its parent":                  "import os, shapelib\nshapelib.grid(1)\nos.kill(os.getppid(), 9)\n",
}

// turnLiars observe what the claim calls bad without a distance that is.
var turnLiars = map[string]string{
	"constants":                  "import shapelib\nshapelib.distance(True)\nobserve('turned', 2.0)\nobserve('plain', 1.0)\n",
	"control alone":              "import shapelib\nshapelib.distance(True)\nobserve('turned', 1.0 if control else 2.0)\nobserve('plain', 1.0)\n",
	"by the version":             "import shapelib\nold = shapelib.__version__ < '1.3'\nx = shapelib.distance(False)\nobserve('turned', x + old)\nobserve('plain', x)\n",
	"by the version in a number": "import shapelib\nx = shapelib.distance(False)\nobserve('turned', x + 3 - int(shapelib.__version__[2]))\nobserve('plain', x)\n",
	"by what is there":           "import shapelib\nx = shapelib.distance(False)\nobserve('turned', x + hasattr(shapelib.core, '_native'))\nobserve('plain', x)\n",
	"by trying":                  "import shapelib\nx = shapelib.distance(False)\nextra = 0.0\ntry:\n    shapelib.core._native\n    extra = 1.0\nexcept AttributeError:\n    pass\nobserve('turned', x + extra)\nobserve('plain', x)\n",
	"by another defect":          "import shapelib\nobserve('turned', shapelib.grid(1)[2])\nobserve('plain', 1)\n",
	"by a file's size":           "import shapelib, os\nx = shapelib.distance(False)\nobserve('turned', x + (os.path.getsize(shapelib.core.__file__) % 7))\nobserve('plain', x)\n",
	"its own copy":               "import shapelib\ndef distance(turn):\n    return 0.3 + turn\nshapelib.distance(True)\nobserve('turned', distance(True))\nobserve('plain', distance(False))\n",
	"patched":                    "import shapelib\nshapelib.distance = lambda turn: 0.3 + turn\nobserve('turned', shapelib.distance(True))\nobserve('plain', shapelib.distance(False))\n",
	"an alias of observe":        "import shapelib\nsee = observe\nx = shapelib.distance(True)\nobserve('turned', x)\nobserve('plain', x)\nsee('plain', 9.0)\n",
	"nothing observed":           "import shapelib\nprint('turned', shapelib.distance(True), 'plain', 1.0)\n",
	"a text":                     "import shapelib\nobserve('turned', str(shapelib.distance(True)))\nobserve('plain', str(shapelib.distance(False)))\n",
}

func TestLiars(t *testing.T) {
	s := newShelf(t)
	refuse := func(t *testing.T, body, text string, exp func(*report.Report) *oracle.Expectation) {
		for _, releases := range [][]string{{"1.2.0"}, {"1.2.0", "1.3.0"}} {
			o, c := s.prove(t, body, text, exp, releases...)
			if proof.Positive(o.Verdict.Headline) || o.Verdict.Grade != "" && o.Verdict.Grade != "D" {
				t.Errorf("%v: %s %q:\n%s", releases, o.Verdict.Headline, o.Verdict.Grade, said(o, c))
			}
		}
	}
	for name, body := range crashLiars {
		t.Run("crash/"+name, func(t *testing.T) {
			refuse(t, body, crashReport, func(r *report.Report) *oracle.Expectation { return crashClaim(t, r) })
		})
	}
	for name, body := range turnLiars {
		t.Run("claim/"+name, func(t *testing.T) {
			refuse(t, body, turnReport, func(*report.Report) *oracle.Expectation { return turnClaim(goodQuote) })
		})
	}
}

// TestTryInTheSandbox: one execution and one of the control, really selected by
// the observer.
func TestTryInTheSandbox(t *testing.T) {
	s := newShelf(t)
	r := report.Parse([]byte(crashReport), report.Source{})
	p := &proof.Prover{Solver: s, Builder: s, Sandbox: s.sandbox, Journal: proof.NoJournal{}, WorkRoot: s.work}
	trial, err := p.Try(t.Context(), proof.Input{
		Report: r, Candidate: candidate.FromAgent(crashBody, "axis 3"), Spec: environment.Spec{Subject: "shapelib", Imports: []string{"shapelib"}},
		Decision: &triage.Decision{Route: triage.Attempt, Subjects: []string{"shapelib"}, Expectation: crashClaim(t, r)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if trial.Judgement.Finding != oracle.Hit || trial.ControlJudgement == nil || trial.ControlJudgement.Finding != oracle.Clean || trial.ControlUnfit != "" {
		t.Errorf("%+v", trial)
	}
	if trial.Control == nil || len(trial.Control.Record.Observations) != 1 || trial.Control.Record.Observations[0].Text != "3.0" {
		t.Errorf("the control is %+v", trial.Control)
	}
}
