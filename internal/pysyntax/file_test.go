package pysyntax

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const sample = `"""Doc."""
from __future__ import annotations
import os, sys as system
import torch.nn.functional as F
from keras import ops, layers as L
import numpy as np  # trailing
if True:
    import jax.numpy
try:
    import optional_thing
except ImportError:
    optional_thing = None

def build(x, *args, scale: float = 1.0, **kw):
    import inner_module
    return F.relu(x) * scale

class Net(L.Layer):
    def call(self, x):
        raise ValueError("no")

# whole line
a, b = np.ones(3), build(2)
print("a:", a, b, sep="")
assert a.sum() == b.sum(), "differ"
assert np.allclose(a, b)
assert not (a == b).all()
print(a < b)
del np.thing
`

func TestFacts(t *testing.T) {
	f := Parse(sample)
	if len(f.SyntaxErrors) > 0 || f.StarImport || f.Truncated || f.Python2Print {
		t.Errorf("errors %v, star %v, cut %v", f.SyntaxErrors, f.StarImport, f.Truncated)
	}
	var modules []string
	for _, i := range f.Imports {
		modules = append(modules, fmt.Sprintf("%s:%d:%v:%v", i.Module, i.Line, i.TopLevel, i.Guarded))
	}
	want := []string{
		"__future__:2:true:false", "os:3:true:false", "sys:3:true:false", "torch.nn.functional:4:true:false",
		"keras:5:true:false", "numpy:6:true:false", "jax.numpy:8:true:false", "optional_thing:10:true:true",
		"inner_module:15:false:false",
	}
	if !slices.Equal(modules, want) {
		t.Errorf("imports %q", modules)
	}
	if got := f.Undefined(); len(got) > 0 {
		t.Errorf("undefined %v", got)
	}
	for dotted, full := range map[string]string{
		"F.relu": "torch.nn.functional.relu", "L": "keras.layers", "ops.exp": "keras.ops.exp",
		"system.exit": "sys.exit", "unknown.x": "unknown.x", "np": "numpy", "": "",
	} {
		if got := f.Resolve(dotted); got != full {
			t.Errorf("Resolve(%q) = %q, want %q", dotted, got, full)
		}
	}
	if !slices.Equal(f.Comments, []Comment{
		{Text: "# trailing", Line: 6, Trailing: true, Span: f.Comments[0].Span},
		{Text: "# whole line", Line: 22, Span: f.Comments[1].Span},
	}) {
		t.Errorf("comments %+v", f.Comments)
	}
}

