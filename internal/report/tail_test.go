package report

import (
	"strings"
	"testing"
)

// TestTail: what stands below code in one fence is output only where Python
// cannot read it.
func TestTail(t *testing.T) {
	for _, c := range []struct {
		name, body   string
		code, output string
	}{
		{"a label with the value behind it", "import widgets\n\nwidgets.area(2)\n\noutput: <Area: 4.5>", "import widgets\n\nwidgets.area(2)\n\n", "<Area: 4.5>"},
		{"a label of its own", "import widgets\nprint(widgets.area(2))\nResult:\n4.5 units of <area>", "import widgets\nprint(widgets.area(2))\n", "4.5 units of <area>"},
		{"a blank line alone", "import widgets\nprint(widgets.size())\n\n3 of 5 left\n2 of 5 left", "import widgets\nprint(widgets.size())\n\n", "3 of 5 left\n2 of 5 left"},
		{"a label in another language", "import widgets\nprint(widgets.area(2))\n输出：\n<4.5>", "import widgets\nprint(widgets.area(2))\n", "<4.5>"},
		{"a label as a comment", "import widgets\nprint(widgets.area(2))\n# OUTPUT\n   a    b\n0  1  NaN", "import widgets\nprint(widgets.area(2))\n# OUTPUT\n", "   a    b\n0  1  NaN"},
		{"a comment that is no label", "import widgets\nprint(widgets.area(2))\n# the output is 3 wide\n4.5 units", "import widgets\nprint(widgets.area(2))\n# the output is 3 wide\n4.5 units", ""},
		{"a warning with the line that it quotes", "import widgets\nw = widgets.area(2)\nw.fold()\n/x/site-packages/widgets/w.py:31: RuntimeWarning: divide by zero in fold\n  return np.clip(w.f(x), 0, 1)\n4.25", "import widgets\nw = widgets.area(2)\nw.fold()\n", "/x/site-packages/widgets/w.py:31: RuntimeWarning: divide by zero in fold\n  return np.clip(w.f(x), 0, 1)\n4.25"},
		{"what was printed before a warning", "import widgets\nprint(widgets.area(2))\n\n4.5 units\nw.py:31: UserWarning: no\n  return x", "import widgets\nprint(widgets.area(2))\n\n", "4.5 units\nw.py:31: UserWarning: no\n  return x"},
		{"a warning that the code spells", "import widgets\nx = 'a.py:3: UserWarning: no'\n\nprint(x)", "import widgets\nx = 'a.py:3: UserWarning: no'\n\nprint(x)", ""},
		{"all of it is code", "import widgets\nx = widgets.area(2)\n\n(1, 2)\nx", "import widgets\nx = widgets.area(2)\n\n(1, 2)\nx", ""},
		{"no line sets it apart", "import widgets\nprint(widgets.area(2))\n4.5 units", "import widgets\nprint(widgets.area(2))\n4.5 units", ""},
		{"the code is broken itself", "import widgets\nprint(widgets.area(2)\n\n4.5 units", "import widgets\nprint(widgets.area(2)\n\n4.5 units", ""},
		{"a comment below", "import widgets\nprint(widgets.area(2)) )\n\n# 4.5 units", "import widgets\nprint(widgets.area(2)) )\n\n# 4.5 units", ""},
		{"a mapping", "import widgets\nx = {\n\noutput: 3,\n}", "import widgets\nx = {\n\noutput: 3,\n}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Parse([]byte("# A wrong area\n\nRun this:\n```\n"+c.body+"\n```\n"), Source{})
			check(t, r)
			want := 2
			if c.output == "" {
				want = 1
			}
			if len(r.Blocks) != want {
				t.Fatalf("%d blocks, want %d: %+v", len(r.Blocks), want, r.Blocks)
			}
			if got := strings.TrimRight(r.Blocks[0].Text, "\n"); got != strings.TrimRight(c.code, "\n") || r.Blocks[0].Kind != BlockPython {
				t.Errorf("code (%s):\n%s", r.Blocks[0].Kind, got)
			}
			if c.output == "" {
				return
			}
			if b := r.Blocks[1]; b.Text != c.output || b.Kind != BlockOutput || b.Role != RoleActual {
				t.Errorf("output %s %s:\n%s", b.Kind, b.Role, b.Text)
			}
			if b := r.Blocks[1]; !strings.HasPrefix(r.Text[b.Span.Start:], strings.SplitN(c.output, "\n", 2)[0]) {
				t.Errorf("the span of the output begins at %q", r.Text[b.Span.Start:])
			}
		})
	}
}

