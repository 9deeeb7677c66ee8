package pysyntax

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

var damaged = []struct {
	name, code, want string
	kinds            []string
}{
	{
		name: "line numbers", code: "1 import torch\n2\n 9: for i in x:\n10:     print(i)\n",
		want: "import torch\n\nfor i in x:\n    print(i)\n",
	},
	{
		name: "a column of numbers", code: " 1  import torch\n 2  for i in x:\n 3      print(i)\n10  y\n",
		want: "import torch\nfor i in x:\n    print(i)\ny\n", kinds: []string{"line_numbers"},
	},
	{
		name: "numbers that do not rise are data", code: "1 import torch\n1 import keras\n", want: "1 import torch\n1 import keras\n",
	},
	{
		name: "stray prompts", code: "import torch\n>>> x = 1\nfor i in x:\n    >>> print(i)\n",
		want: "import torch\nx = 1\nfor i in x:\n    print(i)\n", kinds: []string{"prompt"},
	},
	{
		name: "leftovers", code: "$ python x.py\n```python\nimport torch\nx = f(1)\n```\n</details>\n(base) me@host:~/x$ python y.py\n…\n**Output:**\nprint(x)\n",
		want:  "# $ python x.py\n# ```python\nimport torch\nx = f(1)\n# ```\n# </details>\n# (base) me@host:~/x$ python y.py\n# …\n# **Output:**\nprint(x)\n",
		kinds: []string{"leftover"},
	},
	{
		name: "a traceback below", code: "import torch\nf(1)\nTraceback (most recent call last):\n  File \"x.py\", line 1, in <module>\n    f(1)\nValueError: no 'x' here (see\nprint(2)\n",
		want:  "import torch\nf(1)\n# Traceback (most recent call last):\n#   File \"x.py\", line 1, in <module>\n#     f(1)\n# ValueError: no 'x' here (see\nprint(2)\n",
		kinds: []string{"leftover"},
	},
	{
		name: "a capital at the beginning", code: "Import jax\nFrom jax import numpy as jnp\nFor i in range(3):\n    print(i)\n", want: "import jax\nfrom jax import numpy as jnp\nfor i in range(3):\n    print(i)\n", kinds: []string{"capital"},
	},
	{
		name: "a name with a capital", code: "import jax\nFor = f(1 2)\n", want: "import jax\nFor = f(1 2)\n",
	},
	{
		name: "the mark of a missing line end", code: "import torch\nx = 7 % 2\nprint(x)%\n\n", want: "import torch\nx = 7 % 2\nprint(x)\n\n", kinds: []string{"leftover"},
	},
	{
		name: "answers behind arrows", code: "import lib\nprint(lib.f(2))  -> 0.5\nlib.g(x) => raises nothing\nx[0] --> [1, 2]\nfor i in x: print(i) → 3\n",
		want:  "import lib\nprint(lib.f(2))  # -> 0.5\nlib.g(x)  # => raises nothing\nx[0]  # --> [1, 2]\nfor i in x: print(i)  # → 3\n",
		kinds: []string{"answer"},
	},
	{
		name: "arrows that are code", code: "def f(x,\n      y) -> int:\n    return x >= y\nz = (f(1, 2\n", want: "def f(x,\n      y) -> int:\n    return x >= y\nz = (f(1, 2))\n", kinds: []string{"bracket"},
	},
	{
		name: "a remainder that is not done", code: "import torch\nx = (7 %\n", want: "import torch\nx = (7 %\n",
	},
	{
		name: "a run too deep", code: "import jax\nm = f(\n  1)\n    m.run()\n    for i in m:\n        print(i)\n\nprint(m)\n",
		want: "import jax\nm = f(\n  1)\nm.run()\nfor i in m:\n    print(i)\n\nprint(m)\n", kinds: []string{"indent"},
	},
	{
		name: "a run too deep in a body", code: "def f():\n    x = 1\n      y = 2\n      z = \"\"\"a\n  b\"\"\"\n    return x\n",
		want: "def f():\n    x = 1\n    y = 2\n    z = \"\"\"a\n  b\"\"\"\n    return x\n", kinds: []string{"indent"},
	},
	{
		name: "tabs of four", code: "if a:\n    x = 1\n\ty = 2\n", want: "if a:\n    x = 1\n    y = 2\n", kinds: []string{"tabs"},
	},
	{
		name: "tabs of eight", code: "def f():\n    if a:\n\tx = 1\n    y = 2\n", want: "def f():\n    if a:\n        x = 1\n    y = 2\n", kinds: []string{"tabs"},
	},
	{
		name: "print", code: "print 'a', b,\nprint >>f, 'x' % y\nif a:\n  print a[0], (1, 2)\nprint\n",
		want:  "print('a', b, end=\" \")\nprint('x' % y, file=f)\nif a:\n  print(a[0], (1, 2))\nprint\n",
		kinds: []string{"python2"},
	},
	{
		name: "other statements", code: "import cPickle\ntry:\n  import Queue\nexcept ImportError, e:\n  print 1\nraise E, 'm'\nexec c in d\nx = 10L <> 0644\ny = `x` + ur'a'\nfor k, v in d.iteritems(): pass\n",
		want:  "import pickle as cPickle\ntry:\n  import Queue\nexcept ImportError as e:\n  print(1)\nraise E('m')\nexec(c, d)\nx = 10 != 0o644\ny = repr(x) + r'a'\nfor k, v in d.items(): pass\n",
		kinds: []string{"python2"},
	},
	{
		name: "old names", code: "for i in xrange(3): print(raw_input(unicode(i)))\n",
		want: "for i in range(3): print(input(str(i)))\n", kinds: []string{"python2"},
	},
	{
		name: "old names that are the script's own", code: "def xrange(n): return n\nprint(xrange(3))\nd.iteritems()\n",
		want: "def xrange(n): return n\nprint(xrange(3))\nd.iteritems()\n",
	},
	{
		name: "a class flush left", code: "import torch.nn as nn\nclass Net(nn.Module):\ndef __init__(self):\nsuper().__init__()\nself.fc = nn.Linear(2,\n2)\ndef forward(self, x):\nif x is None:\nreturn 0\nreturn self.fc(x)\nnet = Net()\nprint(net(1))\n",
		want:  "import torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(2,\n        2)\n    def forward(self, x):\n        if x is None:\n            return 0\n        return self.fc(x)\nnet = Net()\nprint(net(1))\n",
		kinds: []string{"indent"},
	},
	{
		name: "one body flush left", code: "import torch\ndef f(x):\n    return x\nwith torch.no_grad():\ny = f(1)\nz = f(y)\n\nprint(z)\nfor i in range(2):\nprint(i)\n",
		want:  "import torch\ndef f(x):\n    return x\nwith torch.no_grad():\n    y = f(1)\n    z = f(y)\n\nprint(z)\nfor i in range(2):\n    print(i)\n",
		kinds: []string{"indent"},
	},
	{
		name: "try flush left", code: "try:\nx = 1\nexcept ValueError:\nprint(2)\n", want: "try:\n    x = 1\nexcept ValueError:\n    print(2)\n", kinds: []string{"indent"},
	},
	{
		name: "a loop of nobody knows how much", code: "for i in range(3):\nx = i\nprint(x)\n", want: "for i in range(3):\nx = i\nprint(x)\n",
	},
	{
		name: "a return of nobody knows what", code: "def f(x):\nfor i in x:\ns = i\nreturn s\nprint(f(1))\n", want: "def f(x):\nfor i in x:\ns = i\nreturn s\nprint(f(1))\n",
	},
	{
		name: "wide characters", code: "x = f（1，'a，b'）  # （\nif x：\n　　print(x – 1, \"\"\"（\n）\"\"\")\n",
		want: "x = f(1,'a，b')  # （\nif x:\n  print(x - 1, \"\"\"（\n）\"\"\")\n", kinds: []string{"quotes"},
	},
	{name: "last bracket missing", code: "import torch\nprint(torch.ones((1, 2)\n", want: "import torch\nprint(torch.ones((1, 2)))\n", kinds: []string{"bracket"}},
	{name: "last bracket missing before a comment", code: "import torch\nprint(torch.ones((1, '#'))  # (1)\n", want: "import torch\nprint(torch.ones((1, '#')))  # (1)\n", kinds: []string{"bracket"}},
	{name: "one bracket too many", code: "import torch\nprint(1))\n\n", want: "import torch\nprint(1)\n\n", kinds: []string{"bracket"}},
	{name: "a bracket missing in the middle", code: "x = f(1\nprint(x)\n", want: "x = f(1\nprint(x)\n"},
	{
		name: "two kinds of damage", code: "1 def f(x):\n2 print x\n3 \n4 f('число', '数字')\n",
		want: "def f(x):\n    print(x)\n\nf('число', '数字')\n", kinds: []string{"line_numbers", "python2", "indent"},
	},
}

