package candidate

import (
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
)

func TestFromAgent(t *testing.T) {
	c := FromAgent("import keras\n\nx = 3 if control else 1\nobserve(\"out\", keras.ops.sum(x))\n", "the axis 3")
	if c.Origin != "agent" || !c.HasControl || c.Trigger != "the axis 3" || len(c.Refusals) > 0 || len(c.Undefined) > 0 || c.SyntaxError != "" {
		t.Errorf("%+v", c)
	}
	if !slices.Equal(c.Imports, []string{"keras"}) {
		t.Errorf("imports %v", c.Imports)
	}
	if got := strings.Split(c.Script, "\n")[ShimLines]; got != "import keras" {
		t.Errorf("line %d is %q", ShimLines+1, got)
	}
	if strings.Count(c.Own(), "\n") != strings.Count(c.Script, "\n") || strings.Contains(c.Own(), "repgen") {
		t.Errorf("own text %q", c.Own())
	}
	for body, want := range map[string]bool{
		"import keras\nkeras.f()\n": false, "import keras\nkeras.f(control=1)\n": false, "import keras\n# control\nkeras.f('control')\n": false,
		"import keras\nkeras.control\n": false, "import keras\nif not control:\n    keras.f()\n": true,
	} {
		if c := FromAgent(body, ""); c.HasControl != want {
			t.Errorf("%q: control %v", body, c.HasControl)
		}
	}
}

// TestShimStays: a script keeps its shim and its meaning whoever reads it again.
func TestShimStays(t *testing.T) {
	body := "from __future__ import annotations\nimport keras\nfrom repgen_probe import observe, control\nobserve('x', keras.f(3 if control else 1))\n"
	c := FromAgent(body, "x")
	first, _, _ := strings.Cut(c.Script, "\n")
	if first != "from __future__ import annotations" || len(c.Refusals) > 0 || !c.HasControl || c.SyntaxError != "" {
		t.Errorf("%q %v %v", first, c.Refusals, c.HasControl)
	}
	if strings.Count(c.Script, "\n") != ShimLines+4 {
		t.Errorf("%d lines", strings.Count(c.Script, "\n"))
	}
	for name, again := range map[string]*Candidate{
		"again": FromAgent(c.Script, "x"), "judged": FromScript(c.Script), "read": Reread(c),
		"read with lies": Reread(&Candidate{Script: c.Script, Origin: "agent", HasControl: false, Refusals: []string{"x"}}),
	} {
		if again.Origin != "agent" || !again.HasControl || again.Script != c.Script || len(again.Refusals) > 0 {
			t.Errorf("%s: %+v", name, again)
		}
	}
	forged := Reread(&Candidate{Script: "observe = print\ncontrol = True\nimport keras\nkeras.f(control)\n", Origin: "agent", HasControl: true})
	if !containsPart(forged.Refusals, "are not ours") || forged.HasControl {
		t.Errorf("without a shim: %v %v", forged.Refusals, forged.HasControl)
	}
	shimless := Reread(&Candidate{Script: strings.Replace(c.Script, "--control", "--other", 1), Origin: "agent"})
	if !containsPart(shimless.Refusals, "are not ours") {
		t.Errorf("with another shim: %v", shimless.Refusals)
	}
}

