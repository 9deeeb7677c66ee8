package candidate

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/triage"
)

// changed are the lines that a variant has and its candidate has not, joined.
func changed(c *Candidate, v Variant) string {
	have := map[string]int{}
	for line := range strings.SplitSeq(c.Script, "\n") {
		have[line]++
	}
	var lines []string
	for line := range strings.SplitSeq(v.Script, "\n") {
		if have[line]--; have[line] < 0 && strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, " | ")
}

func contrast(kind, target, value string) triage.Contrast {
	return triage.Contrast{Kind: kind, Target: target, Value: value, Words: "the words"}
}

func bad(c triage.Contrast) triage.Contrast {
	c.Bad = true
	return c
}

func TestContrasts(t *testing.T) {
	for _, tc := range []struct {
		name, code string
		con        triage.Contrast
		want       string // the changed lines, "" for no variant
		same       bool   // "" means that lines were only taken out
	}{
		{"set a keyword", "import torch\ntorch.sum(x, dim=1)\nx = 1\n", contrast("argument", "dim", "0"), "torch.sum(x, dim=0)", false},
		{"set it to what it is", "import torch\ntorch.sum(1, dim=0)\n", contrast("argument", "dim", "0"), "", false},
		{"set a string keyword", "import torch\ntorch.mean(1, reduction='sum')\n", contrast("argument", "reduction", "mean"), `torch.mean(1, reduction="mean")`, false},
		{"set a constant", "import torch\nbatch = 4\ntorch.ones(batch)\n", contrast("argument", "batch", "1"), "batch = 1", false},
		{"set an attribute", "import torch\nc = torch.c()\nc.use_cache = True\n", contrast("argument", "use_cache", "False"), "c.use_cache = False", false},
		{"a statement is no value", "import torch\ntorch.sum(1, dim=0)\n", contrast("argument", "dim", "1); import os; os.abort("), "", false},
		{"an attack is no value", "import torch\ntorch.sum(1, dim=0)\n", contrast("argument", "dim", "__import__('os').abort()"), "", false},
		{
			"new keyword of a named call", "import torch\nd = torch.DataLoader([1, 2])\ntorch.f(d)\n",
			triage.Contrast{Kind: "argument", Target: "num_workers", Value: "0", Words: "DataLoader with num_workers=0 is fine"},
			"d = torch.DataLoader([1, 2], num_workers=0)", false,
		},
		{"a type of the same module", "import jax.numpy as jnp\njnp.ones(2, dtype=jnp.float16)\n", contrast("argument", "dtype", "float32"), "jnp.ones(2, dtype=jnp.float32)", false},
		{
			"the keyword of a named call", "import torch\nx = torch.ones(2, dim=1)\ny = torch.softmax(x, dim=1)\n",
			triage.Contrast{Kind: "argument", Target: "dim", Value: "0", Words: "softmax with dim=0 is fine"},
			"y = torch.softmax(x, dim=0)", false,
		},
		{"new keyword of nobody knows which", "import os\na(1)\nb(2)\ndef a(x): pass\ndef b(x): pass\n", contrast("argument", "dim", "0"), "", false},
		{"bad keyword", "import torch\ntorch.sum(1, dim=0, keepdim=True)\n", bad(contrast("argument", "keepdim", "True")), "torch.sum(1, dim=0)", false},
		{"bad first keyword", "import torch\ntorch.sum(keepdim=True, dim=0)\n", bad(contrast("argument", "keepdim", "True")), "torch.sum(dim=0)", false},
		{"bad only keyword", "import torch\ntorch.sum(keepdim=True, )\n", bad(contrast("argument", "keepdim", "True")), "torch.sum( )", false},
		{"without a decorator", "import jax\n@jax.jit\ndef f(x):\n    return x\nf(1)\n", contrast("without", "jit", ""), "", true},
		{"without a partial decorator", "import jax\nfrom functools import partial\n@partial(jax.jit, static_argnums=0)\ndef f(x):\n    return x\nf(1)\n", contrast("without", "jax.jit", ""), "", true},
		{"without a wrapper", "import jax\ndef f(x): return x\ng = jax.jit(f)\nprint(jax.jit(f)(1), g(1))\n", contrast("without", "`jit`", ""), "g = f | print(f(1), g(1))", false},
		{"without a layer", "import torch.nn as nn\nm = nn.Sequential(nn.Linear(1, 1), nn.Dropout(0.5))\n", contrast("without", "Dropout", ""), "m = nn.Sequential(nn.Linear(1, 1))", false},
		{"without a function", "import torch\nx = torch.softmax(torch.ones(2))\n", contrast("without", "softmax", ""), "x = (torch.ones(2))", false},
		{"without a method", "import torch\nx = torch.ones(2).contiguous()\n", contrast("without", ".contiguous()", ""), "x = torch.ones(2)", false},
		{"without a statement", "import torch\nm = torch.m()\nif m:\n    m.eval()\nprint(m(1))\n", contrast("without", "m.eval()", ""), "pass", false},
		{"without a context", "import torch\nwith torch.autocast('cpu'):\n    print(torch.ones(1))\n", contrast("without", "autocast", ""), `with __import__("contextlib").suppress():`, false},
		{"without a keyword", "import torch\ntorch.sum(1, keepdim=True)\n", contrast("without", "keepdim=True", ""), "torch.sum(1)", false},
		{"without an import", "import torch\nimport tensorflow\nprint(torch.ones(1))\n", contrast("without", "tensorflow", ""), "pass", false},
		{"without an import that is used", "import torch\nimport tensorflow\nprint(tensorflow, torch)\n", contrast("without", "tensorflow", ""), "", false},
		{"without a print", "import torch\nprint(torch.ones(1))\n", contrast("without", "print", ""), "", false},
		{"without a definition that is used", "import torch\nx = torch.ones(1)\nprint(x)\n", contrast("without", "x", ""), "", false},
		{"without, bad, is with", "import torch\ntorch.sum(1, keepdim=False)\n", bad(contrast("without", "keepdim=True", "")), "torch.sum(1, keepdim=True)", false},
		{"instead, a name", "import jax.numpy as jnp\nprint(jnp.exp(1), jnp.expm1(1))\n", contrast("instead", "jnp.exp", "jnp.exp2"), "print(jnp.exp2(1), jnp.expm1(1))", false},
		{"instead, a last part", "import torch\nprint(torch.ones(1).half().half)\n", contrast("instead", "half", "float"), "", false},
		{"instead, a method", "import torch\nx = torch.ones(1)\nprint(x.half())\n", contrast("instead", "half", "float"), "print(x.float())", false},
		{"instead, a module", "import jax.numpy as jnp\nx = jnp.ones(1)\n", contrast("instead", "jnp", "np"), "import numpy as np; import jax.numpy as jnp | x = np.ones(1)", false},
		{"instead, a string", "import torch\nf = torch.get('adam', \"adam\")\n", contrast("instead", "adam", "sgd"), `f = torch.get("sgd", "sgd")`, false},
		{"instead, one number", "import torch\ntorch.ones(7)\n", contrast("instead", "7", "8"), "torch.ones(8)", false},
		{"instead, which number", "import torch\ntorch.ones(7, 7)\n", contrast("instead", "7", "8"), "", false},
		{"instead, an argument", "import torch\ntorch.ones(7, dim=7)\n", contrast("instead", "dim=7", "8"), "torch.ones(7, dim=8)", false},
		{"instead, a call", "import torch\ntorch.ones( 7 )\n", contrast("instead", "torch.ones(7)", "torch.zeros(7)"), "torch.zeros(7)", false},
		{"instead, an imported name", "from torch import SGD\nSGD(1)\n", contrast("instead", "SGD", "Adam"), "from torch import Adam | Adam(1)", false},
		{"instead, bad", "import torch\ntorch.ones(7)\n", bad(contrast("instead", "8", "7")), "torch.ones(8)", false},
		{"instead, unknown", "import torch\ntorch.ones(7)\n", contrast("instead", "ones", "nobody.knows"), "", false},
		{"another script's names", "import torch\n# число\nчисло = torch.ones(7, размер=1)\nprint(число)\n", contrast("argument", "размер", "2"), "", false},
		{"bytes before it", "import torch\n# 数字 число\nчисло = torch.ones('数字', dim=1)\n", contrast("argument", "dim", "2"), "число = torch.ones('数字', dim=2)", false},
		{"does not parse", "import torch\ntorch.ones(7, dim=1\n", contrast("argument", "dim", "2"), "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := FromScript(tc.code)
			got := Variants(c, &triage.Decision{Contrasts: []triage.Contrast{tc.con}})
			if tc.want == "" && !tc.same {
				if len(got) != 0 {
					t.Errorf("a variant: %q", got[0].Script)
				}
				return
			}
			if len(got) != 1 {
				t.Fatalf("%d variants", len(got))
			}
			if lines := changed(c, got[0]); lines != tc.want {
				t.Errorf("changed %q, want %q", lines, tc.want)
			}
			if got[0].Removal || got[0].Words != tc.con.Words || got[0].Change == "" || got[0].Edit.Kind != "contrast" || got[0].Edit.Line == 0 {
				t.Errorf("%+v", got[0])
			}
			if tc.con.Kind != "instead" && strings.Count(got[0].Script, "\n") != strings.Count(tc.code, "\n") {
				t.Errorf("lines moved: %q", got[0].Script)
			}
		})
	}
}

