package report

import (
	"fmt"
	"strings"
	"testing"
)

// TestCommandCode: a script on the interpreter's command line is a script, and
// what stands below it is what it printed.
func TestCommandCode(t *testing.T) {
	const trace = "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nValueError: no area"
	for _, c := range []struct {
		name, block string
		want        []string
	}{
		{"printed", "```console\n$ pip install widgets==1.2\n$ python -c 'import widgets; print(widgets.area(2))'\ninf\n```", []string{"shell", "python import widgets; print(widgets.area(2))", "output inf"}},
		{"raised", "```bash\npython3 -W error -c \"import widgets\"\n" + trace + "\n```", []string{"shell", "python import widgets", "traceback " + trace}},
		{"several lines", "```\n$ X_MODE=1 python -c '\nimport widgets\nprint(widgets.area(2))\n'\ninf\n```", []string{"shell", "python \nimport widgets\nprint(widgets.area(2))\n", "output inf"}},
		{"nothing printed", "```\n$ python -c 'import widgets'\n```", []string{"shell", "python import widgets"}},
		{"two states", "```\n$ python -c 'import widgets'\n1\n$ pip install widgets==2\n$ python -c 'import widgets'\n2\n```", nil},
		{"for the shell to change", "```\n$ python -c \"import widgets; print('$HOME')\"\n```", nil},
		{"into a pipe", "```\n$ python -c 'import widgets' | head\n```", nil},
		{"no script", "```\n$ python -c '1 +'\n```", nil},
		{"never closed", "```\n$ python -c 'import widgets\n```", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Parse([]byte("# A wrong area\n\nRun this:\n\n"+c.block+"\n\nIt is wrong.\n"), Source{})
			check(t, r)
			var got []string
			for _, b := range r.Blocks {
				text := string(b.Kind)
				if b.Kind != BlockShell {
					text += " " + b.Text
				}
				got = append(got, text)
			}
			if c.want == nil {
				for _, b := range r.Blocks {
					if b.Kind == BlockPython {
						t.Errorf("a script: %q", b.Text)
					}
				}
				return
			}
			if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
				t.Errorf("%q\nwant %q", got, c.want)
			}
			if strings.Contains(c.block, "X_MODE") && len(r.Env) == 0 {
				t.Error("the variable was lost")
			}
		})
	}
}
