package pysyntax

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/system/worktime"
)

// shape writes the statements as one line each, indented by nesting, with their
// lines, and for a later clause the line of the first.
func shape(n *Nested) string {
	var b strings.Builder
	for i, s := range n.Statements {
		for at := s.Parent; at >= 0; at = n.Statements[at].Parent {
			b.WriteString("  ")
		}
		kind := s.Kind
		if kind == "" {
			kind = "."
		}
		if s.Async {
			kind = "async " + kind
		}
		fmt.Fprintf(&b, "%s %d-%d", strings.TrimSpace(kind+" "+s.Name), s.Line, s.EndLine)
		if int(s.Head) != i {
			fmt.Fprintf(&b, " of %d", n.Statements[s.Head].Line)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestNestShape(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"nothing", "", ""},
		{"comment", "# x\n\n", ""},
		{"simple", "x = 1; y = 2\n", ". 1-1\n. 1-1\n"},
		{"docstring", "'''a\nb'''\nx\n", ". 1-2\n. 3-3\n"},
		{"continued", "x = \\\n  1\ny\n", ". 1-2\n. 3-3\n"},
		{"brackets", "x = [\n1,\n\n# c ]\n2]\ny\n", ". 1-5\n. 6-6\n"},
		{"decorated", "@a\n@b(1)\nclass C(D):\n  x = 1\n  async def f(self): pass\n", "@ 1-1\n@ 2-2\nclass C 1-5\n  . 4-4\n  async def f 5-5\n    pass 5-5\n"},
		{"for and else", "for i in x:\n  a\nelse:\n  b\nc\n", "for 1-4\n  . 2-2\nelse 3-4 of 1\n  . 4-4\n. 5-5\n"},
		{"try", "try: a\nexcept (A, B) as e:\n  b\nfinally: c\n", "try 1-4\n  . 1-1\nexcept 2-3 of 1\n  . 3-3\nfinally 4-4 of 1\n  . 4-4\n"},
		{"two chains", "if a: b\nelse: c\nif d: e\n", "if 1-2\n  . 1-1\nelse 2-2 of 1\n  . 2-2\nif 3-3\n  . 3-3\n"},
		{"lambda in a header", "while f(lambda: 1) or (lambda x: x)(2): pass\nif lambda: 1: pass\n", "while 1-1\n  pass 1-1\nif 2-2\n  pass 2-2\n"},
		{"annotation and slice", "x: int = a[1:2]\ndef f(a: int = 1) -> {1: 2}: return\n", ". 1-1\ndef f 2-2\n  return 2-2\n"},
		{"match", "match x:\n  case A(b=c): pass\n  case [d, *e] if e:\n    f\nmatch = 1\nmatch(x)\n", "match 1-4\n  case 2-2\n    pass 2-2\n  case 3-4\n    . 4-4\n. 5-5\n. 6-6\n"},
		{"tabs", "if a:\n\tb\n        c\n", "if 1-3\n  . 2-2\n  . 3-3\n"},
		{"Python 2", "print 'x', y\nexec 'a' in b\ntry: pass\nexcept E, e: print `e`\n", ". 1-1\n. 2-2\ntry 3-4\n  pass 3-3\nexcept 4-4 of 3\n  . 4-4\n"},
		{"a bracket never closed", "def f(\n  x = (1,\ndef g(): pass\n", "def f 1-2\ndef g 3-3\n  pass 3-3\n"},
		{"a bracket never opened", "x = 1)\ny\n", ". 1-1\n. 2-2\n"},
		{"a string never closed", "x = 'a\ny = \"b\nz\n", ". 1-1\n. 2-2\n. 3-3\n"},
		{"f-string at the end", "x = f'''{a}\n{b}'''\ny\n", ". 1-2\n. 3-3\n"},
		{"byte order mark", "\ufeffif a:\n  b\nc\n", "if 1-2\n  . 2-2\n. 3-3\n"},
		{"line ends of Windows", "if a:\r\n  b\r\nc = \\\r\n 1\r\n", "if 1-2\n  . 2-2\n. 3-4\n"},
		{"indentation of its own", "  a\n b\n    c\n", ". 1-1\n. 2-2\n. 3-3\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := NestOf(c.src)
			if got := shape(n); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
			consistent(t, n)
		})
	}
}

func TestNestTokens(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"a.b(1.5e-3, 0x1F, .5)", "a . b ( 1.5e-3 , 0x1F , .5 )"},
		{"x := y->z != 'a\\'b' ** 2", "x := y -> z != 'a\\'b' ** 2"},
		{`rb"a\"" u'' Rx`, `rb"a\"" u'' Rx`},
		{`f"{a!r:>{w}} {{b}} {c['d']}"`, `f"{a!r:>{w}} {{b}} {c['d']}" { a ! } { c [ 'd' ] }`},
		{`f"{a" b`, `f"{a" b`},
		{`f"{a}{" b`, `f"{a}{" { a } b`},
		{`f"{f'{x}'}"`, `f"{f'{x}'}" { f'{x}' { x } }`},
		{"x[a:=1]", "x [ a := 1 ]"},
		{"naïve = π", "naïve = π"},
		{"a\x00b", "a b"},
	} {
		n := NestOf(c.src)
		var got []string
		for i := range n.Tokens {
			got = append(got, n.Text(int32(i)))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, want %s", c.src, strings.Join(got, " "), c.want)
		}
	}
}

