package validate

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/symptom"
)

// good is a script with which nothing is wrong.
const good = `import numpy as np
from sklearn.linear_model import LogisticRegression

X = np.ones((4, 2))
model = LogisticRegression(C=1.0)
model.fit(X, [0, 1, 0, 1])
observe("coef", model.coef_)
`

func raises(class, message string) *oracle.Expectation {
	return &oracle.Expectation{
		Oracle:  oracle.OracleException,
		Symptom: symptom.Symptom{Kind: symptom.Exception, Exception: class, Message: message},
	}
}

func observed() *oracle.Expectation {
	return &oracle.Expectation{Oracle: oracle.OracleObserved, Observed: &oracle.Observed{
		Names: []oracle.ObservedName{{Name: "coef", Type: "number"}}, Bad: "coef > 1", Good: "coef < 1",
	}}
}

// fault is one script with what must be said of it.
type fault struct {
	name   string
	script string
	box    world
	in     Input // Script is taken from script
	// stage and severity of the first feedback, "" for none; text is part of it.
	stage    task.Stage
	severity task.Severity
	line     int
	text     string
	reached  task.Stage // "": stage, and refused where nothing is wrong
}

const (
	bad  = task.SeverityError
	mild = task.SeverityWarning
)

func faults() []fault {
	unexpected := callAnswer{Error: "got an unexpected keyword argument 'penalti'", Certain: true, Signature: "(penalty='l2')", Near: []string{"penalty"}}
	uncertain := unexpected
	uncertain.Certain = false
	call := func(a callAnswer) map[string]callAnswer {
		return map[string]callAnswer{"sklearn.linear_model.LogisticRegression": a}
	}
	named := func(name string, a nameAnswer) world { return world{names: map[string]nameAnswer{name: a}} }
	typo := strings.Replace(good, "np.ones", "np.onez", 1)
	onez := named("numpy.onez", gone("numpy.onez", "module", "numpy.ones"))
	return []fault{
		{name: "good", script: good},
		{name: "good, observed", script: good, in: Input{Expectation: observed()}},
		// answer
		{name: "empty", script: " \n", stage: task.StageAnswer, severity: bad, text: "no script"},
		{name: "comments only", script: "# I cannot help\n# with that\n", stage: task.StageAnswer, severity: bad, text: "no code"},
		{name: "a megabyte", script: "x = 1\n" + strings.Repeat("x = x + 1\n", 200000), stage: task.StageAnswer, severity: bad, text: "too long"},
		// parse
		{name: "print of Python 2", script: good + "print model\n", stage: task.StageParse, severity: bad, line: 8, text: "Not Python 3"},
		{name: "raise of Python 2", script: good + "raise ValueError, \"x\"\n", stage: task.StageParse, severity: bad, line: 8, text: "Not Python 3"},
		{name: "body not indented", script: good + "for i in range(3):\nprint(i)\n", stage: task.StageParse, severity: bad, text: "indentation is wrong"},
		{name: "indented too deep", script: good + "x = 1\n    y = 2\n", stage: task.StageParse, severity: bad, text: "line 9"},
		{name: "cut in a call", script: good + "model.fit(X, [0, 1,", stage: task.StageParse, severity: bad, text: "ends in the middle"},
		{name: "cut in a string", script: good + "print(\"\"\"and then", stage: task.StageParse, severity: bad, text: "ends in the middle"},
		{name: "cut after a header", script: good + "for i in range(3):", stage: task.StageParse, severity: bad, text: "ends in the middle"},
		{name: "cut after =", script: good + "y =", stage: task.StageParse, severity: bad, text: "ends in the middle"},
		{name: "bracket forgotten", script: "x = (1 + 2\ny = 3\nprint(x)\n", stage: task.StageParse, severity: bad, text: "line "},
		{name: "prose", script: "Sure! Here is how you can do this in your own project.\nFirst, install it.\n", stage: task.StageParse, severity: bad, text: "no Python"},
		{name: "shell", script: "$ pip install numpy\n$ python x.py --verbose\n", stage: task.StageParse, severity: bad, text: "no Python"},
		{name: "another language", script: "#include <stdio.h>\nint main(void) { return 0; }\n", stage: task.StageParse, severity: bad, text: "no Python"},
		// compile
		{
			name: "refused by an old Python", script: good, stage: task.StageCompile, severity: bad, line: 4, text: "Python 3.11.7 cannot compile",
			box: world{compile: compileAnswer{Error: &compileError{Type: "SyntaxError", Message: "invalid syntax", Line: 4}}},
		},
		{
			name: "a warning of the compiler", script: good, stage: task.StageCompile, severity: mild, line: 2, text: "SyntaxWarning", reached: task.StageRefused,
			box: world{compile: compileAnswer{Warnings: []compileWarning{{Category: "SyntaxWarning", Message: "\"is\" with a literal", Line: 2}}}},
		},
		{
			name: "compile switched off elsewhere", script: good, stage: task.StageCompile, severity: bad, text: "null bytes",
			box: world{compile: compileAnswer{Error: &compileError{Type: "ValueError", Message: "source code string cannot contain null bytes"}}},
		},
		// lint
		{name: "undefined name", script: good, box: world{lint: lintOf("F821", "Undefined name 'z'", 7)}, stage: task.StageLint, severity: bad, line: 7, text: "F821"},
		{name: "literal with is", script: good, box: world{lint: lintOf("F632", "Use ==", 2)}, stage: task.StageLint, severity: mild, line: 2, text: "F632", reached: task.StageRefused},
		{name: "syntax is compile's", script: good, box: world{lint: lintOf("invalid-syntax", "match", 2)}, stage: task.StageLint, severity: mild, reached: task.StageRefused},
		{name: "no code of a rule", script: good, box: world{lint: `[{"code":null,"message":"x","location":{"row":1}}]`}, stage: task.StageLint, severity: mild, reached: task.StageRefused},
		{name: "the linter crashed", script: good, box: world{lint: "panicked"}, stage: task.StageLint, severity: mild, text: "not linted", reached: task.StageRefused},
		// names
		{name: "no such attribute", script: typo, box: onez, stage: task.StageNames, severity: bad, line: 4, text: "There is numpy.ones."},
		{name: "no such attribute, which is the bug", script: typo, box: onez, in: Input{Expectation: raises("AttributeError", "module 'numpy' has no attribute 'onez'")}},
		{name: "another attribute than the bug's", script: typo, box: onez, stage: task.StageNames, severity: bad, in: Input{Expectation: raises("AttributeError", "module 'numpy' has no attribute 'bool'")}},
		{name: "missing name of a bug without a message", script: typo, box: onez, in: Input{Expectation: raises("AttributeError", "")}},
		{
			name: "no such class to import", script: strings.ReplaceAll(good, "LogisticRegression", "LogisticRegresion"), stage: task.StageNames, severity: bad, line: 2,
			box: named("sklearn.linear_model.LogisticRegresion", gone("sklearn.linear_model.LogisticRegresion", "module", "sklearn.linear_model.LogisticRegression")), text: "There is sklearn.linear_model.LogisticRegression",
		},
		{
			name: "an import that is the bug", script: strings.ReplaceAll(good, "LogisticRegression", "LogisticRegresion"),
			box: named("sklearn.linear_model.LogisticRegresion", gone("sklearn.linear_model.LogisticRegresion", "module")),
			in:  Input{Expectation: &oracle.Expectation{Oracle: oracle.OracleImportError, Symptom: symptom.Symptom{Exception: "ImportError", Message: "cannot import name 'LogisticRegresion' from 'sklearn.linear_model'"}}},
		},
		{
			name: "submodule not imported", script: good + "import sklearn\nsklearn.svm.SVC()\n", stage: task.StageNames, severity: bad, line: 9, text: "import sklearn.svm",
			box: named("sklearn.svm.SVC", nameAnswer{Absent: "sklearn.svm", Holder: "module", Submodule: true, Error: &failure{Type: "AttributeError"}}),
		},
		{
			name: "not installed", script: "import nowhere\n" + good, stage: task.StageNames, severity: mild, line: 1, text: "no module nowhere", reached: task.StageRefused,
			box: named("nowhere", nameAnswer{Absent: "nowhere", Holder: "environment", Error: &failure{Type: "ModuleNotFoundError", Missing: "nowhere"}}),
		},
		{
			name: "import fails inside", script: good, stage: task.StageNames, severity: mild, line: 1, text: "libblas.so.3", reached: task.StageRefused,
			box: named("numpy", nameAnswer{Absent: "numpy", Holder: "environment", Error: &failure{Type: "ImportError", Message: "libblas.so.3: cannot open"}}),
		},
		{name: "import crashes", script: good, box: world{crash: "sklearn"}, stage: task.StageNames, severity: mild, line: 2, text: "SIGSEGV", reached: task.StageRefused},
		{name: "made up by an object", script: typo, box: named("numpy.onez", gone("numpy.onez", "object"))},
		{name: "caught", script: good + "try:\n    np.onez(3)\nexcept AttributeError:\n    pass\n", box: onez, stage: task.StageNames, severity: mild, line: 9, reached: task.StageRefused},
		{name: "asked for first", script: good + "if hasattr(np, \"onez\"):\n    np.onez(3)\n", box: onez, stage: task.StageRefused, severity: bad, text: "branches"},
		{name: "set by the script", script: good + "def f(np):\n    return np.onez\n", box: onez},
		{name: "unexpected argument", script: good, box: world{calls: call(unexpected)}, stage: task.StageNames, severity: bad, line: 5, text: "LogisticRegression(penalty='l2')"},
		{name: "unexpected argument of a wrapper", script: good, box: world{calls: call(uncertain)}, stage: task.StageNames, severity: mild, line: 5, reached: task.StageRefused},
		{name: "unexpected argument, which is the bug", script: good, box: world{calls: call(unexpected)}, in: Input{Expectation: raises("TypeError", "LogisticRegression() got an unexpected keyword argument 'C'")}},
		{name: "TypeError that the subject should raise", script: good, box: world{calls: call(unexpected)}, in: Input{Expectation: &oracle.Expectation{Oracle: oracle.OracleMissingException, Wanted: "TypeError"}}},
		{name: "arguments unpacked", script: strings.Replace(good, "C=1.0", "*[1]", 1), box: world{calls: call(unexpected)}},
		{name: "keywords unpacked", script: strings.Replace(good, "C=1.0", "**{}", 1), box: world{calls: call(unexpected)}},
		// relevance
		{name: "subject not imported", script: "import numpy as np\nobserve(\"x\", np.ones(3))\n", stage: task.StageRelevance, severity: bad, text: "never imports sklearn"},
		{name: "subject not called", script: "import sklearn\nimport numpy as np\nobserve(\"x\", np.ones(3))\n", stage: task.StageRelevance, severity: bad, text: "calls nothing"},
		{name: "only an import, which is the bug", script: "import sklearn.svm\n", in: Input{Expectation: &oracle.Expectation{Oracle: oracle.OracleImportError, Symptom: symptom.Symptom{Exception: "ImportError", Message: "x"}}}},
		{name: "observes another thing", script: strings.Replace(good, "model.coef_", "X", 1), stage: task.StageRelevance, severity: bad, text: "observe", in: Input{Expectation: observed()}},
		{name: "prints where it must observe", script: strings.Replace(good, `observe("coef", model.coef_)`, "print(model.coef_)", 1), stage: task.StageRelevance, severity: bad, in: Input{Expectation: observed()}},
		{name: "ends with the call, for a crash", script: "from sklearn.linear_model import LogisticRegression\nLogisticRegression().fit([[0]], [0])\n", in: Input{Expectation: raises("ValueError", "x")}},
		{name: "nothing of the plan", script: good, stage: task.StageRelevance, severity: bad, text: "plan", in: Input{Plan: &task.Plan{Names: []string{"sklearn.svm.SVC"}}}},
		{name: "a method of the plan", script: good, in: Input{Plan: &task.Plan{Names: []string{"sklearn.linear_model.LogisticRegression.fit"}}}},
		{
			name: "none of the frames", script: good, stage: task.StageRelevance, severity: mild, text: "partial_fit", reached: task.StageRefused,
			in: Input{Expectation: framed(raises("ValueError", "x"), "partial_fit")},
		},
		{name: "one of the frames", script: good, in: Input{Expectation: framed(raises("ValueError", "x"), "fit")}},
		// refused
		{name: "raises by hand", script: good + "raise ValueError(\"x\")\n", stage: task.StageRefused, severity: bad, line: 8, text: "Let the library raise it", in: Input{Expectation: raises("ValueError", "x")}},
		{name: "patches", script: good + "np.dot = None\n", stage: task.StageRefused, severity: bad, line: 8, text: "as it is installed"},
		{name: "branches on the version", script: good + "import sklearn\nif sklearn.__version__ == \"1.7.2\":\n    print(1)\n", stage: task.StageRefused, severity: bad, line: 9, text: "Do the same on every release"},
		{name: "kills itself", script: good + "import os\nos.kill(os.getpid(), 11)\n", stage: task.StageRefused, severity: bad, text: "crash by itself"},
		{name: "downloads", script: good + "import urllib.request\nurllib.request.urlopen(\"http://x.example/d.csv\")\n", stage: task.StageRefused, severity: mild, line: 9, text: "no network", reached: task.StageRefused},
		{name: "reads a secret", script: good + "import os\nos.environ.get(\"API_KEY\")\n", stage: task.StageRefused, severity: bad, line: 9, text: "no secrets"},
		{name: "starts a process", script: good + "import subprocess\nsubprocess.run([\"ls\"])\n", stage: task.StageRefused, severity: bad, line: 9, text: "own process"},
		{name: "copies the function", script: good + "def LogisticRegression():\n    return 1\n", stage: task.StageRefused, severity: bad, text: "own copy"},
	}
}

