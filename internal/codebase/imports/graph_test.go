package imports

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// texts is a project in memory.
type texts map[string]string

func (t texts) Read(_ context.Context, path string) ([]byte, error) {
	if text, ok := t[path]; ok {
		return []byte(text), nil
	}
	return nil, fs.ErrNotExist
}

func (t texts) graph(tb testing.TB) *Graph {
	tb.Helper()
	var files []string
	for f := range t {
		files = append(files, f)
	}
	g, err := Build(tb.Context(), files, t)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// needs is what the whole file needs, one "path:name" a dependency.
func (t texts) needs(tb testing.TB, path string) *Needs {
	tb.Helper()
	return t.graph(tb).Needs(tb.Context(), path, 0, len(t[path]), Budget{Depth: 1})
}

func list(n *Needs) string {
	var out []string
	for _, d := range n.Dependencies {
		out = append(out, d.Path+":"+d.Name)
	}
	return strings.Join(out, " ")
}

// parse reads a project of cases.
func parse(project string) texts {
	out := texts{}
	for _, part := range strings.Split("\n"+strings.TrimSpace(project), "\n-- ")[1:] {
		name, text, _ := strings.Cut(part+"\n", "\n")
		out[name] = text
	}
	return out
}

func TestResolve(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := parse(c.project)
			n := p.needs(t, "main.py")
			got := list(n)
			if len(n.External) > 0 {
				got += "|" + strings.Join(n.External, " ")
			}
			if got != c.want {
				t.Errorf("needs %q, want %q", got, c.want)
			}
			check(t, p, "main.py", 0, len(p["main.py"]), n, Budget{})
		})
	}
}

func TestRelative(t *testing.T) {
	p := texts{
		"p/__init__.py": "", "p/a/__init__.py": "def f(): pass\n", "p/a/b.py": "from . import f\nfrom .. import c\nfrom ..c import g as h\nfrom ...x import y\nf(); c.g(); h()\n",
		"p/c.py": "def g(): pass\n",
	}
	if got := list(p.needs(t, "p/a/b.py")); got != "p/a/__init__.py:f p/c.py:g" {
		t.Error(got)
	}
}

// span is the span of the first text in the file.
func span(src, text string) (start, end int) {
	start = strings.Index(src, text)
	return start, start + len(text)
}

