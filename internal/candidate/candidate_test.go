package candidate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/triage"
)

// python is a report with one block of code.
func python(code string) *report.Report {
	return &report.Report{Blocks: []report.Block{{Kind: report.BlockPython, Text: code}}}
}

func build(t *testing.T, r *report.Report, d *triage.Decision) *Candidate {
	t.Helper()
	if d == nil {
		d = &triage.Decision{}
	}
	if d.Blocks == nil {
		for i := range r.Blocks {
			d.Blocks = append(d.Blocks, i)
		}
	}
	c, err := FromReport(r, d)
	if err != nil {
		t.Fatal(err)
	}
	if c.Origin != "reporter" {
		t.Errorf("origin %q", c.Origin)
	}
	return c
}

func kinds(c *Candidate) []string {
	var found []string
	for _, e := range c.Edits {
		found = addOnce(found, e.Kind)
	}
	slices.Sort(found)
	return found
}

func TestCleanScriptStaysAsItIs(t *testing.T) {
	code := script(t, "honest", "jax_jit_exp_nan")
	c := build(t, python(code), nil)
	if c.Script != code || len(c.Edits) != 0 || Diff(c.Original, c.Script) != "" {
		t.Errorf("edits %+v\n%s", c.Edits, Diff(c.Original, c.Script))
	}
	if !slices.Equal(c.Imports, []string{"jax"}) || len(c.Undefined) != 0 {
		t.Errorf("imports %q, undefined %q", c.Imports, c.Undefined)
	}
}

func TestNothingToJoin(t *testing.T) {
	if _, err := FromReport(python("x = 1"), &triage.Decision{}); !errors.Is(err, ErrNoBlocks) {
		t.Errorf("no blocks: %v", err)
	}
	if _, err := FromReport(python("x = 1"), &triage.Decision{Blocks: []int{4}}); err == nil {
		t.Error("an index that the report does not have must be an error")
	}
}

func TestBlocksAreJoinedInTheOrderOfTheDecision(t *testing.T) {
	r := &report.Report{Blocks: []report.Block{
		{Kind: report.BlockPython, Text: "print(x)\n"},
		{Kind: report.BlockOutput, Text: "3\n"},
		{Kind: report.BlockPython, Text: "import numpy\nx = 3\n\n"},
	}}
	c := build(t, r, &triage.Decision{Blocks: []int{2, 0}})
	if want := "import numpy\nx = 3\n\nprint(x)\n"; c.Script != want {
		t.Errorf("got %q", c.Script)
	}
	if !slices.Equal(kinds(c), []string{"join_blocks"}) {
		t.Errorf("edits %+v", c.Edits)
	}
}