func framed(e *oracle.Expectation, function string) *oracle.Expectation {
	e.Symptom.Frames = []symptom.Frame{{File: "sklearn/base.py", Package: "sklearn", Where: "library", Function: function}}
	return e
}

func TestFaults(t *testing.T) {
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			f.in.Script = f.script
			list, reached, err := checkerOf(&fakeBox{world: f.box}).Check(t.Context(), f.in)
			if err != nil {
				t.Fatal(err)
			}
			want := f.reached
			if want == "" {
				if want = f.stage; want == "" {
					want = task.StageRefused
				}
			}
			if reached != want {
				t.Errorf("reached %q, want %q", reached, want)
			}
			f.judge(t, list)
		})
	}
}

func (f *fault) judge(t *testing.T, list []task.Feedback) {
	t.Helper()
	if f.stage == "" {
		for _, got := range list {
			if got.Severity == bad {
				t.Errorf("said %+v", got)
			}
		}
		return
	}
	if len(list) == 0 {
		t.Fatal("nothing was said")
	}
	got := list[len(list)-1] // an error comes last: it ends the stages
	if f.severity == mild {
		got = list[0]
	} else {
		for _, one := range list {
			if one.Severity == bad {
				got = one
				break
			}
		}
	}
	if got.Stage != f.stage || got.Severity != f.severity || f.line > 0 && got.Line != f.line || !strings.Contains(got.Text, f.text) {
		t.Errorf("said %+v", got)
	}
	if got.Signature == "" || len(got.Text) > task.MaxFeedback {
		t.Errorf("signature %q, %d bytes", got.Signature, len(got.Text))
	}
}

