package report

import "testing"

// TestUnderlines: tildes that point at a place open no fence, and code below
// them is still found.
func TestUnderlines(t *testing.T) {
	const code = "\n\nSo run\n```\nimport lib\nprint(lib.f(2))\n```\n"
	for name, c := range map[string]struct {
		text string
		want []BlockKind
	}{
		"a scripting compiler's": {"It says:\n\ndef f(x, **more):\n          ~~~~~ <--- HERE" + code, []BlockKind{BlockPython}},
		"below a frame": {
			"Traceback (most recent call last):\n  File \"a.py\", line 2, in <module>\n    x = f(1) + g\n        ~~~~~^~~\nTypeError: no" + code,
			[]BlockKind{BlockTraceback, BlockPython},
		},
		"a heading's":         {"Steps\n~~~~~" + code, []BlockKind{BlockPython}},
		"a fence":             {"~~~\nimport lib\nlib.g()\n~~~" + code, []BlockKind{BlockPython, BlockPython}},
		"a fence and its tag": {"~~~python\nimport lib\nlib.g()\n~~~" + code, []BlockKind{BlockPython, BlockPython}},
	} {
		r := Parse([]byte("# lib.f is wrong\n\n"+c.text), Source{})
		var got []BlockKind
		for _, b := range r.Blocks {
			got = append(got, b.Kind)
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
	}
}