func TestNestCalls(t *testing.T) {
	src := `a.b(1).c[0].d(x=2)
"s" "t".join(y)
(a +
 b).e()
@deco(1)
def f(g=h()): pass
class C(Base()): pass
print(f"{q(1)}")
`
	n := NestOf(src)
	var got []string
	for i := range n.Statements {
		for _, c := range n.Calls(int32(i)) {
			got = append(got, fmt.Sprintf("%s|%s|%s", c.Receiver, c.Method, c.Func))
		}
	}
	want := []string{
		"a|b|a.b", "a.b(1).c[0]|d|", `"s" "t"|join|`, "(a +\n b)|e|", "|deco|deco", "|h|h", "|Base|Base", "|print|print", "|q|q",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestNestBinds(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"a = b.c = d[e] = f, (g, *h) = 1\n", "a f g h"},
		{"a: int\n", "a"},
		{"a: int = b\n", "a"},
		{"a += b\n", "a"},
		{"a == b\n", ""},
		{"f(a=b)\n", ""},
		{"a = lambda b=1: c\n", "a"},
		{"for a, (b, c.d) in e: pass\n", "a b"},
		{"with a as b, c() as (d, e): pass\n", "b d e"},
		{"with (a as b, c as d): pass\n", "b d"},
		{"try: pass\nexcept A as b: pass\n", "b"},
		{"if (a := b): pass\n", "a"},
		{"import a.b, c.d as e\n", "a e"},
		{"from .a import (b, c as d,)\n", "b d"},
		{"def f(a, *b, c: int = d, **e): pass\n", "f"},
		{"class A(B): pass\n", "A"},
		{"match a:\n  case B(c, d=e): pass\n  case [f, *g] if h: pass\n", "c e f g"},
	} {
		n := NestOf(c.src)
		var got []string
		for i := range n.Statements {
			for _, b := range n.Binds(int32(i)) {
				got = append(got, b.Name)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q binds %q, want %q", c.src, got, c.want)
		}
	}
	var params []string
	for _, p := range NestOf("def f(a, *b, c: g(h, i) = d, **e): pass\n").Params(0) {
		params = append(params, p.Name)
	}
	if !slices.Equal(params, []string{"a", "b", "c", "e"}) {
		t.Errorf("parameters %v", params)
	}
}

func TestNestReferences(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"a.b.c(d.e, f=g)\n", "a.b.c d.e g"},
		{"[a for b, c in d if b(e)]\n", "a d e"},
		{"{k: f(v) for k, v in x.items()}\n", "f x.items"},
		{"f(lambda a, *b, c=d: a + b + c + e)\n", "f d e"},
		{"[x for x in [y for y in z]] + [x]\n", "z x"},
		{"super().a(super(B, c).d)\n", "super.a super.d B c"},
		{"import a\nfrom b import c\nglobal d\n", ""},
		{"def f(a=b, *c, d: e) -> g: pass\n", "b e g"},
		{"@a.b(c)\nclass D(E, metaclass=F): pass\n", "a.b c E F"},
		{"f'{a.b!r} {c=}'\n", "a.b c"},
		{"a . b\n", "a.b"},
		{"'a' if b else None\n", "b"},
	} {
		n := NestOf(c.src)
		var got []string
		for _, r := range n.References(0, len(c.src)) {
			got = append(got, r.Name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q reads %q, want %q", c.src, got, c.want)
		}
	}
	n := NestOf("a\nb\nc(d,\ne)\nf\n")
	var got []string
	for _, r := range n.References(2, 8) {
		got = append(got, r.Name)
	}
	if !slices.Equal(got, []string{"b", "c", "d"}) {
		t.Errorf("in a span %v", got)
	}
}

// consistent holds what is true of every text.
func consistent(t interface {
	Errorf(format string, args ...any)
}, n *Nested) {
	end := int32(0)
	lines := make([]int32, len(n.Source)+1) // line of each byte
	for i := range lines {
		lines[i] = 1
		if i > 0 {
			lines[i] = lines[i-1]
			if n.Source[i-1] == '\n' {
				lines[i]++
			}
		}
	}
	for i, s := range n.Statements {
		bad := s.First >= s.Last || s.First < end || int(s.Last) > len(n.Tokens) || s.Start >= s.End || int(s.End) > len(n.Source)
		bad = bad || int(s.Parent) >= i || s.Head > int32(i) || s.EndLine != lines[s.End] || s.Line != lines[s.Start]
		if p := s.Parent; p >= 0 {
			bad = bad || n.Statements[p].Start > s.Start || n.Statements[p].End < s.End
		}
		if bad {
			t.Errorf("statement %d: %+v", i, s)
		}
		end = s.Last
	}
	for i, tok := range n.Tokens {
		if tok.Start >= tok.End || i > 0 && tok.Start < n.Tokens[i-1].Start || tok.Pair >= 0 && n.Tokens[tok.Pair].Pair != int32(i) {
			t.Errorf("token %d: %+v", i, tok)
		}
	}
}

