package candidate

import (
	"testing"

	"github.com/repgen/repgen/internal/oracle"
)

func TestOnlyVersions(t *testing.T) {
	for script, want := range map[string]bool{
		"import lib\nprint(lib.__version__)\n":                    true,
		"import lib\nprint('lib', lib.__version__)\n":             true,
		"import lib\nprint(lib.__version__)\nprint(lib.add(1))\n": false,
		"import lib\nprint('done')\n":                             false,
		"import lib\nlib.add(1)\n":                                false,
	} {
		c := FromScript(script)
		if got := len(c.OnlyVersions(&oracle.Expectation{Oracle: oracle.OraclePrinted})) > 0; got != want {
			t.Errorf("%q: %v", script, got)
		}
		if len(c.OnlyVersions(&oracle.Expectation{Oracle: oracle.OracleException})) > 0 {
			t.Errorf("%q is refused where nothing printed is judged", script)
		}
	}
}