func TestRepair(t *testing.T) {
	for _, tc := range damaged {
		t.Run(tc.name, func(t *testing.T) {
			got, fixes := Repair(tc.code)
			var kinds []string
			for _, f := range fixes {
				if !slices.Contains(kinds, f.Kind) {
					kinds = append(kinds, f.Kind)
				}
				if f.Line < 1 || f.Why == "" || f.Before == f.After {
					t.Errorf("%+v", f)
				}
			}
			if tc.kinds == nil && tc.want != tc.code {
				tc.kinds = kinds // only the text is of interest
			}
			if got != tc.want || !slices.Equal(kinds, tc.kinds) {
				t.Errorf("got\n%s\nkinds %q, errors %v", got, kinds, Parse(got).SyntaxErrors)
			}
			if strings.Count(got, "\n") != strings.Count(tc.code, "\n") {
				t.Error("lines moved")
			}
		})
	}
}

func TestGuessesAreSaid(t *testing.T) {
	for code, want := range map[string]bool{
		"print 1\n": false, "print 1 / 2\n": true, "x /= 2\nprint x\n": true, "print d.keys()[0]\n": true, "print 1 // 2, 'a/b'\n": false,
		"for i in x:\nprint(i)\n": true, "print(f(1)\n": true, "if a:\n    x = 1\n\ty = 2\n": false,
	} {
		_, fixes := Repair(code)
		if len(fixes) == 0 || fixes[0].Guessed != want {
			t.Errorf("%q: %+v", code, fixes)
		}
	}
}

// TestRepairedIsPython asks the interpreter itself.
func TestRepairedIsPython(t *testing.T) {
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to ask a real interpreter")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatalf("REPGEN_REAL is set: %v", err)
	}
	for _, tc := range damaged {
		got, fixes := Repair(tc.code)
		err := exec.CommandContext(t.Context(), python, "-c", "import ast,sys; ast.parse(sys.argv[1])", got).Run()
		if bad := len(Parse(got).SyntaxErrors) > 0; (err != nil) != bad {
			t.Errorf("%s: Python says %v, we say %v (%d fixes)\n%s", tc.name, err, Parse(got).SyntaxErrors, len(fixes), got)
		}
	}
}

func TestLongSourcesAreLeftAlone(t *testing.T) {
	code := "print 1\n" + strings.Repeat("# long\n", maxRepair/7+1)
	if got, fixes := Repair(code); got != code || fixes != nil {
		t.Error("repaired")
	}
}
