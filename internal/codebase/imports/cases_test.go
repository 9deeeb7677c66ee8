package imports

// cases are projects, each file after a line with its path, and what main.py
// needs of them. External packages stand after a bar.
var cases = []struct{ name, project, want string }{
	{"from a module", `
-- main.py
from a import f
f()
-- a.py
def f(): pass
`, "a.py:f"},
	{"alias", `
-- main.py
from a import f as g
g()
-- a.py
def f(): pass
`, "a.py:f"},
	{"not used", `
-- main.py
from a import f
-- a.py
def f(): pass
`, ""},
	{"module attribute", `
-- main.py
import a
a.f()
-- a.py
def f(): pass
`, "a.py:f"},
	{"dotted module as", `
-- main.py
import p.a as x
x.f()
-- p/__init__.py
-- p/a.py
def f(): pass
`, "p/a.py:f"},
	{"dotted module", `
-- main.py
import p.a
p.a.f()
-- p/__init__.py
-- p/a.py
def f(): pass
`, "p/a.py:f"},
	{"src layout", `
-- main.py
import p
p.f()
-- src/p/__init__.py
def f(): pass
`, "src/p/__init__.py:f"},
	{"any layout", `
-- main.py
import p
p.f()
-- projects/py/p/__init__.py
def f(): pass
`, "projects/py/p/__init__.py:f"},
	{"namespace package", `
-- main.py
from ns.p import f
f()
-- ns/p/__init__.py
def f(): pass
`, "ns/p/__init__.py:f"},
	{"namespace submodule", `
-- main.py
from ns import m
m.f()
-- ns/m.py
def f(): pass
`, "ns/m.py:f"},
	{"re-export", `
-- main.py
from p import f
f()
-- p/__init__.py
from .a import f
-- p/a.py
from p.b import g as f
-- p/b.py
def g(): pass
`, "p/b.py:g"},
	{"star", `
-- main.py
from p import *
f()
-- p/__init__.py
from .a import *
-- p/a.py
def f(): pass
`, "p/a.py:f"},
	{"star by __all__", `
-- main.py
from p import *
f()
g()
-- p.py
__all__ = ['f']
def f(): pass
def g(): pass
`, "p.py:f"},
	{"star leaves out private names", `
-- main.py
from p import *
_f()
-- p.py
def _f(): pass
`, ""},
	{"cycle", `
-- main.py
from p import f
f()
-- p/__init__.py
from .a import f
-- p/a.py
from . import f
`, ""},
	{"cycle with a way out", `
-- main.py
from p import f
f()
-- p/__init__.py
from p import f
from .a import *
-- p/a.py
def f(): pass
`, "p/a.py:f"},
	{"submodule and name alike", `
-- main.py
from p import f
f()
-- p/__init__.py
from .f import f
-- p/f.py
def f(): pass
`, "p/f.py:f"},
	{"try first", `
-- main.py
from p import f
f()
-- p/__init__.py
try:
    from .a import f
except ImportError:
    f = None
-- p/a.py
def f(): pass
`, "p/a.py:f"},
	{"conditional", `
-- main.py
from p import f
f()
-- p/__init__.py
import os
if os.x:
    from .a import f
else:
    from .b import f
-- p/a.py
def f(): pass
-- p/b.py
def f(): pass
`, "p/a.py:f"},
	{"last definition", `
-- main.py
from a import f
f()
-- a.py
@overload
def f(x: int): ...

def f(x): return x
`, "a.py:f"},
	{"type checking", `
-- main.py
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from a import T
def g(x: T): pass
-- a.py
class T: pass
`, "a.py:T"},
	{"lazily in a function", `
-- main.py
def g():
    from a import f
    return f()
-- a.py
def f(): pass
`, "a.py:f"},
	{"method of a class", `
-- main.py
from a import C
C.make()
-- a.py
class C:
    def make(): pass
`, "a.py:C.make"},
	{"method of a base", `
-- main.py
from a import C
C.make()
-- a.py
from b import B
class C(B): pass
-- b.py
class B:
    def make(): pass
`, "b.py:B.make"},
	{"constant", `
-- main.py
from a import K
print(K)
-- a.py
K = 3
`, "a.py:K"},
	{"whole module", `
-- main.py
import a
use(a)
-- a.py
K = 3
`, "a.py:"},
	{"module passed on the way", `
-- main.py
import a
a.nothing()
-- a.py
K = 3
`, ""},
	{"base class", `
-- main.py
from a import B
class C(B): pass
-- a.py
class B: pass
`, "a.py:B"},
	{"decorator", `
-- main.py
import a
@a.deco(1)
def f(): pass
-- a.py
def deco(n): pass
`, "a.py:deco"},
	{"in an f-string", `
-- main.py
from a import f
print(f'{f(1)!r:>3}')
-- a.py
def f(): pass
`, "a.py:f"},
	{"keyword is no name", `
-- main.py
from a import f
g(f=1)
-- a.py
def f(): pass
`, ""},
	{"parameter hides", `
-- main.py
from a import f
def g(f): return f()
-- a.py
def f(): pass
`, ""},
	{"comprehension hides", `
-- main.py
from a import f
x = [f for f in y]
-- a.py
def f(): pass
`, ""},
	{"lambda hides", `
-- main.py
from a import f
x = g(lambda f: f())
-- a.py
def f(): pass
`, ""},
	{"self import", `
-- main.py
import main
main.x
x = 1
`, ""},
	{"external", `
-- main.py
import numpy as np, os
from torch.nn import Linear
np.x
Linear()
os.x
`, "|numpy torch"},
	{"folder with the name of a package", `
-- main.py
import torch
torch.x()
-- torch/run.py
`, "|torch"},
	{"lazy table of submodules", `
-- main.py
import p
p.f()
-- p/__init__.py
_T = {'a': ['f', 'g']}
def __getattr__(n): pass
-- p/a.py
def f(): pass
`, "p/a.py:f"},
	{"lazy table of names", `
-- main.py
from p import f
f()
-- p/__init__.py
_T = {'f': 'p.a', 'g': ('p.b', 'h')}
def __getattr__(n): pass
-- p/a.py
def f(): pass
`, "p/a.py:f"},
	{"lazy table of pairs", `
-- main.py
from p import g
g()
-- p/__init__.py
_T = {'f': 'p.a', 'g': ('.a', 'h')}
def __getattr__(n): pass
-- p/a.py
def h(): pass
`, "p/a.py:h"},
	{"extended __path__", `
-- main.py
import k
k.layers.D()
-- k/__init__.py
import os
__path__.append(os.path.join(os.path.dirname(__file__), "api"))
from k.api import *
-- k/api/__init__.py
from k import layers as layers
-- k/api/layers/__init__.py
from k.src.d import D
-- k/src/d.py
class D: pass
`, "k/src/d.py:D"},
	{"exported by decorator", `
-- main.py
import k
k.layers.D()
-- k/__init__.py
-- k/src/d.py
@keras_export(['k.layers.D', 'k.D'])
class D: pass
`, "k/src/d.py:D"},
	{"exported, from import", `
-- main.py
from k.layers import D
D()
-- k/__init__.py
-- k/src/d.py
@keras_export('k.layers.D')
class D: pass
`, "k/src/d.py:D"},
	{"exported, module of it", `
-- main.py
from k import layers
layers.D.make()
-- k/__init__.py
-- k/src/d.py
@keras_export('k.layers.D')
class D: pass
`, "k/src/d.py:D"},
	{"public name of the package's own folder", `
-- main.py
from p import Late
Late()
-- p/__init__.py
from . import lazy
-- p/lazy.py
@tf_export(v1=["p.Late"])
class Late: pass
`, "p/lazy.py:Late"},
	{"names of a chain of classes", `
-- main.py
from a import Outer
Outer.Inner.make()
-- a.py
class Outer:
    class Inner:
        def make(): pass
`, "a.py:Outer.Inner.make"},
	{"base of another module through an alias", `
-- main.py
import a as x
class C(x.B):
    def f(self):
        return self.g()
-- a.py
from b import Root as B
-- b.py
class Root:
    def g(self): pass
`, "b.py:Root"},
	{"class named as its base", `
-- main.py
from keep import Adam
Adam.step()
-- keep.py
from old import Adam
class Adam(Adam): pass
-- old.py
class Adam:
    def step(): pass
`, "old.py:Adam.step"},
	{"optional import of something outside", `
-- main.py
try:
    import torch
except ImportError:
    torch = None
torch.x()
`, "|torch"},
	{"function of a function", `
-- main.py
def outer():
    def inner(): pass
    return inner()
-- a.py
`, ""},
	{"global name of a function", `
-- main.py
import a
def f():
    global state
    state = a.make()
def g():
    return state
-- a.py
def make(): pass
`, "a.py:make"},
	{"star of a package with a list", `
-- main.py
from p import *
f()
h()
-- p/__init__.py
from .a import f, g
from .b import *
__all__ = ["f", "g"]
__all__ += b.__all__
-- p/a.py
def f(): pass
def g(): pass
-- p/b.py
__all__ = ["h"]
def h(): pass
`, "p/a.py:f p/b.py:h"},
	{"optional import in a module of its own", `
-- main.py
from compat import torch
torch.x()
-- compat.py
try:
    import torch
except ImportError:
    torch = None
`, "|torch"},
	{"optional import of something inside", `
-- main.py
try:
    from fast import f
except ImportError:
    f = None
f()
-- fast.py
def f(): pass
`, "fast.py:f"},
}