// TestContrastsKeepWhatIsJudged: a contrast that takes the suspected call itself
// out would be clean whatever the library does.
func TestContrastsKeepWhatIsJudged(t *testing.T) {
	subject := oracle.Expectation{Modules: []string{"keras"}}
	traced := oracle.Expectation{Symptom: symptom.Symptom{Frames: []symptom.Frame{{Where: "script", Source: "y = softmax(x)"}}}}
	for _, tc := range []struct {
		code, target string
		e            oracle.Expectation
		want         int
	}{
		{"import keras\nx = 1\ny = keras.ops.softmax(x)\nprint(y)\n", "softmax", subject, 0},
		{"import keras\nx = keras.ops.ones(1)\ny = keras.ops.softmax(x)\nprint(y)\n", "softmax", subject, 1},
		{"from keras.ops import softmax, ones\nx = ones(1)\ny = softmax(x)\nprint(y)\n", "softmax", traced, 0},
		{"import keras\nkeras.utils.set_random_seed(0)\n", "set_random_seed", subject, 0},
		{"import keras\n@keras.saving.register\ndef f(): return keras.ops.ones(1)\nprint(f())\n", "register", subject, 1},
	} {
		d := &triage.Decision{Expectation: &tc.e, Contrasts: []triage.Contrast{contrast("without", tc.target, "")}}
		if got := Variants(FromScript(tc.code), d); len(got) != tc.want {
			t.Errorf("%q without %s: %+v", tc.code, tc.target, got)
		}
	}
}

