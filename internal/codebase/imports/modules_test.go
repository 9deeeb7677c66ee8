package imports

import (
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/pysyntax"
)

func TestAbsolute(t *testing.T) {
	for _, c := range []struct {
		name, files, from, dotted string
		want                      string // the file, "ns:" and the folder of a bare one, or ""
	}{
		{"package at the root", "p/__init__.py p/a.py", "x.py", "p", "p/__init__.py"},
		{"module of a package", "p/__init__.py p/a.py", "x.py", "p.a", "p/a.py"},
		{"package of a package", "p/__init__.py p/q/__init__.py", "x.py", "p.q", "p/q/__init__.py"},
		{"not there", "p/__init__.py", "x.py", "p.a", ""},
		{"not there at all", "p/__init__.py", "x.py", "numpy", ""},
		{"module at the root", "a.py", "x.py", "a", "a.py"},
		{"module in src", "src/a.py", "x.py", "a", "src/a.py"},
		{"package in lib", "lib/p/__init__.py", "x.py", "p", "lib/p/__init__.py"},
		{"package anywhere", "w/v/p/__init__.py w/v/p/a.py", "x.py", "p.a", "w/v/p/a.py"},
		{"module anywhere is none", "w/v/a.py", "x.py", "a", ""},
		{"module beside a script", "examples/a.py", "examples/x.py", "a", "examples/a.py"},
		{"module beside one of a package is none", "p/__init__.py p/numpy.py", "p/x.py", "numpy", ""},
		{"package before module", "p/__init__.py p.py", "x.py", "p", "p/__init__.py"},
		{"module before bare folder", "p/a.py p.py", "x.py", "p", "p.py"},
		{"bare folder", "p/a.py", "x.py", "p", "ns:p"},
		{"module in a bare folder", "p/q/a.py", "x.py", "p.q.a", "p/q/a.py"},
		{"package in a bare folder", "ns/p/__init__.py", "x.py", "ns.p", "ns/p/__init__.py"},
		{"root before src", "p/__init__.py src/p/__init__.py", "x.py", "p", "p/__init__.py"},
		{"but the own one first", "p/__init__.py src/p/__init__.py src/p/a.py", "src/p/a.py", "p", "src/p/__init__.py"},
		{"package before bare folder elsewhere", "p/a.py src/p/__init__.py", "x.py", "p", "src/p/__init__.py"},
		{"shallow before deep", "b/c/p/__init__.py z/p/__init__.py", "x.py", "p", "z/p/__init__.py"},
		{"itself is not beside itself", "examples/torch.py", "examples/torch.py", "torch", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newTable(strings.Fields(c.files)).absolute(c.from, c.dotted)
			got := m.file
			if got == "" && m.found() {
				got = "ns:" + m.dir
			}
			if got != c.want {
				t.Errorf("%s is %q, want %q", c.dotted, got, c.want)
			}
		})
	}
}

func TestRelativeModules(t *testing.T) {
	table := newTable(strings.Fields("p/__init__.py p/a.py p/q/__init__.py p/q/b.py p/q/c.py"))
	for _, c := range []struct{ from, dotted, want string }{
		{"p/a.py", ".", "p/__init__.py"},
		{"p/__init__.py", ".a", "p/a.py"},
		{"p/q/b.py", ".c", "p/q/c.py"},
		{"p/q/b.py", "..a", "p/a.py"},
		{"p/q/b.py", "..", "p/__init__.py"},
		{"p/q/b.py", "..q.c", "p/q/c.py"},
		{"p/q/__init__.py", "..a", "p/a.py"},
		{"p/q/b.py", ".b", ""},
		{"p/q/b.py", "....x", ""},
		{"p/a.py", ".nothing", ""},
	} {
		if got := table.relative(c.from, c.dotted); got.file != c.want {
			t.Errorf("%s in %s is %q, want %q", c.dotted, c.from, got.file, c.want)
		}
	}
}