func TestMethod(t *testing.T) {
	p := texts{
		"m.py": `
from base import Base
import helpers
LIMIT = 3
def helper(): pass
class A(Base):
    size = 2
    def one(self):
        self.two(LIMIT)
        self.inherited()
        super().three()
        cls = self.unknown
        return helper(), helpers.use(self.size)
    def two(self): pass
`,
		"base.py":    "class Root:\n    def inherited(self): pass\nclass Base(Root):\n    def three(self): deep()\ndef deep(): pass\n",
		"helpers.py": "def use(x): return other(x)\ndef other(x): return 1\n",
	}
	src := p["m.py"]
	start := strings.Index(src, "def one")
	end := strings.Index(src, "    def two")
	n := p.graph(t).Needs(t.Context(), "m.py", start, end, Budget{})
	var got []string
	for _, d := range n.Dependencies {
		got = append(got, fmt.Sprintf("%d %s:%s as %s", d.Distance, d.Path, d.Name, d.As))
	}
	want := []string{
		"1 m.py:A.size as self.size",
		"1 m.py:LIMIT as LIMIT",
		"1 m.py:helper as helper",
		"1 m.py:A.two as self.two",
		"1 base.py:Base.three as super.three",
		"1 base.py:Root.inherited as self.inherited",
		"1 helpers.py:use as helpers.use",
		"2 base.py:deep as deep",
		"2 helpers.py:other as other",
	}
	slices.Sort(want)
	sorted := slices.Clone(got)
	slices.Sort(sorted)
	if !slices.Equal(sorted, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestBudget(t *testing.T) {
	p := texts{"a.py": "def big():\n" + strings.Repeat("    x = 1\n", 100) + "def small(): tiny()\ndef tiny(): pass\ndef use():\n    big(); small()\n"}
	start, end := span(p["a.py"], "def use():\n    big(); small()")
	g := p.graph(t)
	for _, c := range []struct {
		budget Budget
		want   string
		left   int
	}{
		{Budget{}, "a.py:small a.py:big a.py:tiny", 0},
		{Budget{Tokens: 50}, "a.py:small a.py:tiny", 1},
		{Budget{Count: 1}, "a.py:small", 2},
		{Budget{Depth: 1}, "a.py:small a.py:big", 0},
	} {
		n := g.Needs(t.Context(), "a.py", start, end, c.budget)
		if list(n) != c.want || n.Left != c.left {
			t.Errorf("%+v: %s, left %d", c.budget, list(n), n.Left)
		}
	}
}

func TestNothing(t *testing.T) {
	g := texts{"a.py": "import b\nb.x\n"}.graph(t)
	for _, c := range []struct {
		path       string
		start, end int
	}{{"none.py", 0, 9}, {"a.py", -4, -2}, {"a.py", 90, 99}, {"a.py", 9, 3}} {
		if n := g.Needs(t.Context(), c.path, c.start, c.end, Budget{}); len(n.Dependencies) != 0 {
			t.Errorf("%+v: %+v", c, n)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Build(ctx, nil, texts{}); err == nil {
		t.Error("built although the context had ended")
	}
	if n := g.Needs(ctx, "a.py", 0, 20, Budget{}); len(n.Dependencies) != 0 {
		t.Error(n)
	}
}

func TestGone(t *testing.T) {
	p := texts{"a.py": "import b\nb.x\n", "b.py": "x = 1\n"}
	g := p.graph(t)
	delete(p, "b.py")
	if n := g.Needs(t.Context(), "a.py", 0, 20, Budget{}); len(n.Dependencies) != 0 {
		t.Error(n)
	}
	p["b.py"] = "x = 1\n" // what could not be read is asked for again
	if n := g.Needs(t.Context(), "a.py", 0, 20, Budget{}); list(n) != "b.py:x" {
		t.Error(n)
	}
}

func TestEdges(t *testing.T) {
	p := texts{
		"p/__init__.py": "from . import a\nfrom .a import x\nimport torch\n", "p/a.py": "import p.b\nx = 1\n",
		"p/b.py": "def f():\n    import importlib\n    importlib.import_module('p.c')\nimport p.b\n", "p/c.py": "from p import x, b\nimport yaml, os\n",
		"test_p.py": "import p\n",
	}
	g := p.graph(t)
	var got []string
	for _, e := range g.Edges(t.Context()) {
		got = append(got, e.From+">"+e.To)
	}
	want := "p/__init__.py>p/a.py p/a.py>p/b.py p/b.py>p/c.py p/c.py>p/__init__.py p/c.py>p/b.py test_p.py>p/__init__.py"
	if strings.Join(got, " ") != want {
		t.Errorf("edges %v", got)
	}
	if got := g.Importers(t.Context(), "p/b.py"); !slices.Equal(got, []string{"p/a.py", "p/c.py"}) {
		t.Errorf("importers %v", got)
	}
	if got := g.External(t.Context()); !slices.Equal(got, []string{"torch", "yaml"}) {
		t.Errorf("external %v", got)
	}
}

// TestRoot: the project is the package's own folder, as installed.
func TestRoot(t *testing.T) {
	p := texts{
		"__init__.py": "from keras.src.a import A\n", "src/__init__.py": "", "src/a.py": "from keras.src.b import f\nclass A:\n    x = f()\n",
		"src/b.py": "def f(): pass\n",
	}
	if got := list(p.needs(t, "src/a.py")); got != "src/b.py:f" {
		t.Error(got)
	}
	p["use.py"] = "from keras import A\nA()\n"
	if got := list(p.needs(t, "use.py")); got != "src/a.py:A" {
		t.Error(got)
	}
}