// TestEdits goes through the kinds of edit that one block can need.
func TestEdits(t *testing.T) {
	for _, tc := range []struct {
		name, code, want string
		kinds            []string
		lower            bool
	}{
		{
			name: "indented paste", code: "    import torch\n    for i in range(2):\n        print(i)\n",
			want: "import torch\nfor i in range(2):\n    print(i)\n", kinds: []string{"dedent"},
		},
		{
			name: "indented below nothing", code: "import torch\nx = f(1)\n    x.run()\n    for i in x:\n        print(i)\nprint(x)\ndef f(a): return a\n",
			want:  "import torch\nx = f(1)\nx.run()\nfor i in x:\n    print(i)\nprint(x)\ndef f(a): return a\n",
			kinds: []string{"dedent"},
		},
		{
			name: "prompts nobody cut", code: ">>> import torch\n>>> for i in range(2):\n...     print(i)\n... \n0\n1\n",
			want: "import torch\nfor i in range(2):\n    print(i)\n", kinds: []string{"strip_prompt"},
		},
		{
			name: "smart quotes", code: "import torch\nprint(\u201chello\u201d, \u2018x\u2019)\n",
			want: "import torch\nprint(\"hello\", 'x')\n", kinds: []string{"quotes"},
		},
		{
			name: "smart quotes that are data", code: "import torch\nprint(\"\u201chello\u201d\")\n",
			want: "import torch\nprint(\"\u201chello\u201d\")\n",
		},
		{
			name: "no-break blanks", code: "import torch\nif\u00a0True:\n\u00a0\u00a0\u00a0\u00a0print(1)\n",
			want: "import torch\nif True:\n    print(1)\n", kinds: []string{"quotes"},
		},
		{
			name: "magics", code: "!pip install -q torch==2.1.0\n%matplotlib inline\nimport torch\n%time torch.ones(1)\nif True:\n    !ls\n",
			want:  "# !pip install -q torch==2.1.0\n# %matplotlib inline\nimport torch\ntorch.ones(1)\nif True:\n    pass  # !ls\n",
			kinds: []string{"magic"},
		},
		{
			name: "percent inside a string", code: "import torch\ntext = \"\"\"\n%matplotlib\n!pip install x\n\"\"\"\nprint(text)\n",
			want: "import torch\ntext = \"\"\"\n%matplotlib\n!pip install x\n\"\"\"\nprint(text)\n",
		},
		{
			name: "cell magic", code: "%%time\nimport torch\n", want: "# %%time\nimport torch\n", kinds: []string{"magic"},
		},
		{
			name: "aliases", code: "\"\"\"Doc.\"\"\"\nimport os\nos.environ['A'] = '1'\nx = np.ones(3)\nprint(torch.tensor(x), F.relu(x))\n",
			want: "\"\"\"Doc.\"\"\"\nimport os\nos.environ['A'] = '1'\nimport numpy as np\nx = np.ones(3)\n" +
				"import torch.nn.functional as F\nimport torch\nprint(torch.tensor(x), F.relu(x))\n",
			kinds: []string{"add_import"},
		},
		{
			name: "alias that is bound", code: "def F(x):\n    return x\nprint(F(1))\n", want: "def F(x):\n    return x\nprint(F(1))\n",
		},
		{
			name: "jax random", code: "import jax\nkey = random.PRNGKey(0)\n",
			want: "import jax\nfrom jax import random\nkey = random.PRNGKey(0)\n", kinds: []string{"add_import"},
		},
		{
			name: "windows", code: "import cv2\ncv2.imshow('a', 1)\nif cv2.waitKey(0) == 27:\n    cv2.destroyAllWindows()\n",
			want: "import cv2\nNone\nif -1 == 27:\n    None\n", kinds: []string{"show"},
		},
		{
			name: "device not asked to be lowered", code: "import torch\nprint(torch.ones(1, device='cuda'))\n",
			want: "import torch\nprint(torch.ones(1, device='cuda'))\n",
		},
		{
			name: "device", lower: true,
			code:  "import torch\nx = torch.ones(1, device='cuda:0').cuda(non_blocking=True)\nm = x.to(\"cuda\").cuda().sum()\ntorch.cuda.synchronize()\nd = 'cuda' if torch.cuda.is_available() else 'cpu'\n",
			want:  "import torch\nx = torch.ones(1, device='cpu').cpu()\nm = x.to(\"cpu\").cpu().sum()\nNone\nd = 'cuda' if torch.cuda.is_available() else 'cpu'\n",
			kinds: []string{"lower_device"},
		},
		{
			name: "device of other libraries", lower: true,
			code:  "import tensorflow as tf\nwith tf.device('/GPU:0'):\n    pass\nt = Trainer(accelerator=\"gpu\", gpus=1)\np = pipeline('x', device=0)\ndict(tree_method='gpu_hist')\n",
			want:  "import tensorflow as tf\nwith tf.device('/CPU:0'):\n    pass\nt = Trainer(accelerator=\"cpu\", gpus=0)\np = pipeline('x', device=\"cpu\")\ndict(tree_method='hist')\n",
			kinds: []string{"lower_device"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := build(t, python(tc.code), &triage.Decision{Lower: tc.lower})
			if c.Script != tc.want {
				t.Errorf("script:\n%s\nwant:\n%s", c.Script, tc.want)
			}
			if !slices.Equal(kinds(c), tc.kinds) {
				t.Errorf("kinds %q, want %q", kinds(c), tc.kinds)
			}
			checkEdits(t, c)
		})
	}
}

// checkEdits: the line of an edit holds what it says was written there, and
// the diff is empty exactly when nothing was edited.
func checkEdits(t *testing.T, c *Candidate) {
	t.Helper()
	lines := strings.Split(c.Script, "\n")
	for _, e := range c.Edits {
		first, _, _ := strings.Cut(e.After, "\n")
		if e.Line > len(lines) || (e.Line > 0 && e.Kind != "env" && !strings.Contains(lines[e.Line-1], first)) {
			t.Errorf("edit %+v is not at its line in\n%s", e, c.Script)
		}
		if (e.Kind == "lower_device") && !e.Risky {
			t.Errorf("not marked risky: %+v", e)
		}
	}
	if (Diff(c.Original, c.Script) == "") != (c.Original == c.Script) {
		t.Error("an edit is not in the diff")
	}
}

func TestPlotsGoNowhere(t *testing.T) {
	c := build(t, python("import matplotlib.pyplot as plt\nplt.plot([1])\nplt.show()\n"), nil)
	if c.Env["MPLBACKEND"] != "Agg" || !slices.Equal(kinds(c), []string{"show"}) {
		t.Errorf("env %v, edits %+v", c.Env, c.Edits)
	}
}