// TestAgentRefusals: what a model's script is refused for beyond a person's.
func TestAgentRefusals(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"its own observe", "def observe(n, v): pass\nimport keras\nobserve('x', keras.f())\n", "gives observe a meaning of its own"},
		{"its own control", "import keras\ncontrol = False\nkeras.f(control)\n", "gives control a meaning of its own"},
		{"an alias", "import keras\no = observe\no('x', 1)\nkeras.f()\n", "uses observe otherwise"},
		{"a computed name", "import keras\nobserve('x' + 'y', keras.f())\n", "observe takes a plain string"},
		{"a parameter", "import keras\ndef f(observe):\n    observe('x', 1)\nf(observe)\nkeras.f()\n", "uses observe otherwise"},
		{"everything", "from keras import *\nf()\n", "imports *"},
		{"exec", "import keras\nexec('keras.f()')\n", "runs code from a string (exec)"},
		{"eval", "import keras\nobserve('x', eval('keras.f()'))\n", "runs code from a string (eval)"},
		{"the observer", "import repgen_probe\nimport keras\nrepgen_probe.send('obs', {})\nkeras.f()\n", "touches the observer"},
		{"the observer's values", "from repgen_probe import values\nimport keras\nkeras.f()\n", "touches the observer"},
		{"the modules", "import sys, keras\nm = sys.modules['re' + 'pgen_probe']\nkeras.f()\n", "interpreter's own tables"},
		{"the mount", "import keras\nprint(open('/probe/repgen_probe/__init__.py').read())\nkeras.f()\n", "touches the observer"},
		{"the mount alone", "import keras, os\nprint(os.listdir('/probe'))\nkeras.f()\n", "touches the observer"},
		{"frames", "import sys, keras\nsys._getframe(0)\nkeras.f()\n", "looks behind the script"},
		{"globals", "import keras\nglobals()['ob' + 'serve'] = print\nkeras.f()\n", "looks at its own names"},
		{"function globals", "import keras\nobserve.__globals__['send']('obs', {})\nkeras.f()\n", "looks behind a name"},
		{"hasattr", "import keras\nx = 3 * hasattr(keras, 'old')\nkeras.f(x)\n", "asks what the release has"},
		{"getattr of an instance", "import keras\nm = keras.M()\nx = getattr(m, 'old', 3)\nkeras.f(x)\n", "asks what the release has"},
		{"a version in arithmetic", "import keras\nx = float(keras.__version__[:3])\nkeras.f(x)\n", "reads a version"},
		{"the installed version", "import keras\nfrom importlib.metadata import version\nx = len(version('keras'))\nkeras.f(x)\n", "reads a version"},
		{"a file of the release", "import keras\nx = len(keras.__file__)\nkeras.f(x)\n", "asks what the release has"},
		{"a caught absence", "import keras\ntry:\n    keras.new()\n    old = 0\nexcept AttributeError:\n    old = 3\nkeras.f(old)\n", "what an except clause set"},
		{"a call in a handler", "import keras\ntry:\n    keras.new()\nexcept AttributeError:\n    keras.f(3)\n", "calls a library where something was caught"},
		{"suppressed", "import keras, contextlib\nwith contextlib.suppress(Exception):\n    keras.new()\nkeras.f(3)\n", "swallows exceptions"},
		{"a process", "import subprocess, keras\nsubprocess.run(['x'])\nkeras.f()\n", "reaches outside"},
		{"a secret", "import keras\nprint(open('/root/.ssh/id_rsa').read())\nkeras.f()\n", "reaches outside"},
		{"a computed import", "import importlib, keras\nimportlib.import_module('rep' + 'gen')\nkeras.f()\n", "imports what its text does not name"},
		{"an escape", "import keras\n# \x1b[2J\nkeras.f()\n", "steer a terminal"},
		{"turned text", "import keras\nkeras.f('\u202e)x(')\n", "turn the text around"},
		{"a clock", "import time, keras\nx = 3 if time.time() < 1e9 else 1\nkeras.f(x)\n", "asks what time it is"},
		{"another clock", "from datetime import datetime as d\nimport keras\nkeras.f(d.now().minute)\n", "asks what time it is"},
		{"a clock of a library", "import numpy as np\nnp.sum(np.datetime64('now') < np.datetime64('2026-01-01'))\n", "asks what time it is"},
		{"ctypes", "import ctypes, keras\nkeras.f()\n", "imports ctypes"},
		{"no library", "observe('x', 1)\n", "touches no library code"},
		{"a patch", "import keras\nkeras.f = lambda: 1\nkeras.f()\n", "patches keras.f"},
		{"a version branch", "import keras\nif keras.__version__ < '3':\n    keras.f(3)\n", "branches on a version"},
		{"its own copy", "from keras import f\ndef f(x):\n    raise TypeError('x')\nf(3)\n", "its own copy of f"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := FromAgent(c.body, "").RefusalsFor(wantTypeError); !containsPart(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestLiarsAsAgents: what is refused as anybody's script is as a model's.
func TestLiarsAsAgents(t *testing.T) {
	for _, l := range liars {
		if l.want == "" {
			continue
		}
		t.Run(l.file, func(t *testing.T) {
			c := FromAgent(script(t, "liars", l.file), "")
			_, what, found := strings.Cut(l.want, ": ")
			if !found {
				what = l.want
			}
			if got := c.RefusalsFor(l.e); !containsPart(got, what) {
				t.Errorf("no refusal says %q: %q", what, got)
			}
		})
	}
}

// TestHonestAgents: what models write of their own accord is not refused.
func TestHonestAgents(t *testing.T) {
	for name, body := range map[string]string{
		"an exception":   "import numpy as np\nfrom sklearn.linear_model import LinearRegression\n\nX = np.ones((3, 2)) if control else np.empty((0, 2))\ny = np.ones(len(X))\nprint(np.__version__)\nm = LinearRegression().fit(X, y)\nobserve('coef', m.coef_)\n",
		"a silent bug":   "import numpy as np\n\ndef run(x):\n    return np.median(x)\n\nx = np.array([1.0, 2.0])\nif not control:\n    x = np.append(x, 3.0)\nout = run(x)\nobserve('out', float(out))\nobserve('ok', bool(out > 1))\n",
		"a caught error": "import numpy as np\nraised = False\nmessage = ''\ntry:\n    np.zeros(3).reshape(2, 2)\nexcept ValueError as e:\n    raised = True\n    message = str(e)\nobserve('raised', raised)\nobserve('message', message)\n",
		"a training loop": "import torch\nfrom torch import nn\ntorch.manual_seed(0)\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.l = nn.Linear(3, 1)\n    def forward(self, x):\n        return self.l(x)\n" +
			"net = Net()\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor epoch in range(3):\n    loss = net(torch.ones(2, 3)).sum()\n    opt.zero_grad()\n    loss.backward()\n    opt.step()\n    net.eval()\nobserve('loss', loss.item())\nif __name__ == '__main__':\n    print(type(loss).__name__)\n",
		"a guard": "import torch\ndevice = 'cuda' if torch.cuda.is_available() else 'cpu'\nx = torch.ones(3, device=device)\nobserve('x', x)\n",
	} {
		t.Run(name, func(t *testing.T) {
			c := FromAgent(body, "")
			if got := c.RefusalsFor(&oracle.Expectation{Oracle: oracle.OracleObserved, Symptom: symptom.Symptom{Kind: symptom.WrongValue}}); len(got) > 0 || len(c.Undefined) > 0 {
				t.Errorf("refused %q, undefined %v", got, c.Undefined)
			}
		})
	}
}

// FuzzFromAgent: whatever a model writes, there is a candidate that is the same
// when it is read again, and our lines stand before its own.
func FuzzFromAgent(f *testing.F) {
	seeds(f)
	f.Add("from __future__ import annotations\nfrom __future__ import division\n'doc'\n")
	f.Add("from repgen_probe import observe as o\nfrom repgen import (observe,\n  control)\nx = control\n")
	f.Add("if control: observe('x', 1)\nelse: pass\n")
	f.Fuzz(func(t *testing.T, body string) {
		c := FromAgent(body, "it")
		again := Reread(c)
		if again.HasControl != c.HasControl || !slices.Equal(again.Refusals, c.Refusals) || again.Script != c.Script {
			t.Errorf("read again: control %v %v, %q %q", c.HasControl, again.HasControl, c.Refusals, again.Refusals)
		}
		if _, ok := withoutShim(c.Script); !ok {
			t.Error("the shim is not there")
		}
		r := report.Parse([]byte(body), report.Source{})
		for line := range 4 {
			UnfitControl(r, c, wantTypeError, Ran{Frames: []ScriptFrame{{Line: ShimLines + line, Function: "<module>"}}, Seen: []string{}})
		}
		Unanchored(r, c, &oracle.Expectation{Modules: []string{"keras"}, Observed: &oracle.Observed{
			Names: []oracle.ObservedName{{Name: "x", Type: "number"}}, Bad: "x > 2", Good: "x < 1", BadQuote: body, GoodQuote: body + body,
		}})
	})
}
