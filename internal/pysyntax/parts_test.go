package pysyntax

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParts(t *testing.T) {
	src := "import torch.nn as nn  # число\n@jax.jit\n@partial(jit, n=1)\ndef f(x, *a):\n    return nn.relu(x, 数=1)\n" +
		"with torch.autocast('cpu') as c, d:\n    y = z[0] = f(1, *b)\nf(g(x), k=(1, None))\nx.half().half()\ns = [nn.A(), 2,]\n"
	p := Split(src)
	text := func(s Span) string { return src[s.Start:s.End] }
	var got []string
	for _, d := range p.Decorators {
		got = append(got, "@"+d.Name+" of "+d.Of+" "+text(d.Span))
	}
	for _, s := range p.Statements {
		got = append(got, s.Kind+" "+s.Scope+" "+s.Func+" "+strings.Join(s.Targets, ",")+" "+strings.Join(s.Binds, ",")+" "+text(s.ValueSpan))
	}
	for _, a := range p.Arguments {
		got = append(got, a.Call+"("+a.Key+"="+a.Value+" "+a.Func+" ["+text(a.Cut)+"] "+text(a.ValueSpan)+")")
	}
	for _, c := range p.Contexts {
		got = append(got, "with "+c.Func+" "+text(c.Span))
	}
	for _, c := range p.Calls {
		got = append(got, "call "+c.Full+" "+c.Method+" of "+text(c.Object)+" first "+text(c.First))
	}
	want := []string{
		"@jax.jit of f @jax.jit", "@partial of f @partial(jit, n=1)",
		"import     ", "return f    ", "assignment   y,z[0] y f(1, *b)", "expression  f   ", "expression     ", "assignment   s s [nn.A(), 2,]",
		"partial(=jit  [jit, ] jit)", "partial(n=1  [, n=1] 1)", "nn.relu(=x  [x, ] x)", "nn.relu(数=1  [, 数=1] 1)",
		"torch.autocast(='cpu'  ['cpu'] 'cpu')", "f(=1  [1, ] 1)", "f(=*b  [, *b] *b)",
		"f(=g(x) g [g(x), ] g(x))", "f(k=(1, None)  [, k=(1, None)] (1, None))", "g(=x  [x] x)", "(=1  [1, ] 1)", "(=None  [, None] None)",
		"(=nn.A() nn.A [nn.A(), ] nn.A())", "(=2  [, 2] 2)",
		"with torch.autocast torch.autocast('cpu')", "with d d",
		"call partial partial of  first jit", "call torch.nn.relu relu of nn first x", "call torch.autocast autocast of torch first 'cpu'",
		"call f f of  first 1", "call f f of  first g(x)", "call g g of  first x", "call  half of x.half() first ", "call x.half half of x first ",
		"call torch.nn.A A of nn first ",
	}
	if !slices.Equal(got, want) {
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Errorf("%d: got %q", i, got[min(i, len(got)-1)])
			}
		}
	}
}

func TestApply(t *testing.T) {
	got := Apply("abc数d", []Change{{Span: Span{6, 7}, After: "D"}, {Span: Span{0, 1}, After: "A"}, {Span: Span{0, 2}, After: "lost"}, {Span: Span{5, 99}, After: "lost"}})
	if got != "Abc数D" {
		t.Errorf("got %q", got)
	}
}

// FuzzParts: spans lie in the text, on the boundaries of characters when it is
// valid, and a repair that was made is an improvement.
func FuzzParts(f *testing.F) {
	files, _ := filepath.Glob("../candidate/testdata/*/*.py")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, d := range damaged {
		f.Add(d.code)
	}
	f.Fuzz(func(t *testing.T, src string) {
		p := Split(src)
		check := func(s Span, what string) {
			if s.Start < 0 || s.End < s.Start || s.End > len(src) {
				t.Fatalf("%s at %v of %d", what, s, len(src))
			}
			if utf8.ValidString(src) && !utf8.ValidString(src[s.Start:s.End]) {
				t.Errorf("%s cuts a character: %q", what, src[s.Start:s.End])
			}
		}
		for _, s := range p.Statements {
			check(s.Span, "statement")
			check(s.ValueSpan, "value")
		}
		for _, a := range p.Arguments {
			check(a.Span, "argument")
			check(a.Cut, "cut")
		}
		for _, c := range p.Calls {
			check(c.Span, "call")
			check(c.Object, "object")
			check(c.First, "first")
			check(c.Close, "close")
		}
		for _, d := range p.Decorators {
			check(d.Span, "decorator")
		}
		for _, u := range p.Uses {
			check(u.Span, "use")
		}
		fixed, fixes := Repair(src)
		if len(fixes) == 0 && fixed != src {
			t.Error("changed without a record")
		}
		if strings.Count(fixed, "\n") != strings.Count(src, "\n") {
			t.Error("lines moved")
		}
		if len(fixes) > 0 && len(Parse(fixed).SyntaxErrors) > len(p.File.SyntaxErrors) {
			t.Error("made worse")
		}
	})
}