func TestThereAreEnoughFaults(t *testing.T) {
	n := 0
	for _, f := range faults() {
		if f.stage != "" {
			n++
		}
	}
	if n < 40 {
		t.Errorf("%d scripts with a fault, want 40", n)
	}
}

// Each part that is switched off leaves out its stages and no other.
func TestWithout(t *testing.T) {
	script := strings.Replace(good, "observe(\"coef\", model.coef_)", "", 1)
	b := fakeBox{world: world{
		compile: compileAnswer{Error: &compileError{Type: "SyntaxError", Message: "x"}},
		lint:    lintOf("F821", "Undefined name 'z'", 3), names: map[string]nameAnswer{"numpy.ones": gone("numpy.ones", "module")},
	}}
	in := Input{Script: script, Expectation: observed()}
	for _, c := range []struct {
		without string
		want    task.Stage
	}{
		{"", task.StageCompile},
		{"compilation", task.StageLint},
		{"compilation static-analysis", task.StageRelevance},
		{"compilation static-analysis relevance", task.StageRefused},
	} {
		checker := checkerOf(&b)
		checker.Without = strings.Fields(c.without)
		list, reached, err := checker.Check(t.Context(), in)
		if err != nil || reached != c.want {
			t.Errorf("without %q: reached %q, %v %+v", c.without, reached, err, list)
		}
	}
	if list, _, _ := (&Checker{Without: []string{"compilation", "static-analysis", "relevance"}}).Check(t.Context(), Input{Script: "def"}); !Failed(list) {
		t.Error("what does not parse passed")
	}
}

