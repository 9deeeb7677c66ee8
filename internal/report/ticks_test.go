package report

import "testing"

// TestTicks: code between single backticks is code, a quotation is not.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		name, text string
		kinds      []BlockKind
		first      string
	}{
		{
			"over several lines with a blank one", "Das geht nicht:\n`from widgets import area\n\nx = area(2,\n         3)\nprint(x)`\n\nWarum?\n",
			[]BlockKind{BlockPython}, "from widgets import area\n\nx = area(2,\n         3)\nprint(x)",
		},
		{
			"the closing one on a line of its own", "So:\n`import widgets\nwidgets.area(2)\n`\nAnd `x` is wrong.\n",
			[]BlockKind{BlockPython}, "import widgets\nwidgets.area(2)",
		},
		{
			"each line", "The following fails:\n\n`import widgets`\n\n`x = widgets.area([1, 2])`\n`print(x)`\n\nwith 1.2.\n",
			[]BlockKind{BlockPython}, "import widgets\nx = widgets.area([1, 2])\nprint(x)",
		},
		{
			"code and its traceback", "`import widgets\nwidgets.area(2)` \n\n`Traceback (most recent call last):\n  File \"a.py\", line 2, in <module>\nValueError: no`\n",
			[]BlockKind{BlockPython, BlockTraceback}, "import widgets\nwidgets.area(2)",
		},
		{"one line", "Run\n`import widgets`\nand see `widgets.area` fail.\n", nil, ""},
		{
			"one import that is the bug", "Importing the package warns of its own code:\n\n`from widgets import area`\n\nI did nothing else.\n",
			[]BlockKind{BlockPython}, "from widgets import area",
		},
		{"never closed", "`import widgets\nwidgets.area(2)\n\nSo it goes.\n", nil, ""},
		{"the next one opens again", "`import widgets\nsays `widgets.area` of it.\n", nil, ""},
		{"prose", "`from what I see,\nthis is no code at all and nothing to run`\n", nil, ""},
		{"options in a list", "`import`\n`export`\n", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Parse([]byte("# A wrong area\n\n"+c.text), Source{})
			check(t, r)
			if len(r.Blocks) != len(c.kinds) {
				t.Fatalf("%d blocks, want %d: %+v", len(r.Blocks), len(c.kinds), r.Blocks)
			}
			for i, k := range c.kinds {
				if r.Blocks[i].Kind != k {
					t.Errorf("block %d is %s, want %s:\n%s", i, r.Blocks[i].Kind, k, r.Blocks[i].Text)
				}
			}
			if c.first != "" && r.Blocks[0].Text != c.first {
				t.Errorf("code:\n%s", r.Blocks[0].Text)
			}
		})
	}
}
