package candidate

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

// TestEchoLast: a report shows an output of a script that prints nothing.
func TestEchoLast(t *testing.T) {
	for _, c := range []struct{ name, code, output, want string }{
		{"the last expression", "import scipy.stats as s\ns.beta(5., 5.).ppf(0.5)\n", "nan", `displayhook(s.beta(5., 5.).ppf(0.5))`},
		{"a script that prints", "import scipy.stats as s\nprint(s.beta(5., 5.))\ns.x\n", "nan", ""},
		{"no expression at the end", "import scipy.stats as s\nx = s.beta(5., 5.)\n", "nan", ""},
		{"no output is shown", "import scipy.stats as s\ns.beta(5., 5.).ppf(0.5)\n", "None", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := report.Parse([]byte("# beta gives nan\n\n```python\n"+c.code+"```\n\n### Error message\n\n```shell\n"+c.output+"\n```\n"), report.Source{})
			got, err := FromReport(r, triage.Decide(r, triage.Options{}))
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case c.want == "" && strings.Contains(got.Script, "displayhook"):
				t.Errorf("echoed:\n%s", got.Script)
			case !strings.Contains(got.Script, c.want):
				t.Errorf("not echoed:\n%s", got.Script)
			case c.want != "" && (len(got.Edits) == 0 || got.Edits[0].Kind != "echo"):
				t.Errorf("the edit is not recorded: %+v", got.Edits)
			}
		})
	}
}