func TestNothingToAsk(t *testing.T) {
	list, reached, err := (&Checker{}).Check(t.Context(), Input{Script: good})
	if err != nil || reached != task.StageRefused || Failed(list) {
		t.Errorf("%+v %q %v", list, reached, err)
	}
}

func TestNoLinterIsSaidOnce(t *testing.T) {
	opened := 0
	c := checkerOf(&fakeBox{})
	c.Tool = func(context.Context) (Box, *environment.Unavailable, error) {
		opened++
		return Box{}, &environment.Unavailable{Why: "the index has no wheel"}, nil
	}
	for i := range 3 {
		list, _, err := c.Check(t.Context(), Input{Script: good})
		if err != nil || (len(list) == 1) != (i == 0) {
			t.Errorf("check %d: %+v %v", i, list, err)
		}
		if i == 0 && (list[0].Severity != mild || !strings.Contains(list[0].Text, "the index has no wheel")) {
			t.Errorf("%+v", list)
		}
	}
	if opened != 1 {
		t.Errorf("opened %d times", opened)
	}
}

func TestVeto(t *testing.T) {
	c := checkerOf(&fakeBox{})
	asked := 0
	objects := func(context.Context, string) (bool, string, error) { asked++; return true, "it trains nothing", nil }
	list, reached, err := c.Check(t.Context(), Input{Script: good, Veto: objects})
	if err != nil || reached != task.StageRelevance || !strings.Contains(list[0].Text, "it trains nothing") {
		t.Errorf("%+v %q %v", list, reached, err)
	}
	if _, _, err := c.Check(t.Context(), Input{Script: "import numpy\n", Veto: objects}); err != nil || asked != 1 {
		t.Errorf("asked %d times %v", asked, err)
	}
	fails := func(context.Context, string) (bool, string, error) { return false, "", errors.New("no model") }
	if _, _, err := c.Check(t.Context(), Input{Script: good, Veto: fails}); err == nil {
		t.Error("the error is lost")
	}
}

