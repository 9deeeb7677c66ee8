package validate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/bwrap"
	"github.com/repgen/repgen/internal/system"
)

// realBox skips unless real tools are asked for; then a missing one fails.
func realBox(t testing.TB, python string, wants ...string) Box {
	t.Helper()
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to use the real index, interpreters and sandbox")
	}
	cache, err := system.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	sb, err := bwrap.New(t.Context(), bwrap.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := environment.Open(t.Context(), environment.Options{CacheDir: cache, Sandbox: sb, Limits: sandbox.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	s := environment.Spec{Python: python, PythonSource: "flag", AsOf: time.Date(2025, 11, 1, 0, 0, 0, 0, time.UTC), AsOfSource: "flag"}
	for _, w := range wants {
		name, spec, module := w, "", ""
		if i := strings.IndexAny(w, "="); i > 0 {
			name, spec = w[:i], w[i:]
		}
		if module = name; name == "scikit-learn" {
			module = "sklearn"
		}
		s.Requirements = append(s.Requirements, environment.Requirement{Name: name, Spec: spec, Word: environment.WordFlag})
		if name != "ruff" {
			s.Imports = append(s.Imports, module)
		}
	}
	lock, no, err := m.Solve(t.Context(), s)
	if err != nil || no != nil {
		t.Fatalf("solve: %+v %v", no, err)
	}
	e, no, err := m.Build(t.Context(), lock)
	if err != nil || no != nil {
		t.Fatalf("build: %+v %v", no, err)
	}
	t.Cleanup(e.Release)
	if c, err := m.Certify(t.Context(), e, s); err != nil || !c.OK {
		t.Fatalf("certify: %s %v", c.Why, err)
	}
	return Box{Sandbox: sb, Env: e, Known: NewKnown()}
}

// TestMain lets the sandbox start itself again inside.
func TestMain(m *testing.M) {
	bwrap.Trampoline()
	os.Exit(m.Run())
}

func realRuff(t testing.TB) Tool {
	ruff := realBox(t, "3.11", RuffRequirement)
	return func(context.Context) (Box, *environment.Unavailable, error) { return ruff, nil, nil }
}

// realFault is a script with the stage that must end it ("": none) and a part of
// what must be said.
type realFault struct {
	name, script string
	stage        task.Stage
	text         string
}

func judgeReal(t *testing.T, c *Checker, list []realFault) {
	t.Helper()
	for _, f := range list {
		t.Run(f.name, func(t *testing.T) {
			began := time.Now()
			got, reached, err := c.Check(t.Context(), Input{Script: f.script})
			t.Logf("%v, reached %s", time.Since(began).Round(time.Millisecond), reached)
			if err != nil {
				t.Fatal(err)
			}
			var ended task.Feedback
			for _, g := range got {
				t.Logf("%s %s: %s", g.Stage, g.Severity, g.Text)
				if g.Severity == task.SeverityError && ended.Stage == "" {
					ended = g
				}
			}
			if ended.Stage != f.stage || !strings.Contains(ended.Text, f.text) {
				t.Errorf("ended at %q with %q, want %q with %q", ended.Stage, ended.Text, f.stage, f.text)
			}
		})
	}
}

func TestRealScikitLearn(t *testing.T) {
	box := realBox(t, "3.11", "numpy", "scikit-learn")
	c := &Checker{Box: box, Subject: "scikit-learn", Modules: []string{"sklearn"}, Tool: realRuff(t)}
	head := "import numpy as np\nfrom sklearn.linear_model import LogisticRegression\n"
	tail := "X = np.ones((4, 2))\nm = LogisticRegression(C=1.0).fit(X, [0, 1, 0, 1])\nobserve(\"coef\", m.coef_)\n"
	judgeReal(t, c, []realFault{
		{"good", head + tail, "", ""},
		{"good with a control", head + "X = np.ones((4, 2))\nm = LogisticRegression(C=1.0 if control else 2.0).fit(X, [0, 1, 0, 1])\nobserve(\"coef\", m.coef_)\n", "", ""},
		{"parse", head + tail + "print m\n", task.StageParse, "Not Python 3"},
		{"compile", head + tail + "def f():\n    x = 1\n    global x\n", task.StageCompile, "global"},
		{"undefined", head + tail + "observe(\"n\", penalty)\n", task.StageLint, "F821"},
		{"used before", head + tail + "q = 1\ndef f():\n    print(q)\n    q = 2\nf()\n", task.StageLint, "F823"},
		{"format", head + tail + "print(\"%d %d\" % (1,))\n", task.StageLint, "F507"},
		{"no such function", head + strings.Replace(tail, "np.ones", "np.onez", 1), task.StageNames, "numpy.ones"},
		{"removed alias", head + tail + "x = np.float(3)\n", task.StageNames, "numpy.float"},
		{"another module's class", head + "from sklearn.metrics import SVC\n" + tail, task.StageNames, "does not exist"},
		{"no such module", head + "import sklearn.svmm\n" + tail, task.StageNames, "sklearn.svm"},
		{"misspelt class", strings.ReplaceAll(head+tail, "LogisticRegression", "LogisticRegresion"), task.StageNames, "sklearn.linear_model.LogisticRegression"},
		{"lazy submodule", head + "import sklearn\nprint(sklearn.datasets.make_blobs())\n" + tail, "", ""},
		{"unexpected argument", head + strings.Replace(tail, "C=1.0", "penalti=\"l2\"", 1), task.StageNames, "There is penalty"},
		{"too many arguments", head + strings.Replace(tail, "C=1.0", "\"l2\", False", 1), task.StageNames, "too many positional"},
		{"C function", head + "x = np.array([1], foo=3)\n" + tail, "", ""},
		{"stdlib argument", head + "import json\njson.dump({})\n" + tail, task.StageNames, "missing a required argument"},
		{"class attribute", head + tail + "LogisticRegression.fitt(m, X)\n", task.StageNames, "LogisticRegression.fit"},
		{"not installed", "import torch\n" + head + tail, "", ""},
		{"rebound name", head + tail + "np = 3\nprint(np.real)\n", "", ""},
		{"sub-package attribute", head + "r = np.random.default_rng(0).normal(size=3)\nn = np.linalg.norm(r)\n" + tail, "", ""},
		{"irrelevant", "import numpy as np\nobserve(\"x\", np.ones(3))\n", task.StageRelevance, "never imports"},
	})
}

// The oldest interpreter that a linter's target and a wheel of numpy share here.
func TestRealOldPython(t *testing.T) {
	box := realBox(t, "3.8", "numpy==1.23.5")
	c := &Checker{Box: box, Subject: "numpy", Modules: []string{"numpy"}, Tool: realRuff(t)}
	tail := "x = np.zeros((2, 3), dtype=np.float32)\nobserve(\"x\", x)\n"
	judgeReal(t, c, []realFault{
		{"good", "import numpy as np\n" + tail, "", ""},
		{"match", "import numpy as np\n" + tail + "match x:\n    case 1:\n        pass\n", task.StageCompile, "Python 3.8"},
		{"dict union", "import numpy as np\n" + tail + "d = {**{}, **{}}\nif (n := 3) > 2:\n    print(d, n)\n", "", ""},
		{"a name of a later release", "import numpy as np\n" + tail + "np.concat([x, x])\n", task.StageNames, "numpy.concat"},
		{"an alias that was still there", "import numpy as np\n" + tail + "np.float(3)\n", "", ""},
		{"argument of a Python function", "import numpy as np\n" + tail + "np.linspace(0, 1, nums=3)\n", task.StageNames, "There is num"},
	})
	f, err := Facts(t.Context(), box, "numpy", []string{"numpy.linspace", "numpy.concat", "numpy.linalg.norm", "numpy.array", "numpy.pi", "numpy.ndarray"})
	if err != nil || f.Version != "1.23.5" || !strings.HasPrefix(f.Python, "3.8") || len(f.Signatures) != 6 {
		t.Fatalf("%+v %v", f, err)
	}
	for i, want := range []struct {
		exists bool
		kind   string
	}{{true, "function"}, {false, ""}, {true, "function"}, {true, "function"}, {true, "value"}, {true, "class"}} {
		if s := f.Signatures[i]; s.Exists != want.exists || s.Kind != want.kind {
			t.Errorf("%+v", s)
		}
	}
}

// withModules adds a folder of modules to what is run.
type withModules struct {
	sandbox.Sandbox
	dir string
}

func (w withModules) Run(ctx context.Context, c sandbox.Command, l sandbox.Limits) (sandbox.Execution, error) {
	c.Mounts = append(c.Mounts, sandbox.Mount{Host: w.dir, Guest: "/modules"})
	c.Env["PYTHONPATH"] = "/modules"
	return w.Sandbox.Run(ctx, c, l)
}

// One import that hangs, crashes, floods, exits or forges costs its own names only.
func TestRealHostileModules(t *testing.T) {
	box := realBox(t, "3.11", "numpy")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"hangs":   "import ctypes\nwhile True:\n    ctypes.pythonapi.PyErr_CheckSignals\n",
		"crashes": "import ctypes\nctypes.string_at(0)\n",
		"leaves":  "import os\nos._exit(0)\n",
		"exits":   "import sys\nsys.exit(3)\n",
		"floods":  "import sys\nfor i in range(200000):\n    print('x' * 1000)\n    print('{\"t\":\"done\"}', file=sys.stderr)\n",
		"lies":    "class M:\n    def __getattribute__(self, n):\n        raise RuntimeError(n)\nx = M()\ndef __getattr__(n):\n    if n == 'made':\n        return 3\n    raise AttributeError(n)\ndef __dir__():\n    raise ValueError\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".py"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	box.Sandbox, box.Limits = withModules{box.Sandbox, dir}, sandbox.Limits{Wall: 15 * time.Second} // of a busy machine
	f, err := Facts(t.Context(), box, "numpy", []string{
		"crashes.x", "hangs.x", "leaves.x", "exits.x", "floods.sys", "lies.x.y", "lies.made", "lies.unmade", "numpy.zeros",
	})
	if err != nil {
		t.Fatal(err)
	}
	exists := map[string]bool{}
	for _, s := range f.Signatures {
		exists[s.Name] = s.Exists
		t.Logf("%+v", s)
		if !s.Exists && s.Why == "" {
			t.Errorf("%s: no reason", s.Name)
		}
	}
	if !exists["numpy.zeros"] || !exists["floods.sys"] || !exists["lies.made"] || exists["lies.unmade"] || exists["crashes.x"] || exists["hangs.x"] {
		t.Errorf("%v", exists)
	}
}

// TestFakeIsLikeReal asks the fake and the real interpreter the same of Python's
// own library.
func TestFakeIsLikeReal(t *testing.T) {
	real := realBox(t, "3.11", "numpy")
	missing := nameAnswer{Absent: "json.loadz", Holder: "module", Near: []string{"json.load", "json.loads"}, Error: &failure{Type: "AttributeError"}}
	fake := &fakeBox{world: world{
		names: map[string]nameAnswer{"json": {Exists: true, Kind: "module"}, "json.loadz": missing},
		facts: map[string]nameAnswer{"json.loadz": missing, "nowhere.x": {Absent: "nowhere", Holder: "environment", Error: &failure{Type: "ModuleNotFoundError", Missing: "nowhere"}}},
		calls: map[string]callAnswer{"json.dump": {Error: "missing a required argument: 'fp'", Certain: true}},
	}}
	script := "import json\n"
	q := question{
		Script: &script, Imports: []importOf{{Module: "json", Names: []string{"dumps"}}}, Names: []string{"json.loads", "json.loadz"},
		Calls: []callShape{{Func: "json.dump", Args: 1, Keywords: []string{}}, {Func: "json.dumps", Args: 1, Keywords: []string{"indent"}}},
		Facts: []string{"json.loadz", "nowhere.x", "json.dumps"},
	}
	got := [2]answers{}
	for i, b := range []Box{fake.box(), real} {
		a, err := b.ask(t.Context(), q)
		if err != nil || !a.done || a.compile == nil || a.compile.Error != nil {
			t.Fatalf("box %d: %+v %v", i, a, err)
		}
		got[i] = a
	}
	for _, tables := range [][2]map[string]nameAnswer{{got[0].names, got[1].names}, {got[0].facts, got[1].facts}} {
		if len(tables[0]) != len(tables[1]) {
			t.Errorf("%v and %v", tables[0], tables[1])
		}
		for name, a := range tables[0] {
			b := tables[1][name]
			if a.Exists != b.Exists || a.Kind != b.Kind || a.Absent != b.Absent || a.Holder != b.Holder || (a.Error == nil) != (b.Error == nil) || a.Error != nil && a.Error.Type != b.Error.Type {
				t.Errorf("%s: %+v and %+v", name, a, b)
			}
		}
	}
	for i := range q.Calls {
		a, b := got[0].calls[i], got[1].calls[i]
		if (a == nil) != (b == nil) || a != nil && (a.Error != b.Error || a.Certain != b.Certain) {
			t.Errorf("call %d: %+v and %+v", i, a, b)
		}
	}
}

// BenchmarkCheck is one script of numpy and scikit-learn through all the cheap
// stages: cold asks about every name, warm only compiles and lints.
func BenchmarkCheck(b *testing.B) {
	box := realBox(b, "3.11", "numpy", "scikit-learn")
	tool := realRuff(b)
	script := "import numpy as np\nfrom sklearn.linear_model import LogisticRegression\nX = np.ones((4, 2))\nm = LogisticRegression(C=1.0).fit(X, [0, 1, 0, 1])\nobserve(\"coef\", m.coef_)\n"
	for _, warm := range []bool{false, true} {
		b.Run(fmt.Sprintf("warm=%t", warm), func(b *testing.B) {
			c := &Checker{Box: box, Subject: "scikit-learn", Modules: []string{"sklearn"}, Tool: tool}
			for b.Loop() {
				if !warm {
					c.Box.Known = NewKnown()
				}
				if list, _, err := c.Check(b.Context(), Input{Script: script}); err != nil || Failed(list) {
					b.Fatal(list, err)
				}
			}
		})
	}
}

// The questions are put to interpreters of every age.
func TestRealEveryPython(t *testing.T) {
	for _, python := range []string{"3.6", "3.7", "3.9", "3.12", "3.13"} {
		t.Run(python, func(t *testing.T) {
			box := realBox(t, python, "six")
			c := &Checker{Box: box, Subject: "six", Modules: []string{"six"}}
			judgeReal(t, c, []realFault{
				{"good", "import six\nprint(six.ensure_str(b\"a\"))\n", "", ""},
				{"name", "import six\nprint(six.ensure_strr(b\"a\"))\n", task.StageNames, "six.ensure_str"},
				{"call", "import six\nprint(six.ensure_str(b\"a\", encodin=\"x\"))\n", task.StageNames, "There is encoding"},
				{"compile", "import six\nprint(six.ensure_str(b\"a\"))\nreturn 1\n", task.StageCompile, "return"},
			})
			f, err := Facts(t.Context(), box, "six", []string{"six.ensure_str", "six.moves.urllib.parse.quote", "xml.dom.minidom", "math.pi"})
			if err != nil || !f.Signatures[0].Exists || !f.Signatures[1].Exists || f.Signatures[2].Kind != "module" || f.Signatures[3].Doc != "3.141592653589793" {
				t.Errorf("%+v %v", f.Signatures, err)
			}
		})
	}
}
