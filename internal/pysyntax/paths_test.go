package pysyntax

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestSwitches(t *testing.T) {
	for _, c := range []struct {
		src   string
		want  []Switch
		other []int
	}{
		{"x = 1 if control else 2\n", []Switch{{Line: 1, EndLine: 1, On: "1", Off: "2", Ternary: true}}, nil},
		{"x = 1 if not (control) else 2\n", []Switch{{Line: 1, EndLine: 1, On: "2", Off: "1", Ternary: true}}, nil},
		{"if control:\n    x = 1\nelse:\n    x = 2\n", []Switch{{Line: 1, EndLine: 4, On: "x = 1", Off: "x = 2"}}, nil},
		{"if not control:\n    x.append(2)\n    pass\n", []Switch{{Line: 1, EndLine: 3, Off: "x.append(2)\n    pass"}}, nil},
		{"if control:\n    return 1\n", []Switch{{Line: 1, EndLine: 2, On: "return 1", Odd: "return"}}, nil},
		{"if control:\n    for i in x:\n        y = 1\n", []Switch{{Line: 1, EndLine: 3, On: "for i in x:\n        y = 1", Odd: "for"}}, nil},
		{"if control and x:\n    y = 1\n", nil, []int{1}},
		{"if x:\n    y = 1\nelif control:\n    y = 2\n", nil, []int{3}},
		{"y = control\n", nil, []int{1}},
		{"f(control=1)\nx.control = 2\n'control'\n# control\n", nil, nil},
		{"y = [x for x in z if control]\nwhile control:\n    pass\n", nil, []int{1, 2}},
		{"", nil, nil},
	} {
		list, other := ReadPaths(c.src).Switches("control")
		if !reflect.DeepEqual(list, c.want) || !slices.Equal(other, c.other) {
			t.Errorf("%q: %+v %v, want %+v %v", c.src, list, other, c.want, c.other)
		}
	}
}

func TestUses(t *testing.T) {
	for src, want := range map[string]int{
		"observe('a', 1)\nx.observe\nf(observe=2)\n'observe'\n": 1,
		"o = observe\ndef f(observe): pass\n":                   2,
		"f'{observe}'\n":                                        1,
		"":                                                      0,
	} {
		if got := ReadPaths(src).Uses("observe"); got != want {
			t.Errorf("%q: %d, want %d", src, got, want)
		}
	}
}

// TestPassage: line 9 is "out = call(x)" in every source.
func TestPassage(t *testing.T) {
	pad := func(lines ...string) string {
		return strings.Repeat("\n", 9-len(lines)) + strings.Join(lines, "\n") + "\n"
	}
	for _, c := range []struct{ name, src, want string }{
		{"plain", pad("out = call(x)"), ""},
		{"a condition on something else", pad("if other:", "    out = call(x)"), ""},
		{"a condition", pad("if x:", "    out = call(x)"), "condition"},
		{"an else", pad("if x:", "    pass", "else:", "    out = call(x)"), "condition"},
		{"an elif", pad("if other:", "    pass", "elif x:", "    out = call(x)"), "condition"},
		{"a while", pad("while x:", "    out = call(x)"), "condition"},
		{"the condition itself", pad("if call(x):", "    pass")[1:], ""},
		{"a try", pad("try:", "    out = call(x)") + "except E:\n    pass\n", "try"},
		{"a with", pad("with no_grad():", "    out = call(x)"), ""},
		{"a swallowing with", pad("with contextlib.suppress(E):", "    out = call(x)"), "swallows"},
		{"a ternary of calls", pad("out = call(x) if x else other(x)"), "chooses between calls"},
		{"a ternary of values", pad("out = call(1 if x else 2)"), ""},
		{"and", pad("out = x and call(x)"), "depends on what stands before"},
		{"a comprehension", pad("out = [call(y) for y in x]"), "no elements"},
		{"a fixed comprehension", pad("out = [call(y) for y in range(3)]"), ""},
		{"a filtered comprehension", pad("out = [call(y) for y in range(3) if x]"), "no elements"},
		{"a lambda", pad("f = lambda: call(x)"), "lambda"},
		{"a break before", pad("for y in range(3):", "    if y: break", "    out = call(x)"), "may leave before it (break)"},
		{"a return before", pad("def f():", "    if y: return", "    out = call(x)"), "may leave before it (return)"},
		{"any condition in a function", pad("def f():", "    if other:", "        out = call(x)"), "condition"},
		{"a nested function", pad("def f():", "    def g():", "        out = call(x)"), "inside another"},
		{"a generator", pad("def f():", "    yield 1", "    out = call(x)"), "generator"},
		{"a match", pad("match x:", "    case 1:", "        out = call(x)"), "match"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ReadPaths(c.src).Passage(9, map[string]bool{"x": true})
			if c.name == "the condition itself" {
				got = ReadPaths(c.src).Passage(7, map[string]bool{"x": true})
			}
			if !got.Found || c.want == "" && got.Barred != "" || !strings.Contains(got.Barred, c.want) {
				t.Errorf("%+v, want %q", got, c.want)
			}
		})
	}
	p := ReadPaths("for a in x:\n    for b in range(2):\n        call(a)\n").Passage(3, map[string]bool{"x": true})
	if len(p.Loops) != 1 || p.Loops[0] != [2]int{1, 3} || p.Barred != "" {
		t.Errorf("loops %+v", p)
	}
	p = ReadPaths("class A:\n    def f(self):\n        call()\n").Passage(3, nil)
	if p.Function == nil || p.Function.Name != "f" || p.Function.Scope != "A" || p.Function.EndLine != 3 {
		t.Errorf("function %+v", p.Function)
	}
	if ReadPaths("x = 1\n").Passage(7, nil).Found || ReadPaths("").Passage(1, nil).Found {
		t.Error("a line that is not there was found")
	}
}