func TestStatements(t *testing.T) {
	var got []string
	for _, s := range Parse(sample).Statements {
		got = append(got, fmt.Sprintf("%s %d-%d", s.Kind, s.Line, s.EndLine))
	}
	want := []string{
		"expression 1-1", "import 2-2", "import 3-3", "import 4-4", "import 5-5", "import 6-6", "if 7-8",
		"try 9-12", "function 14-16", "class 18-20", "assignment 23-23", "expression 24-24",
		"assert 25-25", "assert 26-26", "assert 27-27", "expression 28-28", "delete 29-29",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestComparisons(t *testing.T) {
	var got []string
	for _, c := range Parse(sample).Compares {
		if c.InAssert || c.InPrint {
			got = append(got, fmt.Sprintf("%d %s | %s | %s %v", c.Line, c.Left, c.Op, c.Right, c.InAssert))
		}
	}
	want := []string{
		"25 a.sum() | == | b.sum() true", "26 a | allclose | b true",
		"27 a | not array_equal | b true", "28 a | < | b false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	asserts := Parse(sample).Asserts
	if len(asserts) != 3 || asserts[0].Left != "a.sum()" || asserts[0].Op != "==" || asserts[2].Op != "not array_equal" {
		t.Errorf("asserts %+v", asserts)
	}
}

func TestCompareForms(t *testing.T) {
	for src, want := range map[string]string{
		"assert torch.equal(a, b)":                  "a array_equal b true",
		"assert np.all(a == b)":                     "a array_equal b true",
		"assert a.equals(b)":                        "a array_equal b true",
		"print(not a == b)":                         "a != b false",
		"assert not (a != b)":                       "a == b true",
		"assert x is not None":                      "x is not None true",
		"assert k not in d":                         "k not in d true",
		"np.testing.assert_allclose(a, b, rtol=1)":  "a allclose b true",
		"torch.testing.assert_close(a, b)":          "a allclose b true",
		"print('equal', (a == b).all())":            "a array_equal b false",
		"__import__('sys').displayhook(a == b)":     "a == b false",
		"assert f(a,\n  1) == (b), 'x'":             "f(a,\n  1) == (b) true",
		"assert jnp.array_equal(x.shape, (1, 2))":   "x.shape array_equal (1, 2) true",
		"sys.stdout.write(str(a == b))":             "a == b false",
		"assert math.isclose(a, b), (c == d, 'no')": "a allclose b true",
	} {
		var got []string
		for _, c := range Parse(src).Compares {
			if c.InAssert || c.InPrint {
				got = append(got, fmt.Sprintf("%s %s %s %v", c.Left, c.Op, c.Right, c.InAssert))
			}
		}
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}

func TestUndefined(t *testing.T) {
	for _, tc := range []struct {
		src, want string
	}{
		{"print(x)", "x:1"},
		{"x = 1\nprint(x)", ""},
		{"def f():\n    return later\nlater = 1", ""},
		{"def f():\n    y = 1\nprint(y)", "y:3"},
		{"class A:\n    z = 1\n    def f(self):\n        return z", "z:4"},
		{"class A:\n    z = 1\n    w = z", ""},
		{"class A:\n    z = [1]\n    w = [i for i in z]", ""},
		{"[i for i in range(3)]\nprint(i)", "i:2"},
		{"[j := 1 for _ in 'a']\nprint(j)", ""},
		{"def f():\n    global g\n    g = 1\nprint(g)", ""},
		{"def f():\n    n = 0\n    def h():\n        nonlocal n\n        n += 1\n    return h", ""},
		{"lambda p, *q, r=1, **s: (p, q, r, s, t)", "t:1"},
		{"def f(a, b=c, *d, e: int = 1, **h) -> k: return a, b, d, e, h", "c:1 k:1"},
		{"with open('x') as (u, v): print(u, v)", ""},
		{"try: pass\nexcept E as e: print(e)", "E:2"},
		{"for m, (n, o) in []: print(m, n, o)", ""},
		{"match p:\n    case {'k': v, **rest}: print(v, rest)\n    case Point(x=q): print(q)\n    case a.B: pass\n    case [h, *t]: print(h, t)", "p:1 Point:3 a:4"},
		{"f(name=value)", "f:1 value:1"},
		{"x.attribute.other", "x:1"},
		{"f'{a!r:>{w}} {b}'", "a:1 w:1 b:1"},
		{"@deco\ndef f(): pass", "deco:1"},
		{"print(__name__, __file__, __builtins__, len, WindowsError, _)", ""},
		{"from x import *\nprint(anything)", ""},
		{"import a.b.c\nprint(a, b)", "b:2"},
		{"import a.b as d, e\nprint(a, d, e)", "a:2"},
		{"x += 1", ""},
		{"x: int\nprint(x)", ""},
		{"del x", "x:1"},
		{"type Alias[T] = list[T]\nprint(Alias)", ""},
		{"def f[T](a: T) -> T: return a", ""},
		{"class A[T](Base[T]): pass", "Base:1"},
		{"type(x).y = z", "type-call x:1 z:1"},
		{"a[0] = b.c = 1", "a:1 b:1"},
		{"await thing", "thing:1"},
		{"async def f():\n    async for i in g(): yield i", "g:2"},
		{"print \"old\", name", "name:1"},
	} {
		var got []string
		f := Parse(tc.src)
		for _, n := range f.Undefined() {
			got = append(got, fmt.Sprintf("%s:%d", n.Name, n.Line))
		}
		want := strings.TrimPrefix(tc.want, "type-call ")
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", tc.src, got, want)
		}
	}
	if !Parse("from x import *\nprint(y)").StarImport {
		t.Error("a star import is not said")
	}
}

func TestDynamicImports(t *testing.T) {
	f := Parse("import importlib\nm = importlib.import_module(\"torch.nn\")\nn = __import__('jax')\nk = __import__(name)\n")
	if got := f.TopModules(); !slices.Contains(got, "torch") || !slices.Contains(got, "jax") {
		t.Errorf("%q", got)
	}
	if len(f.Imports) != 3 || !f.Imports[1].Dynamic || f.Imports[1].Module != "torch.nn" {
		t.Errorf("%+v", f.Imports)
	}
}

func TestTopModules(t *testing.T) {
	f := Parse("import torch, torch.nn\nfrom . import x\nfrom __future__ import y\nfrom keras.ops import z\nimport os.path\n")
	if got := f.TopModules(); !slices.Equal(got, []string{"torch", "keras"}) {
		t.Errorf("%q", got)
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, tc := range []struct {
		src  string
		line int // 0: none
		text string
	}{
		{"x = 1\n", 0, ""},
		{"x = 1\n$ pip install y\n", 2, "unexpected text"},
		{"print(1\n", 1, ""},
		{"print 'x'\n", 1, "print statement of Python 2"},
		{"exec 'x'\n", 1, "exec statement of Python 2"},
		{"def f(:\n    pass\n", 1, ""},
		{"for x in y\n    pass\n", 1, ""},
		{"try:\n    x\nexcept* E:\n    pass\n", 0, ""},
		{"match x:\n    case 1 if y: pass\n", 0, ""},
		{"x = \u201chello\u201d\n", 1, ""},
		{"x = 1\n  y = 2\n", 2, "unexpected indentation"},
		{"if x:\npass\n", 1, "expected an indented block"},
		{"if x:\n    a\n  b\n", 3, ""},
		{"if x:\n    a\nelse:\n    b; c\n    d\n", 0, ""},
		{"if x: a; b\nfor y in z: pass\n", 0, ""},
		{"class A:\n\n    # c\n    x = 1\n\n    @d\n    def f(self):\n        '''a\nb'''\n        return (1,\n  2)\n", 0, ""},
		{"try:\n\tx\nfinally:\n\ty\n", 0, ""},
		{"def f(a,\n      b):\n    x = [\n1,\n]\n    return x\n", 0, ""},
		{"x = 1; \\\ny = 2\n", 0, ""},
		{"", 0, ""},
		{"f(**a, *b, c=1)\n", 0, ""},
		{"print(f\"{x['a']}\")\n", 0, ""},
		{"@a.b[0]()\nclass C: ...\n", 0, ""},
	} {
		f := Parse(tc.src)
		if tc.line == 0 {
			if len(f.SyntaxErrors) > 0 {
				t.Errorf("%q: %v", tc.src, f.SyntaxErrors)
			}
			continue
		}
		if len(f.SyntaxErrors) == 0 || f.SyntaxErrors[0].Line != tc.line || !strings.Contains(f.SyntaxErrors[0].Text, tc.text) {
			t.Errorf("%q: %v, want line %d %q", tc.src, f.SyntaxErrors, tc.line, tc.text)
		}
	}
	if !IsPython2Print("print 'x'") || IsPython2Print("print('x')") {
		t.Error("print statements are not told from print calls")
	}
}

func TestCalls(t *testing.T) {
	f := Parse("import torch.nn as nn\nclass A:\n    def f(self):\n        return nn.Linear(2, b, bias=False, dtype=c)(x).sum()\n")
	if len(f.Calls) != 3 {
		t.Fatalf("%+v", f.Calls)
	}
	outer, last := f.Calls[0], f.Calls[2]
	if outer.Func != "" || outer.Method != "sum" || outer.Scope != "A.f" {
		t.Errorf("outer %+v", outer)
	}
	if last.Full != "torch.nn.Linear" || !slices.Equal(last.Args, []string{"2", "b"}) ||
		last.Keywords["bias"] != "False" || !slices.Equal(last.ArgReads, []string{"b", "c"}) || last.Line != 4 {
		t.Errorf("inner %+v", last)
	}
}

func TestHandlersAndRaises(t *testing.T) {
	f := Parse(`def g():
    try:
        lib()
    except (ValueError, lib.Error) as e:
        raise RuntimeError("x") from e
    except:
        pass
    except Exception:
        print("ok")
raise
raise module.Error
`)
	if len(f.Handlers) != 3 {
		t.Fatalf("%+v", f.Handlers)
	}
	if h := f.Handlers[0]; h.Broad() || !h.Raises || !slices.Equal(h.Classes, []string{"ValueError", "lib.Error"}) {
		t.Errorf("%+v", h)
	}
	if h := f.Handlers[1]; !h.Broad() || !h.Silent || h.Scope != "g" {
		t.Errorf("%+v", h)
	}
	if h := f.Handlers[2]; !h.Broad() || h.Silent || !h.Prints {
		t.Errorf("%+v", h)
	}
	var got []string
	for _, r := range f.Raises {
		got = append(got, fmt.Sprintf("%s:%d:%s:%v", r.Class, r.Line, r.Scope, r.InHandler))
	}
	if want := []string{"RuntimeError:5:g:true", ":10::false", "module.Error:11::false"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestAssignsAndDeletes(t *testing.T) {
	f := Parse("import lib as L\nL.a.b = [1, 'x']\nL.d['k'] = f\nx = y = 3\nfor L.i in z: pass\ndel L.q, v[0]\nw += 1\n(u := 2)\n")
	var got []string
	for _, a := range f.Assigns {
		got = append(got, fmt.Sprintf("%s %s=%s %v", a.Kind, a.Full, a.Value, a.Literal))
	}
	want := []string{
		"attribute lib.a.b=[1, 'x'] true", "subscript lib.d=f false", "name x=y = 3 false", "name y=3 true",
		"attribute lib.i= false", "name w= false", "name u=2 true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if len(f.Deletes) != 2 || f.Deletes[0].Full != "lib.q" {
		t.Errorf("%+v", f.Deletes)
	}
}

func TestConditions(t *testing.T) {
	f := Parse("if a: pass\nelif b: pass\nwhile c: break\nx = d if e else g\nassert h\nmatch i:\n    case 1: pass\n[j for j in k if l]\nm[n]\nprint(o == p)\nq == r\ns and t\nnot u\n")
	var got []string
	for _, c := range f.Conditions {
		got = append(got, c.Kind+":"+strings.Join(c.Reads, ","))
	}
	want := []string{
		"if:a", "if:b", "while:c", "ternary:e", "assert:h", "match:i", "filter:l", "index:n",
		"compare:q,r", "logic:s,t", "logic:u",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestStrings(t *testing.T) {
	f := Parse("a = 'x'\nb = f\"{y} z\"\nc = b'q'\nd = '''one\ntwo'''\n")
	var got []string
	for _, s := range f.Strings {
		got = append(got, fmt.Sprintf("%d %q %v %v", s.Line, s.Value, s.Formatted, s.Bytes))
	}
	want := []string{`1 "x" false false`, `2 "{y} z" true false`, `3 "q" false true`, `4 "one\ntwo" false false`}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestInfluenced: what a library computed is found through every way a value
// can travel in a script, and own values stay apart.
func TestInfluenced(t *testing.T) {
	for _, tc := range []struct {
		src, name string
		want      bool
	}{
		{"x = lib.f()\ny = x + 1", "y", true},
		{"x = 1\ny = x", "y", false},
		{"x = []\nx.append(lib.f())", "x", true},
		{"x = {}\nx['a'] = lib.f()", "x", true},
		{"def g(v):\n    w = v\ng(lib.f())", "w", true},
		{"def g(v):\n    w = v\ng(1)", "w", false},
		{"class A:\n    def __init__(self, v):\n        w = v\nA(lib.f())", "w", true},
		{"class A(lib.Base):\n    def call(self, v):\n        w = v", "w", true},
		{"@lib.jit\ndef g(v):\n    w = v", "w", true},
		{"def cb(v):\n    w = v\nlib.run(cb)", "w", true},
		{"for v in lib.data(): w = v", "w", true},
		{"if lib.f(): w = 1", "w", true},
		{"try:\n    lib.f()\nexcept E as e:\n    w = e", "w", true},
		{"with ctx() as c:\n    lib.f()", "c", true},
		{"b = io()\nwith redirect(b):\n    lib.f()", "b", true},
		{"m = __import__('lib')", "m", false}, // a dynamic import binds nothing we follow
		{"w = [v for v in lib.f()]", "w", true},
		{"def g(v): return v\nw = g(3)", "w", false},
	} {
		f := Parse("import lib\nimport os\n" + tc.src + "\n")
		if got := f.Influenced("lib")[tc.name]; got != tc.want {
			t.Errorf("%q: %s influenced %v, want %v", tc.src, tc.name, got, tc.want)
		}
	}
}

func TestPrintGuards(t *testing.T) {
	f := Parse("if lib(x):\n    print('bad')\ntry:\n    y()\nexcept Exception:\n    print('caught')\n")
	if len(f.Prints) != 2 {
		t.Fatalf("%+v", f.Prints)
	}
	if p := f.Prints[0]; !slices.Equal(p.Guards, []string{"lib", "x"}) || p.Broad {
		t.Errorf("%+v", p)
	}
	if p := f.Prints[1]; !slices.Equal(p.Guards, []string{"y"}) || !p.Broad {
		t.Errorf("%+v", p)
	}
}