func TestInfrastructureIsAnError(t *testing.T) {
	b := &fakeBox{world: world{err: errors.New("no isolation")}}
	if _, _, err := checkerOf(b).Check(t.Context(), Input{Script: good}); err == nil || !strings.Contains(err.Error(), "no isolation") {
		t.Errorf("%v", err)
	}
	c := checkerOf(&fakeBox{})
	c.Tool = func(context.Context) (Box, *environment.Unavailable, error) {
		return Box{}, nil, errors.New("disk full")
	}
	if _, _, err := c.Check(t.Context(), Input{Script: good}); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("%v", err)
	}
}

// A script that was looked at costs one compile when it comes again, and no import.
func TestKnownIsNotAskedAgain(t *testing.T) {
	b := &fakeBox{world: world{names: map[string]nameAnswer{"numpy.onez": gone("numpy.onez", "module")}}}
	c := checkerOf(b)
	c.Tool = nil
	script := good + "np.onez(3)\n"
	first, _, _ := c.Check(t.Context(), Input{Script: script})
	second, _, _ := c.Check(t.Context(), Input{Script: script})
	if len(b.asked) != 2 || len(b.asked[1].Imports)+len(b.asked[1].Names)+len(b.asked[1].Calls) > 0 || b.asked[1].Script == nil {
		t.Errorf("asked %+v", b.asked)
	}
	if len(first) != 1 || len(second) != 1 || first[0] != second[0] {
		t.Errorf("%+v %+v", first, second)
	}
	// Another import of the same package may make another name visible.
	_, _, _ = c.Check(t.Context(), Input{Script: script + "import numpy.fft\n"})
	if last := b.asked[2]; len(last.Imports) == 0 {
		t.Errorf("asked %+v", last)
	}
}

func TestRanIsTold(t *testing.T) {
	b := &fakeBox{}
	c, total := checkerOf(b), 0.0
	c.Box.Ran = func(s float64) { total += s }
	if _, _, err := c.Check(t.Context(), Input{Script: good}); err != nil || total < 0.01 {
		t.Errorf("%v %v", total, err)
	}
}
