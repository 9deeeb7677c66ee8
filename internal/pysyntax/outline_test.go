package pysyntax

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/system/worktime"
)

// outlineText is an outline for reading: "first-last depth kind name @decorators".
func outlineText(src string, o *Outline) string {
	var b strings.Builder
	for _, l := range o.Lines {
		fmt.Fprintf(&b, "%d-%d %d %s", l.Line, l.EndLine, l.Depth, []string{"stmt", "open", "def", "class"}[l.Kind])
		if l.Name != "" {
			b.WriteString(" " + l.Name)
		}
		for _, d := range l.Decorators {
			b.WriteString(" @" + src[d.Start:d.End])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// outlineCases are sources that the scanner reads for certain.
var outlineCases = []struct{ name, src, want string }{
	{"empty", "", ""},
	{"comments only", "# a\n\n  # b\n", ""},
	{"one line without end", "x = 1", "1-1 0 stmt\n"},
	{"function", "def f(a,\n      b):\n    return a\n", "1-2 0 def f\n3-3 1 stmt\n"},
	{"class and methods", "class A(B):\n    x = 1\n\n    def f(self): pass\n    async def g(self):\n        await x\ny = 2\n",
		"1-1 0 class A\n2-2 1 stmt\n4-4 1 def f\n5-5 1 def g\n6-6 2 stmt\n7-7 0 stmt\n"},
	{"decorators", "@a.b\n# why\n@c(1,\n   2)  # here\nclass A: pass\n", "1-5 0 class A @a.b @c(1,\n   2)\n"},
	{"clauses", "if a:\n  x\nelif b: y\nelse:\n  z\ntry:\n  x\nexcept E as e:\n  y\nfinally:\n  z\n",
		"1-1 0 open\n2-2 1 stmt\n3-3 0 stmt\n4-4 0 open\n5-5 1 stmt\n6-6 0 open\n7-7 1 stmt\n8-8 0 open\n9-9 1 stmt\n10-10 0 open\n11-11 1 stmt\n"},
	{"match", "match x:\n  case 1:\n    y\n  case _: z\nmatch = case = 1\n", "1-1 0 open\n2-2 1 open\n3-3 2 stmt\n4-4 1 stmt\n5-5 0 stmt\n"},
	{"strings", "a = '#'  # '\nb = \"\"\"x\ndef f():\n  '''\n\"\"\"\nc = r'\\\\'; d = 'it\\'s'\ne = 'a\\\n  b'\n", "1-1 0 stmt\n2-5 0 stmt\n"},
	{"f-strings", "a = f'{x[\"k\"]}'\nb = f\"{', '.join(f'{i:>{w}}' for i in y)}{{\"\nc = f'''{\nx\n}'''\n", "1-1 0 stmt\n2-2 0 stmt\n3-5 0 stmt\n"},
	{"brackets", "x = [\n# (\n1, {2: (\n3)}\n]\ny\n", "1-5 0 stmt\n6-6 0 stmt\n"},
	{"continuation", "x = 1 + \\\n    2\nif a and \\\n   b:\n    y\n", "1-2 0 stmt\n3-4 0 open\n5-5 1 stmt\n"},
	{"semicolons", "x = 1; y = (2,\n 3); z\n", "1-2 0 stmt\n"},
	{"semicolon and continuation", "x = 1; \\\n  y = 2\nz = 3;\n# \\\nw\n", "1-2 0 stmt\n3-3 0 stmt\n5-5 0 stmt\n"},
	{"tabs", "if a:\n\tif b:\n\t\tx\n\ty\n", "1-1 0 open\n2-2 1 open\n3-3 2 stmt\n4-4 1 stmt\n"},
	{"windows", "def f():\r\n    x\r\n\r\n    y\r\n", "1-1 0 def f\n2-2 1 stmt\n4-4 1 stmt\n"},
	{"form feed", "x\n\fclass A:\n    y\n", "1-1 0 stmt\n2-2 0 class A\n3-3 1 stmt\n"},
	{"comments at odd columns", "def f():\n    x\n# out\n    y\n        # in\n    z\n", "1-1 0 def f\n2-2 1 stmt\n4-4 1 stmt\n6-6 1 stmt\n"},
	{"names of other scripts", "class Größe:\n    β = 1\n", "1-1 0 class Größe\n2-2 1 stmt\n"},
	{"type parameters", "class A[T]: pass\ndef f[T](x: T) -> T: return x\n", "1-1 0 class A\n2-2 0 def f\n"},
	{"a name like a keyword", "classy = 1\ndefine(x)\nasync_ = 2\n", "1-1 0 stmt\n2-2 0 stmt\n3-3 0 stmt\n"},
}

func TestOutline(t *testing.T) {
	for _, c := range outlineCases {
		if c.name == "strings" {
			c.want += "6-6 0 stmt\n7-8 0 stmt\n"
		}
		o, sure := OutlineScan([]byte(c.src))
		if got := outlineText(c.src, o); !sure || got != c.want {
			t.Errorf("%s: sure %v\n%swant\n%s", c.name, sure, got, c.want)
		}
		tree, sure := OutlineTree([]byte(c.src))
		if got := outlineText(c.src, tree); !sure || got != c.want {
			t.Errorf("%s by the grammar: sure %v\n%swant\n%s", c.name, sure, got, c.want)
		}
	}
}

// TestOutlineUnsure: what the scanner must not judge, and what is made of it.
func TestOutlineUnsure(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"unbalanced", "x = (\ndef f():\n    y\n", "1-1 0 stmt\n2-2 0 def f\n3-3 1 stmt\n"},
		{"wrong bracket", "x = (1]\ny\n", "1-1 0 stmt\n2-2 0 stmt\n"},
		{"open string", "x = 'a\ndef f(): pass\n", "1-1 0 stmt\n2-2 0 def f\n"},
		{"open triple string", "def f():\n    '''a\n    x\n", "1-1 0 def f\n2-2 1 stmt\n3-3 1 stmt\n"},
		{"odd dedent", "if a:\n        x\n    y\nz\n", "1-1 0 open\n2-2 1 stmt\n3-3 1 stmt\n4-4 0 stmt\n"},
		{"odd indent", "x\n    y\nz\n", "1-1 0 stmt\n2-2 1 stmt\n3-3 0 stmt\n"},
		{"no body", "def f():\ny\n", "1-1 0 def f\n2-2 0 stmt\n"},
		{"decorated nothing", "@a\nx = 1\n", "1-2 0 stmt @a\n"},
		{"no name", "class :\n    x\ndef (a): pass\n", "1-1 0 class\n2-2 1 stmt\n3-3 0 def\n"},
		{"a shell's sign", "!ls\n$x\n?\n", "1-1 0 stmt\n2-2 0 stmt\n3-3 0 stmt\n"},
		{"indented from the start", "  x\n  def f():\n    y\n", "1-1 0 stmt\n2-2 0 def f\n3-3 1 stmt\n"},
		{"begins with a backslash", "x\n\\\ny\n", "1-1 0 stmt\n2-3 0 stmt\n"},
		{"ends after a backslash", "x\\", "1-1 0 stmt\n"},
	} {
		if _, sure := OutlineScan([]byte(c.src)); sure {
			t.Errorf("%s: the scanner is sure", c.name)
		}
		if got := outlineText(c.src, outlineGuess([]byte(c.src))); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
	}
	// Same quotes inside braces, Python 3.12: the grammar knows.
	src := "x = f\"{d[\"k\"]}\"\ndef f():\n    y\n"
	if o := OutlineOf([]byte(src)); o.Guessed || outlineText(src, o) != "1-1 0 stmt\n2-2 0 def f\n3-3 1 stmt\n" {
		t.Errorf("quotes in quotes: %+v", o)
	}
	// Python 2: backquotes are known to neither.
	src = "def f(x):\n    print `x`, 0777L\n"
	if o := OutlineOf([]byte(src)); outlineText(src, o) != "1-1 0 def f\n2-2 1 stmt\n" {
		t.Errorf("Python 2: %+v", o)
	}
}

func TestOutlineEnds(t *testing.T) {
	o := OutlineOf([]byte("class A:\n  def f():\n    x\n  y\nz\n"))
	if got := fmt.Sprint(o.Ends()); got != "[4 3 3 4 5]" {
		t.Error(got)
	}
}

// TestOutlineHostile: nesting and length without end take no stack and no time.
func TestOutlineHostile(t *testing.T) {
	var deep strings.Builder
	for i := range 1400 {
		deep.WriteString(strings.Repeat(" ", i) + "if x:\n")
	}
	deep.WriteString(strings.Repeat(" ", 1400) + "y\n")
	for name, src := range map[string]string{
		"brackets": strings.Repeat("(", 10_000) + strings.Repeat(")", 10_000), "open brackets": strings.Repeat("[", 1<<20),
		"blocks": deep.String(), "quotes": strings.Repeat("'", 1<<20), "triples": strings.Repeat(`"""'''`, 100_000) + `"""`,
		"braces": "f'" + strings.Repeat("{", 1<<19), "specs": "f'" + strings.Repeat("{x:", 1<<18), "f-strings": strings.Repeat("f'{f\"{", 1<<16),
		"backslashes": strings.Repeat("\\\n", 1<<18), "escapes": "'''" + strings.Repeat("\\'''", 1<<18), "nul": strings.Repeat("\x00", 1<<16),
		"bytes": strings.Repeat("\xff\xfe", 1<<18), "decorators": strings.Repeat("@a\n", 1<<18), "open definitions": strings.Repeat("x = (\ndef f(:\n", 1<<16),
		"x = '": strings.Repeat("x = '", 1<<17),
	} {
		var o *Outline
		if took := worktime.Of(func() { o = OutlineOf([]byte(src)) }); took > 10*time.Second {
			t.Errorf("%s: %v", name, took)
		}
		if name == "blocks" && (o.Guessed || len(o.Lines) != 1401 || o.Lines[1400].Depth != 1400) {
			t.Errorf("blocks: %d lines", len(o.Lines))
		}
		if name == "brackets" && (o.Guessed || len(o.Lines) != 1) {
			t.Errorf("brackets: %+v", o)
		}
	}
}

// pythonLines makes sources of lines that occur in Python: mostly in an order
// that is Python, with a stray line here and there.
func pythonLines() *rapid.Generator[string] {
	simple := rapid.SampledFrom([]string{
		"x = 1", "pass", "return x", "'doc'", `"""doc"""`, "x = '''a\n b'''", "x = f'{a!r:>{w}}'", `y = f"{d['k']}"`, "z = (\n1,\n  # c\n)",
		"x = [1,\n2]", "a \\\n + b", "x; y", "lambda: 0", "if a: b", "class C: pass", "def h(): return 1", "match(x)", "print x", "print('a')",
		"x: int = 3", "type X = int", "x = {1: 2,\n# c\n}", "raise E", "del x", "import a.b as c", "from . import (a,\nb)", "assert x, 'y'",
		"global x", "yield", "b'\\''", "r'\\\\'", "x = y if z else w", "exec 'x'", "x = \"a\\\nb\"", "x[1:2]", "d = {'a': lambda x: x}", "print >>f, x",
		"else: x", "case = 1", "match = x", "x = match[1:]", "await x", "async = 1", "@d", ")", "x = '",
	})
	head := rapid.SampledFrom([]string{
		"def f(a, b=(1,\n  2)):", "class A(B):", "if x:", "for i in x:", "while 1:", "with a as b:", "async def g():", "async with a:", "match x:",
		"@d\ndef f():", "@d.e(1,\n2)\nclass D:", "try:", "with (a as b,\n c):", "def f[T](x: T) -> {1: 2}:", "class A:", "if x and \\\n y:", "else:", "case 1:", "for x in y: # c",
	})
	noise := rapid.SampledFrom([]string{"", "", "", "\n", "# c\n", "        # c\n", "  \n", "\f\n", "\r\n"})
	end := rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", "  # c\n", " \n", ";\n"})
	unit := rapid.SampledFrom([]string{"    ", "  ", "\t"})
	var block func(t *rapid.T, b *strings.Builder, indent string, depth int)
	block = func(t *rapid.T, b *strings.Builder, indent string, depth int) {
		line := func(s string) {
			b.WriteString(noise.Draw(t, "noise"))
			for part := range strings.SplitSeq(s, "\n") {
				if part != "" {
					b.WriteString(indent + part + "\n")
				}
			}
			text := strings.TrimSuffix(b.String(), "\n")
			b.Reset()
			b.WriteString(text + end.Draw(t, "end"))
		}
		for range rapid.IntRange(1, 3).Draw(t, "lines") {
			if depth > 3 || rapid.IntRange(0, 2).Draw(t, "kind") > 0 {
				line(simple.Draw(t, "simple"))
				continue
			}
			h := head.Draw(t, "head")
			line(h)
			below := indent + unit.Draw(t, "unit")
			block(t, b, below, depth+1)
			if h == "try:" {
				line("except E:")
				block(t, b, below, depth+1)
			}
		}
	}
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		block(t, &b, "", 0)
		return b.String()
	})
}