func TestRequirements(t *testing.T) {
	for _, tc := range []struct {
		line string
		want []string
	}{
		{"!pip install torch==2.1.0 'numpy<2' -q", []string{"torch==2.1.0", "numpy<2"}},
		{"%pip install --upgrade keras[jax]~=3.0", []string{"keras[jax]~=3.0"}},
		{"!python -m pip install -i https://example.org/simple evil", []string{"evil"}},
		{"!pip install git+https://example.org/a.git ./local /tmp/x.whl name@git+ssh://y", nil},
		{"!pip install -r requirements.txt -e . --extra-index-url https://example.org x", []string{"x"}},
		{"!pip install a && rm -rf b", []string{"a"}},
		{"pip install transformers==4.40.1  # pinned", []string{"transformers==4.40.1"}},
		{"!pip3 install $(whoami) `id` a;b", []string{}},
		{"!apt-get install x", nil},
	} {
		c := build(t, python("import torch\n"+tc.line+"\n"), nil)
		if tc.line == "!pip3 install $(whoami) `id` a;b" {
			for _, r := range c.Requirements {
				if strings.ContainsAny(r, "$()`;") {
					t.Errorf("shell syntax in a requirement: %q", r)
				}
			}
			continue
		}
		if !slices.Equal(c.Requirements, tc.want) {
			t.Errorf("%s: %q, want %q", tc.line, c.Requirements, tc.want)
		}
		if c.SyntaxError != "" {
			t.Errorf("%s: %s", tc.line, c.SyntaxError)
		}
	}
}

func TestShellBlocksStateRequirements(t *testing.T) {
	r := &report.Report{Blocks: []report.Block{
		{Kind: report.BlockShell, Text: "$ pip install optuna==3.5.0\n$ python a.py\n"},
		{Kind: report.BlockPython, Text: "import optuna\n"},
	}}
	c := build(t, r, &triage.Decision{Blocks: []int{1}})
	if !slices.Equal(c.Requirements, []string{"optuna==3.5.0"}) {
		t.Errorf("%q", c.Requirements)
	}
}

func TestCompareAndWatch(t *testing.T) {
	c := build(t, python(`import numpy as np
import ot

a, b = ot.f(1), ot.f(2)
print(a, b, "text", 3, np)
assert a == b
assert np.allclose(a.x, b.x, atol=1e-3)
print("same:", (a == b).all())
if a < b:
    pass
def inner():
    u = v = 1
    assert u == v
`), nil)
	want := []oracle.Compare{
		{Left: "a", Right: "b", Op: "==", Line: 6, Assert: true},
		{Left: "a.x", Right: "b.x", Op: "allclose", Line: 7, Assert: true},
		{Left: "a", Right: "b", Op: "array_equal", Line: 8},
		{Left: "u", Right: "v", Op: "==", Line: 13, Assert: true},
	}
	if !slices.Equal(c.Compare, want) {
		t.Errorf("compare %+v", c.Compare)
	}
	if !slices.Equal(c.Watch, []string{"a", "b", "a.x", "b.x"}) {
		t.Errorf("watch %q", c.Watch)
	}
}

func TestEnvironment(t *testing.T) {
	text := "KERAS_BACKEND=jax, keras 3. Setting TF_ENABLE_ONEDNN_OPTS=0 helps. LD_PRELOAD=/x.so PYTHONPATH=. HF_TOKEN=abc REPGEN_KEY=1 A_B=$(id) XLA_FLAGS=--xla_a=1\nFine with JAX_A=0 but not with JAX_A=1.\nlog: set LOGGED=1"
	r := python("import keras\n")
	r.Text = text
	add := func(pair, where string) {
		name, value, _ := strings.Cut(pair, "=")
		at := strings.Index(text, pair)
		r.Env = append(r.Env, report.EnvVar{Name: name, Value: value, Where: where, Span: report.Span{Start: at, End: at + len(pair)}})
	}
	for _, pair := range []string{"KERAS_BACKEND=jax", "TF_ENABLE_ONEDNN_OPTS=0", "LD_PRELOAD=/x.so", "PYTHONPATH=.", "HF_TOKEN=abc", "REPGEN_KEY=1", "A_B=$(id)", "JAX_A=0", "JAX_A=1", "LOGGED=1"} {
		add(pair, "prose")
	}
	add("XLA_FLAGS=--xla_a=1", "shell")
	add("KERAS_BACKEND=jax", "code")
	at := strings.Index(text, "log:")
	r.Blocks = append(r.Blocks, report.Block{Kind: report.BlockOutput, Span: report.Span{Start: at, End: len(text)}})
	c := build(t, r, &triage.Decision{Blocks: []int{0}})
	want := map[string]string{"KERAS_BACKEND": "jax", "XLA_FLAGS": "--xla_a=1", "JAX_A": "1"}
	if len(c.Env) != len(want) {
		t.Errorf("env %v", c.Env)
	}
	for k, v := range want {
		if c.Env[k] != v {
			t.Errorf("%s=%q, want %q", k, c.Env[k], v)
		}
	}
	if !containsPart(c.Notes, "TF_ENABLE_ONEDNN_OPTS=0 is not set") {
		t.Errorf("notes %q", c.Notes)
	}
}