func TestEnvironmentContrasts(t *testing.T) {
	c := FromScript("import jax\nprint(jax.numpy.ones(1))\n")
	c.Env = map[string]string{"XLA_FLAGS": "--a=1"}
	got := Variants(c, &triage.Decision{Contrasts: []triage.Contrast{
		contrast("env", "JAX_DISABLE_JIT", "1"), bad(contrast("env", "XLA_FLAGS", "")),
		contrast("env", "LD_PRELOAD", "x.so"), contrast("env", "XLA_FLAGS", "--a=1"), contrast("env", "A_B", "$(x)"),
	}})
	if len(got) != 2 || got[0].Env["JAX_DISABLE_JIT"] != "1" || got[0].Script != c.Script {
		t.Fatalf("%+v", got)
	}
	if value, set := got[1].Env["XLA_FLAGS"]; !set || value != "" || got[1].Change != "without XLA_FLAGS" {
		t.Errorf("%+v", got[1])
	}
	own := FromScript("import os\nos.environ[\"KERAS_BACKEND\"] = 'jax'\nimport keras\n")
	got = Variants(own, &triage.Decision{Contrasts: []triage.Contrast{
		contrast("env", "KERAS_BACKEND", "torch"), bad(contrast("env", "KERAS_BACKEND", "jax")),
	}})
	if len(got) != 2 || changed(own, got[0]) != `os.environ["KERAS_BACKEND"] = "torch"` || changed(own, got[1]) != "pass" || got[0].Env != nil {
		t.Errorf("%+v", got)
	}
}

