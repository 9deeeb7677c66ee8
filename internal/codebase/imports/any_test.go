package imports

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/system/worktime"
)

// check holds what is true of every answer.
func check(t interface {
	Errorf(format string, args ...any)
}, p texts, path string, start, end int, n *Needs, b Budget) {
	b = b.orDefault()
	tokens := 0
	for i, d := range n.Dependencies {
		text, ok := p[d.Path]
		switch {
		case !ok || d.Start < 0 || d.Start >= d.End || d.End > len(text):
			t.Errorf("no such span: %+v", d)
			continue
		case d.StartLine != strings.Count(text[:d.Start], "\n")+1:
			t.Errorf("lines do not fit bytes: %+v", d)
		case d.Path == path && d.Start >= start && d.End <= end:
			t.Errorf("part of what asks: %+v", d)
		case d.Distance < 1 || d.Distance > b.Depth || i > 0 && d.Distance < n.Dependencies[i-1].Distance:
			t.Errorf("distance of %+v", d)
		case slices.Contains(d.Through, d.Path):
			t.Errorf("passes through itself: %+v", d)
		}
		tokens += tokensOf(d)
	}
	if len(n.Dependencies) > b.Count || tokens > b.Tokens {
		t.Errorf("%d definitions with %d tokens, over %+v", len(n.Dependencies), tokens, b)
	}
}

// project draws a few files that import each other in any way.
func project(t *rapid.T) texts {
	names := []string{"a", "b", "p", "p.c", "p.d", "q"}
	files := []string{"a.py", "b.py", "p/__init__.py", "p/c.py", "p/d.py", "src/q/__init__.py"}
	ident := rapid.SampledFrom([]string{"f", "g", "C", "D", "a", "c", "p"})
	module := rapid.SampledFrom(append([]string{".", ".c", "..", "numpy", ".d"}, names...))
	lines := []func() string{
		func() string { return fmt.Sprintf("from %s import %s", module.Draw(t, "m"), ident.Draw(t, "i")) },
		func() string {
			return fmt.Sprintf("from %s import %s as %s", module.Draw(t, "m"), ident.Draw(t, "i"), ident.Draw(t, "i"))
		},
		func() string { return fmt.Sprintf("from %s import *", module.Draw(t, "m")) },
		func() string { return "import " + strings.Trim(module.Draw(t, "m"), ".") },
		func() string {
			return fmt.Sprintf("class %s(%s, %s.%s): %s = 1", ident.Draw(t, "i"), ident.Draw(t, "i"), ident.Draw(t, "i"), ident.Draw(t, "i"), ident.Draw(t, "i"))
		},
		func() string {
			return fmt.Sprintf("def %s(): return %s.%s()", ident.Draw(t, "i"), ident.Draw(t, "i"), ident.Draw(t, "i"))
		},
		func() string {
			return fmt.Sprintf("class %s:\n  def f(self): self.%s(super().g())", ident.Draw(t, "i"), ident.Draw(t, "i"))
		},
		func() string { return fmt.Sprintf("%s = %s", ident.Draw(t, "i"), ident.Draw(t, "i")) },
		func() string { return fmt.Sprintf("__all__ = [%q]", ident.Draw(t, "i")) },
		func() string {
			return fmt.Sprintf("_t = {%q: [%q]}\ndef __getattr__(n): pass", "c", ident.Draw(t, "i"))
		},
	}
	out := texts{}
	for _, f := range files {
		var b strings.Builder
		for range rapid.IntRange(0, 6).Draw(t, "lines") {
			b.WriteString(lines[rapid.IntRange(0, len(lines)-1).Draw(t, "line")]() + "\n")
		}
		out[f] = b.String()
	}
	return out
}

func TestProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := project(rt)
		b := Budget{Tokens: rapid.IntRange(0, 60).Draw(rt, "tokens"), Count: rapid.IntRange(0, 5).Draw(rt, "count"), Depth: rapid.IntRange(0, 4).Draw(rt, "depth")}
		g := p.graph(t)
		for _, path := range g.files {
			first := g.Needs(t.Context(), path, 0, len(p[path]), b)
			check(rt, p, path, 0, len(p[path]), first, b)
			// The answer depends on nothing that was asked before.
			if again := p.graph(t).Needs(t.Context(), path, 0, len(p[path]), b); fmt.Sprint(first) != fmt.Sprint(again) {
				rt.Errorf("%s needs %v, then %v", path, first, again)
			}
		}
		edges := g.Edges(t.Context())
		for i, e := range edges {
			if e.From == e.To || i > 0 && edges[i-1] == e || !g.table.files[e.From] || !g.table.files[e.To] {
				rt.Errorf("edge %+v", e)
			}
		}
	})
}

// TestHostile: circles, depth and size cost no square.
func TestHostile(t *testing.T) {
	many := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)))
		}
		return b.String()
	}
	circle := texts{}
	for i := range 300 {
		circle[fmt.Sprintf("m%d.py", i)] = fmt.Sprintf("from m%d import *\nfrom m%d import x\ny = x\nz\n", (i+1)%300, (i+7)%300)
	}
	stars := texts{}
	for i := range 100 {
		stars[fmt.Sprintf("m%d.py", i)] = many("from m# import *\n", 100) + "x\n"
	}
	for name, c := range map[string]struct {
		p    texts
		path string
	}{
		"circle of imports": {circle, "m0.py"}, "stars of stars": {stars, "m0.py"},
		"imports itself":      {texts{"a.py": "import a\nfrom a import *\nfrom a import a\na.a.a.a()\nx\n"}, "a.py"},
		"class of itself":     {texts{"a.py": "class A(A.B, A.C, B): pass\nclass B(A.C, B.A): pass\nA.x\nB.y.z\n"}, "a.py"},
		"many classes":        {texts{"a.py": many("class A#(A0.b, A1.c, A2): pass\n", 3000) + "A2.x\n"}, "a.py"},
		"10,000 levels":       {texts{"a.py": strings.Repeat("f(", 10_000) + strings.Repeat(")", 10_000)}, "a.py"},
		"10,000 dots":         {texts{"a.py": "import a\na" + strings.Repeat(".a", 10_000) + "\nfrom " + strings.Repeat(".", 10_000) + " import x\nx\n"}, "a.py"},
		"deep blocks":         {texts{"a.py": many("if x:\n", 1) + strings.Repeat(" ", 1000) + "y\n"}, "a.py"},
		"many definitions":    {texts{"a.py": many("def f#(): return f0, g#, self.x\n", 5000), "b.py": "from a import *\n" + many("f#\n", 5000)}, "b.py"},
		"one name many times": {texts{"a.py": strings.Repeat("x = x\n", 20_000), "b.py": "from a import x\nx\n"}, "b.py"},
		"no text":             {texts{"a.py": "\xff\xfe\x00import \x80.b\nfrom \xc3 import \x00*\n"}, "a.py"},
		"a mebibyte":          {texts{"a.py": many("a#.b#(c#)\n", 40_000)}, "a.py"},
		"too large":           {texts{"a.py": strings.Repeat("f()\n", 1<<19)}, "a.py"},
	} {
		t.Run(name, func(t *testing.T) {
			d := worktime.Of(func() {
				g := c.p.graph(t)
				n := g.Needs(t.Context(), c.path, 0, len(c.p[c.path]), Budget{})
				check(t, c.p, c.path, 0, len(c.p[c.path]), n, Budget{})
				g.Edges(t.Context())
				g.External(t.Context())
			})
			if d > 10*time.Second {
				t.Errorf("took %v", d)
			} else {
				t.Log(d)
			}
		})
	}
}

func FuzzNeeds(f *testing.F) {
	f.Add("from b import x\nx()\n", "from a import *\nfrom . import c\nx = 1\n", 0, 20)
	f.Add("class A(B):\n  def f(self): self.g()\n", "__all__ = ['x']\n__path__.append('c')\n", 3, 9)
	f.Fuzz(func(t *testing.T, a, b string, start, end int) {
		p := texts{"a.py": a, "b.py": b, "p/__init__.py": b, "p/c.py": a}
		g := p.graph(t)
		for path := range p {
			check(t, p, path, start, end, g.Needs(t.Context(), path, start, end, Budget{}), Budget{})
		}
		g.Edges(t.Context())
		g.External(t.Context())
	})
}
