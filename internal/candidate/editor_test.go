package candidate

import (
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

func TestImportGoesInFront(t *testing.T) {
	for _, tc := range []struct{ code, want string }{
		{"x = 1\n", "import a; x = 1\n"},
		{"# first\n\nimport b\n", "# first\n\nimport a; import b\n"},
		{"\"\"\"What\nit does.\"\"\"\nx = 1\n", "\"\"\"What\nit does.\"\"\"\nimport a; x = 1\n"},
		{"r'''doc'''\nfrom __future__ import annotations\nx = 1\n", "r'''doc'''\nfrom __future__ import annotations\nimport a; x = 1\n"},
		{"def f():\n    pass\n", "import a\ndef f():\n    pass\n"},
		{"@d\ndef f():\n    pass\n", "import a\n@d\ndef f():\n    pass\n"},
		{"for i in x:\n    pass\n", "import a\nfor i in x:\n    pass\n"},
		{"f'{x}'\n", "import a; f'{x}'\n"},
		{"# nothing\n", "# nothing\n"},
		{"# число\n数 = 1\n", "# число\nimport a; 数 = 1\n"},
	} {
		if got := importFirst(pysyntax.Parse(tc.code), tc.code, "import a"); got != tc.want {
			t.Errorf("%q: got %q", tc.code, got)
		}
	}
}

func TestNames(t *testing.T) {
	for _, tc := range []struct {
		target, written, full string
		want                  bool
	}{
		{"jit", "jax.jit", "jax.jit", true},
		{"jax.jit", "jit", "jax.jit", true},
		{"jit", "njit", "numba.njit", false},
		{"nn.Dropout", "Dropout", "torch.nn.Dropout", true},
		{"Dropout", "Dropout2d", "torch.nn.Dropout2d", false},
		{"", "x", "x", false},
		{"x", "", "", false},
		{"число", "a.число", "", true},
	} {
		if got := names(tc.target, tc.written, tc.full); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
}

func TestMentions(t *testing.T) {
	for _, tc := range []struct {
		words, name string
		want        bool
	}{
		{"with DataLoader(x) it is", "DataLoader", true},
		{"DataLoaders are", "DataLoader", false},
		{"MyDataLoader, DataLoader", "DataLoader", true},
		{"my_DataLoader", "DataLoader", false},
		{"ещёDataLoader", "DataLoader", false},
		{"", "x", false}, {"x", "", false}, {"`x`", "x", true},
	} {
		if got := mentions(tc.words, tc.name); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
}

func TestKeyValue(t *testing.T) {
	for text, want := range map[string][2]string{
		"a=1": {"a", "1"}, "a = f(b=2)": {"a", "f(b=2)"}, "x.y=True": {"x.y", "True"}, "a='b=c'": {"a", "'b=c'"},
		"a==1": {}, "f(a=1)": {}, "a": {}, "=1": {}, "": {},
	} {
		key, value, ok := keyValue(text)
		if ok != (want[0] != "") || ok && (key != want[0] || value != want[1]) {
			t.Errorf("%q: %q %q %v", text, key, value, ok)
		}
	}
}

func TestTargetsAsProseWritesThem(t *testing.T) {
	for text, want := range map[string]string{
		"`@jit`": "jit", " @jax.jit ": "jax.jit", ".half()": "half", "model.eval()": "model.eval", "drop_last=True": "drop_last=True", "f(x)": "f(x)", "``": "",
	} {
		if got := cleanTarget(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	for value, want := range map[string]bool{
		"True": true, "a.b(1)": true, "-1": true, "x=3": true, "(1,\n2)": false, "1; x": false, "import os": false, "x #": false, ")": false, "lambda: 0": true, "1) + (2": false,
	} {
		if got := oneExpression(value); got != want {
			t.Errorf("%q: %v", value, got)
		}
	}
}

func TestShellWords(t *testing.T) {
	for line, want := range map[string]string{
		`--a 1 "b c" 'd "e'`: `--a|1|b c|d "e`, "": "", "  x  ": "x", `a"b"c ''`: "abc|", "a # comment": "a", "a#b": "a#b", "число": "число",
	} {
		words, ok := shellWords(line)
		if got := strings.Join(words, "|"); !ok || got != want {
			t.Errorf("%q: %q %v", line, got, ok)
		}
	}
	if _, ok := shellWords(`a "b`); ok {
		t.Error("an open quote")
	}
}

// TestDamagedBlocks: repairs of joined blocks are said with the lines of the
// script, and the guessed ones are risky.
func TestDamagedBlocks(t *testing.T) {
	r := &report.Report{Blocks: []report.Block{
		{Kind: report.BlockPython, Text: "import torch\nimport numpy as np\nx = np.ones(3)\n"},
		{Kind: report.BlockPython, Text: "for i in x:\nprint i / 2\n"},
		{Kind: report.BlockPython, Text: "$ python x.py\nif True:\n    y = 1\n\tprint(x, “y”)\n"},
		{Kind: report.BlockPython, Text: "print(torch.ones((1, 2))\n"},
	}}
	c := build(t, r, nil)
	want := "import torch\nimport numpy as np\nx = np.ones(3)\n\nfor i in x:\n    print(i / 2)\n\n" +
		"# $ python x.py\nif True:\n    y = 1\n    print(x, \"y\")\n\nprint(torch.ones((1, 2)))\n"
	if c.Script != want || c.SyntaxError != "" {
		t.Errorf("%s\n%s", c.SyntaxError, c.Script)
	}
	wantKinds := []string{"bracket", "indent", "join_blocks", "leftover", "python2", "quotes"}
	if got := kinds(c); !slices.Equal(got, wantKinds) {
		t.Errorf("edits %q: %+v", got, c.Edits)
	}
	lines := strings.Split(c.Script, "\n")
	for _, e := range c.Edits {
		risky := e.Kind == "bracket" || e.Kind == "python2" || e.Why == "the indentation was lost"
		if e.Risky != risky {
			t.Errorf("risky: %+v", e)
		}
		if e.Kind == "leftover" && lines[e.Line-1] != e.After || e.Kind == "bracket" && lines[e.Line-1] != e.After {
			t.Errorf("line %d is %q: %+v", e.Line, lines[e.Line-1], e)
		}
	}
	if c.Original == c.Script || !strings.Contains(Diff(c.Original, c.Script), "-for i in x:\n-print i / 2") && !strings.Contains(Diff(c.Original, c.Script), "-print i / 2") {
		t.Errorf("the diff says nothing:\n%s", Diff(c.Original, c.Script))
	}
}

// TestRepairIsBounded: a report full of damaged blocks is not read for minutes.
func TestRepairIsBounded(t *testing.T) {
	r := &report.Report{}
	d := &triage.Decision{}
	for i := range 15 {
		r.Blocks = append(r.Blocks, report.Block{Kind: report.BlockPython, Text: strings.Repeat("print 1\n", 450)})
		d.Blocks = append(d.Blocks, i)
	}
	c := &Candidate{}
	defer c.remember()()
	for i := range r.Blocks {
		c.blockCode(&r.Blocks[i], d, 1)
	}
	if c.memo.repaired < maxRepaired {
		t.Errorf("only %d bytes were damaged", c.memo.repaired)
	}
}