func TestVariantsAreBounded(t *testing.T) {
	c := FromScript("import torch\ntorch.sum(1, dim=0)\n")
	d := &triage.Decision{}
	for i := range 50 {
		d.Contrasts = append(d.Contrasts, contrast("argument", "dim", strings.Repeat("1", i+1)))
	}
	if got := Variants(c, d); len(got) != maxVariants {
		t.Errorf("%d variants", len(got))
	}
	d.Contrasts = []triage.Contrast{contrast("argument", "dim", "1"), contrast("argument", "dim", "1")}
	if got := Variants(c, d); len(got) != 1 {
		t.Errorf("the same variant %d times", len(got))
	}
}

func TestRemovals(t *testing.T) {
	for _, tc := range []struct {
		name, code, target, want string
		same                     bool
		e                        oracle.Expectation
	}{
		{name: "argument to its default", code: "import keras\nprint(keras.f(1, drop_last=True))\n", target: "drop_last=True", want: "print(keras.f(1))"},
		{name: "another value", code: "import keras\nprint(keras.f(1, drop_last=False))\n", target: "drop_last=True"},
		{name: "argument by name", code: "import keras\nprint(keras.f(1, drop_last=False))\n", target: "drop_last", want: "print(keras.f(1))"},
		{name: "argument of a print", code: "import keras\nprint(keras.f(1), sep='')\n", target: "sep"},
		{name: "decorator", code: "import jax\n@jax.jit\ndef f(x): return x\nprint(f(1))\n", target: "jit", same: true},
		{name: "wrapper", code: "import jax\ndef f(x): return x\nprint(jax.jit(f)(1))\n", target: "jit", want: "print(f(1))"},
		{name: "layer", code: "from torch import nn\nm = nn.Sequential(nn.Linear(1, 2), nn.Dropout())\nprint(m(1))\n", target: "nn.Dropout", want: "m = nn.Sequential(nn.Linear(1, 2))"},
		{name: "setting", code: "import torch\ntorch.use_deterministic_algorithms(True)\nprint(torch.ones(1))\n", target: "use_deterministic_algorithms", want: "pass"},
		{name: "flag", code: "import torch\ntorch.backends.cudnn.benchmark = True\nprint(torch.ones(1))\n", target: "torch.backends.cudnn.benchmark = True", want: "pass"},
		{name: "nan put in", code: "import numpy as np\nx = np.ones(3)\nx[0] = None\nprint(np.sum(x))\n", target: "x[0]", want: "pass"},
		{name: "mode", code: "import torch\nm = torch.nn.Linear(1, 1)\nm.eval()\nprint(m(1))\n", target: "eval", want: "pass"},
		{name: "unknown wrapper changes the value", code: "import torch\nx = torch.ones(1)\nprint(torch.softmax(x))\n", target: "softmax"},
		{name: "the work", code: "import sklearn\nm = sklearn.m()\nm.fit()\nprint(m.predict())\n", target: "fit"},
		{name: "work on data", code: "import torch\nr = []\nr.append(torch.ones(1))\nprint(r)\n", target: "append"},
		{name: "an import", code: "import torch\nimport keras\nprint(torch.ones(1))\n", target: "keras"},
		{name: "a print", code: "import torch\nprint(torch.ones(1))\n", target: "print"},
		{name: "an assert", code: "import torch\nassert torch.ones(1) == 1\n", target: "assert torch.ones(1) == 1"},
		{name: "a definition", code: "import torch\nx = torch.ones(1)\nx = torch.zeros(1)\nprint(x)\n", target: "x"},
		{name: "the only call of the subject", code: "import torch\ntorch.manual_seed(0)\nprint(1)\n", target: "manual_seed", e: oracle.Expectation{Modules: []string{"torch"}}},
		{name: "a judged call", code: "import torch\ntorch.manual_seed(0)\nprint(torch.ones(1))\n", target: "manual_seed", e: oracle.Expectation{Calls: []string{"manual_seed"}}},
		{
			name: "the wrapper failed itself", code: "import torch\ndef f(x): return x\ng = torch.compile(f)\nprint(g(1))\n", target: "compile",
			e: oracle.Expectation{Symptom: symptom.Symptom{Frames: []symptom.Frame{{Where: "script", Source: "g = torch.compile(f)"}}}},
		},
		{
			name: "what it wraps failed", code: "import torch\ndef f(x): return x\nprint(torch.compile(f)(1))\n", target: "compile", want: "print(f(1))",
			e: oracle.Expectation{Symptom: symptom.Symptom{Frames: []symptom.Frame{{Where: "script", Source: "print(torch.compile(f)(1))"}}}},
		},
		{name: "the only use of the subject", code: "from numba import njit\n@njit\ndef f(x): return x\nprint(f(1))\n", target: "njit", e: oracle.Expectation{Modules: []string{"numba"}}},
		{name: "asks", code: "import keras\nprint(keras.f(1, drop_last=True))\n", target: "drop_last=True", e: oracle.Expectation{Asks: true}},
		{name: "not in the script", code: "import keras\nprint(keras.f(1))\n", target: "drop_last=True"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := FromScript(tc.code)
			got := Removals(c, &triage.Decision{Expectation: &tc.e, Triggers: []triage.Trigger{{Target: tc.target, Words: "it is " + tc.target}}})
			if tc.want == "" && !tc.same {
				if len(got) != 0 {
					t.Errorf("a removal: %q", got[0].Script)
				}
				return
			}
			if len(got) != 1 {
				t.Fatalf("%d removals", len(got))
			}
			if lines := changed(c, got[0]); lines != tc.want {
				t.Errorf("changed %q, want %q", lines, tc.want)
			}
			if !got[0].Removal || got[0].Edit.Kind != "removal" || got[0].Words == "" {
				t.Errorf("%+v", got[0])
			}
		})
	}
	if got := Removals(FromScript("import keras\n"), &triage.Decision{Triggers: []triage.Trigger{{Target: "x"}}}); got != nil {
		t.Errorf("removals without an expectation: %+v", got)
	}
}