// TestFirstPrints: the versions that a script prints before everything else.
func TestFirstPrints(t *testing.T) {
	r := Parse([]byte("# jax: no\n\n    import jax, numpy\n    print(jax.__version__)\n    print(numpy.__version__)\n\n    print(jax.f(3))\n    print(jax.__version__)\n\nAnswer:\n\n    0.4.30\n    1.26.4\n\n    7.0\n    9.9\n"), Source{})
	check(t, r)
	got := ""
	for _, v := range r.Versions {
		got += v.Dist + " " + v.Spec + ","
	}
	if got != "jax 0.4.30,numpy 1.26.4," {
		t.Errorf("versions %s", got)
	}
}

// TestCapitalImport: the first line of code that no mark announces.
func TestCapitalImport(t *testing.T) {
	r := Parse([]byte("# A wrong area\n\nSo I do this:\n\nImport numpy\nfrom widgets import area\nprint(area(numpy.ones(3)))\n\nImport errors are no trouble.\n"), Source{})
	check(t, r)
	if len(r.Blocks) != 1 || r.Blocks[0].Text != "Import numpy\nfrom widgets import area\nprint(area(numpy.ones(3)))" {
		t.Errorf("blocks %+v", r.Blocks)
	}
}

// TestVersionsBelowTheirQuestions: a block that only prints versions, with what
// it printed below.
func TestVersionsBelowTheirQuestions(t *testing.T) {
	code := "```python\nimport numpy as np\nimport keras\nkeras.f(np.ones(3))\n```\n## Environment\n```python\nprint(np.__version__)\nprint(keras.__version__)\n\n"
	for _, c := range []struct {
		name, printed string
		want          map[string]string
	}{
		{"a line each", "1.26.4\n3.6.0\n", map[string]string{"numpy": "1.26.4", "keras": "3.6.0"}},
		{"a line too few", "3.6.0\n", map[string]string{}},
		{"a line too many", "1.26.4\n3.6.0\n3.11.2\n", map[string]string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Parse([]byte("# keras: no\n\n"+code+c.printed+"```\n"), Source{})
			check(t, r)
			got := map[string]string{}
			for _, v := range r.Versions {
				if v.Where == "printed" {
					got[v.Dist] = v.Spec
				}
			}
			for name, spec := range c.want {
				if got[name] != spec {
					t.Errorf("%s is %q, want %q", name, got[name], spec)
				}
			}
			if len(c.want) == 0 && len(got) > 0 {
				t.Errorf("the lines cannot be told apart: %v", got)
			}
		})
	}
}

// TestInstalledBelowItsName: tools that show one package before all others give
// its name as an underlined line.
func TestInstalledBelowItsName(t *testing.T) {
	list := "widgets\n=======\n\nInstalled: 0.13.5 (/x/site-packages/widgets)\n\nRequired\n========\n\nnumpy: 1.24.1 (/x/site-packages/numpy)\nscipy: 1.10.0 (/x)\n"
	for name, body := range map[string]string{
		"unfenced": "<details>\n\nINSTALLED VERSIONS\n------------------\nPython: 3.10.6.final.0\n\n" + list + "\n</details>\n",
		"fenced":   "```shell\nINSTALLED VERSIONS\n------------------\nPython: 3.10.6.final.0\n\n" + list + "```\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := Parse([]byte("# A wrong area\n\n#### Output of show_versions()\n\n"+body), Source{})
			check(t, r)
			got := map[string]string{}
			for _, v := range r.Versions {
				if v.Role == RoleStated {
					got[v.Dist] = v.Spec
				}
			}
			if got["widgets"] != "0.13.5" || got["numpy"] != "1.24.1" || got["installed"] != "" {
				t.Errorf("%v", got)
			}
		})
	}
	r := Parse([]byte("# A wrong area\n\nVersions:\n```\nInstalled: 1.2\nnumpy: 1.24.1\nscipy: 1.10.0\n```\n"), Source{})
	for _, v := range r.Versions {
		if v.Dist == "installed" {
			t.Errorf("a word became a package: %+v", v)
		}
	}
}
