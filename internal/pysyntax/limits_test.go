package pysyntax

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestDeepNesting: nothing that a report can hold may end the process.
func TestDeepNesting(t *testing.T) {
	const n = 10_000
	for name, src := range map[string]string{
		"parentheses": "x = " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n),
		"open":        strings.Repeat("(", n),
		"closed":      strings.Repeat(")", n),
		"calls":       strings.Repeat("f(", n) + strings.Repeat(")", n),
		"lists":       strings.Repeat("[", n) + strings.Repeat("]", n),
		"braces":      strings.Repeat("{", n),
		"unary":       "x = " + strings.Repeat("-", n) + "1",
		"not":         strings.Repeat("not ", n) + "x",
		"binary":      "x = 1" + strings.Repeat(" + y", n),
		"attributes":  "x" + strings.Repeat(".y", n),
		"subscripts":  "x" + strings.Repeat("[0]", n),
		"chained":     "f()" + strings.Repeat(".g()", n),
		"lambdas":     strings.Repeat("lambda: ", n) + "1",
		"ternaries":   strings.Repeat("1 if x else ", n) + "2",
		"f-strings":   strings.Repeat(`f"{`, n),
		"blocks":      blocks(500),
		"assignments": strings.Repeat("x = ", n) + "1",
		"quotes":      strings.Repeat(`"`, n+1),
		"elifs":       "if x: pass\n" + strings.Repeat("elif x: pass\n", n),
	} {
		t.Run(name, func(t *testing.T) {
			f := Parse(src)
			if f.Source != src {
				t.Error("the source must be kept as it is")
			}
			checkSpans(t, f)
		})
	}
	if f := Parse("x = " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n)); !f.Truncated {
		t.Error("what was left out must be said")
	}
}

func blocks(n int) string {
	var out strings.Builder
	for i := range n {
		out.WriteString(strings.Repeat(" ", i) + "if x:\n")
	}
	out.WriteString(strings.Repeat(" ", n) + "pass\n")
	return out.String()
}

func TestHugeSourceIsCut(t *testing.T) {
	f := Parse(strings.Repeat("x = [1, 2, 3]\n", 200_000))
	if !f.Truncated || len(f.Source) > maxSource {
		t.Errorf("cut %v, %d bytes", f.Truncated, len(f.Source))
	}
}

// TestMemoryStaysFlat: every tree, parser and cursor is closed. The C side is
// seen only in the resident size of the process.
func TestMemoryStaysFlat(t *testing.T) {
	for range 300 {
		Parse(sample)
	}
	runtime.GC()
	before := resident(t)
	for range 2000 {
		Parse(sample)
	}
	runtime.GC()
	// A leaked tree of this source is about 60 KB: 2000 of them would be 120 MB.
	if grown := resident(t) - before; grown > 32<<20 {
		t.Errorf("2000 parses grew the process by %d MiB", grown>>20)
	}
}

// resident is the process's resident size in bytes.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil && os.Getenv("REPGEN_REAL") != "" {
		t.Fatalf("REPGEN_REAL is set, and the resident size cannot be read: %v", err)
	}
	if err != nil {
		t.Skipf("no resident size on this system: %v", err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// checkSpans: every span lies in the source and every line exists.
func checkSpans(t testing.TB, f *File) {
	t.Helper()
	lines := strings.Count(f.Source, "\n") + 1
	check := func(what string, s Span, line int) {
		if s.Start < 0 || s.End < s.Start || s.End > len(f.Source) || line < 1 || line > lines {
			t.Errorf("%s: span %v, line %d of %d bytes, %d lines", what, s, line, len(f.Source), lines)
		}
	}
	for _, s := range f.Statements {
		check("statement", s.Span, s.Line)
		if f.Source[s.Span.Start:s.Span.End] != s.Text && !strings.Contains(f.Source, "\x00") {
			t.Errorf("statement text %q is not at its span", s.Text)
		}
	}
	for _, s := range f.Imports {
		check("import", s.Span, s.Line)
	}
	for _, s := range f.Calls {
		check("call", s.Span, s.Line)
	}
	for _, s := range f.Strings {
		check("string", s.Span, s.Line)
	}
	for _, s := range f.Comments {
		check("comment", s.Span, s.Line)
	}
	for _, s := range f.Attributes {
		check("attribute", s.Span, s.Line)
	}
	for _, s := range f.Defined {
		check("definition", s.Span, s.Line)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add(">>> x\n\tprint 'a'\x00\xff\n")
	f.Add("match x:\n case [a, *b] | {'k': c, **d} if e: pass\ntype(x).y = 1\n")
	f.Add("f\"{a!r:{b}}\" ('''\nwith (x as y, z): (yield)\nlambda *a: (a := 1)")
	f.Fuzz(func(t *testing.T, src string) {
		file := Parse(src)
		checkSpans(t, file)
		file.Influenced()
		file.TopModules()
		if s := Score(src); s < 0 || s > 1 {
			t.Errorf("score %v", s)
		}
	})
}

// TestDefinedNamesAreNeverUndefined: whatever order statements come in, a name
// that some statement at module scope binds is not reported.
func TestDefinedNamesAreNeverUndefined(t *testing.T) {
	names := []string{"a", "b", "c"}
	forms := []string{"N = 1", "import N", "import x as N", "def N(): pass", "class N: pass", "for N in []: pass", "with f() as N: pass", "N: int = 3", "(N := 2)", "N, q = 1, 2", "try: pass\nexcept E as N: pass"}
	rapid.Check(t, func(t *rapid.T) {
		bound := map[string]bool{}
		var lines []string
		for range rapid.IntRange(1, 8).Draw(t, "n") {
			name := rapid.SampledFrom(names).Draw(t, "name")
			if rapid.Bool().Draw(t, "bind") {
				bound[name] = true
				lines = append(lines, strings.ReplaceAll(rapid.SampledFrom(forms).Draw(t, "form"), "N", name))
			} else {
				lines = append(lines, "print("+name+")")
			}
		}
		f := Parse(strings.Join(lines, "\n") + "\n")
		if len(f.SyntaxErrors) > 0 {
			t.Fatalf("%q: %v", lines, f.SyntaxErrors)
		}
		for _, u := range f.Undefined() {
			if bound[u.Name] {
				t.Fatalf("%q: %s is bound", lines, u.Name)
			}
		}
	})
}