func TestWithoutArgument(t *testing.T) {
	c := FromScript("import keras\nm = keras.Model(\n    1,\n    jit=True,\n)\nm.fit(jit=True)\n")
	c.Notes = append(c.Notes, "from the report")
	if got, ok := WithoutArgument(c, "Other.__init__", "jit"); ok {
		t.Errorf("two functions have it: %q", got.Script)
	}
	got, ok := WithoutArgument(c, "Model.__init__()", "jit")
	if !ok || got.Script != "import keras\nm = keras.Model(\n    1\n,\n)\nm.fit(jit=True)\n" {
		t.Fatalf("%v %+v", ok, got)
	}
	if len(got.Edits) != 1 || got.Edits[0].Kind != "obsolete_argument" || !got.Edits[0].Risky || len(c.Edits) != 0 {
		t.Errorf("%+v, the given one %+v", got.Edits, c.Edits)
	}
	if len(got.Notes) == 0 || got.Notes[len(got.Notes)-1] != "from the report" && got.Notes[0] != "from the report" {
		t.Errorf("notes %q", got.Notes)
	}
	if _, ok = WithoutArgument(c, "", "jit"); ok {
		t.Error("nobody knows which function")
	}
	if got, ok = WithoutArgument(FromScript("import keras\nkeras.f(a=1, *b)\nkeras.f(a=2)\n"), "__init__", "a"); !ok || got.Script != "import keras\nkeras.f(*b)\nkeras.f()\n" {
		t.Errorf("passed on: %v %+v", ok, got)
	}
	if _, ok = WithoutArgument(c, "Model", ""); ok {
		t.Error("no keyword")
	}
}