// everything asks all there is to ask, so that a panic shows.
func everything(n *Nested) {
	for i := range n.Statements {
		at := int32(i)
		n.Calls(at)
		n.ImportsOf(at)
		n.Binds(at)
		n.Params(at)
		n.Globals(at)
		n.Value(at)
		n.Qualified(at)
	}
	n.References(0, len(n.Source))
}

func TestNestProperties(t *testing.T) {
	word := rapid.SampledFrom([]string{
		"def", "class", "for", "if", "else", "in", "as", "import", "from", "lambda", "with", "match", "case", "async", "try",
		"a", "b.c", "f(", ")", "[", "]", "{", "}", ":", ",", "=", ":=", "\n", "\n  ", "\n    ", ";", "'", `"""`, "f'", "{", "!", "\\", "#", "@", "*", "\x00", "\xff",
	})
	rapid.Check(t, func(t *rapid.T) {
		n := NestOf(strings.Join(rapid.SliceOf(word).Draw(t, "words"), " "))
		consistent(t, n)
		everything(n)
	})
}

func FuzzNest(f *testing.F) {
	for _, src := range []string{"def f(x): return [g(x) for x in y]\n", "f'{a!r:{b}}'", "match x:\n case 1: pass", "class A(B):\n\tx: int = 1\n"} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		n := NestOf(src)
		consistent(t, n)
		everything(n)
	})
}

// TestNestHostile: 128 KiB of anything (a mebibyte where there is time) is read within a time that only a
// square would exceed by far.
func TestNestHostile(t *testing.T) {
	size := 1 << 17
	if os.Getenv("REPGEN_REAL") != "" {
		size = 1 << 20
	}
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	deep := func(head string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(strings.Repeat(" ", i) + head + "\n")
		}
		return b.String()
	}
	for name, src := range map[string]string{
		"open brackets": fill("("), "closed brackets": fill(")"), "calls": fill("f("), "call chain": "a" + fill(".b()"),
		"pairs": fill("f(") + fill(")"), "quotes": fill("'"), "triple quotes": fill(`"""`), "string never closed": `"""` + fill("a\n"),
		"f-strings": fill("f'{a}'"), "f-string braces": "f'''" + fill("{"), "open f-strings": fill(`f"""{`), "nested f-strings": fill("f'{"),
		"colons": "if " + fill(":"), "lambdas": "x = " + fill("lambda "), "comprehensions": "[" + fill("for "), "for in": "[" + fill("for x in y "),
		"semicolons": fill("a;"), "inline headers": fill("if a: "), "decorators": fill("@a\n"), "deep": deep("if a:"), "deep defs": deep("def f():"),
		"deep classes": deep("class A(B):"), "names": fill("a "), "one name": fill("a"), "dots": "a" + fill(".a"), "assignments": fill("a="),
		"backslashes": fill("\\"), "continued": fill("\\\n"), "zeros": fill("\x00"), "bytes": fill("\xff"), "imports": "import " + fill("a."),
		"from imports": "from a import (" + fill("a,"), "same name": fill("a=a\n"), "subscripts": "a" + fill("[0]"), "strings": fill("'a' "), "as": "with " + fill("a as b, "),
		"walrus": fill("(a:="), "params": "def f(" + fill("a=1,"), "elif": "if a: b\n" + fill("elif a: b\n"), "10,000 levels": strings.Repeat("f(", 10_000) + strings.Repeat(")", 10_000),
	} {
		t.Run(name, func(t *testing.T) {
			d := worktime.Of(func() {
				n := NestOf(src[:min(len(src), size)])
				consistent(t, n)
				everything(n)
			})
			if d > 10*time.Second {
				t.Errorf("took %v", d)
			} else {
				t.Log(d)
			}
		})
	}
}

// A class in a pattern is named, not called; a call in its guard is one.
func TestNestPatterns(t *testing.T) {
	n := NestOf("match p:\n    case Point(x=0) if check(p):\n        go(p)\n    case str(s):\n        pass\n")
	var got []string
	for i := range n.Statements {
		for _, c := range n.Calls(int32(i)) {
			got = append(got, c.Method)
		}
	}
	if fmt.Sprint(got) != "[check go]" {
		t.Errorf("got %v", got)
	}
}