func TestSummary(t *testing.T) {
	s := detailOf(`
from .a import *
from b import c as d
import e.f, g.h as i
__all__ = ["x", "y"]
try:
    from fast import k
except ImportError:
    k = None
class A(B, m.C, metaclass=D):
    z = 1
    class Inner(A): pass
    def f(self): pass
if TYPE_CHECKING:
    def late(): pass
def late(): pass
def later():
    global made
    made = 1
    class Local: pass
x = y = 1
for loop in x: pass
`).summary()
	if !slices.Equal(s.stars, []string{".a"}) || !s.all["x"] || !s.all["y"] || len(s.all) != 2 {
		t.Errorf("stars %v, all %v", s.stars, s.all)
	}
	for name, want := range map[string]def{
		"d": {kind: pysyntax.BindImport, module: "b", attr: "c"}, "e": {kind: pysyntax.BindImport, module: "e"},
		"i": {kind: pysyntax.BindImport, module: "g.h"}, "k": {kind: pysyntax.BindImport, module: "fast", attr: "k"},
		"A": {kind: pysyntax.BindDef}, "late": {kind: pysyntax.BindDef}, "x": {kind: pysyntax.BindAssign}, "made": {kind: pysyntax.BindAssign},
	} {
		all := s.names[""][name]
		if len(all) == 0 || all[0].kind != want.kind || all[0].module != want.module || all[0].attr != want.attr {
			t.Errorf("%s: %+v", name, all)
		}
	}
	if first := s.names[""]["late"][0]; !first.always {
		t.Errorf("the definition of an if comes first: %+v", first)
	}
	if len(s.names[""]["Local"]) != 0 || s.names[""]["loop"][0].single {
		t.Error("a local class, or a loop's variable, is seen from outside")
	}
	if got := s.names["A"]; len(got["z"]) != 1 || got["f"][0].name != "A.f" || got["Inner"][0].name != "A.Inner" {
		t.Errorf("class %+v", got)
	}
	if !slices.Equal(s.bases["A"], []string{"B", "m.C"}) || !slices.Equal(s.bases["A.Inner"], []string{"A"}) {
		t.Errorf("bases %v", s.bases)
	}
}

func TestTables(t *testing.T) {
	s := detailOf(`
import os, lazy_loader
__path__.append(os.path.join(os.path.dirname(__file__), "api"))
_structure = {"modeling": ["Model", "Config"], "n": 3}
_structure["extra"] = ["Extra"]
_names = {"load": "p.io", "save": "p.io:store", "pair": (".x", "y")}
@other.keras_export(["k.layers.Dense", "k.Dense"])
class Dense: pass
@keras_export("k.f")
@functools.wraps(g)
def f(): pass
importlib.import_module("p.dynamic")
importlib.import_module(name)
`).summary()
	for name, want := range map[string]lazyName{
		"Model": {".modeling", "Model"}, "Config": {".modeling", "Config"}, "Extra": {".extra", "Extra"},
		"load": {"p.io", "load"}, "save": {"p.io", "store"}, "pair": {".x", "y"},
	} {
		if s.lazy[name] != want {
			t.Errorf("%s comes from %+v, want %+v", name, s.lazy[name], want)
		}
	}
	if !slices.Equal(s.paths, []string{"api"}) {
		t.Errorf("paths %v", s.paths)
	}
	var public []string
	for _, e := range s.exports {
		public = append(public, e.public+"="+e.d.name)
	}
	if want := []string{"k.layers.Dense=Dense", "k.Dense=Dense", "k.f=f"}; !slices.Equal(public, want) {
		t.Errorf("exports %v", public)
	}
	if last := s.imports[len(s.imports)-1]; !last.Dynamic || last.Module != "p.dynamic" {
		t.Errorf("imports %+v", s.imports)
	}
	// A dictionary means nothing where no name is made on demand.
	if s := detailOf("x = {'a': ['b']}\n").summary(); len(s.lazy) != 0 {
		t.Errorf("lazy %v", s.lazy)
	}
}

// TestKept: the statements of files are let go within the limit, what they say
// to others stays.
func TestKept(t *testing.T) {
	p := texts{}
	for _, name := range []string{"a", "b", "c", "d"} {
		p[name+".py"] = "def f(): pass\n" + strings.Repeat("# "+strings.Repeat("x", 98)+"\n", 9000)
	}
	p["use.py"] = "import a, b, c, d\na.f(); b.f(); c.f(); d.f()\n"
	g := p.graph(t)
	first := list(g.Needs(t.Context(), "use.py", 0, 90, Budget{Depth: 1}))
	if g.held > maxHeld || len(g.details) >= len(p) || len(g.summaries) != len(p) || len(g.details) != len(g.recent) {
		t.Errorf("%d bytes of %d files held, %d summaries", g.held, len(g.details), len(g.summaries))
	}
	if again := list(g.Needs(t.Context(), "use.py", 0, 90, Budget{Depth: 1})); again != first || first == "" {
		t.Errorf("%q, then %q", first, again)
	}
}

// TestTogether: many questions at once are answered as one by one.
func TestTogether(t *testing.T) {
	p := texts{"p/__init__.py": "from .a import *\n", "p/a.py": "from p.b import g\ndef f(): g()\n", "p/b.py": "def g(): pass\n", "use.py": "import p\np.f()\n"}
	g := p.graph(t)
	answers := make(chan string)
	for range 8 {
		go func() { answers <- list(g.Needs(t.Context(), "use.py", 0, 90, Budget{})) }()
	}
	for range 8 {
		if got := <-answers; got != "p/a.py:f p/b.py:g" {
			t.Error(got)
		}
	}
}
