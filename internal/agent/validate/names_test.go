package validate

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/pysyntax"
)

// What is asked of an environment: names that are still what an import bound.
func TestUses(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		names  string // asked for besides the imports, sorted
		calls  string
	}{
		"plain":                   {"import numpy as np\nnp.linalg.norm([1], ord=2)\n", "numpy.linalg.norm", "numpy.linalg.norm"},
		"from":                    {"from numpy import linalg as la\nla.norm([1])\n", "numpy.linalg numpy.linalg.norm", "numpy.linalg.norm"},
		"submodule":               {"import os.path\nos.path.join('a')\n", "os.path.join", "os.path.join"},
		"own function's argument": {"import numpy as np\ndef f(np):\n    return np.foo()\n", "", ""},
		"assigned again":          {"from sklearn import svm\nsvm = svm.SVC()\nsvm.fit(1)\n", "sklearn.svm", ""},
		"loop variable":           {"import numpy as np\nfor np in [1]:\n    np.foo()\n", "", ""},
		"comprehension":           {"import numpy as np\nx = [np.foo() for np in []]\n", "", ""},
		"lambda":                  {"import numpy as np\nf = lambda np, y=1: np.foo()\n", "", ""},
		"with":                    {"import numpy as np\nwith open('x') as np:\n    np.foo()\n", "", ""},
		"one of two imports":      {"try:\n    import simplejson as json\nexcept ImportError:\n    import json\njson.foo()\n", "", ""},
		"set by the script":       {"import numpy as np\nnp.foo = 1\nnp.foo\n", "", ""},
		"asked for by name":       {"import numpy as np\ngetattr(np, 'foo', None)\nnp.foo\n", "", ""},
		"instance":                {"import numpy as np\nx = np.ones(3)\nx.foo()\n", "numpy.ones", "numpy.ones"},
		"observer":                {"from repgen_probe import observe\nobserve('x', 1)\n", "", ""},
		"future and relative":     {"from __future__ import annotations\nfrom .x import y\n", "", ""},
		"unpacked":                {"import numpy as np\nnp.ones(*a)\nnp.ones(**k)\n", "numpy.ones", ""},
		"star":                    {"from numpy import *\nones(3)\n", "", ""},
	} {
		f := pysyntax.Parse(c.script)
		u := usesOf(f)
		for _, i := range f.Imports {
			delete(u.names, i.Module)
		}
		if got := strings.Join(slices.Sorted(maps.Keys(u.names)), " "); got != c.names {
			t.Errorf("%s: names %q, want %q", name, got, c.names)
		}
		var calls []string
		for _, s := range u.calls {
			calls = append(calls, s.Func)
		}
		if got := strings.Join(calls, " "); got != c.calls {
			t.Errorf("%s: calls %q, want %q", name, got, c.calls)
		}
	}
}

func TestShapeOfACall(t *testing.T) {
	u := usesOf(pysyntax.Parse("import numpy as np\nnp.ones((2, 3), dtype=int, order='C')\n"))
	if len(u.calls) != 1 || u.calls[0].Args != 1 || !slices.Equal(u.calls[0].Keywords, []string{"dtype", "order"}) || u.callSites[0].line != 2 {
		t.Errorf("%+v %+v", u.calls, u.callSites)
	}
}

func TestGuardedLines(t *testing.T) {
	r := readerOf(pysyntax.Parse("import a\ntry:\n    a.b()\nexcept ValueError:\n    a.c()\na.d()\nwith pytest.raises(ValueError):\n    a.e()\na.f()\n"))
	for line, want := range map[int]bool{1: false, 3: true, 5: true, 6: false, 8: true, 9: false} {
		if r.guarded(line) != want {
			t.Errorf("line %d: %t", line, !want)
		}
	}
}

func TestManyUsesAreBounded(t *testing.T) {
	script := "import numpy as np\n" + strings.Repeat("np.ones(1)\n", 1000)
	for i := range 500 {
		script += "np.f" + strings.Repeat("x", i%50+1) + string(rune('a'+i%26)) + "(1)\n"
	}
	if u := usesOf(pysyntax.Parse(script)); len(u.names) > maxNames || len(u.calls) > maxCalls {
		t.Errorf("%d names, %d calls", len(u.names), len(u.calls))
	}
}

// FuzzCheck: no script makes the stages that need no sandbox fail.
func FuzzCheck(f *testing.F) {
	f.Add(good)
	f.Add("import numpy as np\nnp.")
	f.Add("for x in lambda: (\n")
	f.Add("with with as a.raises(:\n try")
	f.Fuzz(func(t *testing.T, script string) {
		list, _, err := checkerOf(&fakeBox{}).Check(t.Context(), Input{Script: script, Expectation: observed()})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range list {
			if x.Line < 0 || x.Line > strings.Count(script, "\n")+1 || x.Signature == "" || x.Text == "" {
				t.Errorf("%+v", x)
			}
		}
	})
}
