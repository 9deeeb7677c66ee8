package chunk

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/worktime"
)

// brief is a chunk for reading: "kind name first-last part/parts".
func brief(c Chunk) string {
	s := fmt.Sprintf("%s %s %d-%d", c.Kind, c.Name, c.StartLine, c.EndLine)
	if c.Parts > 1 {
		s += fmt.Sprintf(" %d/%d", c.Part, c.Parts)
	}
	return s
}

func briefs(cs []Chunk) string {
	var b strings.Builder
	for _, c := range cs {
		b.WriteString(brief(c) + "\n")
	}
	return b.String()
}

func TestSplit(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"nothing", "", ""},
		{"comments", "# a\n\n# b\n", ""},
		{"module code", "import a\n\nx = 1\n", "module  1-3\n"},
		{"function", "def f():\n    return 1\n", "function f 1-2\n"},
		{"around a function", "x = 1\n@d\ndef f():\n    return 1  # why\ny = 2\n", "module  1-1\nfunction f 2-4\nmodule  5-5\n"},
		{"class", "class A:\n    x = 1\n    def f(self):\n        y\n    @p\n    async def g(self): pass\n",
			"class A 1-6\nmethod A.f 3-4\nmethod A.g 5-6\n"},
		{"class in class", "class A:\n  class B:\n    def f(self): pass\n  def g(self): pass\nz\n",
			"class A 1-4\nclass A.B 2-3\nmethod A.B.f 3-3\nmethod A.g 4-4\nmodule  5-5\n"},
		{"in a function", "def f():\n  class A:\n    def g(self): pass\n  def h(): pass\n", "function f 1-4\n"},
		{"under conditions", "try:\n  import a\nexcept E:\n  def f(): pass\nelse:\n  class A:\n    if b:\n      def g(self): pass\n    else:\n      def g(self): return 1\n",
			"module  1-3\nfunction f 4-4\nclass A 6-10\nmethod A.g 8-8\nmethod A.g 10-10\n"},
		{"under with and for", "with a:\n  for b in c:\n    def f(): pass\n", "function f 3-3\n"},
		{"only heads between", "if a:\n  def f(): pass\nelse:\n  def f(): return 1\n", "function f 2-2\nfunction f 4-4\n"},
		{"broken", "def f(:\n    return (\n\nclass A:\n    def g(self):\n        x = 'open\n", "function f 1-3\nclass A 4-6\nmethod A.g 5-6\n"},
		{"Python 2", "class A:\n    def f(self, (a, b)):\n        print 'x' % `a`\n        raise E, 'y'\n", "class A 1-4\nmethod A.f 2-4\n"},
		{"windows", "def f():\r\n    x\r\n\r\ny = 1\r\n", "function f 1-2\nmodule  4-4\n"},
		{"no Python", "<html>\n <p>it's</p>\n</html>\n", "module  1-3\n"},
	} {
		cs := Split("pkg/a.py", []byte(c.src))
		if got := briefs(cs); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
		check(t, []byte(c.src), cs)
	}
}

func TestSplitFacts(t *testing.T) {
	src := "\"\"\"About\nthis.\n\nMore.\"\"\"\nx = 1\n@a.b(1,  # c\n  2)\n# d\n@e\nclass A:\n    r'''First\n    line.  \n\n    Second.'''\n    def f(self):\n        f'''no'''\n    def g(self): \"neither\"\n    def h(self):\n        'a' 'b'\n"
	cs := Split("tests/a.py", []byte(src))
	docs := map[string]string{"": "About this.", "A": "First line."}
	for _, c := range cs {
		if c.Doc != docs[c.Name] || !c.Test || c.Path != "tests/a.py" {
			t.Errorf("%+v", c)
		}
		if c.Kind == Class && fmt.Sprintf("%q", c.Decorators) != `["a.b(1,  # c\n  2)" "e"]` {
			t.Errorf("decorators %q", c.Decorators)
		}
	}
	if got := Text(cs[1], []byte(src)); !strings.HasPrefix(got, "@a.b(1,  # c\n") || !strings.HasSuffix(got, "'a' 'b'") {
		t.Errorf("text %q", got)
	}
	if got := Text(cs[2], []byte(src)); !strings.HasPrefix(got, "    def f") {
		t.Errorf("a method's text begins with its line: %q", got)
	}
	if got := Text(cs[1], []byte("changed")); got != "" {
		t.Errorf("text of a changed file: %q", got)
	}
}

