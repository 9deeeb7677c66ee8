package pysyntax

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestOutlineStrings: a statement each, and whether the scanner may be sure of
// it. The line after it shows where the scanner thinks that the string ended.
func TestOutlineStrings(t *testing.T) {
	for src, sure := range map[string]bool{
		`''`: true, `""`: true, `''''''`: true, `""""""`: true, `'a' "b"`: true, `'\''`: true, `"\\"`: true, `r'\\'`: true, `r'\''`: true,
		`'''a'b''c'''`: true, `"""a\"""b"""`: true, `'''\\'''`: true, `'''a\\\'''b'''`: true, "'''\n\n'''": true, "'a\\\nb'": true, "'a\\\r\nb'": true,
		`b'#'`: true, `Rb"("`: true, `u'['`: true, `print'a'`: true, `x = 'a'if b else'c'`: true,
		`f''`: true, `f'{a}'`: true, `F"{a}"`: true, `fr'{a}\d'`: true, `rF'\{a}'`: true, `f'{{'`: true, `f'{{}}'`: true, `f'{a}}}'`: true,
		`f'{a["b"]}'`: true, `f"{a['b']}"`: true, `f'{a:>10}'`: true, `f'{a:{b}.{c}}'`: true, `f'{a!r}'`: true, `f'{a!r:^{b}}'`: true,
		`f'{a != b}'`: true, `f'{(lambda x: x)(1)}'`: true, `f'{ {1: 2}[1] }'`: true, `f'{a[1:2]}'`: true, `f'{a:"}'`: true, `f"{a:'>3}"`: true,
		`f'{f"{a}"}'`: true, `f"{', '.join(f'{x}' for x in y)}"`: true, "f'''{\na}'''": true, `f'''{a['b']}'''`: false, `f'''"{a}"'''`: true,
		`f'{a:%H:%M}'`: true, `f'\N{DASH}'`: true, `f'\'{a}'`: true, `f"{a=}"`: true, `f'{a}' f"{b}"`: true, `f"""{f'''{f"{f'{1}'}"}'''}"""`: true,
		`f"{a["b"]}"`: false, `f'{'a'}'`: false, `f'{a`: false, `f'{a'`: false, `'a`: false, `"""a`: false, `f"""a{`: false, `f'{a)}'`: false,
		`f'{"\n"}'`: true, `f'{a\n}'`: false, "f'{a # b\n}'": false, "f'{\na}'": false, "f'''{a:\n}'''": false, `f'{a:{b:{c:{d:{e:{f:{g:{h:{i}}}}}}}}}'`: false,
		`t'{a}'`: true, `rt"{a['b']}"`: true, `f'{`: false, `f'`: false, `'''`: false, "'\n'": false, "'a\rb'": false,
	} {
		text := src + "\nNEXT\n"
		o, got := OutlineScan([]byte(text))
		if got != sure {
			t.Errorf("%q: sure %v", src, got)
		}
		if last := len(o.Lines) - 1; sure && (last != 1 || text[o.Lines[last].Start:] != "NEXT\n") {
			t.Errorf("%q: %s", src, outlineText(text, o))
		}
	}
}

// TestOutlineStringsSame: any mixture of quotes, prefixes and braces is read as
// the grammar reads it, where both are sure.
func TestOutlineStringsSame(t *testing.T) {
	piece := rapid.SampledFrom([]string{"'", "'", `"`, `"`, "'''", `"""`, `\`, "f", "r", "b", "{", "}", "{a}", "{{", ":", "a", " ", "!r", "\n", "+"})
	both := 0
	rapid.Check(t, func(r *rapid.T) {
		src := []byte("x = (" + strings.Join(rapid.SliceOfN(piece, 1, 14).Draw(r, "pieces"), "") + ")\nNEXT\n")
		scan, a := OutlineScan(src)
		tree, b := OutlineTree(src)
		if !a || !b {
			return
		}
		both++
		if got, want := outlineText(string(src), scan), outlineText(string(src), tree); got != want {
			r.Fatalf("%q\nscan\n%stree\n%s", src, got, want)
		}
	})
	t.Logf("%d compared", both)
}

func TestOutlineFragment(t *testing.T) {
	src := "    @p\n    def f(self):\n        return 1\n"
	if got := outlineText(src, OutlineFragment([]byte(src))); got != "1-2 0 def f @p\n3-3 1 stmt\n" {
		t.Error(got)
	}
}

func TestLineReader(t *testing.T) {
	var r LineReader
	for _, c := range []struct {
		line   string
		inside bool // the next line goes on with the statement
	}{
		{"x = 1", false}, {"x = (1,", true}, {"  2  # (", true}, {")", false}, {"s = '''a", true}, {"!b", true}, {"''' + \\", true}, {"  y", false},
		{"it's", false}, {"# (", false}, {"", false},
	} {
		if r.Read(c.line); r.Inside() != c.inside {
			t.Errorf("after %q inside = %v", c.line, r.Inside())
		}
	}
}