func TestReportersScriptKeepsItsRefusals(t *testing.T) {
	c := build(t, python("import torch\ntorch.ones = None\n"), nil)
	if len(c.Refusals) != 1 {
		t.Errorf("refusals are computed for a reporter too: %q", c.Refusals)
	}
}

// keras is a transcript whose last cell fails.
func keras() *report.Report {
	text := ">>> import keras\n>>> 1 + 1\n2\n>>> x = 3\n>>> keras.f(x).shape\n(2,)\n>>> x, 4\n(3, 4)\n>>> print(x)\n3\n" +
		">>> keras.g(x)\nTraceback (most recent call last):\n  File \"<stdin>\", line 1, in <module>\nTypeError: no\n>>> keras.h(_)\n"
	return &report.Report{Text: text, Blocks: []report.Block{{
		Kind: report.BlockREPL, Text: text,
		Cells: []report.Cell{
			{Code: "import keras"}, {Code: "1 + 1", Output: "2"}, {Code: "x = 3"},
			{Code: "keras.f(x).shape", Output: "(2,)"}, {Code: "x, 4", Output: "(3, 4)"}, {Code: "print(x)", Output: "3"},
			{Code: "keras.g(x)", Output: "Traceback (most recent call last):\n  File \"<stdin>\", line 1, in <module>\nTypeError: no"},
			{Code: "keras.h(_)"},
		},
	}}}
}

func TestTranscriptEndsAtItsFailure(t *testing.T) {
	d := &triage.Decision{Expectation: &oracle.Expectation{
		Oracle: oracle.OracleException, Symptom: symptom.Symptom{Exception: "TypeError"},
	}}
	c := build(t, keras(), d)
	want := `import keras
__import__("sys").displayhook(1 + 1)
x = 3
__import__("sys").displayhook(keras.f(x).shape)
__import__("sys").displayhook((x, 4))
print(x)
__import__("sys").displayhook(keras.g(x))
`
	if c.Script != want {
		t.Errorf("got\n%s", c.Script)
	}
	if c.SyntaxError != "" || len(c.Undefined) > 0 {
		t.Errorf("syntax %q, undefined %q", c.SyntaxError, c.Undefined)
	}
	checkDropped(t, c, "keras.h(_)")
}

func checkDropped(t *testing.T, c *Candidate, code string) {
	t.Helper()
	for _, e := range c.Edits {
		if e.Before == code && e.After == "" {
			return
		}
	}
	t.Errorf("dropping %q is not recorded: %+v", code, c.Edits)
}

func TestTranscriptGoesOnAfterAnotherFailure(t *testing.T) {
	c := build(t, keras(), &triage.Decision{Expectation: &oracle.Expectation{Oracle: oracle.OraclePrinted}})
	if !strings.Contains(c.Script, "try:\n    __import__(\"sys\").displayhook(keras.g(x))\nexcept Exception:\n") ||
		!strings.HasSuffix(c.Script, "displayhook(keras.h(_))\n") || c.SyntaxError != "" {
		t.Errorf("got\n%s\n%s", c.Script, c.SyntaxError)
	}
	for _, e := range c.Edits {
		if strings.HasPrefix(e.After, "try:") && !e.Risky {
			t.Error("surviving a failure is a risky edit")
		}
	}
}

func TestNotebookEchoesTheLastExpression(t *testing.T) {
	r := &report.Report{Blocks: []report.Block{{
		Kind: report.BlockREPL, Text: "In [1]: ...",
		Cells: []report.Cell{
			{Code: "%matplotlib inline\nimport numpy as np\nnp.ones(1)\nnp.ones(2)", Output: "array([1., 1.])"},
			{Code: "np.ones(3);"},
			{Code: "!pip install numpy==1.26.4"},
		},
	}}}
	c := build(t, r, nil)
	want := "# %matplotlib inline\nimport numpy as np\nnp.ones(1)\n__import__(\"sys\").displayhook(np.ones(2))\nnp.ones(3);\n# !pip install numpy==1.26.4\n"
	if c.Script != want {
		t.Errorf("got\n%s", c.Script)
	}
	if !slices.Equal(c.Requirements, []string{"numpy==1.26.4"}) {
		t.Errorf("requirements %q", c.Requirements)
	}
}