func TestFirstParagraph(t *testing.T) {
	long := strings.Repeat("wörter ", 100)
	for in, want := range map[string]string{
		"": "", "  a\n   b \n\n c": "a b", "\\\n a": "a", "\n\n a\t b\n \nc": "a b", "a\r\n\r\nb": "a",
	} {
		if got := firstParagraph([]byte(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := firstParagraph([]byte(long)); len(got) > maxDoc || len(got) < maxDoc-10 || !strings.HasPrefix(long, got) || strings.HasSuffix(got, "w") {
		t.Errorf("%d bytes: %q", len(got), got[len(got)-20:])
	}
	if got := firstParagraph([]byte(strings.Repeat("ö", 1000))); len(got) > maxDoc || strings.ContainsRune(got, '\uFFFD') {
		t.Errorf("cut inside a character: %q", got[len(got)-4:])
	}
}

// TestPieces: long definitions are cut where the code is least nested.
func TestPieces(t *testing.T) {
	var b strings.Builder
	b.WriteString("def f(x):\n    \"\"\"" + strings.Repeat("words ", 500) + "\"\"\"\n")
	for i := range 40 {
		fmt.Fprintf(&b, "    if x > %d:\n        first(%d)\n        %s(%d)\n", i, i, strings.Repeat("second", 12), i)
	}
	src := b.String()
	cs := Split("a.py", []byte(src))
	check(t, []byte(src), cs)
	if len(cs) < 2 {
		t.Fatalf("%d pieces", len(cs))
	}
	for i, c := range cs {
		text := Text(c, []byte(src))
		if i > 0 && !strings.HasPrefix(text, "    if x >") {
			t.Errorf("piece %d begins %.40q", i+1, text)
		}
		if c.Part != i+1 || c.Parts != len(cs) || c.Name != "f" || c.Doc == "" {
			t.Errorf("%+v", c)
		}
		if len(text) > MaxPiece && i > 0 || len(text) > MaxPiece+3000 {
			t.Errorf("piece %d has %d bytes", i+1, len(text))
		}
	}
	// One statement of any length stays whole.
	src = "x = [\n" + strings.Repeat("    1,\n", 2000) + "]\ny = 1\n"
	if got := briefs(Split("a.py", []byte(src))); got != "module  1-2002 1/2\nmodule  2003-2003 2/2\n" {
		t.Error(got)
	}
	// A class stays whole, its methods are cut.
	src = "class A:\n" + "    def f(self):\n" + strings.Repeat("        x = y + z\n", 300)
	cs = Split("a.py", []byte(src))
	if cs[0].Kind != Class || cs[0].Parts != 1 || cs[0].EndLine != 302 || cs[1].Parts != len(cs)-1 || len(cs) < 3 {
		t.Error(briefs(cs))
	}
}

// check holds the rules that every split obeys: spans in the text and in
// order, lines and bytes that fit each other, pieces that follow each other,
// and every statement in some chunk.
func check(t testing.TB, src []byte, cs []Chunk) {
	t.Helper()
	rows := rowStarts(src)
	covered := make([]bool, len(rows)+2)
	for i, c := range cs {
		if c.Start < 0 || c.Start >= c.End || c.End > len(src) || c.StartLine < 1 || c.EndLine < c.StartLine || c.EndLine > len(rows) {
			t.Fatalf("span of %+v in %d bytes, %d lines", c, len(src), len(rows))
		}
		if int(rows[c.StartLine-1]) != c.Start || (c.End < len(src) && src[c.End] != '\n' && src[c.End] != '\r') {
			t.Fatalf("%+v does not begin and end with a line", c)
		}
		if i > 0 && c.Start < cs[i-1].Start {
			t.Fatalf("%+v stands before %+v", c, cs[i-1])
		}
		if c.Part < 1 || c.Part > c.Parts || (c.Part > 1 && (i == 0 || cs[i-1].Part != c.Part-1 || cs[i-1].End >= c.Start)) {
			t.Fatalf("pieces of %+v", c)
		}
		for l := c.StartLine; l <= c.EndLine; l++ {
			covered[l] = true
		}
	}
	for _, l := range pysyntax.OutlineOf(src).Lines {
		if l.Kind != pysyntax.OutlineOpener && !covered[l.Line] {
			t.Fatalf("line %d is in no chunk", l.Line)
		}
	}
}

// TestSplitSame: the chunks by the scanner and by the grammar are the same on
// the corpus.
func TestSplitSame(t *testing.T) {
	files, _ := filepath.Glob("../../pysyntax/testdata/outline/*.py")
	if len(files) < 5 {
		t.Fatalf("%d files", len(files))
	}
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !sameChunks(t, path, src) {
			t.Errorf("%s: not compared", path)
		}
	}
}

// sameChunks compares the chunks of both readers; false when one is not sure.
func sameChunks(t testing.TB, path string, src []byte) bool {
	t.Helper()
	scan, a := pysyntax.OutlineScan(src)
	tree, b := pysyntax.OutlineTree(src)
	if !a || !b {
		return false
	}
	got, want := split(path, src, scan), split(path, src, tree)
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || fmt.Sprintf("%+v", got[i]) != fmt.Sprintf("%+v", want[i]) {
			t.Errorf("%s: chunk %d differs\nscan\n%stree\n%s", path, i, briefs(got), briefs(want))
			break
		}
	}
	return true
}

// TestSplitRandom: the rules hold for texts of Python's words in any order.
func TestSplitRandom(t *testing.T) {
	word := rapid.SampledFrom([]string{
		"def f():", "class A:", "class B(C):", "if x:", "else:", "@d", "x = 1", "return", "'''", `"""d"""`, "(", ")", "\\", "# c", "f'{", "}",
		"\n", "\n", "\n", "\n    ", "\n    ", "\n        ", "\n\t", ";", " ", "'", "\r\n", "async ", "\x00", "é", "\xff", strings.Repeat("y = 2\n", 400),
	})
	rapid.Check(t, func(r *rapid.T) {
		src := []byte(strings.Join(rapid.SliceOfN(word, 0, 40).Draw(r, "words"), ""))
		cs := Split("a.py", src)
		check(t, src, cs)
		for _, c := range cs {
			if text := EmbedText(c, src); len(text) > maxEmbed || text == "" && c.Kind != Module {
				r.Fatalf("%q: %d bytes of %+v", src, len(text), c)
			}
		}
	})
}

// FuzzSplit: the rules hold for any bytes.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{"def f():\n  x\n", "class A:\n  def f(self):\n    'd'\n", "if a:\n  def f(): pass\nelse:\n  x\n", "x = (\ndef f():\n", "@a\n@b\nclass C: pass", "'''d'''\nx"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<14 {
			return
		}
		cs := Split("pkg/a.py", src)
		check(t, src, cs)
		for _, c := range cs {
			EmbedText(c, src)
		}
	})
}

// TestSplitHostile: depth costs neither stack nor time.
func TestSplitHostile(t *testing.T) {
	var classes strings.Builder
	for i := range 1300 {
		classes.WriteString(strings.Repeat(" ", i) + "class A:\n")
	}
	classes.WriteString(strings.Repeat(" ", 1300) + "x\n")
	for name, src := range map[string]string{
		"brackets": "x = " + strings.Repeat("(", 10_000) + strings.Repeat(")", 10_000) + "\ndef f(): pass\n",
		"classes":  classes.String(), "functions": strings.Repeat("def f(): pass\n", 70_000), "one line": "x = 1" + strings.Repeat("; y = 2", 100_000),
		"open": strings.Repeat("x = (\n", 100_000) + "def f():\n    pass\n",
	} {
		var cs []Chunk
		took := worktime.Of(func() {
			cs = Split("a.py", []byte(src))
			check(t, []byte(src), cs)
		})
		total := 0
		for _, c := range cs {
			total += c.End - c.Start
		}
		if took > 10*time.Second || total > 10*len(src) {
			t.Errorf("%s: %v, %d bytes in chunks of %d", name, took, total, len(src))
		}
	}
}
