package candidate

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

// interpreter is a Python for the tests that run what was built.
func interpreter(t *testing.T) string {
	t.Helper()
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to run the scripts with a real interpreter")
	}
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Fatalf("REPGEN_REAL is set: %v", err)
	}
	return path
}

// TestEchoIsTheInterpretersOwn feeds cells to the interactive interpreter and
// the script made of them to the plain one: both must print the same.
func TestEchoIsTheInterpretersOwn(t *testing.T) {
	python := interpreter(t)
	cells := []string{
		"1 + 1", "None", "x = 'a'", "x", "x, 2", "(x)", "[\n  1,\n  2,  # two\n]", "print(x)", "_", "x; 3", "lambda: 0 if 0 else 1",
		"(y for y in [1])and 5", "not x", "{1: 2}", "f'{x}'", "'''a\nb'''", "x.upper()\\\n.lower()", "(z := 4)", "z", "1 if x else 2", "...",
		"for i in range(2):\n    i\n", "x == 'a'  # same",
	}
	want := interactive(t, python, cells)
	r := &report.Report{Blocks: []report.Block{{Kind: report.BlockREPL, Text: ">>> x"}}}
	for _, cell := range cells {
		if strings.HasPrefix(cell, "for") || strings.HasPrefix(cell, "lambda") {
			continue // nested echoes and addresses: see below
		}
		r.Blocks[0].Cells = append(r.Blocks[0].Cells, report.Cell{Code: cell})
	}
	c, err := FromReport(r, &triage.Decision{Blocks: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", c.Script)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, c.Script)
	}
	if string(out) != want {
		t.Errorf("script prints\n%s\nthe session\n%s", out, want)
	}
}

func interactive(t *testing.T, python string, cells []string) string {
	t.Helper()
	var input strings.Builder
	input.WriteString("import sys; sys.ps1 = sys.ps2 = ''\n")
	for _, cell := range cells {
		if strings.HasPrefix(cell, "for") || strings.HasPrefix(cell, "lambda") {
			continue
		}
		input.WriteString(cell + "\n")
	}
	cmd := exec.CommandContext(t.Context(), python, "-q", "-i")
	cmd.Stdin = strings.NewReader(input.String())
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	return out.String()
}

// TestSyntaxAgreesWithPython: what is called a syntax error here is one there,
// and the scripts that are kept as honest compile.
func TestSyntaxAgreesWithPython(t *testing.T) {
	python := interpreter(t)
	for _, code := range []string{
		"x = 1", "print 'a'", "x = (1", "def f(:\n  pass", "x = 1\n  y = 2", "if x:\npass", "try:\n  x\nexcept* E:\n  pass",
		"match x:\n  case [1, *r]: pass", "print(f'{x!r:>{w}}')", "lambda *, a: a", "async def f():\n  await g()", "x = 1 1",
		"f(a=1, *b)", "return", "class A: x = 1; y = 2", "for x in y: pass\nelse: pass", "@a\nclass B: ...", "x: int", "del x,",
		"$ pip install x", "a = b = c", "x = yield", "global x", "import a.b as c, d", "from . import x", "1_000", "'a' \"b\"",
	} {
		err := exec.CommandContext(t.Context(), python, "-c", "import ast,sys; ast.parse(sys.argv[1])", code).Run()
		c := FromScript(code)
		if (err != nil) != (c.SyntaxError != "") {
			t.Errorf("%q: Python says %v, we say %q", code, err, c.SyntaxError)
		}
	}
}