// TestOutlineSame: where both are sure, they agree.
func TestOutlineSame(t *testing.T) {
	both := 0
	rapid.Check(t, func(r *rapid.T) {
		src := pythonLines().Draw(r, "src")
		scan, a := OutlineScan([]byte(src))
		tree, b := OutlineTree([]byte(src))
		if !a || !b || keywordName([]byte(src), scan, tree) {
			return
		}
		both++
		if got, want := outlineText(src, scan), outlineText(src, tree); got != want {
			r.Fatalf("%q\nscan\n%stree\n%s", src, got, want)
		}
	})
	if both == 0 {
		t.Error("no source was compared")
	}
}

// TestOutlineCorpus: the same on the sources in testdata.
func TestOutlineCorpus(t *testing.T) {
	files, _ := filepath.Glob("testdata/outline/*.py")
	if len(files) < 5 {
		t.Fatalf("%d files", len(files))
	}
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if scanned, parsed := sameOutline(t, path, src); !scanned || !parsed {
			t.Errorf("%s: scanner sure %v, grammar %v", path, scanned, parsed)
		}
	}
}

// FuzzOutline: the readers end, their lines are in order and in the text. They
// are not compared: the grammar sees no error in much that is no Python.
func FuzzOutline(f *testing.F) {
	for _, c := range outlineCases {
		f.Add([]byte(c.src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 4096 {
			return
		}
		for _, o := range []*Outline{OutlineOf(src), OutlineFragment(src)} {
			line, start := 0, -1
			for _, l := range o.Lines {
				if l.Line <= line || l.EndLine < l.Line || l.Start <= start || l.Head < l.Start || l.Head > len(src) || l.Depth < 0 {
					t.Fatalf("%q: line %+v after line %d", src, l, line)
				}
				line, start = l.EndLine, l.Start
			}
		}
	})
}

func BenchmarkOutline(b *testing.B) {
	src, err := os.ReadFile("testdata/outline/callbacks.py")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("scan", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		b.ReportAllocs()
		for b.Loop() {
			OutlineScan(src)
		}
	})
	b.Run("tree", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		b.ReportAllocs()
		for b.Loop() {
			OutlineTree(src)
		}
	})
}
