package report

import "testing"

// TestScriptBelowAWish: a whole script below the words of what should be is what
// was run, unless they announce it.
func TestScriptBelowAWish(t *testing.T) {
	const code = "\n```\nimport lib\nx = lib.make(2)\nprint(lib.f(x))\nprint(lib.f(x, x))\n```\n"
	for text, want := range map[string]Role{
		"Expected Behavior:\n- f should be applied to all of its arguments.\n" + code: RoleCode,
		"### Expected behavior\n" + code:                                              RoleCode,
		"### Expected behavior\n\nThis should work:\n" + code:                         RoleExpected,
		"### Expected behavior\n\nIt should give 3.\n\n```\nlib.f(3)\n```\n":          RoleExpected,
	} {
		r := Parse([]byte("# f leaves its second argument alone\n\n"+text), Source{})
		if len(r.Blocks) == 0 || r.Blocks[0].Role != want {
			t.Errorf("%q: %+v, want %s", text, r.Blocks, want)
		}
	}
}