func TestComputed(t *testing.T) {
	for src, want := range map[string]string{
		"x = np.f(1)\n":                                       "x",
		"x = np.nan\ny = x\n":                                 "",
		"x = np.f(1).g\ny = x + 1\nz = 3\n":                   "x y",
		"x = float(np.f(1))\n":                                "x",
		"def g(a):\n    return np.f(a)\nx = g(1)\ny = 2\n":    "g x",
		"x = []\nx.append(np.f(1))\n":                         "x",
		"for x in np.f(1):\n    y = x\n":                      "x y",
		"for x in np.all_of:\n    y = x\n":                    "",
		"with np.open() as f:\n    x = f.read()\n":            "f x",
		"bad = 0\ntry:\n    np.f()\nexcept E:\n    bad = 1\n": "bad",
		"if np.f():\n    x = 1\n":                             "x",
		"if np.flag:\n    x = 1\n":                            "",
		"x, y = np.f(), 2\n":                                  "x y",
		"def g(a):\n    b = a\ng(np.f())\n":                   "a b g",
		"import os\nx = os.getcwd()\n":                        "",
		"x = np.f\ny = x(1)\n":                                "",
	} {
		got := slices.Sorted(maps.Keys(Parse("import numpy as np\n" + src).Computed("numpy")))
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %q", src, got, want)
		}
	}
}

func TestFrom(t *testing.T) {
	f := Parse("a = 1 if control else 2\nb = a\nc = 3\nif b:\n    d = c\n")
	if got := slices.Sorted(maps.Keys(f.From("control"))); strings.Join(got, " ") != "a b control d" {
		t.Errorf("%v", got)
	}
}

// FuzzPaths: no source makes the questions panic.
func FuzzPaths(f *testing.F) {
	f.Add("if not (not control):\n  x = [y for y in z if control]\nelse: pass\n", 2)
	f.Add("def f():\n  while control: yield\n  for a in b: continue\nlambda: 1\n", 3)
	f.Add("match x:\n case 1: pass\nwith a as b, c: d\ntry: e\nexcept: f\nx = a if b else c\n", 2)
	f.Fuzz(func(t *testing.T, src string, line int) {
		p := ReadPaths(src)
		p.Switches("control")
		p.Uses("observe")
		p.Passage(line, map[string]bool{"b": true})
		file := Parse(src)
		file.Computed("a", "b")
		file.From("control")
	})
}
